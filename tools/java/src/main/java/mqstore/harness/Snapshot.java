package mqstore.harness;

import com.alibaba.fastjson.JSONObject;
import java.io.File;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import org.apache.rocketmq.store.ConsumeQueue;
import org.apache.rocketmq.store.MappedFile;
import org.apache.rocketmq.store.StoreCheckpoint;

/** What a store knows at one moment: positions, queues, offset tables, files. */
final class Snapshot {
    private Snapshot() {}

    /** Everything, with what background threads change when they please: for `open` and after a reopen. */
    static JSONObject full(StoreHandle h, String phase) {
        JSONObject o = Json.object();
        o.put("phase", phase);
        putLogBounds(h, o);
        o.put("flushedWhere", h.logFiles().getFlushedWhere());
        o.put("committedWhere", h.logFiles().getCommittedWhere());
        StoreCheckpoint c = h.store.getStoreCheckpoint();
        if (c != null) {
            o.put("checkpoint", List.of(c.getPhysicMsgTimestamp(), c.getLogicsMsgTimestamp(), c.getIndexMsgTimestamp()));
        }
        putTables(h, o);
        return o;
    }

    /** Only what a trace determines: for the operation "state". */
    static JSONObject stable(StoreHandle h) {
        JSONObject o = Json.object();
        putLogBounds(h, o);
        putTables(h, o);
        return o;
    }

    static void putLogBounds(StoreHandle h, JSONObject o) {
        o.put("minPhy", h.store.getMinPhyOffset());
        o.put("maxPhy", h.store.getMaxPhyOffset());
    }

    static List<String> logFileNames(StoreHandle h) {
        List<String> names = new ArrayList<>();
        for (MappedFile f : h.logFiles().getMappedFiles()) names.add(new File(f.getFileName()).getName());
        return names;
    }

    private static void putTables(StoreHandle h, JSONObject o) {
        o.put("queues", queues(h));
        JSONObject offsets = Json.object();
        new TreeMap<>(h.store.getCommitLog().getTopicQueueTable()).forEach((key, next) -> {
            // the store looks up every delay queue at start, and so lists it with 0
            if (next != 0 || !key.startsWith("SCHEDULE_TOPIC_XXXX-")) offsets.put(key, next);
        });
        o.put("topicQueueTable", offsets);
        JSONObject light = Json.object();
        new TreeMap<>(h.store.getCommitLog().getLmqTopicQueueTable()).forEach(light::put);
        if (!light.isEmpty()) o.put("lmqTopicQueueTable", light);
        o.put("commitLogFiles", logFileNames(h));
        o.put("indexFiles", h.indexFileCount());
        o.put("flagBits", h.store.getRunningFlags().getFlagBits());
    }

    private static List<JSONObject> queues(StoreHandle h) {
        TreeMap<String, ConsumeQueue> sorted = new TreeMap<>();
        h.store.getConsumeQueueTable().forEach((topic, byId) ->
            byId.forEach((id, q) -> sorted.put(String.format("%s\0%010d", topic, id), q)));
        List<JSONObject> list = new ArrayList<>();
        for (ConsumeQueue q : sorted.values()) {
            int files = StoreHandle.queueFiles(q).getMappedFiles().size();
            if (files == 0 && q.getMaxOffsetInQueue() == 0) continue; // asked for, but never written
            JSONObject o = Json.object();
            o.put("topic", q.getTopic());
            o.put("queueId", q.getQueueId());
            o.put("min", q.getMinOffsetInQueue());
            o.put("max", q.getMaxOffsetInQueue());
            o.put("maxPhysic", q.getMaxPhysicOffset());
            o.put("files", files);
            list.add(o);
        }
        return list;
    }
}
