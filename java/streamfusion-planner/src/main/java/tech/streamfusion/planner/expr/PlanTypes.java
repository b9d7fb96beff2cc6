package tech.streamfusion.planner.expr;

import java.util.Optional;
import org.apache.flink.table.types.logical.ArrayType;
import org.apache.flink.table.types.logical.DecimalType;
import org.apache.flink.table.types.logical.LogicalType;
import org.apache.flink.table.types.logical.MapType;
import org.apache.flink.table.types.logical.MultisetType;
import org.apache.flink.table.types.logical.RowType;
import org.apache.flink.table.types.logical.utils.LogicalTypeChecks;
import tech.streamfusion.plan.Type;
import tech.streamfusion.plan.TypeKind;

/** Flink's logical types as {@code plan.proto} types. */
public final class PlanTypes {

    private PlanTypes() {}

    /** The plan's type, or {@link UnsupportedOperationException} naming the type that has no columnar form. */
    public static Type encode(LogicalType type) {
        Type.Builder out = Type.newBuilder().setNullable(type.isNullable());
        switch (type.getTypeRoot()) {
            case BOOLEAN:
                return out.setKind(TypeKind.BOOLEAN).build();
            case TINYINT:
                return out.setKind(TypeKind.TINYINT).build();
            case SMALLINT:
                return out.setKind(TypeKind.SMALLINT).build();
            case INTEGER:
                return out.setKind(TypeKind.INTEGER).build();
            case BIGINT:
                return out.setKind(TypeKind.BIGINT).build();
            case FLOAT:
                return out.setKind(TypeKind.FLOAT).build();
            case DOUBLE:
                return out.setKind(TypeKind.DOUBLE).build();
            case DECIMAL:
                DecimalType decimal = decimal(type);
                return out.setKind(TypeKind.DECIMAL)
                        .setPrecision(decimal.getPrecision())
                        .setScale(decimal.getScale())
                        .build();
            case CHAR:
                return withLength(out, TypeKind.CHAR, type);
            case VARCHAR:
                return withLength(out, TypeKind.VARCHAR, type);
            case BINARY:
                return withLength(out, TypeKind.BINARY, type);
            case VARBINARY:
                return withLength(out, TypeKind.VARBINARY, type);
            case DATE:
                return out.setKind(TypeKind.DATE).build();
            case TIME_WITHOUT_TIME_ZONE:
                return withPrecision(out, TypeKind.TIME, type);
            case TIMESTAMP_WITHOUT_TIME_ZONE:
                return withPrecision(out, TypeKind.TIMESTAMP, type);
            case TIMESTAMP_WITH_LOCAL_TIME_ZONE:
                return withPrecision(out, TypeKind.TIMESTAMP_LTZ, type);
            case INTERVAL_YEAR_MONTH:
                return out.setKind(TypeKind.INTERVAL_YEAR_MONTH).build();
            case INTERVAL_DAY_TIME:
                return out.setKind(TypeKind.INTERVAL_DAY_TIME).build();
            case ROW:
                for (RowType.RowField field : ((RowType) type).getFields()) {
                    out.addFieldNames(field.getName()).addChildren(encode(field.getType()));
                }
                return out.setKind(TypeKind.ROW).build();
            case ARRAY:
                return out.setKind(TypeKind.ARRAY).addChildren(encode(((ArrayType) type).getElementType())).build();
            case MAP:
                MapType map = (MapType) type;
                return out.setKind(TypeKind.MAP)
                        .addChildren(encode(map.getKeyType()))
                        .addChildren(encode(map.getValueType()))
                        .build();
            case MULTISET:
                return out.setKind(TypeKind.MULTISET)
                        .addChildren(encode(((MultisetType) type).getElementType()))
                        .build();
            case NULL:
                return out.setKind(TypeKind.NULL_TYPE).build();
            default:
                throw new UnsupportedOperationException("type " + type.asSummaryString() + " has no columnar form");
        }
    }

    /** Why values of the type cannot be held in columns; empty when they can. */
    public static Optional<String> whyNotColumnar(LogicalType type) {
        try {
            encode(type);
            return Optional.empty();
        } catch (UnsupportedOperationException e) {
            return Optional.of(e.getMessage());
        }
    }

    public static boolean isColumnar(LogicalType type) {
        return whyNotColumnar(type).isEmpty();
    }

    private static DecimalType decimal(LogicalType type) {
        if (!(type instanceof DecimalType)) {
            throw new UnsupportedOperationException("legacy type " + type.asSummaryString() + " has no columnar form");
        }
        return (DecimalType) type;
    }

    private static Type withLength(Type.Builder out, TypeKind kind, LogicalType type) {
        return out.setKind(kind).setLength(LogicalTypeChecks.getLength(type)).build();
    }

    private static Type withPrecision(Type.Builder out, TypeKind kind, LogicalType type) {
        return out.setKind(kind).setPrecision(LogicalTypeChecks.getPrecision(type)).build();
    }
}
