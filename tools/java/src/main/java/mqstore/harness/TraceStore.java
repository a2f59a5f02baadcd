package mqstore.harness;

import com.alibaba.fastjson.JSONObject;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;

/** The store a trace runs against: opened, closed and opened again under one clock. */
final class TraceStore {
    private final String root;
    private final Map<String, String> overrides;
    private final Map<String, String> config = new LinkedHashMap<>();
    private TraceClock clock;
    private boolean schedule;
    private boolean recordArrivals;
    private int bitMapBytes;
    private StoreHandle handle;

    TraceStore(String root, Map<String, String> overrides) {
        this.root = root;
        this.overrides = overrides;
    }

    void exec(JSONObject op, JSONObject out) throws Exception {
        if (clock != null) clock.tick(op);
        String name = String.valueOf(op.getString("op"));
        switch (name) {
            case "open": open(op, out); break;
            case "reopen": reopen(op, out); break;
            case "sleep": Thread.sleep(op.getLongValue("ms")); break;
            case "clock":
                if (clock == null) throw new Cli.Usage("the operation clock needs a clock in the trace's open line");
                clock.adjust(op);
                out.put("now", clock.now());
                break;
            case "close":
                close();
                out.put("abortFile", StoreHandle.abortFile(root).exists());
                break;
            default: onStore(Objects.requireNonNull(handle, "the store is closed"), name, op, out);
        }
    }

    private void onStore(StoreHandle h, String name, JSONObject op, JSONObject out) throws Exception {
        switch (name) {
            case "put": WriteOps.put(h, op, now(), out); break;
            case "putBatch": WriteOps.putBatch(h, op, now(), out); break;
            case "appendRaw": WriteOps.appendRaw(h, op, out); break;
            case "flush": WriteOps.flush(h, op, out); break;
            case "flags": WriteOps.flags(h, op, out); break;
            case "role": WriteOps.role(h, op, out); break;
            case "set": WriteOps.set(h, op); break;
            case "get": ReadOps.get(h.store, op, out); break;
            case "lookByOffset": ReadOps.lookByOffset(h.store, op, out); break;
            case "query": ReadOps.query(h.store, op, out); break;
            case "offsetByTime": ReadOps.offsetByTime(h.store, op, out); break;
            case "minMax": ReadOps.minMax(h.store, op, out); break;
            case "cqEntry": ReadOps.cqEntry(h.store, op, out); break;
            case "waitDispatch": UpkeepOps.waitDispatch(h, op, out); break;
            case "waitQueue": UpkeepOps.waitQueue(h, op, out); break;
            case "checkpoint": UpkeepOps.checkpoint(h, op, out); break;
            case "stats": UpkeepOps.stats(h, out); break;
            case "state": out.putAll(Snapshot.stable(h)); break;
            case "arrivals": UpkeepOps.arrivals(h, out); break;
            case "touch": UpkeepOps.touch(h, op, out); break;
            case "clean": UpkeepOps.clean(h, op, out); break;
            case "setPhyOffset": UpkeepOps.setPhyOffset(h, op, out); break;
            default: throw new Cli.Usage("unknown operation " + name);
        }
    }

    void open(JSONObject op, JSONObject out) throws Exception {
        JSONObject c = op.getJSONObject("clock");
        if (c != null) clock = new TraceClock(c.getLongValue("base"), Json.number(c, "step", 0));
        schedule = op.getBooleanValue("schedule");
        recordArrivals = op.getBooleanValue("arrivals");
        bitMapBytes = op.getIntValue("bitMapBytes");
        start(op, out);
    }

    private void reopen(JSONObject op, JSONObject out) throws Exception {
        close();
        out.put("abortFile", StoreHandle.abortFile(root).exists());
        if (op.getBooleanValue("fakeAbort")) StoreHandle.abortFile(root).createNewFile();
        if (op.containsKey("schedule")) schedule = op.getBooleanValue("schedule");
        start(op, out);
        out.put("state", Snapshot.full(handle, "started"));
    }

    void close() {
        if (handle == null) return;
        handle.shutdown();
        handle = null;
    }

    private void start(JSONObject op, JSONObject out) throws Exception {
        config.putAll(Json.strings(op.getJSONObject("config")));
        config.putAll(overrides);
        handle = new StoreHandle(root, config, clock, recordArrivals);
        if (bitMapBytes > 0) {
            // In a broker the consumers' filters make this bit map; here the physical offset does.
            handle.store.getDispatcherList().addFirst(r -> r.setBitMap(Bytes.fill(bitMapBytes, r.getCommitLogOffset())));
        }
        out.put("load", handle.store.load());
        handle.store.start();
        if (!schedule) handle.stopDelayedDelivery();
        Snapshot.putLogBounds(handle, out);
    }

    private long now() {
        return clock != null ? clock.now() : System.currentTimeMillis();
    }
}
