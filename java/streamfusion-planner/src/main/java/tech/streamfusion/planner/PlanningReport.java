package tech.streamfusion.planner;

import java.util.List;

/** What became of the nodes of one plan. */
public final class PlanningReport {

    private final List<String> nativeNodes;
    private final List<FallbackReason> fallbacks;

    public PlanningReport(List<String> nativeNodes, List<FallbackReason> fallbacks) {
        this.nativeNodes = List.copyOf(nativeNodes);
        this.fallbacks = List.copyOf(fallbacks);
    }

    /** Kinds of the native nodes, e.g. {@code NativeCalc}, inputs before their consumers. */
    public List<String> nativeNodes() {
        return nativeNodes;
    }

    /** One reason for each node that stayed with Flink, inputs before their consumers. */
    public List<FallbackReason> fallbacks() {
        return fallbacks;
    }

    /** The section that EXPLAIN shows behind the plan; empty when everything is native. */
    String explainSection() {
        if (fallbacks.isEmpty()) {
            return "";
        }
        String newline = System.lineSeparator();
        StringBuilder out = new StringBuilder("== StreamFusion Fallbacks ==").append(newline);
        fallbacks.forEach(reason -> out.append(reason).append(newline));
        return out.toString();
    }
}
