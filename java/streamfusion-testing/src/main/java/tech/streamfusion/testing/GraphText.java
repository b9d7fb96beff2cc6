package tech.streamfusion.testing;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.apache.flink.runtime.jobgraph.JobGraph;
import org.apache.flink.runtime.jobgraph.JobVertex;
import org.apache.flink.streaming.api.graph.StreamEdge;
import org.apache.flink.streaming.api.graph.StreamGraph;
import org.apache.flink.streaming.api.graph.StreamNode;

/** The shape of a job, as lines that are equal for two jobs of the same shape. */
final class GraphText {

    private GraphText() {}

    /** Nodes in order of their ids (renumbered from 0) with names, parallelism, chaining, uids and incoming edges. */
    static List<String> of(StreamGraph graph) {
        Map<Integer, Integer> numbers = new HashMap<>();
        for (int id : ids(graph)) {
            numbers.put(id, numbers.size());
        }
        List<String> lines = new ArrayList<>();
        for (int id : ids(graph)) {
            StreamNode node = graph.getStreamNode(id);
            lines.add(
                    String.format(
                            "%d %s parallelism=%d max=%d chaining=%s slots=%s uid=%s hash=%s keys=%d <- %s",
                            numbers.get(id),
                            withoutNative(node.getOperatorName()),
                            node.getParallelism(),
                            node.getMaxParallelism(),
                            node.getOperatorFactory() == null ? "-" : node.getOperatorFactory().getChainingStrategy(),
                            node.getSlotSharingGroup(),
                            node.getTransformationUID(),
                            node.getUserHash(),
                            node.getStatePartitioners().length,
                            edges(node, numbers)));
        }
        return withRelativeNumbers(lines);
    }

    /** Job vertices, sources first, with the operator ids chained into each and the edges between them. */
    static List<String> of(JobGraph graph) {
        List<String> lines = new ArrayList<>();
        for (JobVertex vertex : graph.getVerticesSortedTopologicallyFromSources()) {
            String operators =
                    vertex.getOperatorIDs().stream()
                            .map(id -> id.getGeneratedOperatorID() + "/" + id.getUserDefinedOperatorID().orElse(null))
                            .collect(Collectors.joining(","));
            String inputs =
                    vertex.getInputs().stream()
                            .map(
                                    edge ->
                                            edge.getSource().getProducer().getID()
                                                    + " "
                                                    + edge.getShipStrategyName()
                                                    + " "
                                                    + edge.getDistributionPattern())
                            .collect(Collectors.joining(","));
            lines.add(
                    String.format(
                            "%s %s parallelism=%d operators=%s <- %s",
                            vertex.getID(), withoutNative(vertex.getName()), vertex.getParallelism(), operators, inputs));
        }
        return withRelativeNumbers(lines);
    }

    private static TreeSet<Integer> ids(StreamGraph graph) {
        return graph.getStreamNodes().stream().map(StreamNode::getId).collect(Collectors.toCollection(TreeSet::new));
    }

    private static String edges(StreamNode node, Map<Integer, Integer> numbers) {
        List<String> edges = new ArrayList<>();
        for (StreamEdge edge : node.getInEdges()) {
            edges.add(
                    String.format(
                            "%d:%s:%s:%d%s",
                            numbers.get(edge.getSourceId()),
                            edge.getPartitioner(),
                            edge.getExchangeMode(),
                            edge.getTypeNumber(),
                            edge.getOutputTag() == null ? "" : ":" + edge.getOutputTag()));
        }
        return String.join(", ", edges);
    }

    /** A native operator may say so in its name. */
    private static String withoutNative(String name) {
        return name.replace("Native", "");
    }

    /** Exec nodes are numbered across all plans of a JVM, {@code Calc[17]}: counts from the smallest of the job instead. */
    private static List<String> withRelativeNumbers(List<String> lines) {
        Pattern number = Pattern.compile("\\[(\\d+)]");
        int smallest = Integer.MAX_VALUE;
        for (String line : lines) {
            Matcher matcher = number.matcher(line);
            while (matcher.find()) {
                smallest = Math.min(smallest, Integer.parseInt(matcher.group(1)));
            }
        }
        int base = smallest;
        List<String> relative = new ArrayList<>();
        for (String line : lines) {
            relative.add(
                    number.matcher(line).replaceAll(m -> "[" + (Integer.parseInt(m.group(1)) - base) + "]"));
        }
        return relative;
    }
}
