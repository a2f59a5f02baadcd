package mqstore.harness;

import com.alibaba.fastjson.JSONArray;
import com.alibaba.fastjson.JSONObject;
import java.io.File;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import org.apache.rocketmq.store.config.MessageStoreConfig;
import org.apache.rocketmq.store.index.IndexHeader;

/** An index file: header, used slots as [slot, entry], entries. */
final class DumpIndex {
    private static final int HEADER = IndexHeader.INDEX_HEADER_SIZE;
    private static final int SLOT = 4;
    private static final int ENTRY = 20;

    private final DumpOut d;
    private final int slots;
    private final int entries;

    DumpIndex(DumpOut d, MessageStoreConfig config) {
        this.d = d;
        this.slots = config.getMaxHashSlotNum();
        this.entries = config.getMaxIndexNum();
    }

    void file(File file) throws IOException {
        ByteBuffer b = d.open(file);
        JSONObject line = DumpOut.line("index");
        line.put("file", file.getName());
        line.put("sizeOk", b.limit() == HEADER + slots * SLOT + entries * ENTRY);
        if (b.limit() < HEADER) {
            d.print(line);
            return;
        }
        IndexHeader h = new IndexHeader(b.duplicate());
        h.load();
        line.put("beginTimestamp", h.getBeginTimestamp());
        line.put("endTimestamp", h.getEndTimestamp());
        line.put("beginPhyOffset", h.getBeginPhyOffset());
        line.put("endPhyOffset", h.getEndPhyOffset());
        line.put("hashSlotCount", h.getHashSlotCount().get());
        line.put("indexCount", b.getInt(36)); // as stored: the object corrects a 0 to 1
        line.put("slotNum", slots);
        line.put("indexNum", entries);
        line.put("slots", usedSlots(b));
        d.print(line);
        entries(b, h.getIndexCount());
    }

    private JSONArray usedSlots(ByteBuffer b) {
        JSONArray used = new JSONArray();
        for (int i = 0; i < slots && HEADER + SLOT * (i + 1) <= b.limit(); i++) {
            int entry = b.getInt(HEADER + SLOT * i);
            if (entry != 0) used.add(List.of(i, entry));
        }
        return used;
    }

    /** Entry 0 is never used; entries behind the count are shown if anything is in them. */
    private void entries(ByteBuffer b, int count) {
        for (int i = 0; i < entries; i++) {
            int at = HEADER + SLOT * slots + ENTRY * i;
            if (at + ENTRY > b.limit()) break;
            boolean zero = b.getInt(at) == 0 && b.getLong(at + 4) == 0 && b.getLong(at + 12) == 0;
            if (zero && (i == 0 || i >= count)) continue;
            JSONObject line = DumpOut.line("indexEntry");
            line.put("i", i);
            line.put("keyHash", b.getInt(at));
            line.put("off", b.getLong(at + 4));
            line.put("timeDiff", b.getInt(at + 12));
            line.put("prev", b.getInt(at + 16));
            if (i >= count) line.put("beyondCount", true);
            d.print(line);
        }
    }
}
