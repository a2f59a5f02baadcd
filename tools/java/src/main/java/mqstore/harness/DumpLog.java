package mqstore.harness;

import com.alibaba.fastjson.JSONObject;
import java.io.File;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.TreeMap;
import org.apache.rocketmq.common.UtilAll;
import org.apache.rocketmq.common.message.MessageDecoder;
import org.apache.rocketmq.common.message.MessageExt;
import org.apache.rocketmq.common.sysflag.MessageSysFlag;
import org.apache.rocketmq.store.CommitLog;

/** The records of a commit log file, as RocketMQ's own decoder reads them. */
final class DumpLog {
    private static final int BLANK_MAGIC = 0xCBD43194;
    /** Size and magic code: all that a blank consists of. */
    private static final int HEAD = 8;
    /** All fields of fixed length before the body length, without the two hosts. */
    private static final int FIXED = 68;

    private DumpLog() {}

    static void file(DumpOut d, File file) throws IOException {
        ByteBuffer b = d.open(file);
        if (!DumpOut.isOffset(file.getName())) return;
        long base = Long.parseLong(file.getName());
        int at = 0;
        while (at + HEAD <= b.limit()) {
            int size = b.getInt(at);
            int magic = b.getInt(at + 4);
            if (magic == BLANK_MAGIC) {
                JSONObject line = DumpOut.line("blank");
                line.put("off", base + at);
                line.put("size", size);
                line.put("toFileEnd", size == b.limit() - at);
                d.print(line);
                at += HEAD;
                break;
            }
            if (magic != CommitLog.MESSAGE_MAGIC_CODE || size <= 0 || size > b.limit() - at) break;
            ByteBuffer record = b.duplicate();
            record.position(at).limit(at + size);
            d.print(message(record.slice(), base + at));
            at += size;
        }
        d.tail("clTail", file.getName(), b, at, base);
    }

    private static JSONObject message(ByteBuffer record, long offset) {
        JSONObject o = DumpOut.line("msg");
        o.put("off", offset);
        o.put("size", record.limit());
        o.put("magic", String.format("%08x", record.getInt(4)));
        MessageExt m = MessageDecoder.decode(record.duplicate(), true, false);
        if (m == null) {
            o.put("decoded", false);
            o.put("bodyCRC", record.getInt(8));
        } else {
            decoded(o, m, record);
        }
        o.put("sha256", Bytes.sha256(record));
        return o;
    }

    private static void decoded(JSONObject o, MessageExt m, ByteBuffer record) {
        byte[] body = m.getBody() == null ? new byte[0] : m.getBody();
        o.put("bodyCRC", m.getBodyCRC());
        o.put("crcOk", m.getBodyCRC() == UtilAll.crc32(body));
        o.put("queueId", m.getQueueId());
        o.put("flag", m.getFlag());
        o.put("queueOffset", m.getQueueOffset());
        o.put("physicalOffset", m.getCommitLogOffset());
        o.put("sysFlag", m.getSysFlag());
        o.put("bornTimestamp", m.getBornTimestamp());
        o.put("bornHost", host(m.getBornHost()));
        o.put("storeTimestamp", m.getStoreTimestamp());
        o.put("storeHost", host(m.getStoreHost()));
        o.put("reconsumeTimes", m.getReconsumeTimes());
        o.put("preparedTransactionOffset", m.getPreparedTransactionOffset());

        // The lengths and the raw properties are read from the bytes: the decoder does not keep them.
        int bodyAt = FIXED + hostSize(m, MessageSysFlag.BORNHOST_V6_FLAG) + hostSize(m, MessageSysFlag.STOREHOSTADDRESS_V6_FLAG);
        int bodyLen = record.getInt(bodyAt);
        int topicAt = bodyAt + 4 + bodyLen;
        int topicLen = record.get(topicAt);
        int propertiesAt = topicAt + 1 + topicLen;
        int propertiesLen = record.getShort(propertiesAt);
        byte[] properties = new byte[Math.max(0, propertiesLen)];
        ByteBuffer rest = record.duplicate();
        rest.position(propertiesAt + 2);
        rest.get(properties);
        o.put("bodyLen", bodyLen);
        o.put("bodySha256", Bytes.sha256(body));
        o.put("topic", m.getTopic());
        o.put("topicLen", topicLen);
        o.put("propertiesLen", propertiesLen);
        o.put("propertiesRaw", new String(properties, StandardCharsets.UTF_8));
        JSONObject map = Json.object();
        if (m.getProperties() != null) map.putAll(new TreeMap<>(m.getProperties()));
        o.put("properties", map);
        o.put("msgId", m.getMsgId());
        o.put("sizeOk", rest.position() == record.limit());
    }

    private static int hostSize(MessageExt m, int ipv6Flag) {
        return (m.getSysFlag() & ipv6Flag) == 0 ? 8 : 20;
    }

    private static String host(SocketAddress address) {
        InetSocketAddress a = (InetSocketAddress) address;
        String ip = a.getAddress().getHostAddress();
        return (ip.contains(":") ? "[" + ip + "]" : ip) + ":" + a.getPort();
    }
}
