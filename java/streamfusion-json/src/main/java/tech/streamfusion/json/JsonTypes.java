package tech.streamfusion.json;

import org.apache.flink.table.types.logical.LogicalType;
import org.apache.flink.table.types.logical.LogicalTypeFamily;

/** The types that Flink's JSON converters take ({@code JsonParserToRowDataConverters}, {@code RowDataToJsonConverters}). */
final class JsonTypes {

    private JsonTypes() {}

    /** The first type inside {@code type} that JSON cannot carry, in words; null when there is none. */
    static String unsupported(LogicalType type) {
        switch (type.getTypeRoot()) {
            case NULL:
            case BOOLEAN:
            case TINYINT:
            case SMALLINT:
            case INTEGER:
            case INTERVAL_YEAR_MONTH:
            case BIGINT:
            case INTERVAL_DAY_TIME:
            case DATE:
            case TIME_WITHOUT_TIME_ZONE:
            case TIMESTAMP_WITHOUT_TIME_ZONE:
            case TIMESTAMP_WITH_LOCAL_TIME_ZONE:
            case FLOAT:
            case DOUBLE:
            case CHAR:
            case VARCHAR:
            case BINARY:
            case VARBINARY:
            case DECIMAL:
                return null;
            case MAP:
            case MULTISET:
                if (!type.getChildren().get(0).is(LogicalTypeFamily.CHARACTER_STRING)) {
                    return "type " + type.asSummaryString() + " (keys that are not strings)";
                }
                return unsupportedChild(type);
            case ARRAY:
            case ROW:
                return unsupportedChild(type);
            default:
                return "type " + type.asSummaryString();
        }
    }

    private static String unsupportedChild(LogicalType type) {
        for (LogicalType child : type.getChildren()) {
            String reason = unsupported(child);
            if (reason != null) {
                return reason;
            }
        }
        return null;
    }
}
