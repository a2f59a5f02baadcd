package mqstore.harness;

import com.alibaba.fastjson.JSONObject;
import java.io.File;
import java.lang.reflect.Field;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.apache.rocketmq.common.BrokerConfig;
import org.apache.rocketmq.store.CommitLog;
import org.apache.rocketmq.store.ConsumeQueue;
import org.apache.rocketmq.store.DefaultMessageStore;
import org.apache.rocketmq.store.MappedFileQueue;
import org.apache.rocketmq.store.config.MessageStoreConfig;
import org.apache.rocketmq.store.index.IndexService;
import org.apache.rocketmq.store.stats.BrokerStatsManager;

/** One genuine store, and the doors into it that its interface does not have. */
final class StoreHandle {
    final MessageStoreConfig config;
    final DefaultMessageStore store;
    /** What the message-arriving listener was told, if it was asked to record. */
    final Queue<JSONObject> arrivals = new ConcurrentLinkedQueue<>();
    private final BrokerStatsManager brokerStats = new BrokerStatsManager("mqstore", false);

    /** The clock replaces the store's own; null leaves it alone. */
    StoreHandle(String root, Map<String, String> given, TraceClock clock, boolean recordArrivals) throws Exception {
        BrokerConfig broker = new BrokerConfig();
        config = Settings.storeConfig(root, given, broker);
        store = new DefaultMessageStore(config, brokerStats, (topic, queueId, logicOffset, tagsCode, time, bits, props) -> {
            if (!recordArrivals) return;
            JSONObject o = Json.object();
            o.put("topic", topic);
            o.put("queueId", queueId);
            o.put("logicOffset", logicOffset);
            o.put("tagsCode", tagsCode);
            o.put("storeTimestamp", time);
            arrivals.add(o);
        }, broker);
        if (clock != null) field(DefaultMessageStore.class, "systemClock").set(store, clock);
    }

    void shutdown() {
        store.shutdown();
        // A broker stops its statistics itself; left running, their threads would pile up in a batch.
        brokerStats.shutdown();
    }

    /**
     * Delayed messages fall due by the wall clock, so traces and recoveries run without their delivery.
     *
     * <p>On a master this takes a second, and that is welcome: the flush thread makes its one thorough round of the next ten
     * seconds meanwhile, so that it is not up to chance whether the first puts get into the checkpoint by it.
     */
    void stopDelayedDelivery() {
        store.getScheduleMessageService().shutdown();
    }

    static File abortFile(String root) {
        return new File(root, "abort");
    }

    MappedFileQueue logFiles() {
        return (MappedFileQueue) get(store.getCommitLog(), CommitLog.class, "mappedFileQueue");
    }

    static MappedFileQueue queueFiles(ConsumeQueue queue) {
        return (MappedFileQueue) get(queue, ConsumeQueue.class, "mappedFileQueue");
    }

    int indexFileCount() {
        Object index = get(store, DefaultMessageStore.class, "indexService");
        return ((List<?>) get(index, IndexService.class, "indexFileList")).size();
    }

    /** True once everything that was put is readable (committed out of a transient pool) and dispatched. */
    boolean waitDispatch(long timeoutMs) throws InterruptedException {
        MappedFileQueue log = logFiles();
        return poll(timeoutMs, () -> log.getMaxOffset() >= log.getMaxWrotePosition() && store.dispatchBehindBytes() <= 0);
    }

    /** Flushes until all is flushed or nothing moves any more: one call of the store's flush() handles one file only. */
    long flushAll() {
        long before = -1;
        for (int round = 0; ; round++) {
            long now = store.flush();
            if (now >= logFiles().getMaxWrotePosition() || (now == before && round > 3)) return now;
            before = now;
        }
    }

    /** The flush thread puts the last flushed store time into the checkpoint object a round after the flush. */
    boolean waitCheckpoint(long timeoutMs) throws InterruptedException {
        return poll(timeoutMs, () -> {
            long flushed = logFiles().getStoreTimestamp();
            return flushed == 0 || store.getStoreCheckpoint().getPhysicMsgTimestamp() == flushed;
        });
    }

    interface Condition {
        boolean holds();
    }

    static boolean poll(long timeoutMs, Condition condition) throws InterruptedException {
        long deadline = System.nanoTime() + timeoutMs * 1_000_000;
        while (!condition.holds()) {
            if (System.nanoTime() > deadline) return false;
            Thread.sleep(1);
        }
        return true;
    }

    private static Object get(Object owner, Class<?> type, String name) {
        try {
            return field(type, name).get(owner);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
    }

    private static Field field(Class<?> type, String name) throws NoSuchFieldException {
        Field f = type.getDeclaredField(name);
        f.setAccessible(true);
        return f;
    }
}
