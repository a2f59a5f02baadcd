package mqstore.harness;

import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;

/**
 * {@code batch LIST}: many calls in one JVM, several at a time.
 *
 * <p>A trace spends most of its time in the store's own sleeps (shutdown alone has one of a second), so more jobs than
 * processors pay off. Stores share nothing but counters; each call needs a folder and an output file of its own.
 */
final class BatchVerb {
    private BatchVerb() {}

    static int call(Cli cli, PrintStream out) throws Exception {
        List<String> lines = new ArrayList<>();
        List<Future<Integer>> codes = new ArrayList<>();
        ExecutorService pool = Executors.newFixedThreadPool(cli.number("jobs", 1));
        for (String line : Files.readAllLines(Path.of(cli.onlyWord("list")))) {
            if (line.isBlank()) continue;
            lines.add(line);
            codes.add(pool.submit(() -> inOwnThread(() -> one(line.split("\t")))));
        }
        pool.shutdown();
        int worst = 0;
        for (int i = 0; i < lines.size(); i++) {
            int code = codes.get(i).get();
            out.println(code + "\t" + lines.get(i));
            worst = Math.max(worst, code);
        }
        return worst;
    }

    /** The store keeps an encoder of maxMessageSize direct bytes per thread: it must go when the call is over. */
    private static int inOwnThread(Callable<Integer> call) throws Exception {
        FutureTask<Integer> task = new FutureTask<>(call);
        new Thread(task, "call").start();
        return task.get();
    }

    /** Output file, verb, arguments. */
    private static int one(String[] words) throws Exception {
        Path file = Path.of(words[0]);
        try (PrintStream out = new PrintStream(Files.newOutputStream(file), false, StandardCharsets.UTF_8)) {
            return Main.call(Arrays.copyOfRange(words, 1, words.length), out, true);
        }
    }
}
