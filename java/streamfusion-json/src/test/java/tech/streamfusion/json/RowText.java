package tech.streamfusion.json;

import java.util.ArrayList;
import java.util.Base64;
import java.util.Collections;
import java.util.List;
import org.apache.flink.table.data.ArrayData;
import org.apache.flink.table.data.MapData;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.StringData;
import org.apache.flink.table.data.TimestampData;
import org.apache.flink.table.types.logical.IntType;
import org.apache.flink.table.types.logical.LogicalType;
import org.apache.flink.table.types.logical.LogicalTypeRoot;
import org.apache.flink.table.types.logical.RowType;
import org.apache.flink.table.types.logical.utils.LogicalTypeChecks;

/** Rows as text that differs whenever the values do, entries of maps in their order. */
final class RowText {

    private RowText() {}

    /** @param read fields to show (others are as if NULL); null: all */
    static String of(RowData row, RowType type, boolean[] read) {
        List<String> fields = new ArrayList<>();
        for (int i = 0; i < type.getFieldCount(); i++) {
            // there are no getters for the NULL type
            boolean shown = (read == null || read[i]) && !type.getTypeAt(i).is(LogicalTypeRoot.NULL);
            Object value = shown ? RowData.createFieldGetter(type.getTypeAt(i), i).getFieldOrNull(row) : null;
            fields.add(text(value, type.getTypeAt(i)));
        }
        return fields.toString();
    }

    private static String text(Object value, LogicalType type) {
        if (value == null) {
            return "null";
        }
        switch (type.getTypeRoot()) {
            case FLOAT:
                return Integer.toHexString(Float.floatToRawIntBits((Float) value));
            case DOUBLE:
                return Long.toHexString(Double.doubleToRawLongBits((Double) value));
            case CHAR:
            case VARCHAR:
                return "'" + Base64.getEncoder().encodeToString(((StringData) value).toBytes()) + "' " + value;
            case BINARY:
            case VARBINARY:
                return Base64.getEncoder().encodeToString((byte[]) value);
            case TIMESTAMP_WITHOUT_TIME_ZONE:
            case TIMESTAMP_WITH_LOCAL_TIME_ZONE:
                TimestampData time = (TimestampData) value;
                // A column of a precision up to 3 holds milliseconds, as Flink's binary rows do.
                boolean compact = TimestampData.isCompact(LogicalTypeChecks.getPrecision(type));
                return time.getMillisecond() + "." + (compact ? 0 : time.getNanoOfMillisecond());
            case ROW:
                return of((RowData) value, (RowType) type, null);
            case ARRAY:
                return array((ArrayData) value, type.getChildren().get(0)).toString();
            case MAP:
                return map((MapData) value, type.getChildren().get(0), type.getChildren().get(1));
            case MULTISET:
                return map((MapData) value, type.getChildren().get(0), new IntType());
            default:
                return value.toString();
        }
    }

    private static String map(MapData map, LogicalType key, LogicalType value) {
        return array(map.keyArray(), key) + "->" + array(map.valueArray(), value);
    }

    private static List<String> array(ArrayData array, LogicalType element) {
        if (element.is(LogicalTypeRoot.NULL)) {
            return Collections.nCopies(array.size(), "null");
        }
        ArrayData.ElementGetter getter = ArrayData.createElementGetter(element);
        List<String> texts = new ArrayList<>();
        for (int i = 0; i < array.size(); i++) {
            texts.add(text(getter.getElementOrNull(array, i), element));
        }
        return texts;
    }
}
