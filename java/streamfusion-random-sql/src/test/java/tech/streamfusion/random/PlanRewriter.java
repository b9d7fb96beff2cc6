package tech.streamfusion.random;

import java.util.function.UnaryOperator;
import tech.streamfusion.plan.Calc;
import tech.streamfusion.plan.Call;
import tech.streamfusion.plan.Expr;
import tech.streamfusion.plan.Operator;
import tech.streamfusion.plan.WatermarkAssigner;

/** Applies a change to all expressions of a plan, from the leaves up. */
final class PlanRewriter {

    private PlanRewriter() {}

    static UnaryOperator<Operator> expressions(UnaryOperator<Expr> change) {
        return plan -> {
            Operator.Builder out = plan.toBuilder();
            if (plan.hasCalc()) {
                Calc.Builder calc = plan.getCalc().toBuilder();
                for (int i = 0; i < calc.getProjectionCount(); i++) {
                    calc.setProjection(i, rewrite(calc.getProjection(i), change));
                }
                if (calc.hasCondition()) {
                    calc.setCondition(rewrite(calc.getCondition(), change));
                }
                out.setCalc(calc.build());
            } else if (plan.hasWatermarkAssigner()) {
                WatermarkAssigner.Builder assigner = plan.getWatermarkAssigner().toBuilder();
                out.setWatermarkAssigner(assigner.setWatermark(rewrite(assigner.getWatermark(), change)).build());
            }
            return out.build();
        };
    }

    static UnaryOperator<Expr> calls(String function, UnaryOperator<Expr> change) {
        return expr -> expr.hasCall() && expr.getCall().getFunction().equals(function) ? change.apply(expr) : expr;
    }

    /** The same arguments for another function. */
    static UnaryOperator<Expr> rename(String from, String to) {
        return calls(from, expr -> withCall(expr, expr.getCall().toBuilder().setFunction(to)));
    }

    static Expr withCall(Expr expr, Call.Builder call) {
        return expr.toBuilder().setCall(call.build()).build();
    }

    private static Expr rewrite(Expr expr, UnaryOperator<Expr> change) {
        Expr.Builder out = expr.toBuilder();
        if (expr.hasCall()) {
            Call.Builder call = expr.getCall().toBuilder();
            for (int i = 0; i < call.getArgsCount(); i++) {
                call.setArgs(i, rewrite(call.getArgs(i), change));
            }
            out.setCall(call.build());
        } else if (expr.hasField()) {
            out.setField(expr.getField().toBuilder().setRow(rewrite(expr.getField().getRow(), change)).build());
        } else if (expr.hasSearch()) {
            out.setSearch(expr.getSearch().toBuilder().setOperand(rewrite(expr.getSearch().getOperand(), change)).build());
        }
        return change.apply(out.build());
    }
}
