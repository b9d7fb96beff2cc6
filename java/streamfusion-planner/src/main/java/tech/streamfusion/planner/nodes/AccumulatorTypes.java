package tech.streamfusion.planner.nodes;

import java.util.ArrayList;
import java.util.List;
import org.apache.flink.table.api.dataview.MapView;
import org.apache.flink.table.types.logical.LogicalType;
import org.apache.flink.table.types.logical.RawType;
import org.apache.flink.table.types.logical.RowType;
import org.apache.flink.table.types.logical.StructuredType;
import org.apache.flink.table.types.logical.VarBinaryType;

/**
 * The rows that travel between the phases of an aggregate, as native nodes see them: stock Flink's, where a map (of a DISTINCT,
 * or of a MIN or MAX that retracts) is a RAW value, maybe inside of a structured one. Those are flat here, maps are bytes, in
 * a form of the engine's own; so only native nodes may be on both sides.
 */
final class AccumulatorTypes {

    private AccumulatorTypes() {}

    /** The type itself when there is no map in it. */
    static RowType flat(RowType type) {
        if (!hasMaps(type)) {
            return type;
        }
        List<RowType.RowField> fields = new ArrayList<>();
        for (RowType.RowField field : type.getFields()) {
            if (!isAccumulatorWithMap(field.getType())) {
                add(fields, field.getName(), field.getType());
                continue;
            }
            for (StructuredType.StructuredAttribute part : ((StructuredType) field.getType()).getAttributes()) {
                add(fields, field.getName() + "$" + part.getName(), part.getType());
            }
        }
        return new RowType(type.isNullable(), fields);
    }

    static boolean hasMaps(RowType type) {
        return type.getChildren().stream().anyMatch(t -> isMap(t) || isAccumulatorWithMap(t));
    }

    private static void add(List<RowType.RowField> fields, String name, LogicalType type) {
        fields.add(new RowType.RowField(name, isMap(type) ? new VarBinaryType(VarBinaryType.MAX_LENGTH) : type));
    }

    private static boolean isMap(LogicalType type) {
        return type instanceof RawType && ((RawType<?>) type).getOriginatingClass() == MapView.class;
    }

    private static boolean isAccumulatorWithMap(LogicalType type) {
        return type instanceof StructuredType && type.getChildren().stream().anyMatch(AccumulatorTypes::isMap);
    }
}
