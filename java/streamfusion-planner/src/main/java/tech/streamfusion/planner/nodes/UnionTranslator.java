package tech.streamfusion.planner.nodes;

import java.util.ArrayList;
import java.util.List;
import org.apache.flink.api.dag.Transformation;
import org.apache.flink.streaming.api.transformations.UnionTransformation;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.planner.delegation.PlannerBase;
import org.apache.flink.table.planner.plan.nodes.exec.ExecEdge;
import org.apache.flink.table.planner.plan.nodes.exec.ExecNode;
import org.apache.flink.table.planner.plan.nodes.exec.ExecNodeBase;
import org.apache.flink.table.planner.plan.nodes.exec.ExecNodeConfig;
import org.apache.flink.table.planner.plan.nodes.exec.ExecNodeContext;
import org.apache.flink.table.planner.plan.nodes.exec.SingleTransformationTranslator;
import org.apache.flink.table.planner.plan.nodes.exec.stream.StreamExecNode;
import org.apache.flink.table.planner.plan.nodes.exec.stream.StreamExecUnion;
import org.apache.flink.table.types.logical.RowType;
import tech.streamfusion.planner.FallbackReason.Rule;
import tech.streamfusion.planner.expr.PlanTypes;
import tech.streamfusion.planner.expr.WorkEstimate;
import tech.streamfusion.planner.graph.GraphView;

/**
 * UNION ALL. Flink makes no operator of it: the operator behind it gets several inputs, is never chained to them, and so the
 * rows cross the network, as batches when both sides are native.
 */
final class UnionTranslator implements NodeTranslator {

    @Override
    public String operator() {
        return "union";
    }

    @Override
    public Class<StreamExecUnion> stockClass() {
        return StreamExecUnion.class;
    }

    @Override
    public String coverage() {
        return "Any, where all inputs and all consumers are native: batches cross the network.";
    }

    @Override
    public Candidate translate(ExecNode<?> node, GraphView graph, PlanningContext context) throws Fallback {
        StreamExecUnion stock = (StreamExecUnion) node;
        String problem = PlanTypes.whyNotColumnar(stock.getOutputType()).orElse(null);
        if (problem != null) {
            throw new Fallback(Rule.FEATURE, problem);
        }
        return new Candidate(stock) {
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
                return new NativeUnion(stock);
            }
        };
    }

    /** In place of {@link StreamExecUnion}. */
    private static final class NativeUnion extends ExecNodeBase<RowData>
            implements StreamExecNode<RowData>, SingleTransformationTranslator<RowData> {

        NativeUnion(StreamExecUnion stock) {
            super(
                    stock.getId(),
                    new ExecNodeContext("native-union_1"),
                    stock.getPersistedConfig(),
                    stock.getInputProperties(),
                    stock.getOutputType(),
                    "Native" + stock.getDescription());
        }

        @Override
        @SuppressWarnings("unchecked") // its inputs and consumers are native and know
        protected Transformation<RowData> translateToPlanInternal(PlannerBase planner, ExecNodeConfig config) {
            List<Transformation<RowData>> inputs = new ArrayList<>();
            for (ExecEdge edge : getInputEdges()) {
                inputs.add((Transformation<RowData>) edge.translateToPlan(planner));
            }
            return new UnionTransformation<>(inputs);
        }
    }
}
