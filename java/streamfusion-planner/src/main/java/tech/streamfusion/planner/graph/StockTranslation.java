package tech.streamfusion.planner.graph;

import java.util.Collections;
import java.util.List;
import org.apache.flink.api.dag.Transformation;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.planner.delegation.PlannerBase;
import org.apache.flink.table.planner.plan.nodes.exec.ExecEdge;
import org.apache.flink.table.planner.plan.nodes.exec.ExecNode;
import org.apache.flink.table.planner.plan.nodes.exec.ExecNodeBase;
import org.apache.flink.table.planner.plan.nodes.exec.ExecNodeConfig;
import org.apache.flink.table.planner.plan.nodes.exec.ExecNodeContext;
import org.apache.flink.table.planner.plan.nodes.exec.stream.StreamExecNode;
import org.apache.flink.table.runtime.typeutils.InternalTypeInfo;
import org.apache.flink.table.types.logical.LogicalType;
import org.apache.flink.table.types.logical.RowType;

/**
 * Has a stock node build its own transformations, to be copied by the native node that replaces it: names, uids,
 * parallelism and order are then Flink's by construction. The node sees an input of rows whatever the real one carries.
 */
public final class StockTranslation {

    private StockTranslation() {}

    /** For nodes without inputs. */
    public static Transformation<?> of(ExecNode<?> node, PlannerBase planner) {
        try {
            return node.translateToPlan(planner);
        } finally {
            StockFields.forgetTransformation(node);
        }
    }

    /**
     * For nodes of one input; the last of the returned chain of transformations leads back to an {@link Input}.
     *
     * @param like the real input, whose parallelism the node is to see
     */
    public static Transformation<?> of(ExecNode<?> node, Transformation<?> like, PlannerBase planner) {
        List<ExecEdge> edges = List.copyOf(node.getInputEdges());
        RowType type = (RowType) edges.get(0).getOutputType();
        Input input = new Input(type, like);
        ExecEdge edge = ExecEdge.builder().source(new InputNode(node.getId(), type, input)).target(node).build();
        try {
            node.setInputEdges(Collections.singletonList(edge));
            return node.translateToPlan(planner);
        } finally {
            node.setInputEdges(edges);
            StockFields.forgetTransformation(node);
        }
    }

    /** Stands for the real input. */
    public static final class Input extends Transformation<RowData> {

        Input(RowType type, Transformation<?> like) {
            super("Input", InternalTypeInfo.of(type), like.getParallelism(), like.isParallelismConfigured());
            if (like.getMaxParallelism() > 0) {
                setMaxParallelism(like.getMaxParallelism());
            }
        }

        /** An input of the given parallelism, for questions before the real one exists. */
        public Input(RowType type, int parallelism) {
            super("Input", InternalTypeInfo.of(type), parallelism, false);
        }

        @Override
        protected List<Transformation<?>> getTransitivePredecessorsInternal() {
            return Collections.singletonList(this);
        }

        @Override
        public List<Transformation<?>> getInputs() {
            return Collections.emptyList();
        }
    }

    private static final class InputNode extends ExecNodeBase<RowData> implements StreamExecNode<RowData> {

        private final Input input;

        InputNode(int id, LogicalType type, Input input) {
            super(id, new ExecNodeContext("native-input_1"), new Configuration(), List.of(), type, "Input");
            setInputEdges(List.of());
            this.input = input;
        }

        @Override
        protected Transformation<RowData> translateToPlanInternal(PlannerBase planner, ExecNodeConfig config) {
            return input;
        }
    }
}
