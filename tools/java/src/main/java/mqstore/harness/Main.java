package mqstore.harness;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.NoSuchFileException;

/** The command line: one verb a call. Verbs and exit codes are described in README.md. */
public final class Main {
    private Main() {}

    public static void main(String[] argv) {
        // Not System.out: the encoding must not depend on the locale, and `batch` gives each call its own stream.
        PrintStream out = new PrintStream(new FileOutputStream(FileDescriptor.out), true, StandardCharsets.UTF_8);
        int code = call(argv, out, false);
        out.flush();
        // The store leaves non-daemon threads behind when it failed to start.
        Runtime.getRuntime().halt(code);
    }

    /** Runs one verb and gives its exit code; nothing is thrown. */
    static int call(String[] argv, PrintStream out, boolean inBatch) {
        try {
            return verb(argv, out, inBatch);
        } catch (Cli.Usage e) {
            System.err.println("mqstore java harness: " + e.getMessage());
            return 2;
        } catch (NoSuchFileException e) {
            System.err.println("mqstore java harness: there is no file " + e.getMessage());
            return 2;
        } catch (Throwable e) {
            e.printStackTrace();
            return 3;
        }
    }

    private static int verb(String[] argv, PrintStream out, boolean inBatch) throws Exception {
        String verb = argv.length == 0 ? "" : argv[0];
        switch (verb) {
            case "run": return RunVerb.call(new Cli(argv, "crash", "stable-index-names"), out, inBatch);
            case "dump": return DumpVerb.call(new Cli(argv, "no-file-sha"), out);
            case "open": return OpenVerb.call(new Cli(argv, "abnormal", "normal", "no-start"), out);
            case "bench": return BenchVerb.call(new Cli(argv, "transient-pool", "keep"), out);
            case "batch":
                if (inBatch) throw new Cli.Usage("batch inside a batch");
                return BatchVerb.call(new Cli(argv), out);
            default: throw new Cli.Usage("unknown verb '" + verb + "'; there are run, dump, open, batch, bench (and build)");
        }
    }
}
