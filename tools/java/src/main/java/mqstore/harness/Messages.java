package mqstore.harness;

import com.alibaba.fastjson.JSONObject;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.rocketmq.common.message.Message;
import org.apache.rocketmq.common.message.MessageAccessor;
import org.apache.rocketmq.common.message.MessageConst;
import org.apache.rocketmq.common.message.MessageDecoder;
import org.apache.rocketmq.common.message.MessageExt;
import org.apache.rocketmq.common.message.MessageExtBatch;
import org.apache.rocketmq.store.MessageExtBrokerInner;

/** The message or batch that a "put" or "putBatch" line describes. */
final class Messages {
    private Messages() {}

    static MessageExtBrokerInner single(JSONObject op, long now) throws UnknownHostException {
        MessageExtBrokerInner m = new MessageExtBrokerInner();
        setCommon(m, op, now);
        m.setBody(Bytes.of(op.get("body")));
        Map<String, String> properties = properties(op, op.getString("mapOrder"));
        MessageAccessor.setProperties(m, properties);
        if (op.containsKey("propertiesString")) {
            m.setPropertiesString(Json.text(op.get("propertiesString")));
        } else {
            m.setPropertiesString(storedString(properties));
        }
        return m;
    }

    static MessageExtBatch batch(JSONObject op, long now) throws UnknownHostException {
        MessageExtBatch batch = new MessageExtBatch();
        setCommon(batch, op, now);
        MessageAccessor.setProperties(batch, properties(op, op.getString("mapOrder")));
        batch.setBody(op.containsKey("rawBody") ? Bytes.of(op.get("rawBody")) : encodeItems(op));
        return batch;
    }

    private static byte[] encodeItems(JSONObject op) {
        List<Message> items = new ArrayList<>();
        for (Object o : op.getJSONArray("messages")) {
            JSONObject given = (JSONObject) o;
            Message m = new Message();
            m.setFlag(given.getIntValue("flag"));
            m.setBody(Bytes.of(given.get("body")));
            MessageAccessor.setProperties(m, properties(given, op.getString("mapOrder")));
            items.add(m);
        }
        return MessageDecoder.encodeMessages(items);
    }

    /** A broker leaves WAIT out of the stored string, but keeps it in the map. */
    private static String storedString(Map<String, String> properties) {
        String wait = properties.remove(MessageConst.PROPERTY_WAIT_STORE_MSG_OK);
        String stored = MessageDecoder.messageProperties2String(properties);
        if (wait != null) properties.put(MessageConst.PROPERTY_WAIT_STORE_MSG_OK, wait);
        return stored;
    }

    /** In the order given; "hash" is the order of a broker's map. */
    private static Map<String, String> properties(JSONObject op, String mapOrder) {
        Map<String, String> p = "hash".equals(mapOrder) ? new HashMap<>() : new LinkedHashMap<>();
        JSONObject given = op.getJSONObject("properties");
        if (given != null) given.forEach((name, value) -> p.put(name, Json.text(value)));
        putIfGiven(p, op, "tags", MessageConst.PROPERTY_TAGS);
        putIfGiven(p, op, "keys", MessageConst.PROPERTY_KEYS);
        putIfGiven(p, op, "uniqKey", MessageConst.PROPERTY_UNIQ_CLIENT_MESSAGE_ID_KEYIDX);
        putIfGiven(p, op, "delay", MessageConst.PROPERTY_DELAY_TIME_LEVEL);
        putIfGiven(p, op, "multiDispatch", MessageConst.PROPERTY_INNER_MULTI_DISPATCH);
        putIfGiven(p, op, "wait", MessageConst.PROPERTY_WAIT_STORE_MSG_OK);
        return p;
    }

    private static void putIfGiven(Map<String, String> p, JSONObject op, String field, String property) {
        if (op.containsKey(field)) p.put(property, op.getString(field));
    }

    private static void setCommon(MessageExt m, JSONObject op, long now) throws UnknownHostException {
        m.setTopic(Json.text(op.get("topic")));
        m.setQueueId(op.getIntValue("queueId"));
        m.setFlag(op.getIntValue("flag"));
        m.setSysFlag(op.getIntValue("sysFlag"));
        m.setBornTimestamp(Json.number(op, "bornTimestamp", now));
        m.setBornHost(address(op, "bornHost", "127.0.0.1:10000"));
        m.setStoreHost(address(op, "storeHost", "127.0.0.1:10911"));
        m.setReconsumeTimes(op.getIntValue("reconsumeTimes"));
        m.setPreparedTransactionOffset(op.getLongValue("preparedTransactionOffset"));
    }

    /** 1.2.3.4:5 or [2001:db8::1]:5. */
    private static InetSocketAddress address(JSONObject op, String field, String orElse) throws UnknownHostException {
        String s = op.containsKey(field) ? op.getString(field) : orElse;
        int colon = s.lastIndexOf(':');
        InetAddress host = InetAddress.getByName(s.substring(0, colon)); // takes the brackets too
        return new InetSocketAddress(host, Integer.parseInt(s.substring(colon + 1)));
    }
}
