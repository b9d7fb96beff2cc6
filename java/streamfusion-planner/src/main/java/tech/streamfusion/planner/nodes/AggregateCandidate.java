package tech.streamfusion.planner.nodes;

import java.util.List;
import org.apache.flink.streaming.api.functions.KeyedProcessFunction;
import org.apache.flink.streaming.api.operators.SimpleOperatorFactory;
import org.apache.flink.streaming.api.operators.StreamOperator;
import org.apache.flink.streaming.api.operators.StreamOperatorFactory;
import org.apache.flink.streaming.api.operators.UdfStreamOperatorFactory;
import org.apache.flink.table.api.config.ExecutionConfigOptions;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.planner.delegation.PlannerBase;
import org.apache.flink.table.planner.plan.nodes.exec.ExecNode;
import org.apache.flink.table.planner.plan.nodes.exec.ExecNodeConfig;
import org.apache.flink.table.planner.plan.nodes.exec.StateMetadata;
import org.apache.flink.table.planner.plan.nodes.exec.stream.StreamExecAggregateBase;
import org.apache.flink.table.runtime.operators.bundle.AbstractMapBundleOperator;
import org.apache.flink.table.types.logical.RowType;
import org.apache.flink.util.TimeUtils;
import tech.streamfusion.plan.AggregatePhase;
import tech.streamfusion.plan.GroupAggregate;
import tech.streamfusion.plan.Operator;
import tech.streamfusion.planner.FallbackReason.Rule;
import tech.streamfusion.planner.expr.PlanTypes;
import tech.streamfusion.planner.expr.WorkEstimate;
import tech.streamfusion.planner.graph.StockFields;
import tech.streamfusion.runtime.HostKernelSpec;
import tech.streamfusion.runtime.NativeEngine;
import tech.streamfusion.runtime.operators.KeyedStateSpec;
import tech.streamfusion.runtime.operators.NativeOperatorFactory;

/** Any phase of a GROUP BY without windows. */
final class AggregateCandidate extends Candidate {

    private final StreamExecAggregateBase stock;
    private final PlanningContext context;
    private final GroupAggregate plan;
    private final List<String> stateNames;

    /** @throws UnsupportedOperationException when the engine does not take the plan */
    AggregateCandidate(
            StreamExecAggregateBase stock, PlanningContext context, GroupAggregate plan, List<String> stateNames) {
        super(stock);
        this.stock = stock;
        this.context = context;
        this.plan = plan;
        this.stateNames = stateNames;
        requireEngine();
    }

    // ---- what the translators of the phases ask ----

    /** As {@code StateMetadata.getStateTtlForOneInputOperator}: what the plan or a hint says, else the option. */
    static long ttlMillis(StreamExecAggregateBase stock, PlanningContext context) {
        List<StateMetadata> metadata = StockFields.stateMetadata(stock);
        long millis =
                metadata == null || metadata.isEmpty()
                        ? context.option(stock, ExecutionConfigOptions.IDLE_STATE_RETENTION).toMillis()
                        : TimeUtils.parseDuration(metadata.get(0).getStateTtl()).toMillis();
        return Math.max(0, millis);
    }

    static boolean isMiniBatch(StreamExecAggregateBase stock, PlanningContext context) {
        return context.option(stock, ExecutionConfigOptions.TABLE_EXEC_MINIBATCH_ENABLED);
    }

    /** Rows of a bundle. */
    static long bundleSize(StreamExecAggregateBase stock, PlanningContext context) throws Fallback {
        long size = context.option(stock, ExecutionConfigOptions.TABLE_EXEC_MINIBATCH_SIZE);
        if (size <= 0) {
            throw new Fallback(Rule.FEATURE, ExecutionConfigOptions.TABLE_EXEC_MINIBATCH_SIZE.key() + " is not set");
        }
        return size;
    }

    /** Has the engine make the operator, which says what it does not take. */
    private void requireEngine() {
        Operator operator =
                Operator.newBuilder()
                        .setName(stock.getDescription())
                        .setInputType(PlanTypes.encode(AccumulatorTypes.flat(inputRow())))
                        .setOutputType(PlanTypes.encode(AccumulatorTypes.flat(outputRow())))
                        .setGroupAggregate(plan)
                        .build();
        long pool = NativeEngine.poolCreate("planner", -1, null);
        try {
            NativeEngine.operatorClose(NativeEngine.operatorCreate(pool, operator.toByteArray(), null));
        } finally {
            NativeEngine.poolRelease(pool);
        }
    }

    private RowType inputRow() {
        return (RowType) stock.getInputEdges().get(0).getOutputType();
    }

    private RowType outputRow() {
        return (RowType) stock.getOutputType();
    }

    // ---- the candidate ----

    @Override
    public boolean acceptsRows() {
        return !AccumulatorTypes.hasMaps(inputRow());
    }

    @Override
    public boolean emitsRows() {
        return !AccumulatorTypes.hasMaps(outputRow());
    }

    @Override
    public double savedNanos() {
        return WorkEstimate.aggregateNanos(plan.getCallsCount(), plan.getDistinctViewsCount());
    }

    @Override
    public ExecNode<?> build(boolean batchInput, boolean batchOutput) {
        return new NativeAggregate(batchInput, batchOutput);
    }

    private boolean hasState() {
        return plan.getPhase() != AggregatePhase.LOCAL_PHASE;
    }

    /** In place of the stock node. */
    private final class NativeAggregate extends NativeOneInputNode {

        NativeAggregate(boolean batchInput, boolean batchOutput) {
            super(stock, context, "native-group-aggregate", describe(stock, List.of()), batchInput, batchOutput);
        }

        /** As much as Flink's own streaming operators that hold rows in managed memory. */
        @Override
        int managedMemoryWeight() {
            return hasState() && context.options().isMemoryAccounted() ? 1 : 0;
        }

        @Override
        NativeOperatorFactory factory(
                PlannerBase planner, ExecNodeConfig config, StreamOperatorFactory<RowData> stockFactory) {
            Operator message = plan().setGroupAggregate(plan).build();
            OperatorEdges edges = edges(new HostKernelSpec[0]);
            return hasState() ? edges.keyed(message, state(stockFactory)) : edges.operator(message);
        }

        /** Stock Flink makes a KeyedProcessOperator of a GroupAggFunction, or a KeyedMapBundleOperator. */
        @SuppressWarnings("unchecked")
        private KeyedStateSpec state(StreamOperatorFactory<RowData> factory) {
            if (plan.getBundleSize() == 0) {
                return KeyedStateSpec.of(
                        (KeyedProcessFunction<RowData, RowData, RowData>)
                                ((UdfStreamOperatorFactory<RowData>) factory).getUserFunction(),
                        stateNames);
            }
            StreamOperator<?> operator = ((SimpleOperatorFactory<RowData>) factory).getOperator();
            return KeyedStateSpec.ofBundles(
                    StockFields.function((AbstractMapBundleOperator<?, ?, ?, ?>) operator), stateNames);
        }
    }
}
