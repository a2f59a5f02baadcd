package mqstore.harness;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Arguments behind the verb: plain words, {@code --switch}, {@code --option VALUE}, and {@code --config k=v k=v ...}. */
final class Cli {
    final List<String> words = new ArrayList<>();
    final Map<String, String> config = new LinkedHashMap<>();
    private final Map<String, String> options = new LinkedHashMap<>();

    Cli(String[] argv, String... switches) {
        Set<String> noValue = Set.of(switches);
        for (int i = 1; i < argv.length; i++) {
            if (!argv[i].startsWith("--")) {
                words.add(argv[i]);
                continue;
            }
            String name = argv[i].substring(2);
            if (noValue.contains(name)) {
                options.put(name, "true");
            } else if (i + 1 == argv.length) {
                throw new Usage("--" + name + " needs a value");
            } else if (name.equals("config")) {
                while (i + 1 < argv.length && !argv[i + 1].startsWith("--") && argv[i + 1].indexOf('=') > 0) {
                    String[] pair = argv[++i].split("=", 2);
                    config.put(pair[0], pair[1]);
                }
            } else {
                options.put(name, argv[++i]);
            }
        }
    }

    boolean has(String name) {
        return options.containsKey(name);
    }

    String get(String name, String orElse) {
        return options.getOrDefault(name, orElse);
    }

    int number(String name, int orElse) {
        return (int) longNumber(name, orElse);
    }

    long longNumber(String name, long orElse) {
        return has(name) ? Long.parseLong(options.get(name)) : orElse;
    }

    double seconds(String name, double orElse) {
        return has(name) ? Double.parseDouble(options.get(name)) : orElse;
    }

    String need(String name) {
        if (!has(name)) throw new Usage("--" + name + " is missing");
        return options.get(name);
    }

    String onlyWord(String what) {
        if (words.size() != 1) throw new Usage("expected one " + what + ", got " + words);
        return words.get(0);
    }

    /** The caller asked for something that cannot be done as asked: exit code 2. */
    static final class Usage extends RuntimeException {
        private static final long serialVersionUID = 1;

        Usage(String message) {
            super(message);
        }
    }
}
