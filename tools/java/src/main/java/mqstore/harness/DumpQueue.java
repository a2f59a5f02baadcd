package mqstore.harness;

import com.alibaba.fastjson.JSONObject;
import java.io.File;
import java.io.IOException;
import java.nio.ByteBuffer;
import org.apache.rocketmq.store.ConsumeQueue;
import org.apache.rocketmq.store.ConsumeQueueExt;

/** The entries of consume queues and of their extensions. */
final class DumpQueue {
    private static final int ENTRY = ConsumeQueue.CQ_STORE_UNIT_SIZE;
    /** The size field that ends a file of an extension. */
    private static final short EXTENSION_END = -1;

    private DumpQueue() {}

    static void queue(DumpOut d, String topic, File folder) throws IOException {
        for (File file : DumpOut.list(folder)) {
            ByteBuffer b = d.open(file);
            if (!DumpOut.isOffset(file.getName())) continue;
            long base = Long.parseLong(file.getName());
            int at = 0;
            for (; at + ENTRY <= b.limit(); at += ENTRY) {
                long offset = b.getLong(at);
                int size = b.getInt(at + 8);
                long tags = b.getLong(at + 12);
                if (offset < 0 || size <= 0) break;
                JSONObject line = line("cq", topic, folder);
                line.put("i", (base + at) / ENTRY);
                line.put("off", offset);
                line.put("size", size);
                line.put("tags", tags);
                if (ConsumeQueueExt.isExtAddr(tags)) line.put("extAddr", tags - Long.MIN_VALUE);
                d.print(line);
            }
            d.tail("cqTail", shortPath(topic, file), b, at, base);
        }
    }

    static void extension(DumpOut d, String topic, File folder) throws IOException {
        for (File file : DumpOut.list(folder)) {
            ByteBuffer b = d.open(file);
            if (!DumpOut.isOffset(file.getName())) continue;
            long base = Long.parseLong(file.getName());
            int at = 0;
            while (at + 2 <= b.limit()) {
                short size = b.getShort(at);
                if (size == EXTENSION_END) {
                    JSONObject line = DumpOut.line("cqExtEnd");
                    line.put("addr", base + at);
                    d.print(line);
                    at += 2;
                    break;
                }
                if (size < ConsumeQueueExt.CqExtUnit.MIN_EXT_UNIT_SIZE || at + size > b.limit()) break;
                d.print(unit(b, at, base, line("cqExt", topic, folder)));
                at += size;
            }
            d.tail("cqExtTail", shortPath(topic, file), b, at, base);
        }
    }

    private static JSONObject unit(ByteBuffer b, int at, long base, JSONObject line) {
        short bitMapSize = b.getShort(at + 18);
        byte[] bitMap = new byte[Math.max(0, bitMapSize)];
        ByteBuffer bits = b.duplicate();
        bits.position(at + 20);
        bits.get(bitMap);
        line.put("addr", base + at);
        line.put("size", b.getShort(at));
        line.put("tags", b.getLong(at + 2));
        line.put("storeTime", b.getLong(at + 10));
        line.put("bitMapSize", bitMapSize);
        line.put("bitMap", Bytes.hex(bitMap));
        return line;
    }

    private static JSONObject line(String type, String topic, File folder) {
        JSONObject o = DumpOut.line(type);
        o.put("topic", topic);
        o.put("queueId", Integer.parseInt(folder.getName()));
        return o;
    }

    private static String shortPath(String topic, File file) {
        return topic + "/" + file.getParentFile().getName() + "/" + file.getName();
    }
}
