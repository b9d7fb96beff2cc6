package tech.streamfusion.planner.nodes;

import static org.apache.flink.table.api.config.ExecutionConfigOptions.TABLE_EXEC_SINK_NESTED_CONSTRAINT_ENFORCER;
import static org.apache.flink.table.api.config.ExecutionConfigOptions.TABLE_EXEC_SINK_NOT_NULL_ENFORCER;
import static org.apache.flink.table.api.config.ExecutionConfigOptions.TABLE_EXEC_SINK_TYPE_LENGTH_ENFORCER;
import static org.apache.flink.table.types.logical.utils.LogicalTypeChecks.getLength;

import org.apache.flink.table.api.config.ExecutionConfigOptions.NestedEnforcer;
import org.apache.flink.table.api.config.ExecutionConfigOptions.NotNullEnforcer;
import org.apache.flink.table.api.config.ExecutionConfigOptions.TypeLengthEnforcer;
import org.apache.flink.table.planner.plan.nodes.exec.ExecNode;
import org.apache.flink.table.types.logical.LogicalType;
import org.apache.flink.table.types.logical.LogicalTypeFamily;
import org.apache.flink.table.types.logical.LogicalTypeRoot;
import org.apache.flink.table.types.logical.RowType;
import org.apache.flink.table.types.logical.VarCharType;
import tech.streamfusion.plan.ConstraintEnforcer;
import tech.streamfusion.plan.LengthAction;
import tech.streamfusion.planner.FallbackReason.Rule;

/** What Flink's {@code ConstraintEnforcerExecutor} would check of a sink's rows, as a plan message. */
final class SinkConstraints {

    private SinkConstraints() {}

    /**
     * @param physicalType row of the sink's physical columns
     * @throws Fallback when constraints on nested fields are to be enforced
     */
    static ConstraintEnforcer plan(ExecNode<?> sink, RowType physicalType, PlanningContext context) throws Fallback {
        if (context.option(sink, TABLE_EXEC_SINK_NESTED_CONSTRAINT_ENFORCER) != NestedEnforcer.IGNORE) {
            throw new Fallback(
                    Rule.FEATURE, TABLE_EXEC_SINK_NESTED_CONSTRAINT_ENFORCER.key() + " asks for checks of nested fields");
        }
        LengthAction action = lengthAction(context.option(sink, TABLE_EXEC_SINK_TYPE_LENGTH_ENFORCER));
        ConstraintEnforcer.Builder out =
                ConstraintEnforcer.newBuilder()
                        .setDrop(context.option(sink, TABLE_EXEC_SINK_NOT_NULL_ENFORCER) == NotNullEnforcer.DROP)
                        .setLengthAction(action);
        for (int i = 0; i < physicalType.getFieldCount(); i++) {
            LogicalType type = physicalType.getTypeAt(i);
            if (!type.isNullable()) {
                out.addNotNullFields(i);
            }
            if (action != LengthAction.LENGTH_IGNORE && hasLength(type)) {
                out.addLengthFields(i).addLengths(getLength(type));
            }
        }
        return out.build();
    }

    private static boolean hasLength(LogicalType type) {
        boolean padded = type.getTypeRoot() == LogicalTypeRoot.CHAR || type.getTypeRoot() == LogicalTypeRoot.BINARY;
        boolean sized = type.is(LogicalTypeFamily.CHARACTER_STRING) || type.is(LogicalTypeFamily.BINARY_STRING);
        return padded || (sized && getLength(type) < VarCharType.MAX_LENGTH);
    }

    private static LengthAction lengthAction(TypeLengthEnforcer enforcer) {
        switch (enforcer) {
            case TRIM_PAD:
                return LengthAction.LENGTH_TRIM_PAD;
            case ERROR:
                return LengthAction.LENGTH_ERROR;
            default:
                return LengthAction.LENGTH_IGNORE;
        }
    }
}
