package tech.streamfusion.planner.nodes;

import org.apache.flink.table.planner.plan.nodes.exec.ExecNode;
import tech.streamfusion.planner.graph.GraphView;

/** Covers one kind of stock node. */
public interface NodeTranslator {

    /** Name in {@code streamfusion.operator.<name>.enabled}. */
    String operator();

    Class<? extends ExecNode<?>> stockClass();

    /** What is covered and what is not, for the documentation; one sentence each. */
    String coverage();

    /** @throws Fallback with the reason when this node must stay with Flink */
    Candidate translate(ExecNode<?> node, GraphView graph, PlanningContext context) throws Fallback;
}
