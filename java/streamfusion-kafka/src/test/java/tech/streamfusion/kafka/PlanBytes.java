package tech.streamfusion.kafka;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import javax.annotation.Nullable;
import org.apache.flink.table.types.logical.DecimalType;
import org.apache.flink.table.types.logical.LocalZonedTimestampType;
import org.apache.flink.table.types.logical.LogicalType;
import org.apache.flink.table.types.logical.MapType;
import org.apache.flink.table.types.logical.RowType;
import org.apache.flink.table.types.logical.TimestampType;
import org.apache.flink.table.types.logical.VarCharType;
import tech.streamfusion.runtime.spi.PlanEncoder;

/** Writes plan.proto's messages by hand, for tests that do without the planner. */
final class PlanBytes implements PlanEncoder {

    @Override
    public byte[] type(LogicalType type) {
        Message message = new Message().number(1, kind(type)).number(2, type.isNullable() ? 1 : 0);
        if (type instanceof RowType) {
            for (RowType.RowField field : ((RowType) type).getFields()) {
                message.bytes(6, field.getName().getBytes(StandardCharsets.UTF_8));
            }
            for (RowType.RowField field : ((RowType) type).getFields()) {
                message.bytes(7, type(field.getType()));
            }
        } else if (type instanceof MapType) {
            message.bytes(7, type(((MapType) type).getKeyType())).bytes(7, type(((MapType) type).getValueType()));
        } else if (type instanceof DecimalType) {
            message.number(3, ((DecimalType) type).getPrecision()).number(4, ((DecimalType) type).getScale());
        } else if (type instanceof TimestampType) {
            message.number(3, ((TimestampType) type).getPrecision());
        } else if (type instanceof LocalZonedTimestampType) {
            message.number(3, ((LocalZonedTimestampType) type).getPrecision());
        } else if (type instanceof VarCharType) {
            message.number(5, ((VarCharType) type).getLength());
        } else if (kind(type) == 12) {
            message.number(5, Integer.MAX_VALUE);
        }
        return message.toBytes();
    }

    private static int kind(LogicalType type) {
        switch (type.getTypeRoot()) {
            case BOOLEAN:
                return 1;
            case INTEGER:
                return 4;
            case BIGINT:
                return 5;
            case DOUBLE:
                return 7;
            case DECIMAL:
                return 8;
            case VARCHAR:
                return 10;
            case VARBINARY:
                return 12;
            case TIMESTAMP_WITHOUT_TIME_ZONE:
                return 15;
            case TIMESTAMP_WITH_LOCAL_TIME_ZONE:
                return 16;
            case ROW:
                return 19;
            case MAP:
                return 21;
            default:
                throw new UnsupportedOperationException("type " + type);
        }
    }

    @Override
    public byte[] format(
            String name,
            RowType rowType,
            @Nullable boolean[] read,
            @Nullable int[][] paths,
            Map<String, String> options) {
        Message message =
                new Message().bytes(1, name.getBytes(StandardCharsets.UTF_8)).bytes(2, type(rowType));
        if (read != null) {
            ByteArrayOutputStream packed = new ByteArrayOutputStream();
            for (boolean field : read) {
                packed.write(field ? 1 : 0);
            }
            message.bytes(3, packed.toByteArray());
        }
        options.forEach(
                (key, value) ->
                        message.bytes(
                                4,
                                new Message()
                                        .bytes(1, key.getBytes(StandardCharsets.UTF_8))
                                        .bytes(2, value.getBytes(StandardCharsets.UTF_8))
                                        .toBytes()));
        return message.toBytes();
    }

    @Override
    public byte[] session() {
        return new byte[0];
    }

    /** {@code Expr} that is a column of the input. */
    byte[] column(LogicalType type, int index) {
        return new Message().bytes(1, type(type)).number(2, index).toBytes();
    }

    private static final class Message {
        private final ByteArrayOutputStream out = new ByteArrayOutputStream();

        Message number(int field, long value) {
            varint((long) field << 3);
            varint(value);
            return this;
        }

        Message bytes(int field, byte[] value) {
            varint((long) field << 3 | 2);
            varint(value.length);
            out.write(value, 0, value.length);
            return this;
        }

        private void varint(long value) {
            long rest = value;
            while ((rest & ~0x7fL) != 0) {
                out.write((int) (rest & 0x7f) | 0x80);
                rest >>>= 7;
            }
            out.write((int) rest);
        }

        byte[] toBytes() {
            return out.toByteArray();
        }
    }
}
