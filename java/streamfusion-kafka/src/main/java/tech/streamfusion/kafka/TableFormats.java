package tech.streamfusion.kafka;

import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.ServiceLoader;
import javax.annotation.Nullable;
import org.apache.flink.configuration.Configuration;
import tech.streamfusion.runtime.spi.NativeFormat;

/** Key and value formats of a Kafka table: which one, with which options. Source: KafkaConnectorOptionsUtil, FactoryUtil. */
public final class TableFormats {

    private TableFormats() {}

    /** Flink's identifier of the value format. */
    public static String valueFormat(Map<String, String> options) {
        String explicit = options.get("value.format");
        return explicit != null ? explicit : options.get("format");
    }

    @Nullable
    public static String keyFormat(Map<String, String> options) {
        return options.get("key.format");
    }

    /** The value format's own options, prefix stripped. */
    public static Configuration valueOptions(Map<String, String> options) {
        String prefix = options.containsKey("value.format") ? "value." : "";
        return stripped(options, prefix + valueFormat(options) + ".");
    }

    public static Configuration keyOptions(Map<String, String> options) {
        return stripped(options, "key." + keyFormat(options) + ".");
    }

    private static Configuration stripped(Map<String, String> options, String prefix) {
        Map<String, String> own = new HashMap<>();
        options.forEach(
                (key, value) -> {
                    if (key.startsWith(prefix)) {
                        own.put(key.substring(prefix.length()), value);
                    }
                });
        return Configuration.fromMap(own);
    }

    /** The native counterpart of a format, if a module that brings it is present. */
    public static Optional<NativeFormat> find(String identifier, ClassLoader loader) {
        for (NativeFormat format : ServiceLoader.load(NativeFormat.class, loader)) {
            if (format.identifier().equals(identifier)) {
                return Optional.of(format);
            }
        }
        return Optional.empty();
    }

    /** As {@link #find}, on a task manager, where the planner has seen the format before. */
    public static NativeFormat get(String identifier, ClassLoader loader) {
        Optional<NativeFormat> format = find(identifier, loader);
        if (format.isEmpty()) {
            // the format's jar may lie beside this one, out of sight of the job's class loader
            format = find(identifier, TableFormats.class.getClassLoader());
        }
        return format.orElseThrow(
                () ->
                        new IllegalStateException(
                                "The job was planned with the native format '"
                                        + identifier
                                        + "', which is not installed on this task manager"));
    }
}
