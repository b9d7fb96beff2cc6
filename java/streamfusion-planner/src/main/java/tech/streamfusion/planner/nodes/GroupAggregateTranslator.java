package tech.streamfusion.planner.nodes;

import java.util.Arrays;
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
import org.apache.flink.table.planner.plan.nodes.exec.stream.StreamExecGroupAggregate;
import org.apache.flink.table.planner.plan.utils.AggregateInfoList;
import org.apache.flink.table.planner.plan.utils.AggregateUtil;
import org.apache.flink.table.planner.utils.JavaScalaConversionUtil;
import org.apache.flink.table.runtime.operators.bundle.AbstractMapBundleOperator;
import org.apache.flink.table.types.logical.RowType;
import org.apache.flink.util.TimeUtils;
import tech.streamfusion.plan.GroupAggregate;
import tech.streamfusion.plan.Operator;
import tech.streamfusion.planner.FallbackReason.Rule;
import tech.streamfusion.planner.expr.PlanTypes;
import tech.streamfusion.planner.expr.WorkEstimate;
import tech.streamfusion.planner.graph.GraphView;
import tech.streamfusion.planner.graph.StockFields;
import tech.streamfusion.runtime.HostKernelSpec;
import tech.streamfusion.runtime.NativeEngine;
import tech.streamfusion.runtime.operators.KeyedStateSpec;
import tech.streamfusion.runtime.operators.NativeOperatorFactory;

/** GROUP BY without windows, row by row or in mini-batches. */
final class GroupAggregateTranslator implements NodeTranslator {

    @Override
    public String operator() {
        return "group-aggregate";
    }

    @Override
    public Class<StreamExecGroupAggregate> stockClass() {
        return StreamExecGroupAggregate.class;
    }

    @Override
    public String coverage() {
        return "COUNT, SUM, AVG, MIN and MAX of all types that they take, with FILTER and DISTINCT, on any changelog, with or"
                + " without time to live and mini-batches, state in the hashmap backend. Not covered: other aggregate functions, DISTINCT over"
                + " nested values, other state backends, changelog state, asynchronous state.";
    }

    @Override
    public Candidate translate(ExecNode<?> node, GraphView graph, PlanningContext context) throws Fallback {
        StreamExecGroupAggregate stock = (StreamExecGroupAggregate) node;
        RowType inputType = (RowType) stock.getInputEdges().get(0).getOutputType();
        StateBackends.requireSupported(stock, context);
        try {
            AggregatePlans aggregates = AggregatePlans.of(infos(stock, inputType, context), inputType);
            GroupAggregate plan =
                    plan(stock, aggregates, ttlMillis(stock, context)).setBundleSize(bundleSize(stock, context)).build();
            requireEngine(stock, inputType, plan);
            return new GroupAggregateCandidate(stock, context, plan, aggregates.stateNames());
        } catch (UnsupportedOperationException e) {
            throw new Fallback(Rule.FEATURE, e.getMessage());
        }
    }

    /** Rows of a bundle, 0: there are none. */
    private static long bundleSize(StreamExecGroupAggregate stock, PlanningContext context) throws Fallback {
        if (!context.option(stock, ExecutionConfigOptions.TABLE_EXEC_MINIBATCH_ENABLED)) {
            return 0;
        }
        long size = context.option(stock, ExecutionConfigOptions.TABLE_EXEC_MINIBATCH_SIZE);
        if (size <= 0) {
            throw new Fallback(Rule.FEATURE, ExecutionConfigOptions.TABLE_EXEC_MINIBATCH_SIZE.key() + " is not set");
        }
        return size;
    }

    /** As {@code StateMetadata.getStateTtlForOneInputOperator}: what the plan or a hint says, else the option. */
    private static long ttlMillis(StreamExecGroupAggregate stock, PlanningContext context) {
        List<StateMetadata> metadata = StockFields.stateMetadata(stock);
        return metadata == null || metadata.isEmpty()
                ? context.option(stock, ExecutionConfigOptions.IDLE_STATE_RETENTION).toMillis()
                : TimeUtils.parseDuration(metadata.get(0).getStateTtl()).toMillis();
    }

    /** What the stock node makes of its calls. */
    private static AggregateInfoList infos(
            StreamExecGroupAggregate stock, RowType inputType, PlanningContext context) {
        boolean retracts = StockFields.consumesRetraction(stock);
        return AggregateUtil.transformToStreamAggregateInfoList(
                context.planner().getTypeFactory(),
                inputType,
                JavaScalaConversionUtil.toScala(Arrays.asList(StockFields.calls(stock))),
                StockFields.callRetractions(stock),
                retracts,
                true,
                true);
    }

    private static GroupAggregate.Builder plan(
            StreamExecGroupAggregate stock, AggregatePlans aggregates, long ttlMillis) {
        GroupAggregate.Builder out =
                GroupAggregate.newBuilder()
                        .addAllCalls(aggregates.calls())
                        .addAllDistinctViews(aggregates.distinctViews())
                        .setRetracts(StockFields.consumesRetraction(stock))
                        .setCountStar(aggregates.countStar())
                        .setGenerateUpdateBefore(StockFields.generatesUpdateBefore(stock))
                        .setTtlMillis(Math.max(0, ttlMillis));
        for (int field : StockFields.grouping(stock)) {
            out.addGrouping(field);
        }
        return out;
    }

    /** Has the engine make the operator, which says what it does not take. */
    private static void requireEngine(StreamExecGroupAggregate stock, RowType inputType, GroupAggregate plan) {
        Operator operator =
                Operator.newBuilder()
                        .setName(stock.getDescription())
                        .setInputType(PlanTypes.encode(inputType))
                        .setOutputType(PlanTypes.encode(stock.getOutputType()))
                        .setGroupAggregate(plan)
                        .build();
        long pool = NativeEngine.poolCreate("planner", -1, null);
        try {
            NativeEngine.operatorClose(NativeEngine.operatorCreate(pool, operator.toByteArray(), null));
        } finally {
            NativeEngine.poolRelease(pool);
        }
    }

    private static final class GroupAggregateCandidate extends Candidate {

        private final StreamExecGroupAggregate stock;
        private final PlanningContext context;
        private final GroupAggregate plan;
        private final List<String> stateNames;

        GroupAggregateCandidate(
                StreamExecGroupAggregate stock,
                PlanningContext context,
                GroupAggregate plan,
                List<String> stateNames) {
            super(stock);
            this.stock = stock;
            this.context = context;
            this.plan = plan;
            this.stateNames = stateNames;
        }

        @Override
        public double savedNanos() {
            return WorkEstimate.aggregateNanos(plan.getCallsCount(), plan.getDistinctViewsCount());
        }

        @Override
        public ExecNode<?> build(boolean batchInput, boolean batchOutput) {
            return new NativeGroupAggregate(stock, context, plan, stateNames, batchInput, batchOutput);
        }
    }

    /** In place of {@link StreamExecGroupAggregate}. */
    private static final class NativeGroupAggregate extends NativeOneInputNode {

        private final GroupAggregate aggregatePlan;
        private final List<String> stateNames;

        NativeGroupAggregate(
                StreamExecGroupAggregate stock,
                PlanningContext context,
                GroupAggregate plan,
                List<String> stateNames,
                boolean batchInput,
                boolean batchOutput) {
            super(stock, context, "native-group-aggregate", describe(stock, List.of()), batchInput, batchOutput);
            this.aggregatePlan = plan;
            this.stateNames = stateNames;
        }

        /** As much as Flink's own streaming operators that hold rows in managed memory. */
        @Override
        int managedMemoryWeight() {
            return context().options().isMemoryAccounted() ? 1 : 0;
        }

        @Override
        NativeOperatorFactory factory(
                PlannerBase planner, ExecNodeConfig config, StreamOperatorFactory<RowData> stock) {
            return edges(new HostKernelSpec[0]).keyed(plan().setGroupAggregate(aggregatePlan).build(), state(stock));
        }

        /** Stock Flink makes a KeyedProcessOperator of a GroupAggFunction, or a KeyedMapBundleOperator. */
        @SuppressWarnings("unchecked")
        private KeyedStateSpec state(StreamOperatorFactory<RowData> stock) {
            if (aggregatePlan.getBundleSize() == 0) {
                return KeyedStateSpec.of(
                        (KeyedProcessFunction<RowData, RowData, RowData>)
                                ((UdfStreamOperatorFactory<RowData>) stock).getUserFunction(),
                        stateNames);
            }
            StreamOperator<?> operator = ((SimpleOperatorFactory<RowData>) stock).getOperator();
            return KeyedStateSpec.ofBundles(
                    StockFields.function((AbstractMapBundleOperator<?, ?, ?, ?>) operator), stateNames);
        }
    }
}
