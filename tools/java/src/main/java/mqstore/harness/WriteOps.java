package mqstore.harness;

import com.alibaba.fastjson.JSONObject;
import java.util.Map;
import org.apache.rocketmq.store.AppendMessageResult;
import org.apache.rocketmq.store.PutMessageResult;
import org.apache.rocketmq.store.RunningFlags;
import org.apache.rocketmq.store.config.BrokerRole;

/** Operations that write, or that decide whether writing is allowed. */
final class WriteOps {
    private WriteOps() {}

    static void put(StoreHandle h, JSONObject op, long now, JSONObject out) throws Exception {
        finish(h, op, h.store.putMessage(Messages.single(op, now)), out);
    }

    static void putBatch(StoreHandle h, JSONObject op, long now, JSONObject out) throws Exception {
        finish(h, op, h.store.putMessages(Messages.batch(op, now)), out);
    }

    private static void finish(StoreHandle h, JSONObject op, PutMessageResult r, JSONObject out) throws Exception {
        out.put("status", r.getPutMessageStatus().name());
        AppendMessageResult a = r.getAppendMessageResult();
        out.put("append", a == null ? null : a.getStatus().name());
        if (a != null) {
            out.put("wroteOffset", a.getWroteOffset());
            out.put("wroteBytes", a.getWroteBytes());
            out.put("queueOffset", a.getLogicsOffset());
            out.put("storeTimestamp", a.getStoreTimestamp());
            out.put("msgNum", a.getMsgNum());
            out.put("msgId", a.getMsgId());
        }
        if (op.getBooleanValue("thenDispatch")) out.put("dispatched", h.waitDispatch(10_000));
    }

    /** What a slave does with bytes from its master. */
    static void appendRaw(StoreHandle h, JSONObject op, JSONObject out) {
        byte[] data = Bytes.of(op.get("data"));
        out.put("ok", h.store.appendToCommitLog(op.getLongValue("offset"), data, 0, data.length));
        out.put("maxPhy", h.store.getMaxPhyOffset());
    }

    static void flush(StoreHandle h, JSONObject op, JSONObject out) throws InterruptedException {
        out.put("flushedWhere", h.flushAll());
        if (!Boolean.FALSE.equals(op.getBoolean("checkpoint"))) {
            out.put("checkpointOk", h.waitCheckpoint(Json.number(op, "timeoutMs", 12_000)));
        }
    }

    static void flags(StoreHandle h, JSONObject op, JSONObject out) {
        RunningFlags f = h.store.getRunningFlags();
        Boolean writeable = op.getBoolean("writeable");
        Boolean readable = op.getBoolean("readable");
        Boolean diskFull = op.getBoolean("diskFull");
        if (writeable != null && writeable) f.getAndMakeWriteable();
        if (writeable != null && !writeable) f.getAndMakeNotWriteable();
        if (readable != null && readable) f.getAndMakeReadable();
        if (readable != null && !readable) f.getAndMakeNotReadable();
        if (diskFull != null && diskFull) f.getAndMakeDiskFull();
        if (diskFull != null && !diskFull) f.getAndMakeDiskOK();
        // nothing but a restart clears these two
        if (op.getBooleanValue("logicsError")) f.makeLogicsQueueError();
        if (op.getBooleanValue("indexError")) f.makeIndexFileError();
        out.put("flagBits", f.getFlagBits());
        out.put("readable", f.isReadable());
        out.put("writeable", f.isWriteable());
        out.put("cqWriteable", f.isCQWriteable());
    }

    static void role(StoreHandle h, JSONObject op, JSONObject out) {
        h.config.setBrokerRole(BrokerRole.valueOf(op.getString("role")));
        out.put("role", h.config.getBrokerRole().name());
    }

    static void set(StoreHandle h, JSONObject op) throws ReflectiveOperationException {
        for (Map.Entry<String, String> e : Json.strings(op.getJSONObject("config")).entrySet()) {
            Settings.set(h.config, e.getKey(), e.getValue());
        }
    }
}
