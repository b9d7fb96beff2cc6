package tech.streamfusion.testing;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.apache.flink.table.data.ArrayData;
import org.apache.flink.table.data.DecimalData;
import org.apache.flink.table.data.MapData;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.TimestampData;
import org.apache.flink.table.types.logical.ArrayType;
import org.apache.flink.table.types.logical.IntType;
import org.apache.flink.table.types.logical.LogicalType;
import org.apache.flink.table.types.logical.MapType;
import org.apache.flink.table.types.logical.MultisetType;
import org.apache.flink.table.types.logical.utils.LogicalTypeChecks;

/**
 * Rows as text that is equal exactly when the internal values are: NULL, empty, NaN, 0.0 and -0.0, the scale of decimals,
 * nanoseconds and each character are told apart. Maps are unordered.
 */
final class RowText {

    private RowText() {}

    static String of(RowData row, List<LogicalType> types) {
        List<String> fields = new ArrayList<>();
        for (int i = 0; i < types.size(); i++) {
            fields.add(value(RowData.createFieldGetter(types.get(i), i).getFieldOrNull(row), types.get(i)));
        }
        return "(" + String.join(", ", fields) + ")";
    }

    private static String value(Object value, LogicalType type) {
        if (value == null) {
            return "NULL";
        }
        switch (type.getTypeRoot()) {
            case FLOAT:
                return value + "f";
            case DECIMAL:
                return ((DecimalData) value).toBigDecimal().toPlainString() + "d";
            case CHAR:
            case VARCHAR:
                return quoted(value.toString());
            case BINARY:
            case VARBINARY:
                return hex((byte[]) value);
            case TIMESTAMP_WITHOUT_TIME_ZONE:
            case TIMESTAMP_WITH_LOCAL_TIME_ZONE:
                TimestampData time = (TimestampData) value;
                return time.getMillisecond() + "ms" + nanos(time, type) + "ns";
            case ROW:
            case STRUCTURED_TYPE:
                return of((RowData) value, type.getChildren());
            case ARRAY:
                return array((ArrayData) value, ((ArrayType) type).getElementType());
            case MAP:
                return map((MapData) value, ((MapType) type).getKeyType(), ((MapType) type).getValueType());
            case MULTISET:
                return map((MapData) value, ((MultisetType) type).getElementType(), new IntType(false));
            case DISTINCT_TYPE:
                return value(value, LogicalTypeChecks.getFieldTypes(type).get(0));
            default:
                return value.toString();
        }
    }

    /**
     * Up to precision 3 Flink keeps milliseconds alone as soon as a value is serialized; the nanoseconds that its CAST leaves
     * in the object until then are not part of the value.
     */
    private static int nanos(TimestampData time, LogicalType type) {
        return TimestampData.isCompact(LogicalTypeChecks.getPrecision(type)) ? 0 : time.getNanoOfMillisecond();
    }

    private static String array(ArrayData array, LogicalType elementType) {
        return "[" + String.join(", ", elements(array, elementType)) + "]";
    }

    private static String map(MapData map, LogicalType keyType, LogicalType valueType) {
        List<String> keys = elements(map.keyArray(), keyType);
        List<String> values = elements(map.valueArray(), valueType);
        List<String> entries = new ArrayList<>();
        for (int i = 0; i < keys.size(); i++) {
            entries.add(keys.get(i) + "=" + values.get(i));
        }
        return entries.stream().sorted().collect(Collectors.joining(", ", "{", "}"));
    }

    private static List<String> elements(ArrayData array, LogicalType type) {
        ArrayData.ElementGetter getter = ArrayData.createElementGetter(type);
        List<String> elements = new ArrayList<>();
        for (int i = 0; i < array.size(); i++) {
            elements.add(value(getter.getElementOrNull(array, i), type));
        }
        return elements;
    }

    /** Surrogates without their other half are written as every serializer of Flink writes them, as question marks. */
    private static String quoted(String string) {
        String text = new String(string.getBytes(StandardCharsets.UTF_8), StandardCharsets.UTF_8);
        StringBuilder out = new StringBuilder("'");
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c >= ' ' && c < 127 && c != '\\' && c != '\'') {
                out.append(c);
            } else {
                out.append(String.format("\\u%04x", (int) c));
            }
        }
        return out.append('\'').toString();
    }

    private static String hex(byte[] bytes) {
        StringBuilder out = new StringBuilder("0x");
        for (byte b : bytes) {
            out.append(String.format("%02x", b));
        }
        return out.toString();
    }
}
