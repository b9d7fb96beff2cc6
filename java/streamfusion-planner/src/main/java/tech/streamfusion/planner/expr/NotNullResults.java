package tech.streamfusion.planner.expr;

import java.util.List;
import org.apache.calcite.rex.RexCall;
import org.apache.calcite.rex.RexInputRef;
import org.apache.calcite.rex.RexLiteral;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.sql.type.SqlTypeName;
import org.apache.calcite.util.Sarg;
import org.apache.flink.table.planner.calcite.FlinkTypeFactory;
import org.apache.flink.table.planner.functions.casting.CastRuleProvider;
import org.apache.flink.table.planner.functions.sql.FlinkSqlOperatorTable;

/**
 * What becomes of a NULL result whose type is NOT NULL. There are such results: sources do not check what is declared NOT NULL,
 * and deletions by key lack the other columns. Flink's generated code writes a default value for them, unless the generator of
 * that call has marked its own result as nullable, and does not touch rows that are only filtered.
 */
public final class NotNullResults {

    private NotNullResults() {}

    /** Whether these projections of a row with so many fields only forward it (CalcCodeGenerator: onlyFilter). */
    public static boolean forwards(List<RexNode> projections, int inputFields) {
        if (projections.size() != inputFields) {
            return false;
        }
        for (int i = 0; i < inputFields; i++) {
            RexNode projection = projections.get(i);
            if (!(projection instanceof RexInputRef) || ((RexInputRef) projection).getIndex() != i) {
                return false;
            }
        }
        return true;
    }

    /**
     * Whether a default value is written where this projection is NULL.
     *
     * @param legacyCast {@code table.exec.legacy-cast-behaviour} of the exec node
     */
    public static boolean areDefaults(RexNode projection, boolean legacyCast) {
        return !projection.getType().isNullable() && !isMarkedNullable(projection, legacyCast);
    }

    private static boolean isMarkedNullable(RexNode projection, boolean legacyCast) {
        if (!(projection instanceof RexCall)) {
            return false;
        }
        RexCall call = (RexCall) projection;
        switch (call.getKind()) {
            case SEARCH: // SearchOperatorGen, sets of points
                Sarg<?> sarg = ((RexLiteral) call.getOperands().get(1)).getValueAs(Sarg.class);
                return sarg.isPoints() || sarg.isComplementedPoints();
            case PLUS:
            case MINUS: // ScalarOperatorGens.generateTemporalPlusMinus
                SqlTypeName type = call.getType().getSqlTypeName();
                return type == SqlTypeName.DATE || type == SqlTypeName.TIME;
            case CAST: // ScalarOperatorGens.generateCast, which makes a NULL of a failure
                return legacyCast
                        && CastRuleProvider.canFail(
                                FlinkTypeFactory.toLogicalType(call.getOperands().get(0).getType()).copy(true),
                                FlinkTypeFactory.toLogicalType(call.getType()));
            default: // TimestampDiffCallGen
                return call.getOperator() == FlinkSqlOperatorTable.TIMESTAMP_DIFF;
        }
    }
}
