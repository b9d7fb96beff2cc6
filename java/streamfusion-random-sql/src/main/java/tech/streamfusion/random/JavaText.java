package tech.streamfusion.random;

import java.math.BigDecimal;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.flink.types.Row;
import org.apache.flink.types.RowKind;

/** Values as Java source. */
final class JavaText {

    private JavaText() {}

    static String of(Object value) {
        if (value == null) {
            return "null";
        } else if (value instanceof String) {
            return string((String) value);
        } else if (value instanceof Byte || value instanceof Short) {
            return "(" + (value instanceof Byte ? "byte" : "short") + ") " + value;
        } else if (value instanceof Long) {
            return value + "L";
        } else if (value instanceof Float || value instanceof Double) {
            return floating((Number) value);
        } else if (value instanceof BigDecimal) {
            return "new BigDecimal(\"" + ((BigDecimal) value).toPlainString() + "\")";
        } else if (value instanceof LocalDate || value instanceof LocalTime || value instanceof LocalDateTime || value instanceof Instant) {
            return value.getClass().getSimpleName() + ".parse(\"" + value + "\")";
        } else if (value instanceof byte[]) {
            return bytes((byte[]) value);
        } else if (value instanceof Integer[]) {
            return "new Integer[] {" + list((Integer[]) value) + "}";
        } else if (value instanceof Map) {
            return map((Map<?, ?>) value);
        } else if (value instanceof Row) {
            return row((Row) value);
        }
        return value.toString();
    }

    /** With the static imports of Parity's {@code row} and {@code change} and of the row kinds. */
    static String row(Row row) {
        Object[] fields = new Object[row.getArity()];
        for (int i = 0; i < fields.length; i++) {
            fields[i] = row.getField(i);
        }
        String values = fields.length == 1 && fields[0] == null ? "(Object) null" : list(fields);
        return row.getKind() == RowKind.INSERT ? "row(" + values + ")" : "change(" + row.getKind().name() + ", " + values + ")";
    }

    static String string(String text) {
        StringBuilder out = new StringBuilder("\"");
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == '"' || c == '\\') {
                out.append('\\').append(c);
            } else if (c == '\n' || c == '\r') {
                out.append(c == '\n' ? "\\n" : "\\r");
            } else if (c >= ' ' && c < 127) {
                out.append(c);
            } else {
                out.append(String.format("\\u%04x", (int) c));
            }
        }
        return out.append('"').toString();
    }

    private static String floating(Number value) {
        String type = value instanceof Float ? "Float" : "Double";
        double number = value.doubleValue();
        if (Double.isNaN(number)) {
            return type + ".NaN";
        }
        if (Double.isInfinite(number)) {
            return type + (number > 0 ? ".POSITIVE_INFINITY" : ".NEGATIVE_INFINITY");
        }
        return value + (value instanceof Float ? "f" : "");
    }

    private static String bytes(byte[] bytes) {
        List<String> texts = new ArrayList<>();
        for (byte b : bytes) {
            texts.add(Byte.toString(b));
        }
        return "new byte[] {" + String.join(", ", texts) + "}";
    }

    private static String map(Map<?, ?> map) {
        if (map.size() == 1) {
            Map.Entry<?, ?> entry = map.entrySet().iterator().next();
            return "Collections.singletonMap(" + of(entry.getKey()) + ", " + of(entry.getValue()) + ")";
        }
        if (map.isEmpty()) {
            return "Map.of()";
        }
        List<String> entries = new ArrayList<>();
        map.forEach((key, value) -> entries.add("put(" + of(key) + ", " + of(value) + ");"));
        return "new HashMap<String, Integer>() {{ " + String.join(" ", entries) + " }}";
    }

    private static String list(Object[] values) {
        List<String> texts = new ArrayList<>();
        for (Object value : values) {
            texts.add(of(value));
        }
        return String.join(", ", texts);
    }
}
