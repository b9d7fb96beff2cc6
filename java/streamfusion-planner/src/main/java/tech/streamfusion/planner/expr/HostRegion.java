package tech.streamfusion.planner.expr;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.calcite.plan.RelOptUtil;
import org.apache.calcite.rex.RexBuilder;
import org.apache.calcite.rex.RexCall;
import org.apache.calcite.rex.RexFieldAccess;
import org.apache.calcite.rex.RexInputRef;
import org.apache.calcite.rex.RexLiteral;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.sql.SqlKind;
import org.apache.flink.table.planner.functions.sql.FlinkSqlOperatorTable;

import org.apache.flink.table.types.logical.LogicalType;
import org.apache.flink.table.types.logical.RowType;

/**
 * The part of an expression that one host kernel evaluates: everything from its root down to operands that the engine
 * computes. Those become the kernel's arguments, constants stay inside, for functions that look at them when code is
 * generated.
 */
final class HostRegion {

    private final RexTranslator translator;
    private final RexBuilder rexBuilder;
    private final Map<RexNode, RexInputRef> arguments = new LinkedHashMap<>();
    private final List<Node> argumentNodes = new ArrayList<>();
    private final RexNode body;

    /** @throws UnsupportedOperationException when an operand that only the input has cannot be held in columns */
    HostRegion(RexNode root, RexTranslator translator, RexBuilder rexBuilder) {
        this.translator = translator;
        this.rexBuilder = rexBuilder;
        this.body = descend(root, false);
    }

    /** The expression over the kernel's argument row. */
    RexNode body() {
        return body;
    }

    List<Node> arguments() {
        return argumentNodes;
    }

    RowType argumentType() {
        return RowType.of(argumentNodes.stream().map(Node::type).toArray(LogicalType[]::new));
    }

    /** @param lazy whether generated code may skip the operand, so that computing it beforehand could fail wrongly */
    private RexNode operand(RexNode rex, boolean lazy) {
        if (isConstant(rex)) {
            return rex;
        }
        Node node = translator.translate(rex);
        boolean isArgument = WorkEstimate.hostCalls(node) == 0 && (!lazy || node.isTrivial());
        return isArgument ? argument(rex, node) : descend(rex, lazy);
    }

    private RexNode argument(RexNode rex, Node node) {
        return arguments.computeIfAbsent(
                rex,
                key -> {
                    argumentNodes.add(node);
                    return new RexInputRef(argumentNodes.size() - 1, key.getType());
                });
    }

    private RexNode descend(RexNode rex, boolean lazy) {
        if (rex instanceof RexCall) {
            return descendCall((RexCall) rex, lazy);
        }
        if (rex instanceof RexFieldAccess) {
            RexFieldAccess access = (RexFieldAccess) rex;
            return rexBuilder.makeFieldAccess(
                    operand(access.getReferenceExpr(), lazy), access.getField().getIndex());
        }
        if (rex instanceof RexLiteral) {
            return rex;
        }
        if (rex instanceof RexInputRef) {
            LogicalType type = translator.translate(rex).type();
            throw new UnsupportedOperationException(
                    PlanTypes.whyNotColumnar(type).orElse("column " + rex + " has no columnar form"));
        }
        throw new UnsupportedOperationException("expression " + rex + " of kind " + rex.getKind());
    }

    private RexNode descendCall(RexCall call, boolean lazy) {
        if (call.getOperator() == FlinkSqlOperatorTable.PROCTIME_MATERIALIZE) {
            // generated code ignores the operand and asks the clock
            return call.clone(call.getType(), List.of(rexBuilder.makeCall(FlinkSqlOperatorTable.PROCTIME)));
        }
        List<RexNode> operands = new ArrayList<>();
        for (int i = 0; i < call.getOperands().size(); i++) {
            operands.add(operand(call.getOperands().get(i), lazy || isLazy(call, i)));
        }
        return call.clone(call.getType(), operands);
    }

    private static boolean isLazy(RexCall call, int operand) {
        SqlKind kind = call.getKind();
        boolean shortCircuits =
                kind == SqlKind.AND
                        || kind == SqlKind.OR
                        || kind == SqlKind.CASE
                        || call.getOperator() == FlinkSqlOperatorTable.IF;
        return shortCircuits && operand > 0;
    }

    private static boolean isConstant(RexNode rex) {
        return RelOptUtil.InputFinder.bits(rex).isEmpty();
    }
}
