package mqstore.harness;

import com.alibaba.fastjson.JSONObject;
import java.io.File;
import java.io.PrintStream;
import java.lang.reflect.InvocationTargetException;
import java.util.Arrays;
import java.util.List;

/** {@code run TRACE}: executes a trace, one result line an operation. */
final class RunVerb {
    private RunVerb() {}

    static int call(Cli cli, PrintStream out, boolean inBatch) throws Exception {
        List<JSONObject> ops = Json.readTrace(cli.onlyWord("trace file"));
        File root = new File(cli.need("store")).getAbsoluteFile();
        boolean crash = cli.has("crash");
        if (crash && inBatch) throw new Cli.Usage("--crash ends the whole process, so it cannot be used in a batch");

        TraceStore trace = new TraceStore(root.getPath(), cli.config);
        if (ops.isEmpty() || !"open".equals(ops.get(0).getString("op"))) trace.open(Json.object(), Json.object());
        int number = 0;
        for (JSONObject op : ops) {
            JSONObject line = Json.object();
            line.put("i", number++);
            line.put("op", op.getString("op"));
            try {
                trace.exec(op, line);
            } catch (Cli.Usage e) {
                throw e;
            } catch (Throwable t) {
                Throwable cause = t instanceof InvocationTargetException ? t.getCause() : t;
                line.put("exception", cause.getClass().getName());
                line.put("message", cause.getMessage());
            }
            Json.print(out, line);
        }

        if (!crash) trace.close();
        if (cli.has("stable-index-names")) renameIndexFiles(root);
        if (crash) {
            out.flush();
            // No shutdown, no hooks: what is in the mappings is what a killed process leaves.
            Runtime.getRuntime().halt(0);
        }
        return 0;
    }

    /** The store names index files after the wall clock; this gives them made-up times in the same order. */
    private static void renameIndexFiles(File root) {
        File[] files = new File(root, "index").listFiles();
        if (files == null) return;
        Arrays.sort(files);
        for (int i = 0; i < files.length; i++) {
            File to = new File(files[i].getParentFile(), String.format("20200101000000%03d", i));
            if (!to.equals(files[i]) && !files[i].renameTo(to)) throw new IllegalStateException("cannot rename " + files[i]);
        }
    }
}
