package tech.streamfusion.planner.graph;

import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import org.apache.flink.table.planner.plan.nodes.exec.ExecEdge;
import org.apache.flink.table.planner.plan.nodes.exec.ExecNode;

/** An exec node graph with its edges in both directions. */
public final class GraphView {

    private final List<ExecNode<?>> nodes = new ArrayList<>();
    private final Map<ExecNode<?>, List<ExecNode<?>>> consumers = new IdentityHashMap<>();

    public GraphView(List<ExecNode<?>> roots) {
        roots.forEach(this::visit);
    }

    private void visit(ExecNode<?> node) {
        if (consumers.containsKey(node)) {
            return;
        }
        consumers.put(node, new ArrayList<>());
        for (ExecEdge edge : node.getInputEdges()) {
            visit(edge.getSource());
            consumers.get(edge.getSource()).add(node);
        }
        nodes.add(node);
    }

    /** Every node once, inputs before their consumers. */
    public List<ExecNode<?>> nodes() {
        return Collections.unmodifiableList(nodes);
    }

    /** A consumer appears once per edge. */
    public List<ExecNode<?>> consumers(ExecNode<?> node) {
        return Collections.unmodifiableList(consumers.get(node));
    }

    public static List<ExecNode<?>> inputs(ExecNode<?> node) {
        List<ExecNode<?>> out = new ArrayList<>();
        node.getInputEdges().forEach(edge -> out.add(edge.getSource()));
        return out;
    }
}
