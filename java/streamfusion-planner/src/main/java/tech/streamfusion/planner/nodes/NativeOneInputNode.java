package tech.streamfusion.planner.nodes;

import java.util.List;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.dag.Transformation;
import org.apache.flink.streaming.api.operators.StreamOperatorFactory;
import org.apache.flink.streaming.api.transformations.OneInputTransformation;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.planner.delegation.PlannerBase;
import org.apache.flink.table.planner.plan.nodes.exec.ExecNodeBase;
import org.apache.flink.table.planner.plan.nodes.exec.ExecNodeConfig;
import org.apache.flink.table.planner.plan.nodes.exec.ExecNodeContext;
import org.apache.flink.table.planner.plan.nodes.exec.SingleTransformationTranslator;
import org.apache.flink.table.planner.plan.nodes.exec.stream.StreamExecNode;
import org.apache.flink.table.runtime.typeutils.InternalTypeInfo;
import org.apache.flink.table.types.logical.RowType;
import tech.streamfusion.plan.Operator;
import tech.streamfusion.planner.expr.PlanTypes;
import tech.streamfusion.planner.graph.StockTranslation;
import tech.streamfusion.planner.graph.Transformations;
import tech.streamfusion.runtime.HostKernelSpec;
import tech.streamfusion.runtime.operators.NativeBatchTypeInfo;
import tech.streamfusion.runtime.operators.NativeOperatorFactory;

/** A native node with one input and one operator, in place of a stock node that has the same. */
abstract class NativeOneInputNode extends ExecNodeBase<RowData>
        implements StreamExecNode<RowData>, SingleTransformationTranslator<RowData> {

    private final ExecNodeBase<?> stock;
    private final PlanningContext context;
    private final boolean batchInput;
    private final boolean batchOutput;

    NativeOneInputNode(
            ExecNodeBase<?> stock,
            PlanningContext context,
            String name,
            String description,
            boolean batchInput,
            boolean batchOutput) {
        super(
                stock.getId(),
                new ExecNodeContext(name + "_1"),
                stock.getPersistedConfig(),
                stock.getInputProperties(),
                stock.getOutputType(),
                description);
        this.stock = stock;
        this.context = context;
        this.batchInput = batchInput;
        this.batchOutput = batchOutput;
    }

    /** The stock node's description under the native name, with remarks before the closing parenthesis. */
    static String describe(ExecNodeBase<?> stock, List<String> hostFunctions) {
        String description = "Native" + stock.getDescription();
        if (hostFunctions.isEmpty() || !description.endsWith(")")) {
            return description;
        }
        return description.substring(0, description.length() - 1)
                + ", hostKernels=["
                + String.join(", ", hostFunctions)
                + "])";
    }

    final PlanningContext context() {
        return context;
    }

    final RowType inputRow() {
        return AccumulatorTypes.flat((RowType) getInputEdges().get(0).getOutputType());
    }

    final RowType outputRow() {
        return AccumulatorTypes.flat((RowType) getOutputType());
    }

    /** The operator's plan message, still without its own part. */
    final Operator.Builder plan() {
        return Operator.newBuilder()
                .setName(stock.getDescription())
                .setInputType(PlanTypes.encode(inputRow()))
                .setOutputType(PlanTypes.encode(outputRow()))
                .setSession(context.session());
    }

    final OperatorEdges edges(HostKernelSpec[] kernels) {
        return new OperatorEdges(
                kernels,
                inputRow(),
                outputRow(),
                batchInput,
                batchOutput,
                context.options().isMemoryAccounted());
    }

    /**
     * Generates what runs.
     *
     * @param stock what the stock node would run
     */
    abstract NativeOperatorFactory factory(
            PlannerBase planner, ExecNodeConfig config, StreamOperatorFactory<RowData> stock);

    @Override
    protected final Transformation<RowData> translateToPlanInternal(PlannerBase planner, ExecNodeConfig config) {
        Transformation<?> input = getInputEdges().get(0).translateToPlan(planner);
        OneInputTransformation<?, RowData> like = oneInput(StockTranslation.of(stock, input, planner));
        NativeOperatorFactory factory = factory(planner, config, like.getOperatorFactory());
        return asRows(
                Transformations.oneInput(like, input, factory, outputTypeInfo(), managedMemoryWeight()));
    }

    /**
     * Share of the slot's managed memory in relation to other operators. None for operators that only hold a few batches:
     * whatever they took, stock operators and RocksDB would miss.
     */
    int managedMemoryWeight() {
        return 0;
    }

    private TypeInformation<Object> outputTypeInfo() {
        return uncheckedCast(batchOutput ? new NativeBatchTypeInfo(outputRow()) : InternalTypeInfo.of(outputRow()));
    }

    /** What a stock node of one input has made. */
    @SuppressWarnings("unchecked")
    private static OneInputTransformation<?, RowData> oneInput(Transformation<?> stock) {
        return (OneInputTransformation<?, RowData>) stock;
    }

    /** Consumers of batches know what they get; the type parameter of Flink's nodes is fixed. */
    @SuppressWarnings("unchecked")
    private static Transformation<RowData> asRows(Transformation<?> transformation) {
        return (Transformation<RowData>) transformation;
    }

    @SuppressWarnings("unchecked")
    private static TypeInformation<Object> uncheckedCast(TypeInformation<?> type) {
        return (TypeInformation<Object>) type;
    }
}
