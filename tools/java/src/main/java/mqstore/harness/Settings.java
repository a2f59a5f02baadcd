package mqstore.harness;

import java.io.File;
import java.lang.reflect.Method;
import java.util.Map;
import org.apache.rocketmq.common.BrokerConfig;
import org.apache.rocketmq.store.config.MessageStoreConfig;

/** Configuration by name, through the setters of the store's own classes. */
final class Settings {
    private static final String BROKER = "broker.";

    private Settings() {}

    /** The store's defaults except for the folders and the replication port; names with "broker." go to the broker's. */
    static MessageStoreConfig storeConfig(String root, Map<String, String> given, BrokerConfig broker) throws Exception {
        MessageStoreConfig config = new MessageStoreConfig();
        config.setStorePathRootDir(root);
        config.setStorePathCommitLog(root + File.separator + "commitlog");
        config.setHaListenPort(0); // any free port, so that stores can run side by side
        for (Map.Entry<String, String> e : given.entrySet()) {
            if (e.getKey().startsWith(BROKER)) set(broker, e.getKey().substring(BROKER.length()), e.getValue());
            else set(config, e.getKey(), e.getValue());
        }
        return config;
    }

    static void set(Object config, String name, String value) throws ReflectiveOperationException {
        Method setter = setter(config.getClass(), name);
        setter.invoke(config, parse(setter.getParameterTypes()[0], value));
    }

    /** Enums have a second setter that takes text; the one with the enum's type is taken. */
    private static Method setter(Class<?> type, String name) {
        String wanted = "set" + Character.toUpperCase(name.charAt(0)) + name.substring(1);
        Method found = null;
        for (Method m : type.getMethods()) {
            if (!m.getName().equals(wanted) || m.getParameterCount() != 1) continue;
            if (found == null || m.getParameterTypes()[0].isEnum()) found = m;
        }
        if (found == null) throw new Cli.Usage("no setting is called " + name);
        return found;
    }

    private static Object parse(Class<?> type, String value) throws ReflectiveOperationException {
        if (type == int.class) return Integer.parseInt(value);
        if (type == long.class) return Long.parseLong(value);
        if (type == boolean.class) return Boolean.parseBoolean(value);
        if (type.isEnum()) return type.getMethod("valueOf", String.class).invoke(null, value);
        return value;
    }
}
