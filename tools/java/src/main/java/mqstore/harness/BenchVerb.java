package mqstore.harness;

import com.alibaba.fastjson.JSONObject;
import java.io.File;
import java.io.PrintStream;
import java.util.LinkedHashMap;
import java.util.Map;

/** {@code bench}: throughput and latency of putMessage or putMessages on an empty folder, as one JSON line. */
final class BenchVerb {
    private BenchVerb() {}

    static int call(Cli cli, PrintStream out) throws Exception {
        File root = new File(cli.need("store")).getAbsoluteFile();
        String[] present = root.list();
        if (present != null && present.length > 0) throw new Cli.Usage("bench needs an empty --store, this is not: " + root);
        int threads = cli.number("threads", 1);
        int batch = Math.max(1, cli.number("batch", 1));
        long calls = Math.max(1, cli.longNumber("count", 1_000_000) / batch);

        StoreHandle h = new StoreHandle(root.getPath(), config(cli), null, false);
        if (!h.store.load()) throw new IllegalStateException("load() failed");
        h.store.start();
        BenchLoad load = new BenchLoad(h.store, cli.number("body", 1024), batch,
            cli.number("topics", 1), cli.number("queues", 4), cli.get("props", "tags"));

        // The warm-up's messages stay in the log; nothing of it is counted.
        double warmup = cli.seconds("warmup-seconds", 5);
        if (warmup > 0) load.run(threads, 0, warmup);
        h.waitDispatch(60_000);
        BenchLoad.Result r = load.run(threads, calls, cli.seconds("seconds", 0));

        // A put is answered before its queue entry exists: what was left undone must be shown beside the rate.
        long end = System.nanoTime();
        long behind = h.store.dispatchBehindBytes();
        boolean drained = h.waitDispatch(600_000);
        double drainMs = (System.nanoTime() - end) / 1e6;
        Json.print(out, report(h, load, threads, r, behind, drained, drainMs));
        h.shutdown();
        if (!cli.has("keep")) h.store.destroy();
        return 0;
    }

    private static Map<String, String> config(Cli cli) {
        Map<String, String> config = new LinkedHashMap<>();
        config.put("flushDiskType", cli.get("flush", "ASYNC_FLUSH"));
        config.put("mappedFileSizeCommitLog", cli.get("file-size", "1073741824"));
        if (cli.has("transient-pool")) config.put("transientStorePoolEnable", "true");
        config.putAll(cli.config);
        return config;
    }

    private static JSONObject report(StoreHandle h, BenchLoad load, int threads, BenchLoad.Result r,
            long behind, boolean drained, double drainMs) {
        double seconds = r.nanos / 1e9;
        JSONObject o = Json.object();
        o.put("bench", "put");
        o.put("threads", threads);
        o.put("bodyBytes", load.bodyBytes());
        o.put("batch", load.batch);
        o.put("flush", h.config.getFlushDiskType().name());
        o.put("transientPool", h.config.isTransientStorePoolEnable());
        o.put("topics", load.topics);
        o.put("queues", load.queues);
        o.put("props", load.props);
        o.put("fileSize", h.config.getMappedFileSizeCommitLog());
        o.put("msgs", r.messages);
        o.put("failedCalls", r.failedCalls);
        if (r.lastFailure != null) o.put("lastFailure", r.lastFailure);
        o.put("seconds", round(seconds));
        o.put("msgsPerSec", Math.round(r.messages / seconds));
        o.put("bodyMBPerSec", round((double) r.messages * load.bodyBytes() / 1e6 / seconds));
        o.put("storedMBPerSec", round(r.storedBytes / 1e6 / seconds));
        o.put("p50us", round(r.latency.getValueAtPercentile(50) / 1e3));
        o.put("p99us", round(r.latency.getValueAtPercentile(99) / 1e3));
        o.put("p999us", round(r.latency.getValueAtPercentile(99.9) / 1e3));
        o.put("maxus", round(r.latency.getMaxValue() / 1e3));
        o.put("dispatchBehindAtEnd", behind);
        o.put("dispatchDrained", drained);
        o.put("dispatchDrainMs", round(drainMs));
        return o;
    }

    private static double round(double d) {
        return Math.round(d * 100) / 100.0;
    }
}
