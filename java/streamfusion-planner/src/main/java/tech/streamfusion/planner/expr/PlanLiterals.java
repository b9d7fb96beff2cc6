package tech.streamfusion.planner.expr;

import com.google.protobuf.ByteString;
import java.math.BigInteger;
import org.apache.flink.table.data.DecimalData;
import org.apache.flink.table.data.StringData;
import org.apache.flink.table.data.TimestampData;
import org.apache.flink.table.types.logical.LogicalType;
import tech.streamfusion.plan.Decimal;
import tech.streamfusion.plan.Instant;
import tech.streamfusion.plan.Literal;

/** Values in Flink's internal data structures as {@code plan.proto} literals. */
final class PlanLiterals {

    private PlanLiterals() {}

    /**
     * @param value internal representation, null for NULL
     * @throws UnsupportedOperationException for values of constructed types
     */
    static Literal encode(Object value, LogicalType type) {
        Literal.Builder out = Literal.newBuilder();
        if (value == null) {
            return out.setNullValue(true).build();
        }
        switch (type.getTypeRoot()) {
            case BOOLEAN:
                return out.setBoolValue((Boolean) value).build();
            case TINYINT:
            case SMALLINT:
            case INTEGER:
            case BIGINT:
            case DATE:
            case TIME_WITHOUT_TIME_ZONE:
            case INTERVAL_YEAR_MONTH:
            case INTERVAL_DAY_TIME:
                return out.setIntValue(((Number) value).longValue()).build();
            case FLOAT:
            case DOUBLE:
                return out.setDoubleValue(((Number) value).doubleValue()).build();
            case CHAR:
            case VARCHAR:
                return out.setBytesValue(ByteString.copyFrom(((StringData) value).toBytes())).build();
            case BINARY:
            case VARBINARY:
                return out.setBytesValue(ByteString.copyFrom((byte[]) value)).build();
            case DECIMAL:
                return decimal(out, (DecimalData) value);
            case TIMESTAMP_WITHOUT_TIME_ZONE:
            case TIMESTAMP_WITH_LOCAL_TIME_ZONE:
                TimestampData timestamp = (TimestampData) value;
                return out.setInstantValue(
                                Instant.newBuilder()
                                        .setMillis(timestamp.getMillisecond())
                                        .setNanosOfMilli(timestamp.getNanoOfMillisecond()))
                        .build();
            default:
                throw new UnsupportedOperationException("literal of type " + type.asSummaryString());
        }
    }

    private static Literal decimal(Literal.Builder out, DecimalData value) {
        if (value.isCompact()) {
            return out.setIntValue(value.toUnscaledLong()).build();
        }
        BigInteger unscaled = value.toBigDecimal().unscaledValue();
        return out.setDecimalValue(
                        Decimal.newBuilder()
                                .setHigh(unscaled.shiftRight(64).longValue())
                                .setLow(unscaled.longValue()))
                .build();
    }
}
