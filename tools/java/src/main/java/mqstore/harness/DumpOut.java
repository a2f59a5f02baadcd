package mqstore.harness;

import com.alibaba.fastjson.JSONObject;
import java.io.File;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;

/** What the parts of a dump share: the folder, its files, and the lines that every kind of file has. */
final class DumpOut {
    final File root;
    private final PrintStream out;
    private final boolean withChecksums;

    DumpOut(PrintStream out, File root, boolean withChecksums) {
        this.out = out;
        this.root = root;
        this.withChecksums = withChecksums;
    }

    static JSONObject line(String type) {
        JSONObject o = Json.object();
        o.put("t", type);
        return o;
    }

    void print(JSONObject line) {
        Json.print(out, line);
    }

    File[] list(String folder) {
        return list(new File(root, folder));
    }

    /** Sorted by name; empty for what is not a folder. */
    static File[] list(File folder) {
        File[] files = folder.listFiles();
        if (files == null) return new File[0];
        Arrays.sort(files);
        return files;
    }

    static ByteBuffer map(File file) throws IOException {
        try (FileChannel c = FileChannel.open(file.toPath(), StandardOpenOption.READ)) {
            return c.size() == 0 ? ByteBuffer.allocate(0) : c.map(FileChannel.MapMode.READ_ONLY, 0, c.size());
        }
    }

    /** Maps a file and prints its "file" line. */
    ByteBuffer open(File file) throws IOException {
        ByteBuffer b = map(file);
        JSONObject line = line("file");
        line.put("path", root.toPath().relativize(file.toPath()).toString());
        line.put("size", b.limit());
        if (withChecksums) line.put("sha256", Bytes.sha256(b));
        print(line);
        return b;
    }

    /** Files are named after the offset they begin at; anything else has no place in the store. */
    static boolean isOffset(String name) {
        return name.matches("\\d{1,18}|00\\d{18}");
    }

    static int firstNonZero(ByteBuffer b, int from) {
        for (int i = from; i < b.limit(); i++) {
            if (b.get(i) != 0) return i;
        }
        return -1;
    }

    /** What lies behind the last thing understood, if anything does. Offsets count from the file's name. */
    void tail(String type, String file, ByteBuffer b, int from, long base) {
        if (from >= b.limit()) return;
        JSONObject line = line(type);
        line.put("file", file);
        line.put("from", base + from);
        line.put("len", b.limit() - from);
        int other = firstNonZero(b, from);
        line.put("allZero", other < 0);
        if (other >= 0) {
            line.put("firstNonZero", base + other);
            ByteBuffer rest = b.duplicate();
            rest.position(from);
            line.put("sha256", Bytes.sha256(rest));
        }
        print(line);
    }
}
