package mqstore.harness;

import com.alibaba.fastjson.JSONObject;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;

/** Byte strings as traces write them, and how results show them. */
final class Bytes {
    private static final String DIGITS = "0123456789abcdef";

    private Bytes() {}

    /** A body or raw data: text, null, or an object with hex, utf8, fill and seed, or zeros. */
    static byte[] of(Object given) {
        if (given == null) return null;
        if (given instanceof String) return ((String) given).getBytes(StandardCharsets.UTF_8);
        JSONObject o = (JSONObject) given;
        if (o.containsKey("hex")) return unhex(o.getString("hex"));
        if (o.containsKey("utf8")) return o.getString("utf8").getBytes(StandardCharsets.UTF_8);
        if (o.containsKey("fill")) return fill(o.getIntValue("fill"), Json.number(o, "seed", 0));
        if (o.containsKey("zeros")) return new byte[o.getIntValue("zeros")];
        throw new Cli.Usage("bytes need hex, utf8, fill or zeros: " + o);
    }

    /** Reproducible filler: the outputs of splitmix64 started at the seed, each little-endian. */
    static byte[] fill(int length, long seed) {
        byte[] bytes = new byte[length];
        long state = seed;
        for (int at = 0; at < length; at += 8) {
            state += 0x9E3779B97F4A7C15L;
            long z = (state ^ (state >>> 30)) * 0xBF58476D1CE4E5B9L;
            z = (z ^ (z >>> 27)) * 0x94D049BB133111EBL;
            z ^= z >>> 31;
            for (int i = 0; i < 8 && at + i < length; i++) bytes[at + i] = (byte) (z >>> (8 * i));
        }
        return bytes;
    }

    static String sha256(byte[] bytes) {
        return sha256(ByteBuffer.wrap(bytes));
    }

    /** The checksum of what remains in the buffer; its position stays. */
    static String sha256(ByteBuffer bytes) {
        try {
            MessageDigest digest = MessageDigest.getInstance("SHA-256");
            digest.update(bytes.duplicate());
            return hex(digest.digest());
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }

    static String hex(byte[] bytes) {
        StringBuilder s = new StringBuilder(2 * bytes.length);
        for (byte b : bytes) s.append(DIGITS.charAt((b >> 4) & 15)).append(DIGITS.charAt(b & 15));
        return s.toString();
    }

    private static byte[] unhex(String s) {
        byte[] bytes = new byte[s.length() / 2];
        for (int i = 0; i < bytes.length; i++) bytes[i] = (byte) Integer.parseInt(s.substring(2 * i, 2 * i + 2), 16);
        return bytes;
    }
}
