package mqstore.harness;

import com.alibaba.fastjson.JSONArray;
import com.alibaba.fastjson.JSONObject;
import java.io.File;
import java.lang.reflect.Method;
import java.util.List;
import org.apache.rocketmq.store.ConsumeQueue;
import org.apache.rocketmq.store.DefaultMessageStore;
import org.apache.rocketmq.store.MappedFile;
import org.apache.rocketmq.store.StoreCheckpoint;
import org.apache.rocketmq.store.StoreStatsService;

/** Operations that wait for the store's background work, look at it, or make it happen now. */
final class UpkeepOps {
    private UpkeepOps() {}

    static void waitDispatch(StoreHandle h, JSONObject op, JSONObject out) throws InterruptedException {
        boolean ok = h.waitDispatch(Json.number(op, "timeoutMs", 10_000));
        out.put("ok", ok);
        if (ok) out.put("behind", h.store.dispatchBehindBytes());
    }

    static void waitQueue(StoreHandle h, JSONObject op, JSONObject out) throws InterruptedException {
        String topic = op.getString("topic");
        int queueId = op.getIntValue("queueId");
        long wanted = op.getLongValue("max");
        StoreHandle.poll(Json.number(op, "timeoutMs", 20_000), () -> h.store.getMaxOffsetInQueue(topic, queueId) >= wanted);
        out.put("max", h.store.getMaxOffsetInQueue(topic, queueId));
    }

    static void checkpoint(StoreHandle h, JSONObject op, JSONObject out) {
        StoreCheckpoint c = h.store.getStoreCheckpoint();
        if (op.getBooleanValue("flush")) c.flush();
        out.put("physic", c.getPhysicMsgTimestamp());
        out.put("logics", c.getLogicsMsgTimestamp());
        out.put("index", c.getIndexMsgTimestamp());
        out.put("min", c.getMinTimestamp());
        out.put("minIndex", c.getMinTimestampIndex());
    }

    static void stats(StoreHandle h, JSONObject out) {
        StoreStatsService s = h.store.getStoreStatsService();
        out.put("putTimesTotal", s.getPutMessageTimesTotal());
        out.put("putSizeTotal", s.getPutMessageSizeTotal());
        out.put("putFailed", s.getPutMessageFailedTimes().longValue());
        out.put("getFound", s.getGetMessageTimesTotalFound().longValue());
        out.put("getMiss", s.getGetMessageTimesTotalMiss().longValue());
        out.put("getTransfered", s.getGetMessageTransferedMsgCount().longValue());
        // As getRuntimeInfo() has them, which throws in a store's first second, before there is a sample of its rates.
        out.put("commitLogMinOffset", String.valueOf(h.store.getMinPhyOffset()));
        out.put("commitLogMaxOffset", String.valueOf(h.store.getMaxPhyOffset()));
    }

    static void arrivals(StoreHandle h, JSONObject out) {
        JSONArray list = new JSONArray();
        for (JSONObject o = h.arrivals.poll(); o != null; o = h.arrivals.poll()) list.add(o);
        out.put("list", list);
    }

    /** Sets a file's modification time, by which the store searches by time and decides what is old. */
    static void touch(StoreHandle h, JSONObject op, JSONObject out) {
        List<MappedFile> files = h.logFiles().getMappedFiles();
        if (op.containsKey("topic")) {
            ConsumeQueue queue = h.store.findConsumeQueue(Json.text(op.get("topic")), op.getIntValue("queueId"));
            files = StoreHandle.queueFiles(queue).getMappedFiles();
            // One call flushes one file; a later flush by the store would set the time anew.
            for (int i = 0; i < files.size() + 2; i++) queue.flush(0);
        }
        File file = new File(files.get(op.getIntValue("file")).getFileName());
        out.put("ok", file.setLastModified(op.getLongValue("mtime")));
    }

    /** The store's own cleaning, now; "manual" makes it delete old files whatever the hour. */
    static void clean(StoreHandle h, JSONObject op, JSONObject out) throws ReflectiveOperationException {
        if (!Boolean.FALSE.equals(op.getBoolean("manual"))) h.store.executeDeleteFilesManually();
        Method clean = DefaultMessageStore.class.getDeclaredMethod("cleanFilesPeriodically");
        clean.setAccessible(true);
        clean.invoke(h.store);
        Snapshot.putLogBounds(h, out);
        out.put("commitLogFiles", Snapshot.logFileNames(h));
    }

    static void setPhyOffset(StoreHandle h, JSONObject op, JSONObject out) {
        out.put("ok", h.store.resetWriteOffset(op.getLongValue("offset")));
        out.put("maxPhy", h.store.getMaxPhyOffset());
    }
}
