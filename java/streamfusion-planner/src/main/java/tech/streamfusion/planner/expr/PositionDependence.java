package tech.streamfusion.planner.expr;

import org.apache.calcite.rex.RexCall;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.rex.RexVisitorImpl;
import org.apache.flink.table.functions.BuiltInFunctionDefinitions;
import org.apache.flink.table.planner.functions.bridging.BridgingSqlFunction;
import org.apache.flink.table.planner.functions.sql.FlinkSqlOperatorTable;

/** Finds expressions that read what travels beside a row: evaluated per batch they would see another moment. */
final class PositionDependence extends RexVisitorImpl<Void> {

    private PositionDependence() {
        super(true);
    }

    static void check(RexNode rex) {
        rex.accept(new PositionDependence());
    }

    @Override
    public Void visitCall(RexCall call) {
        if (call.getOperator() == FlinkSqlOperatorTable.STREAMRECORD_TIMESTAMP) {
            throw new UnsupportedOperationException("function STREAMRECORD_TIMESTAMP reads the record's own timestamp");
        }
        if (call.getOperator() instanceof BridgingSqlFunction
                && ((BridgingSqlFunction) call.getOperator()).getDefinition()
                        == BuiltInFunctionDefinitions.CURRENT_WATERMARK) {
            throw new UnsupportedOperationException("function CURRENT_WATERMARK depends on the row's place in the stream");
        }
        return super.visitCall(call);
    }
}
