package tech.streamfusion.planner.nodes;

import org.apache.flink.api.dag.Transformation;
import org.apache.flink.streaming.api.transformations.PartitionTransformation;
import org.apache.flink.streaming.runtime.partitioner.KeyGroupStreamPartitioner;
import org.apache.flink.streaming.runtime.partitioner.StreamPartitioner;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.planner.delegation.PlannerBase;
import org.apache.flink.table.planner.plan.nodes.exec.ExecNode;
import org.apache.flink.table.planner.plan.nodes.exec.ExecNodeBase;
import org.apache.flink.table.planner.plan.nodes.exec.ExecNodeConfig;
import org.apache.flink.table.planner.plan.nodes.exec.ExecNodeContext;
import org.apache.flink.table.planner.plan.nodes.exec.InputProperty.DistributionType;
import org.apache.flink.table.planner.plan.nodes.exec.InputProperty.HashDistribution;
import org.apache.flink.table.planner.plan.nodes.exec.InputProperty.RequiredDistribution;
import org.apache.flink.table.planner.plan.nodes.exec.SingleTransformationTranslator;
import org.apache.flink.table.planner.plan.nodes.exec.stream.StreamExecExchange;
import org.apache.flink.table.planner.plan.nodes.exec.stream.StreamExecNode;
import org.apache.flink.table.planner.plan.nodes.exec.stream.StreamExecTableSourceScan;
import org.apache.flink.table.planner.plan.nodes.exec.stream.StreamExecUnion;
import org.apache.flink.table.planner.plan.utils.KeySelectorUtil;
import org.apache.flink.table.runtime.typeutils.InternalTypeInfo;
import org.apache.flink.table.types.logical.RowType;
import tech.streamfusion.planner.FallbackReason.Rule;
import tech.streamfusion.planner.expr.PlanTypes;
import tech.streamfusion.planner.expr.WorkEstimate;
import tech.streamfusion.planner.graph.GraphView;
import tech.streamfusion.planner.graph.NativeGraphProcessor;
import tech.streamfusion.planner.graph.StockTranslation;
import tech.streamfusion.planner.graph.Transformations;
import tech.streamfusion.runtime.operators.BatchKeyGroupPartitioner;
import tech.streamfusion.runtime.operators.NativeBatchTypeInfo;

/** Exchange by key or to a single task. The operator in front of it does the work, see {@code BatchOutput}. */
final class ExchangeTranslator implements NodeTranslator {

    @Override
    public String operator() {
        return "exchange";
    }

    @Override
    public Class<StreamExecExchange> stockClass() {
        return StreamExecExchange.class;
    }

    @Override
    public String coverage() {
        return "By key and to a single task, between native nodes. Not covered: by key directly behind a source, or where the "
                + "exchange or what feeds it has several consumers.";
    }

    @Override
    public Candidate translate(ExecNode<?> node, GraphView graph, PlanningContext context) throws Fallback {
        StreamExecExchange stock = (StreamExecExchange) node;
        String problem = PlanTypes.whyNotColumnar(AccumulatorTypes.flat((RowType) stock.getOutputType())).orElse(null);
        if (problem != null) {
            throw new Fallback(Rule.FEATURE, problem);
        }
        DistributionType distribution = distribution(stock).getType();
        if (distribution == DistributionType.HASH) {
            requireScatteringInput(stock, graph);
        } else if (distribution != DistributionType.SINGLETON) {
            throw new Fallback(Rule.FEATURE, "distribution " + distribution);
        }
        return new ExchangeCandidate(stock, context);
    }

    private static RequiredDistribution distribution(StreamExecExchange stock) {
        return stock.getInputProperties().get(0).getRequiredDistribution();
    }

    /** Batches of a hash exchange have one target: nobody else can take them, and only an operator makes them. */
    private static void requireScatteringInput(ExecNode<?> node, GraphView graph) throws Fallback {
        if (graph.consumers(node).size() > 1) {
            throw new Fallback(Rule.FEATURE, NativeGraphProcessor.name(node) + " has several consumers");
        }
        for (ExecNode<?> input : GraphView.inputs(node)) {
            if (input instanceof StreamExecTableSourceScan) {
                throw new Fallback(Rule.FEATURE, "a source in front of it, which does not know its task's channels");
            }
            if (graph.consumers(input).size() > 1) {
                throw new Fallback(Rule.FEATURE, NativeGraphProcessor.name(input) + " in front of it has several consumers");
            }
            if (input instanceof StreamExecUnion) {
                requireScatteringInput(input, graph);
            }
        }
    }

    private static final class ExchangeCandidate extends Candidate {

        private final StreamExecExchange stock;
        private final PlanningContext context;

        ExchangeCandidate(StreamExecExchange stock, PlanningContext context) {
            super(stock);
            this.stock = stock;
            this.context = context;
        }

        @Override
        public boolean acceptsRows() {
            return false;
        }

        @Override
        public boolean emitsRows() {
            return false;
        }

        @Override
        public double savedNanos() {
            return WorkEstimate.networkNanos((RowType) stock.getOutputType());
        }

        @Override
        public ExecNode<?> build(boolean batchInput, boolean batchOutput) {
            return new NativeExchange(stock, context);
        }
    }

    /** In place of {@link StreamExecExchange}. */
    private static final class NativeExchange extends ExecNodeBase<RowData>
            implements StreamExecNode<RowData>, SingleTransformationTranslator<RowData> {

        private final StreamExecExchange stock;
        private final PlanningContext context;

        NativeExchange(StreamExecExchange stock, PlanningContext context) {
            super(
                    stock.getId(),
                    new ExecNodeContext("native-exchange_1"),
                    stock.getPersistedConfig(),
                    stock.getInputProperties(),
                    stock.getOutputType(),
                    "Native" + stock.getDescription());
            this.stock = stock;
            this.context = context;
        }

        @Override
        @SuppressWarnings("unchecked") // its input and consumer are native and know
        protected Transformation<RowData> translateToPlanInternal(PlannerBase planner, ExecNodeConfig config) {
            Transformation<?> input = getInputEdges().get(0).translateToPlan(planner);
            PartitionTransformation<RowData> like =
                    (PartitionTransformation<RowData>) StockTranslation.of(stock, input, planner);
            return (Transformation<RowData>)
                    (Transformation<?>)
                            Transformations.partition(
                                    like,
                                    input,
                                    partitioner(like.getPartitioner()),
                                    new NativeBatchTypeInfo(AccumulatorTypes.flat((RowType) getOutputType())));
        }

        private StreamPartitioner<?> partitioner(StreamPartitioner<RowData> like) {
            RequiredDistribution distribution = distribution(stock);
            if (distribution.getType() == DistributionType.SINGLETON) {
                return like; // does not look at what it sends
            }
            int[] keys = ((HashDistribution) distribution).getKeys();
            RowType rowType = (RowType) getInputEdges().get(0).getOutputType();
            return new BatchKeyGroupPartitioner(
                    KeySelectorUtil.getRowDataSelector(context.classLoader(), keys, InternalTypeInfo.of(rowType)),
                    ((KeyGroupStreamPartitioner<?, ?>) like).getMaxParallelism(),
                    keys,
                    PlanTypes.encode(AccumulatorTypes.flat(rowType)).toByteArray());
        }
    }
}
