package tech.streamfusion.planner.nodes;

import java.util.ArrayList;
import java.util.List;
import org.apache.calcite.rex.RexNode;
import org.apache.flink.streaming.api.operators.StreamOperatorFactory;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.planner.delegation.PlannerBase;
import org.apache.flink.table.planner.plan.nodes.exec.ExecNode;
import org.apache.flink.table.planner.plan.nodes.exec.ExecNodeConfig;
import org.apache.flink.table.planner.plan.nodes.exec.stream.StreamExecCalc;
import org.apache.flink.table.types.logical.RowType;
import tech.streamfusion.plan.Calc;
import tech.streamfusion.planner.FallbackReason.Rule;
import tech.streamfusion.planner.expr.ExpressionPlan;
import tech.streamfusion.planner.expr.NotNullResults;
import tech.streamfusion.planner.expr.PlanTypes;
import tech.streamfusion.planner.graph.GraphView;
import tech.streamfusion.planner.graph.StockFields;
import tech.streamfusion.runtime.operators.NativeOperatorFactory;

/** Projection and filter. */
final class CalcTranslator implements NodeTranslator {

    @Override
    public String operator() {
        return "calc";
    }

    @Override
    public Class<StreamExecCalc> stockClass() {
        return StreamExecCalc.class;
    }

    @Override
    public String coverage() {
        return "All expressions, casts and functions, user-defined ones included, on any changelog. Not covered: columns of "
                + "types without columnar form (RAW, structured, distinct and legacy types), CURRENT_WATERMARK.";
    }

    @Override
    public Candidate translate(ExecNode<?> node, GraphView graph, PlanningContext context) throws Fallback {
        StreamExecCalc calc = (StreamExecCalc) node;
        RowType inputType = (RowType) calc.getInputEdges().get(0).getOutputType();
        try {
            PlanTypes.encode(inputType);
            PlanTypes.encode(calc.getOutputType());
            ExpressionPlan expressions = context.expressionPlan(calc, inputType);
            Calc.Builder plan = Calc.newBuilder();
            RexNode condition = StockFields.condition(calc);
            if (condition != null) {
                plan.setCondition(expressions.add(condition));
            }
            List<RexNode> projection = StockFields.projection(calc);
            boolean forwards = NotNullResults.forwards(projection, inputType.getFieldCount());
            for (int i = 0; i < projection.size(); i++) {
                plan.addProjection(expressions.add(projection.get(i)));
                if (!forwards && NotNullResults.areDefaults(projection.get(i), expressions.legacyCast())) {
                    plan.addDefaultForNull(i);
                }
            }
            return new CalcCandidate(calc, context, plan.build(), expressions);
        } catch (UnsupportedOperationException e) {
            throw new Fallback(Rule.FEATURE, e.getMessage());
        }
    }

    private static final class CalcCandidate extends Candidate {

        private final StreamExecCalc calc;
        private final PlanningContext context;
        private final Calc plan;
        private final ExpressionPlan expressions;

        CalcCandidate(StreamExecCalc calc, PlanningContext context, Calc plan, ExpressionPlan expressions) {
            super(calc);
            this.calc = calc;
            this.context = context;
            this.plan = plan;
            this.expressions = expressions;
        }

        @Override
        public double savedNanos() {
            return expressions.savedNanos();
        }

        @Override
        public ExecNode<?> build(boolean batchInput, boolean batchOutput) {
            return new NativeCalc(calc, context, plan, expressions, batchInput, batchOutput);
        }
    }

    /** In place of {@link StreamExecCalc}. */
    private static final class NativeCalc extends NativeOneInputNode {

        private final Calc calcPlan;
        private final ExpressionPlan expressions;

        NativeCalc(
                StreamExecCalc calc,
                PlanningContext context,
                Calc plan,
                ExpressionPlan expressions,
                boolean batchInput,
                boolean batchOutput) {
            super(calc, context, "native-calc", describe(calc, expressions.hostFunctions()), batchInput, batchOutput);
            this.calcPlan = plan;
            this.expressions = expressions;
        }

        @Override
        NativeOperatorFactory factory(
                PlannerBase planner, ExecNodeConfig config, StreamOperatorFactory<RowData> stock) {
            return edges(expressions.compileKernels(config, context().classLoader()))
                    .operator(plan().setCalc(calcPlan).build())
                    .replayedBy(stock);
        }
    }

    /** Every expression of a Calc: what it reads of its input. */
    static List<RexNode> expressions(StreamExecCalc calc) {
        List<RexNode> out = new ArrayList<>(StockFields.projection(calc));
        if (StockFields.condition(calc) != null) {
            out.add(StockFields.condition(calc));
        }
        return out;
    }
}
