package tech.streamfusion.planner.nodes;

import java.util.List;
import org.apache.flink.streaming.api.operators.StreamOperatorFactory;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.planner.delegation.PlannerBase;
import org.apache.flink.table.planner.plan.nodes.exec.ExecNode;
import org.apache.flink.table.planner.plan.nodes.exec.ExecNodeConfig;
import org.apache.flink.table.planner.plan.nodes.exec.stream.StreamExecDropUpdateBefore;
import tech.streamfusion.plan.DropUpdateBefore;
import tech.streamfusion.planner.FallbackReason.Rule;
import tech.streamfusion.planner.expr.PlanTypes;
import tech.streamfusion.planner.graph.GraphView;
import tech.streamfusion.runtime.HostKernelSpec;
import tech.streamfusion.runtime.operators.NativeOperatorFactory;

/** Removes the UPDATE_BEFORE rows in front of a consumer that does not need them. */
final class DropUpdateBeforeTranslator implements NodeTranslator {

    @Override
    public String operator() {
        return "drop-update-before";
    }

    @Override
    public Class<StreamExecDropUpdateBefore> stockClass() {
        return StreamExecDropUpdateBefore.class;
    }

    @Override
    public String coverage() {
        return "All of it.";
    }

    @Override
    public Candidate translate(ExecNode<?> node, GraphView graph, PlanningContext context) throws Fallback {
        StreamExecDropUpdateBefore stock = (StreamExecDropUpdateBefore) node;
        String problem = PlanTypes.whyNotColumnar(stock.getOutputType()).orElse(null);
        if (problem != null) {
            throw new Fallback(Rule.FEATURE, problem);
        }
        return new Candidate(stock) {
            @Override
            public double savedNanos() {
                return 0;
            }

            @Override
            public ExecNode<?> build(boolean batchInput, boolean batchOutput) {
                return new NativeDropUpdateBefore(stock, context, batchInput, batchOutput);
            }
        };
    }

    /** In place of {@link StreamExecDropUpdateBefore}. */
    private static final class NativeDropUpdateBefore extends NativeOneInputNode {

        NativeDropUpdateBefore(
                StreamExecDropUpdateBefore stock, PlanningContext context, boolean batchInput, boolean batchOutput) {
            super(
                    stock,
                    context,
                    "native-drop-update-before",
                    describe(stock, List.of()),
                    batchInput,
                    batchOutput);
        }

        @Override
        NativeOperatorFactory factory(
                PlannerBase planner, ExecNodeConfig config, StreamOperatorFactory<RowData> stock) {
            return edges(new HostKernelSpec[0])
                    .operator(plan().setDropUpdateBefore(DropUpdateBefore.getDefaultInstance()).build())
                    .replayedBy(stock);
        }
    }
}
