package tech.streamfusion.planner.graph;

import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.flink.table.planner.plan.nodes.exec.ExecEdge;
import org.apache.flink.table.planner.plan.nodes.exec.ExecNode;
import org.apache.flink.table.planner.plan.nodes.exec.ExecNodeGraph;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tech.streamfusion.planner.FallbackReason;
import tech.streamfusion.planner.FallbackReason.Rule;
import tech.streamfusion.planner.PlanningReport;
import tech.streamfusion.planner.StreamFusionOptions;
import tech.streamfusion.planner.nodes.Candidate;
import tech.streamfusion.planner.nodes.Fallback;
import tech.streamfusion.planner.nodes.NodeTranslator;
import tech.streamfusion.planner.nodes.PlanningContext;
import tech.streamfusion.planner.nodes.Translators;

/** Replaces the nodes of one exec graph by native ones, in place, and can undo it. */
public final class NativeGraphProcessor {

    private static final Logger LOG = LoggerFactory.getLogger(NativeGraphProcessor.class);

    private final PlanningContext context;
    private final Map<ExecNode<?>, FallbackReason> reasons = new IdentityHashMap<>();
    private final Map<ExecNode<?>, List<ExecEdge>> originalEdges = new IdentityHashMap<>();
    private final List<FallbackReason> fallbacks = new ArrayList<>();
    private final List<String> nativeNodes = new ArrayList<>();
    private GraphView graph;

    public NativeGraphProcessor(PlanningContext context) {
        this.context = context;
    }

    /** Call once. */
    public ExecNodeGraph process(ExecNodeGraph original) {
        graph = new GraphView(original.getRootNodes());
        Map<ExecNode<?>, Candidate> candidates = candidates();
        IslandRule islands =
                new IslandRule(
                        graph,
                        candidates,
                        reasons,
                        NativeGraphProcessor::name,
                        context.options().minimumGain());
        islands.apply();
        Map<ExecNode<?>, ExecNode<?>> replacements = new IdentityHashMap<>();
        for (ExecNode<?> node : graph.nodes()) {
            Candidate candidate = candidates.get(node);
            if (candidate == null) {
                fallbacks.add(reasons.get(node));
                continue;
            }
            List<ExecNode<?>> inputs = GraphView.inputs(node);
            boolean batchInput = !inputs.isEmpty() && islands.emitsBatches(inputs.get(0));
            replacements.put(node, candidate.build(batchInput, islands.emitsBatches(node)));
            nativeNodes.add("Native" + kind(node));
        }
        reconnect(replacements);
        List<ExecNode<?>> roots = new ArrayList<>();
        original.getRootNodes().forEach(root -> roots.add(replacements.getOrDefault(root, root)));
        return new ExecNodeGraph(original.getFlinkVersion(), roots);
    }

    private Map<ExecNode<?>, Candidate> candidates() {
        Map<ExecNode<?>, Candidate> out = new IdentityHashMap<>();
        for (ExecNode<?> node : graph.nodes()) {
            try {
                out.put(node, translate(node));
            } catch (Fallback e) {
                reasons.put(node, new FallbackReason(name(node), e.rule(), e.getMessage()));
            } catch (RuntimeException e) {
                // either stock translation will say the same to the user, or the bug is ours and must not stop the job
                LOG.warn("{} stays with Flink, its translation failed", name(node), e);
                reasons.put(node, new FallbackReason(name(node), Rule.FEATURE, "translation failed: " + e));
            }
        }
        return out;
    }

    private Candidate translate(ExecNode<?> node) throws Fallback {
        Optional<NodeTranslator> translator = Translators.of(node);
        if (translator.isEmpty()) {
            throw new Fallback(Rule.NODE, kind(node) + " runs on Flink's operators");
        }
        if (!context.options().isOperatorEnabled(translator.get().operator())) {
            throw new Fallback(
                    Rule.OPTION,
                    StreamFusionOptions.operatorKey(translator.get().operator()) + " is false");
        }
        return translator.get().translate(node, graph, context);
    }

    private void reconnect(Map<ExecNode<?>, ExecNode<?>> replacements) {
        for (ExecNode<?> node : graph.nodes()) {
            ExecNode<?> target = replacements.getOrDefault(node, node);
            List<ExecEdge> edges = new ArrayList<>();
            boolean changed = target != node;
            for (ExecEdge edge : node.getInputEdges()) {
                ExecNode<?> source = replacements.getOrDefault(edge.getSource(), edge.getSource());
                changed |= source != edge.getSource();
                edges.add(ExecEdge.builder().from(edge).source(source).target(target).build());
            }
            if (changed) {
                if (target == node) {
                    originalEdges.put(node, List.copyOf(node.getInputEdges()));
                }
                target.setInputEdges(edges);
            }
        }
    }

    /** Gives the stock nodes their own inputs back and has them forget what they translated with native ones. */
    public void restore() {
        originalEdges.forEach(ExecNode::setInputEdges);
        graph.nodes().forEach(StockFields::forgetTransformation);
    }

    public PlanningReport report() {
        return new PlanningReport(nativeNodes, fallbacks);
    }

    /** As in names of Flink's operators, e.g. {@code Calc[3]}. */
    public static String name(ExecNode<?> node) {
        return kind(node) + "[" + node.getId() + "]";
    }

    private static String kind(ExecNode<?> node) {
        return node.getClass().getSimpleName().replaceFirst("^StreamExec", "");
    }
}
