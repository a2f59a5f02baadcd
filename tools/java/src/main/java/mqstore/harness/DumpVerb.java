package mqstore.harness;

import com.alibaba.fastjson.JSONObject;
import java.io.File;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import org.apache.rocketmq.common.BrokerConfig;

/** {@code dump}: reads the files of a store and prints what is in them; opens no store, changes nothing. */
final class DumpVerb {
    private DumpVerb() {}

    static int call(Cli cli, PrintStream out) throws Exception {
        File root = new File(cli.need("store"));
        if (!root.isDirectory()) throw new Cli.Usage("there is no folder " + root);
        DumpOut d = new DumpOut(out, root, !cli.has("no-file-sha"));
        // Only the index needs it: a file does not say how many slots it has.
        DumpIndex index = new DumpIndex(d, Settings.storeConfig(root.getPath(), Json.storeConfig(cli), new BrokerConfig()));

        storeLine(d);
        checkpointLine(d);
        for (File f : d.list("commitlog")) DumpLog.file(d, f);
        for (File topic : d.list("consumequeue")) {
            for (File queue : DumpOut.list(topic)) DumpQueue.queue(d, topic.getName(), queue);
        }
        for (File topic : d.list("consumequeue_ext")) {
            for (File queue : DumpOut.list(topic)) DumpQueue.extension(d, topic.getName(), queue);
        }
        for (File f : d.list("index")) index.file(f);
        for (File f : d.list("config")) {
            JSONObject line = DumpOut.line("config");
            line.put("file", f.getName());
            line.put("text", Files.readString(f.toPath()));
            d.print(line);
        }
        return 0;
    }

    private static void storeLine(DumpOut d) throws IOException {
        File lock = new File(d.root, "lock");
        JSONObject line = DumpOut.line("store");
        line.put("abort", StoreHandle.abortFile(d.root.getPath()).exists());
        line.put("lock", lock.exists() ? Files.readString(lock.toPath()) : null);
        d.print(line);
    }

    private static void checkpointLine(DumpOut d) throws IOException {
        File file = new File(d.root, "checkpoint");
        JSONObject line = DumpOut.line("checkpoint");
        line.put("exists", file.exists());
        if (file.exists()) {
            ByteBuffer b = DumpOut.map(file);
            line.put("size", b.limit());
            if (b.limit() >= 24) {
                line.put("physic", b.getLong(0));
                line.put("logics", b.getLong(8));
                line.put("index", b.getLong(16));
                line.put("restZero", DumpOut.firstNonZero(b, 24) < 0);
            }
        }
        d.print(line);
    }
}
