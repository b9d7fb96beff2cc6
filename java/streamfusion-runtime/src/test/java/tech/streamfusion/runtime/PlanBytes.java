package tech.streamfusion.runtime;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.apache.flink.table.types.logical.DecimalType;
import org.apache.flink.table.types.logical.IntType;
import org.apache.flink.table.types.logical.LogicalType;
import org.apache.flink.table.types.logical.MultisetType;
import org.apache.flink.table.types.logical.RowType;
import org.apache.flink.table.types.logical.utils.LogicalTypeChecks;

/** Writes messages of plan.proto by hand: the runtime has no protobuf library, only the planner has. */
public final class PlanBytes {

    private final ByteArrayOutputStream out = new ByteArrayOutputStream();

    private void varint(long value) {
        long rest = value;
        while ((rest & ~0x7fL) != 0) {
            out.write((int) (rest & 0x7f | 0x80));
            rest >>>= 7;
        }
        out.write((int) rest);
    }

    public PlanBytes number(int field, long value) {
        varint((long) field << 3);
        varint(value);
        return this;
    }

    public PlanBytes bytes(int field, byte[] value) {
        varint((long) field << 3 | 2);
        varint(value.length);
        out.write(value, 0, value.length);
        return this;
    }

    public PlanBytes text(int field, String value) {
        return bytes(field, value.getBytes(StandardCharsets.UTF_8));
    }

    public byte[] done() {
        return out.toByteArray();
    }

    // ---- types ----

    public static byte[] type(LogicalType type) {
        PlanBytes message = new PlanBytes().number(1, kind(type)).number(2, type.isNullable() ? 1 : 0);
        switch (type.getTypeRoot()) {
            case DECIMAL:
                message.number(3, ((DecimalType) type).getPrecision()).number(4, ((DecimalType) type).getScale());
                break;
            case TIME_WITHOUT_TIME_ZONE:
            case TIMESTAMP_WITHOUT_TIME_ZONE:
            case TIMESTAMP_WITH_LOCAL_TIME_ZONE:
                message.number(3, LogicalTypeChecks.getPrecision(type));
                break;
            case CHAR:
            case VARCHAR:
            case BINARY:
            case VARBINARY:
                message.number(5, LogicalTypeChecks.getLength(type));
                break;
            case ROW:
                ((RowType) type).getFieldNames().forEach(name -> message.text(6, name));
                break;
            default:
        }
        List<LogicalType> children =
                type instanceof MultisetType
                        ? List.of(((MultisetType) type).getElementType(), new IntType(false))
                        : type.getChildren();
        children.forEach(child -> message.bytes(7, type(child)));
        return message.done();
    }

    private static int kind(LogicalType type) {
        switch (type.getTypeRoot()) {
            case BOOLEAN:
                return 1;
            case TINYINT:
                return 2;
            case SMALLINT:
                return 3;
            case INTEGER:
                return 4;
            case BIGINT:
                return 5;
            case FLOAT:
                return 6;
            case DOUBLE:
                return 7;
            case DECIMAL:
                return 8;
            case CHAR:
                return 9;
            case VARCHAR:
                return 10;
            case BINARY:
                return 11;
            case VARBINARY:
                return 12;
            case DATE:
                return 13;
            case TIME_WITHOUT_TIME_ZONE:
                return 14;
            case TIMESTAMP_WITHOUT_TIME_ZONE:
                return 15;
            case TIMESTAMP_WITH_LOCAL_TIME_ZONE:
                return 16;
            case INTERVAL_YEAR_MONTH:
                return 17;
            case INTERVAL_DAY_TIME:
                return 18;
            case ROW:
                return 19;
            case ARRAY:
                return 20;
            case MAP:
                return 21;
            case MULTISET:
                return 22;
            case NULL:
                return 23;
            default:
                throw new IllegalArgumentException(type.asSummaryString());
        }
    }

    // ---- expressions ----

    public static byte[] input(LogicalType type, int index) {
        return new PlanBytes().bytes(1, type(type)).number(2, index).done();
    }

    public static byte[] longLiteral(LogicalType type, long value) {
        return new PlanBytes().bytes(1, type(type)).bytes(3, new PlanBytes().number(3, value).done()).done();
    }

    public static byte[] call(LogicalType type, String function, byte[]... args) {
        PlanBytes call = new PlanBytes().text(1, function);
        for (byte[] arg : args) {
            call.bytes(2, arg);
        }
        return new PlanBytes().bytes(1, type(type)).bytes(4, call.done()).done();
    }

    public static byte[] hostCall(LogicalType type, int kernel, byte[]... args) {
        PlanBytes call = new PlanBytes().number(1, kernel);
        for (byte[] arg : args) {
            call.bytes(2, arg);
        }
        return new PlanBytes().bytes(1, type(type)).bytes(7, call.done()).done();
    }

    // ---- operators ----

    /** @param condition may be null */
    public static byte[] calc(RowType input, RowType output, byte[] condition, byte[]... projection) {
        PlanBytes calc = new PlanBytes();
        for (byte[] expr : projection) {
            calc.bytes(1, expr);
        }
        if (condition != null) {
            calc.bytes(2, condition);
        }
        return operator(input, output, 10, calc.done());
    }

    public static byte[] identity(RowType type) {
        byte[][] projection = new byte[type.getFieldCount()][];
        for (int i = 0; i < projection.length; i++) {
            projection[i] = input(type.getTypeAt(i), i);
        }
        return calc(type, type, null, projection);
    }

    public static byte[] watermarkAssigner(RowType type, int rowtimeField, byte[] watermark, long intervalMillis) {
        PlanBytes assigner = new PlanBytes().number(1, rowtimeField).bytes(2, watermark).number(3, intervalMillis);
        return operator(type, type, 11, assigner.done());
    }

    public static byte[] miniBatchAssigner(RowType type, long intervalMillis, boolean rowTime) {
        PlanBytes assigner = new PlanBytes().number(1, intervalMillis).number(2, rowTime ? 1 : 0);
        return operator(type, type, 17, assigner.done());
    }

    public static byte[] dropUpdateBefore(RowType type) {
        return operator(type, type, 12, new byte[0]);
    }

    /** Fails on NULLs in the fields. */
    public static byte[] notNullEnforcer(RowType type, int... fields) {
        PlanBytes enforcer = new PlanBytes();
        for (int field : fields) {
            enforcer.number(1, field);
        }
        return operator(type, type, 13, enforcer.done());
    }

    private static byte[] operator(RowType input, RowType output, int field, byte[] op) {
        return new PlanBytes()
                .text(1, "test operator")
                .bytes(2, type(input))
                .bytes(3, type(output))
                .bytes(field, op)
                .done();
    }
}
