package mqstore.harness;

import com.alibaba.fastjson.JSONArray;
import com.alibaba.fastjson.JSONObject;
import java.nio.ByteBuffer;
import java.util.List;
import org.apache.rocketmq.common.filter.FilterAPI;
import org.apache.rocketmq.common.message.MessageExt;
import org.apache.rocketmq.store.DefaultMessageFilter;
import org.apache.rocketmq.store.DefaultMessageStore;
import org.apache.rocketmq.store.GetMessageResult;
import org.apache.rocketmq.store.QueryMessageResult;
import org.apache.rocketmq.store.SelectMappedBufferResult;

/** Operations that read messages and offsets. A record is shown as [physical offset, size, sha256]. */
final class ReadOps {
    /** Where the physical offset stands in a record. */
    private static final int PHYSICAL_OFFSET_AT = 28;

    private ReadOps() {}

    static void get(DefaultMessageStore store, JSONObject op, JSONObject out) throws Exception {
        String topic = Json.text(op.get("topic"));
        DefaultMessageFilter filter = null;
        if (op.containsKey("tags")) {
            filter = new DefaultMessageFilter(FilterAPI.buildSubscriptionData(topic, op.getString("tags")));
        }
        String group = op.containsKey("group") ? op.getString("group") : "G";
        GetMessageResult r = store.getMessage(group, topic, op.getIntValue("queueId"), op.getLongValue("offset"),
            (int) Json.number(op, "max", 32), filter);
        if (r == null) {
            out.put("result", null);
            return;
        }
        try {
            out.put("status", r.getStatus().name());
            out.put("nextBeginOffset", r.getNextBeginOffset());
            out.put("minOffset", r.getMinOffset());
            out.put("maxOffset", r.getMaxOffset());
            out.put("count", r.getMessageCount());
            out.put("bytes", r.getBufferTotalSize());
            JSONArray records = new JSONArray();
            for (SelectMappedBufferResult s : r.getMessageMapedList()) {
                records.add(List.of(s.getStartOffset(), s.getSize(), Bytes.sha256(s.getByteBuffer())));
            }
            out.put("msgs", records);
        } finally {
            r.release();
        }
    }

    static void lookByOffset(DefaultMessageStore store, JSONObject op, JSONObject out) {
        long offset = op.getLongValue("offset");
        MessageExt m = op.containsKey("size")
            ? store.lookMessageByOffset(offset, op.getIntValue("size"))
            : store.lookMessageByOffset(offset);
        out.put("found", m != null);
        if (m == null) return;
        out.put("msgId", m.getMsgId());
        out.put("topic", m.getTopic());
        out.put("queueId", m.getQueueId());
        out.put("queueOffset", m.getQueueOffset());
        out.put("storeSize", m.getStoreSize());
        out.put("storeTimestamp", m.getStoreTimestamp());
        out.put("body", m.getBody() == null ? null : Bytes.sha256(m.getBody()));
        out.put("tags", m.getTags());
        out.put("keys", m.getKeys());
        SelectMappedBufferResult record = store.selectOneMessageByOffset(offset);
        if (record != null) {
            out.put("bytes", Bytes.sha256(record.getByteBuffer()));
            record.release();
        }
    }

    static void query(DefaultMessageStore store, JSONObject op, JSONObject out) {
        QueryMessageResult r = store.queryMessage(Json.text(op.get("topic")), op.getString("key"),
            (int) Json.number(op, "max", 32), Json.number(op, "begin", 0), Json.number(op, "end", Long.MAX_VALUE));
        try {
            out.put("count", r.getMessageBufferList().size());
            out.put("bytes", r.getBufferTotalSize());
            out.put("indexLastUpdateTimestamp", r.getIndexLastUpdateTimestamp());
            out.put("indexLastUpdatePhyoffset", r.getIndexLastUpdatePhyoffset());
            JSONArray records = new JSONArray();
            for (ByteBuffer b : r.getMessageBufferList()) {
                records.add(List.of(b.getLong(PHYSICAL_OFFSET_AT), b.getInt(0), Bytes.sha256(b)));
            }
            out.put("msgs", records);
        } finally {
            r.release();
        }
    }

    static void minMax(DefaultMessageStore store, JSONObject op, JSONObject out) {
        String topic = Json.text(op.get("topic"));
        int queueId = op.getIntValue("queueId");
        out.put("min", store.getMinOffsetInQueue(topic, queueId));
        out.put("max", store.getMaxOffsetInQueue(topic, queueId));
        out.put("total", store.getMessageTotalInQueue(topic, queueId));
        out.put("earliest", store.getEarliestMessageTime(topic, queueId));
        out.put("minPhy", store.getMinPhyOffset());
        out.put("maxPhy", store.getMaxPhyOffset());
    }

    static void cqEntry(DefaultMessageStore store, JSONObject op, JSONObject out) {
        String topic = Json.text(op.get("topic"));
        int queueId = op.getIntValue("queueId");
        long offset = op.getLongValue("offset");
        out.put("commitLogOffset", store.getCommitLogOffsetInQueue(topic, queueId, offset));
        out.put("storeTimestamp", store.getMessageStoreTimeStamp(topic, queueId, offset));
        out.put("inDisk", store.checkInDiskByConsumeOffset(topic, queueId, offset));
    }

    static void offsetByTime(DefaultMessageStore store, JSONObject op, JSONObject out) {
        out.put("offset", store.getOffsetInQueueByTime(
            op.getString("topic"), op.getIntValue("queueId"), op.getLongValue("timestamp")));
    }
}
