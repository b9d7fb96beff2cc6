package tech.streamfusion.planner.graph;

import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import org.apache.flink.table.planner.plan.nodes.exec.ExecNode;
import org.apache.flink.table.planner.plan.nodes.exec.InputProperty;
import org.apache.flink.table.planner.plan.nodes.exec.stream.StreamExecTableSourceScan;

/**
 * Tells which nodes surely run with the same parallelism, before any transformation exists: nodes take over their first
 * input's unless a singleton distribution pins them to one.
 */
final class ParallelismKeys {

    private static final String DEFAULT = "default";
    private static final String ONE = "one";

    private final Map<ExecNode<?>, String> keys = new IdentityHashMap<>();

    String of(ExecNode<?> node) {
        String key = keys.get(node);
        if (key == null) {
            key = derive(node);
            keys.put(node, key);
        }
        return key;
    }

    private String derive(ExecNode<?> node) {
        for (InputProperty property : node.getInputProperties()) {
            if (property.getRequiredDistribution().getType() == InputProperty.DistributionType.SINGLETON) {
                return ONE;
            }
        }
        List<ExecNode<?>> inputs = GraphView.inputs(node);
        if (!inputs.isEmpty()) {
            return of(inputs.get(0));
        }
        // other leaves choose for themselves
        return node instanceof StreamExecTableSourceScan ? DEFAULT : "leaf-" + node.getId();
    }
}
