package tech.streamfusion.planner.nodes;

import org.apache.calcite.rex.RexNode;
import org.apache.flink.streaming.api.operators.StreamOperatorFactory;
import org.apache.flink.table.api.config.ExecutionConfigOptions;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.planner.delegation.PlannerBase;
import org.apache.flink.table.planner.plan.nodes.exec.ExecNode;
import org.apache.flink.table.planner.plan.nodes.exec.ExecNodeConfig;
import org.apache.flink.table.planner.plan.nodes.exec.stream.StreamExecWatermarkAssigner;
import org.apache.flink.table.types.logical.RowType;
import tech.streamfusion.plan.Expr;
import tech.streamfusion.plan.WatermarkAssigner;
import tech.streamfusion.planner.FallbackReason.Rule;
import tech.streamfusion.planner.expr.ExpressionPlan;
import tech.streamfusion.planner.expr.PlanTypes;
import tech.streamfusion.planner.graph.GraphView;
import tech.streamfusion.planner.graph.StockFields;
import tech.streamfusion.runtime.operators.NativeOperatorFactory;

/** WATERMARK FOR a column of a source that does not take the watermark itself. */
final class WatermarkAssignerTranslator implements NodeTranslator {

    @Override
    public String operator() {
        return "watermark-assigner";
    }

    @Override
    public Class<StreamExecWatermarkAssigner> stockClass() {
        return StreamExecWatermarkAssigner.class;
    }

    @Override
    public String coverage() {
        return "Any watermark expression, with Flink's eager and periodic rule and idleness.";
    }

    @Override
    public Candidate translate(ExecNode<?> node, GraphView graph, PlanningContext context) throws Fallback {
        StreamExecWatermarkAssigner assigner = (StreamExecWatermarkAssigner) node;
        RowType inputType = (RowType) assigner.getInputEdges().get(0).getOutputType();
        RexNode watermark = StockFields.watermark(assigner);
        try {
            PlanTypes.encode(inputType);
            ExpressionPlan expressions = context.expressionPlan(assigner, inputType);
            Expr expr = expressions.add(watermark);
            return new WatermarkCandidate(assigner, context, expr, expressions);
        } catch (UnsupportedOperationException e) {
            throw new Fallback(Rule.FEATURE, e.getMessage());
        }
    }

    private static final class WatermarkCandidate extends Candidate {

        private final StreamExecWatermarkAssigner assigner;
        private final PlanningContext context;
        private final Expr watermark;
        private final ExpressionPlan expressions;

        WatermarkCandidate(
                StreamExecWatermarkAssigner assigner,
                PlanningContext context,
                Expr watermark,
                ExpressionPlan expressions) {
            super(assigner);
            this.assigner = assigner;
            this.context = context;
            this.watermark = watermark;
            this.expressions = expressions;
        }

        @Override
        public double savedNanos() {
            return expressions.savedNanos();
        }

        @Override
        public ExecNode<?> build(boolean batchInput, boolean batchOutput) {
            return new NativeWatermarkAssigner(assigner, context, watermark, expressions, batchInput, batchOutput);
        }
    }

    /** In place of {@link StreamExecWatermarkAssigner}. */
    private static final class NativeWatermarkAssigner extends NativeOneInputNode {

        private final int rowtimeField;
        private final Expr watermark;
        private final ExpressionPlan expressions;

        NativeWatermarkAssigner(
                StreamExecWatermarkAssigner assigner,
                PlanningContext context,
                Expr watermark,
                ExpressionPlan expressions,
                boolean batchInput,
                boolean batchOutput) {
            super(
                    assigner,
                    context,
                    "native-watermark-assigner",
                    describe(assigner, expressions.hostFunctions()),
                    batchInput,
                    batchOutput);
            this.rowtimeField = StockFields.rowtimeField(assigner);
            this.watermark = watermark;
            this.expressions = expressions;
        }

        @Override
        NativeOperatorFactory factory(
                PlannerBase planner, ExecNodeConfig config, StreamOperatorFactory<RowData> stock) {
            WatermarkAssigner plan =
                    WatermarkAssigner.newBuilder()
                            .setRowtimeField(rowtimeField)
                            .setWatermark(watermark)
                            .setIntervalMillis(PlanningContext.environment(planner).getConfig().getAutoWatermarkInterval())
                            .build();
            long idleTimeout = config.get(ExecutionConfigOptions.TABLE_EXEC_SOURCE_IDLE_TIMEOUT).toMillis();
            return edges(expressions.compileKernels(config, context().classLoader()))
                    .watermarkAssigner(plan().setWatermarkAssigner(plan).build(), rowtimeField, idleTimeout)
                    .replayedBy(stock);
        }
    }
}
