package tech.streamfusion.planner.graph;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Deque;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import org.apache.flink.table.planner.plan.nodes.exec.ExecNode;
import org.apache.flink.table.types.logical.RowType;
import tech.streamfusion.planner.FallbackReason;
import tech.streamfusion.planner.FallbackReason.Rule;
import tech.streamfusion.planner.expr.WorkEstimate;
import tech.streamfusion.planner.nodes.Candidate;

/**
 * Decides which candidates become native. A node hands out batches when all its consumers take them, in the same task or over
 * the network; what needs native neighbours and lacks them is given up, then islands that do not pay for their conversions,
 * until nothing changes.
 */
final class IslandRule {

    private final GraphView graph;
    private final Map<ExecNode<?>, Candidate> candidates;
    private final Map<ExecNode<?>, FallbackReason> reasons;
    private final Function<ExecNode<?>, String> names;
    private final double minimumGain;

    /**
     * @param candidates reduced in place
     * @param reasons receives why each candidate was given up
     * @param minimumGain nanoseconds per row that an island must save; 0 keeps all
     */
    IslandRule(
            GraphView graph,
            Map<ExecNode<?>, Candidate> candidates,
            Map<ExecNode<?>, FallbackReason> reasons,
            Function<ExecNode<?>, String> names,
            double minimumGain) {
        this.graph = graph;
        this.candidates = candidates;
        this.reasons = reasons;
        this.names = names;
        this.minimumGain = minimumGain;
    }

    void apply() {
        do {
            while (dropLonely()) {
                // each pass may take away the neighbour of another
            }
        } while (dropUnprofitable());
    }

    /** Whether the edges from this node carry batches. */
    boolean emitsBatches(ExecNode<?> node) {
        return whyRows(node) == null;
    }

    /** Why the node must hand out rows; null when it hands out batches. */
    private String whyRows(ExecNode<?> node) {
        if (!candidates.containsKey(node)) {
            return names.apply(node) + " stays with Flink";
        }
        for (ExecNode<?> consumer : graph.consumers(node)) {
            if (!candidates.containsKey(consumer)) {
                return names.apply(consumer) + " takes rows";
            }
        }
        return graph.consumers(node).isEmpty() ? "nothing consumes it" : null;
    }

    private boolean dropLonely() {
        boolean changed = false;
        for (ExecNode<?> node : graph.nodes()) {
            Candidate candidate = candidates.get(node);
            String why = candidate == null ? null : missingNeighbour(node, candidate);
            if (why != null) {
                drop(node, Rule.NEIGHBOUR, why);
                changed = true;
            }
        }
        return changed;
    }

    private String missingNeighbour(ExecNode<?> node, Candidate candidate) {
        if (!candidate.acceptsRows()) {
            for (ExecNode<?> input : GraphView.inputs(node)) {
                String why = whyRows(input);
                if (why != null) {
                    return "needs batches, but " + why;
                }
            }
        }
        if (!candidate.emitsRows()) {
            String why = whyRows(node);
            if (why != null) {
                return "hands out batches, but " + why;
            }
        }
        return null;
    }

    private boolean dropUnprofitable() {
        if (minimumGain <= 0) {
            return false;
        }
        boolean changed = false;
        for (Collection<ExecNode<?>> island : islands()) {
            double gain = gain(island);
            if (gain < minimumGain) {
                String detail =
                        String.format(
                                Locale.ROOT,
                                "estimated to save %.0f ns per row including conversions, less than %s",
                                gain,
                                minimumGain);
                island.forEach(node -> drop(node, Rule.COST, detail));
                changed = true;
            }
        }
        return changed;
    }

    private double gain(Collection<ExecNode<?>> island) {
        double gain = 0;
        for (ExecNode<?> node : island) {
            gain += candidates.get(node).savedNanos();
            for (ExecNode<?> input : GraphView.inputs(node)) {
                if (!emitsBatches(input)) {
                    gain -= WorkEstimate.rowToBatchNanos((RowType) input.getOutputType());
                }
            }
            if (!graph.consumers(node).isEmpty() && !emitsBatches(node)) {
                gain -= WorkEstimate.batchToRowNanos((RowType) node.getOutputType());
            }
        }
        return gain;
    }

    /** Candidates connected by batch edges. */
    private List<Collection<ExecNode<?>>> islands() {
        List<Collection<ExecNode<?>>> out = new ArrayList<>();
        Set<ExecNode<?>> seen = Collections.newSetFromMap(new IdentityHashMap<>());
        for (ExecNode<?> start : graph.nodes()) {
            if (!candidates.containsKey(start) || !seen.add(start)) {
                continue;
            }
            List<ExecNode<?>> island = new ArrayList<>();
            Deque<ExecNode<?>> open = new ArrayDeque<>(List.of(start));
            while (!open.isEmpty()) {
                ExecNode<?> node = open.pop();
                island.add(node);
                neighbours(node).stream().filter(seen::add).forEach(open::push);
            }
            out.add(island);
        }
        return out;
    }

    private List<ExecNode<?>> neighbours(ExecNode<?> node) {
        List<ExecNode<?>> out = new ArrayList<>();
        if (emitsBatches(node)) {
            out.addAll(graph.consumers(node));
        }
        for (ExecNode<?> input : GraphView.inputs(node)) {
            if (emitsBatches(input)) {
                out.add(input);
            }
        }
        return out;
    }

    private void drop(ExecNode<?> node, Rule rule, String detail) {
        candidates.remove(node);
        reasons.put(node, new FallbackReason(names.apply(node), rule, detail));
    }
}
