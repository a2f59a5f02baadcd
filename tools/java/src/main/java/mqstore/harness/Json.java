package mqstore.harness;

import com.alibaba.fastjson.JSON;
import com.alibaba.fastjson.JSONObject;
import com.alibaba.fastjson.parser.Feature;
import com.alibaba.fastjson.serializer.SerializerFeature;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** JSON lines in the order written, nulls kept: results are compared with diff. */
final class Json {
    private Json() {}

    static JSONObject object() {
        return new JSONObject(true);
    }

    static void print(PrintStream out, JSONObject line) {
        out.println(JSON.toJSONString(line,
            SerializerFeature.DisableCircularReferenceDetect, SerializerFeature.WriteMapNullValue));
    }

    /** The operations of a trace; empty lines and lines that begin with # are comments. */
    static List<JSONObject> readTrace(String file) throws IOException {
        List<JSONObject> ops = new ArrayList<>();
        for (String line : Files.readAllLines(Path.of(file))) {
            String s = line.trim();
            if (!s.isEmpty() && !s.startsWith("#")) ops.add(JSON.parseObject(s, Feature.OrderedField));
        }
        return ops;
    }

    /** What {@code --trace-config} (if given) and {@code --config} say; the latter wins. */
    static Map<String, String> storeConfig(Cli cli) throws IOException {
        Map<String, String> config = new LinkedHashMap<>();
        if (cli.has("trace-config")) {
            for (JSONObject op : readTrace(cli.need("trace-config"))) {
                String name = op.getString("op");
                if ("open".equals(name) || "reopen".equals(name)) config.putAll(strings(op.getJSONObject("config")));
            }
        }
        config.putAll(cli.config);
        return config;
    }

    static Map<String, String> strings(JSONObject o) {
        Map<String, String> m = new LinkedHashMap<>();
        if (o != null) o.forEach((k, v) -> m.put(k, String.valueOf(v)));
        return m;
    }

    static long number(JSONObject o, String key, long orElse) {
        return o.containsKey(key) ? o.getLongValue(key) : orElse;
    }

    /** A string, or {@code {"repeat":"x","n":5}} for long ones. */
    static String text(Object o) {
        if (o instanceof JSONObject) {
            JSONObject j = (JSONObject) o;
            return j.getString("repeat").repeat(j.getIntValue("n"));
        }
        return o == null ? null : String.valueOf(o);
    }
}
