package tech.streamfusion.planner.nodes;

import java.util.List;
import org.apache.calcite.rex.RexInputRef;
import org.apache.calcite.rex.RexLiteral;
import org.apache.calcite.rex.RexNode;
import org.apache.flink.streaming.api.operators.StreamOperatorFactory;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.planner.delegation.PlannerBase;
import org.apache.flink.table.planner.plan.nodes.exec.ExecNode;
import org.apache.flink.table.planner.plan.nodes.exec.ExecNodeConfig;
import org.apache.flink.table.planner.plan.nodes.exec.stream.StreamExecExpand;
import org.apache.flink.table.types.logical.RowType;
import tech.streamfusion.plan.Expand;
import tech.streamfusion.plan.Projection;
import tech.streamfusion.planner.FallbackReason.Rule;
import tech.streamfusion.planner.expr.ExpressionPlan;
import tech.streamfusion.planner.expr.PlanTypes;
import tech.streamfusion.planner.graph.GraphView;
import tech.streamfusion.planner.graph.StockFields;
import tech.streamfusion.runtime.HostKernelSpec;
import tech.streamfusion.runtime.operators.NativeOperatorFactory;

/** Each row once for each set of GROUPING SETS, CUBE or ROLLUP. */
final class ExpandTranslator implements NodeTranslator {

    @Override
    public String operator() {
        return "expand";
    }

    @Override
    public Class<StreamExecExpand> stockClass() {
        return StreamExecExpand.class;
    }

    @Override
    public String coverage() {
        return "All of it, up to 256 grouping sets.";
    }

    @Override
    public Candidate translate(ExecNode<?> node, GraphView graph, PlanningContext context) throws Fallback {
        StreamExecExpand stock = (StreamExecExpand) node;
        RowType inputType = (RowType) stock.getInputEdges().get(0).getOutputType();
        List<List<RexNode>> projects = StockFields.projects(stock);
        if (projects.size() > 256) {
            throw new Fallback(Rule.FEATURE, projects.size() + " grouping sets");
        }
        try {
            PlanTypes.encode(inputType);
            PlanTypes.encode(stock.getOutputType());
            ExpressionPlan expressions = context.expressionPlan(stock, inputType);
            Expand.Builder plan = Expand.newBuilder();
            for (List<RexNode> project : projects) {
                plan.addProjections(projection(project, expressions));
            }
            return new ExpandCandidate(stock, context, plan.build(), expressions);
        } catch (UnsupportedOperationException e) {
            throw new Fallback(Rule.FEATURE, e.getMessage());
        }
    }

    private static Projection projection(List<RexNode> project, ExpressionPlan expressions) throws Fallback {
        Projection.Builder out = Projection.newBuilder();
        for (RexNode expression : project) {
            if (!(expression instanceof RexInputRef) && !(expression instanceof RexLiteral)) {
                throw new Fallback(Rule.FEATURE, "expression " + expression);
            }
            out.addExprs(expressions.add(expression));
        }
        return out.build();
    }

    private static final class ExpandCandidate extends Candidate {

        private final StreamExecExpand stock;
        private final PlanningContext context;
        private final Expand plan;
        private final ExpressionPlan expressions;

        ExpandCandidate(StreamExecExpand stock, PlanningContext context, Expand plan, ExpressionPlan expressions) {
            super(stock);
            this.stock = stock;
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
            return new NativeExpand(stock, context, plan, batchInput, batchOutput);
        }
    }

    /** In place of {@link StreamExecExpand}. */
    private static final class NativeExpand extends NativeOneInputNode {

        private final Expand expandPlan;

        NativeExpand(
                StreamExecExpand stock, PlanningContext context, Expand plan, boolean batchInput, boolean batchOutput) {
            super(stock, context, "native-expand", describe(stock, List.of()), batchInput, batchOutput);
            this.expandPlan = plan;
        }

        @Override
        NativeOperatorFactory factory(
                PlannerBase planner, ExecNodeConfig config, StreamOperatorFactory<RowData> stock) {
            return edges(new HostKernelSpec[0]).operator(plan().setExpand(expandPlan).build());
        }
    }
}
