package tech.streamfusion.json;

import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import org.apache.flink.configuration.ConfigOption;
import org.apache.flink.configuration.ConfigOptions;
import org.apache.flink.configuration.ReadableConfig;
import org.apache.flink.table.types.logical.RowType;
import tech.streamfusion.runtime.NativeEngine;
import tech.streamfusion.runtime.NativeLibrary;
import tech.streamfusion.runtime.spi.NativeFormat;
import tech.streamfusion.runtime.spi.Translation;

/**
 * Flink's {@code json} format in C: all options of {@code JsonFormatOptions}, both deserializers. The options are declared
 * here once more, with the same keys and defaults, because Flink's format may lie in another class loader.
 */
public final class JsonNativeFormat implements NativeFormat {

    static final ConfigOption<Boolean> FAIL_ON_MISSING_FIELD = flag("fail-on-missing-field", false);
    static final ConfigOption<Boolean> IGNORE_PARSE_ERRORS = flag("ignore-parse-errors", false);
    static final ConfigOption<Boolean> DECODE_JSON_PARSER_ENABLED = flag("decode.json-parser.enabled", true);
    static final ConfigOption<Boolean> ENCODE_DECIMAL_AS_PLAIN_NUMBER = flag("encode.decimal-as-plain-number", false);
    static final ConfigOption<Boolean> ENCODE_IGNORE_NULL_FIELDS = flag("encode.ignore-null-fields", false);
    static final ConfigOption<String> TIMESTAMP_FORMAT = text("timestamp-format.standard", "SQL");
    static final ConfigOption<String> MAP_NULL_KEY_MODE = text("map-null-key.mode", "FAIL");
    static final ConfigOption<String> MAP_NULL_KEY_LITERAL = text("map-null-key.literal", "null");

    private static final String LIBRARY = "libsf_json.so";

    private static long handle;

    private static ConfigOption<Boolean> flag(String key, boolean defaultValue) {
        return ConfigOptions.key(key).booleanType().defaultValue(defaultValue);
    }

    private static ConfigOption<String> text(String key, String defaultValue) {
        return ConfigOptions.key(key).stringType().defaultValue(defaultValue);
    }

    @Override
    public String identifier() {
        return "json";
    }

    @Override
    public Translation<Map<String, String>> decoderOptions(RowType rowType, ReadableConfig formatOptions) {
        Map<String, String> options = new LinkedHashMap<>();
        put(options, formatOptions, FAIL_ON_MISSING_FIELD);
        put(options, formatOptions, IGNORE_PARSE_ERRORS);
        put(options, formatOptions, DECODE_JSON_PARSER_ENABLED);
        put(options, formatOptions, TIMESTAMP_FORMAT);
        return checked(rowType, options);
    }

    @Override
    public Translation<Map<String, String>> encoderOptions(RowType rowType, ReadableConfig formatOptions) {
        Map<String, String> options = new LinkedHashMap<>();
        put(options, formatOptions, ENCODE_DECIMAL_AS_PLAIN_NUMBER);
        put(options, formatOptions, ENCODE_IGNORE_NULL_FIELDS);
        put(options, formatOptions, TIMESTAMP_FORMAT);
        put(options, formatOptions, MAP_NULL_KEY_LITERAL);
        options.put(MAP_NULL_KEY_MODE.key(), formatOptions.get(MAP_NULL_KEY_MODE).toUpperCase(Locale.ROOT));
        return checked(rowType, options);
    }

    private static void put(Map<String, String> options, ReadableConfig config, ConfigOption<?> option) {
        options.put(option.key(), config.get(option).toString());
    }

    /** Types that Flink's converters refuse stay with Flink, which then says so. */
    private static Translation<Map<String, String>> checked(RowType rowType, Map<String, String> options) {
        String unsupported = JsonTypes.unsupported(rowType);
        return unsupported == null ? Translation.of(options) : Translation.fallback(unsupported);
    }

    @Override
    public long open() {
        synchronized (JsonNativeFormat.class) {
            if (handle == 0) {
                handle = NativeEngine.formatOpen(NativeLibrary.resolve(JsonNativeFormat.class, LIBRARY).toString());
            }
            return handle;
        }
    }
}
