package mqstore.harness;

import com.alibaba.fastjson.JSONObject;
import java.io.File;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;

/** {@code open}: what the store's own recovery makes of a folder. The exit codes say how far it came. */
final class OpenVerb {
    private static final int REFUSED = 1;
    private static final int THREW = 3;
    private static final int HANGS = 4;

    private OpenVerb() {}

    static int call(Cli cli, PrintStream out) throws Exception {
        String root = new File(cli.need("store")).getAbsolutePath();
        before(cli, root, out);
        StoreHandle h = new StoreHandle(root, Json.storeConfig(cli), null, false);

        boolean loaded;
        try {
            loaded = h.store.load();
        } catch (Throwable t) {
            printFailure(out, "load", t);
            return THREW;
        }
        JSONObject line = phase("loaded");
        line.put("load", loaded);
        if (loaded) line.putAll(Snapshot.full(h, "loaded"));
        Json.print(out, line);
        if (!loaded) return REFUSED;
        if (cli.has("no-start")) return 0;

        int code = start(h, cli.longNumber("start-timeout-ms", 12_000), out);
        if (code != 0) return code;
        h.stopDelayedDelivery();
        h.waitDispatch(10_000);
        Json.print(out, Snapshot.full(h, "started"));
        h.shutdown();
        line = phase("closed");
        line.put("abortFile", StoreHandle.abortFile(root).exists());
        Json.print(out, line);
        return 0;
    }

    /** The abort file decides which recovery runs; {@code --abnormal} and {@code --normal} choose. */
    private static void before(Cli cli, String root, PrintStream out) throws IOException {
        File abort = StoreHandle.abortFile(root);
        JSONObject line = phase("before");
        line.put("abortFile", abort.exists());
        if (cli.has("abnormal")) {
            Files.createDirectories(abort.getParentFile().toPath());
            if (!abort.exists()) Files.createFile(abort.toPath());
            line.put("faked", "abnormal");
        }
        if (cli.has("normal")) {
            Files.deleteIfExists(abort.toPath());
            line.put("faked", "normal");
        }
        Json.print(out, line);
    }

    /** start() waits without end until the log is dispatched, which some damage makes impossible. */
    private static int start(StoreHandle h, long timeoutMs, PrintStream out) throws InterruptedException {
        Throwable[] failure = new Throwable[1];
        Thread t = new Thread(() -> {
            try {
                h.store.start();
            } catch (Throwable e) {
                failure[0] = e;
            }
        }, "start");
        t.setDaemon(true);
        t.start();
        t.join(timeoutMs);
        if (t.isAlive()) {
            JSONObject line = phase("start");
            line.put("hangs", true);
            line.put("maxPhy", h.store.getMaxPhyOffset());
            line.put("behind", h.store.dispatchBehindBytes());
            Json.print(out, line);
            return HANGS;
        }
        if (failure[0] != null) {
            printFailure(out, "start", failure[0]);
            return REFUSED;
        }
        return 0;
    }

    private static JSONObject phase(String name) {
        JSONObject o = Json.object();
        o.put("phase", name);
        return o;
    }

    private static void printFailure(PrintStream out, String phase, Throwable t) {
        JSONObject o = phase(phase);
        o.put("exception", t.getClass().getName());
        o.put("message", t.getMessage());
        Json.print(out, o);
    }
}
