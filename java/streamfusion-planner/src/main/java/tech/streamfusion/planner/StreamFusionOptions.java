package tech.streamfusion.planner;

import java.util.Optional;
import java.util.function.Function;
import org.apache.flink.configuration.ConfigOption;
import org.apache.flink.configuration.ConfigOptions;
import org.apache.flink.configuration.ReadableConfig;

/** StreamFusion's settings of one job: table options, else system properties of the same name, else defaults. */
public final class StreamFusionOptions {

    public static final String NATIVE_ENABLED = "streamfusion.native.enabled";
    public static final String MEMORY_ACCOUNTING = "streamfusion.memory.accounting.enabled";
    public static final String LOG_FALLBACK_REASONS = "streamfusion.logFallbackReasons";
    public static final String MINIMUM_GAIN = "streamfusion.planner.minimum-gain";

    private static final double DEFAULT_MINIMUM_GAIN = 20;

    private final ReadableConfig tableOptions;
    private final Function<String, String> properties;

    public StreamFusionOptions(ReadableConfig tableOptions) {
        this(tableOptions, System::getProperty);
    }

    StreamFusionOptions(ReadableConfig tableOptions, Function<String, String> properties) {
        this.tableOptions = tableOptions;
        this.properties = properties;
    }

    /** Whether anything is accelerated at all. */
    public boolean isEnabled() {
        return flag(NATIVE_ENABLED, true);
    }

    /** Key of the switch of one kind of operator, e.g. {@code calc}. */
    public static String operatorKey(String operator) {
        return "streamfusion.operator." + operator + ".enabled";
    }

    public boolean isOperatorEnabled(String operator) {
        return flag(operatorKey(operator), true);
    }

    /** Whether the user accepts a native form of the function that is not exact. */
    public boolean allowsIncompatible(String function) {
        return flag("streamfusion.expression." + function + ".allowIncompatible", false);
    }

    /** Whether native memory is reserved from Flink's managed memory. */
    public boolean isMemoryAccounted() {
        return flag(MEMORY_ACCOUNTING, true);
    }

    public boolean logsFallbackReasons() {
        return flag(LOG_FALLBACK_REASONS, false);
    }

    /** Estimated nanoseconds per row that an island must save; 0 keeps every island. */
    public double minimumGain() {
        return find(MINIMUM_GAIN)
                .map(
                        text -> {
                            try {
                                return Double.parseDouble(text.trim());
                            } catch (NumberFormatException e) {
                                throw new IllegalArgumentException(
                                        "Option '" + MINIMUM_GAIN + "' must be a number, but is '" + text + "'.", e);
                            }
                        })
                .orElse(DEFAULT_MINIMUM_GAIN);
    }

    private boolean flag(String key, boolean defaultValue) {
        return find(key).map(text -> parse(key, text)).orElse(defaultValue);
    }

    private static boolean parse(String key, String text) {
        String value = text.trim();
        if (value.equalsIgnoreCase("true") || value.equalsIgnoreCase("false")) {
            return Boolean.parseBoolean(value);
        }
        throw new IllegalArgumentException("Option '" + key + "' must be true or false, but is '" + text + "'.");
    }

    private Optional<String> find(String key) {
        ConfigOption<String> option = ConfigOptions.key(key).stringType().noDefaultValue();
        Optional<String> table = tableOptions.getOptional(option);
        return table.isPresent() ? table : Optional.ofNullable(properties.apply(key));
    }
}
