package tech.streamfusion.parity;

import static org.assertj.core.api.Assertions.assertThat;
import static tech.streamfusion.testing.Parity.row;

import java.math.BigDecimal;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.util.ArrayList;
import java.util.List;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.core.JsonProcessingException;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.ObjectMapper;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.node.ArrayNode;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.node.ObjectNode;
import org.apache.flink.types.Row;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tech.streamfusion.testing.Parity;
import tech.streamfusion.testing.ParityResult;

/** Exchanges between Calcs, which compiled plans may have though Flink's optimizer makes none. */
class ExchangeParityTest {

    private static final int ROWS = 1500;
    private static final ObjectMapper JSON = new ObjectMapper();

    private static List<Row> rows() {
        List<Row> rows = new ArrayList<>();
        for (int i = 0; i < ROWS; i++) {
            rows.add(
                    row(
                            i % 11 == 3 ? null : i % 301,
                            i % 13 == 2 ? null : "key-" + i % 97,
                            i % 17 == 5 ? null : new BigDecimal(i).movePointRight(18),
                            i % 7 == 1 ? null : LocalDateTime.of(2024, 1, 1, 0, 0).plusSeconds(i % 50).plusNanos(i % 3),
                            LocalDate.of(2024, 2, 1).plusDays(i % 40),
                            i % 2 == 0 ? null : new Integer[] {i % 5, null, i},
                            (long) i));
        }
        return rows;
    }

    private static Parity test(String distribution) {
        return Parity.test()
                .source("t", "k INT, s STRING, d DECIMAL(38, 6), ts TIMESTAMP(9), dt DATE, a ARRAY<INT>, n BIGINT", rows())
                .query("SELECT k + 1 AS k, UPPER(s) AS s, d, ts, dt, a, n FROM t WHERE n <> 77")
                .compiledPlan(json -> withExchange(json, distribution))
                .expectNative("Calc", "Calc", "Exchange");
    }

    /** Puts an exchange and a Calc that changes nothing between the Calc and the sink. */
    private static String withExchange(String json, String distribution) {
        try {
            ObjectNode plan = (ObjectNode) JSON.readTree(json);
            ArrayNode nodes = (ArrayNode) plan.get("nodes");
            ArrayNode edges = (ArrayNode) plan.get("edges");
            numberFromOne(nodes, edges);
            ObjectNode calc = find(nodes, "stream-exec-calc_");
            int sinkId = find(nodes, "stream-exec-sink_").get("id").asInt();
            int calcId = calc.get("id").asInt();
            nodes.add(exchange(calc, distribution, sinkId + 1));
            nodes.add(identity(calc, sinkId + 2));
            edges.forEach(edge -> redirect((ObjectNode) edge, calcId, sinkId + 2));
            edges.add(edge((ObjectNode) edges.get(0), calcId, sinkId + 1));
            edges.add(edge((ObjectNode) edges.get(0), sinkId + 1, sinkId + 2));
            return JSON.writeValueAsString(plan);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException(json, e);
        }
    }

    /** Nodes are numbered across all plans of a JVM, and operator ids follow from the numbers. */
    private static void numberFromOne(ArrayNode nodes, ArrayNode edges) {
        int before = nodes.get(0).get("id").asInt() - 1;
        for (var node : nodes) {
            ((ObjectNode) node).put("id", node.get("id").asInt() - before);
        }
        for (var edge : edges) {
            ((ObjectNode) edge).put("source", edge.get("source").asInt() - before);
            ((ObjectNode) edge).put("target", edge.get("target").asInt() - before);
        }
    }

    private static ObjectNode find(ArrayNode nodes, String type) {
        for (var node : nodes) {
            if (node.get("type").asText().startsWith(type)) {
                return (ObjectNode) node;
            }
        }
        throw new IllegalStateException("no " + type + " in " + nodes);
    }

    private static void redirect(ObjectNode edge, int source, int newSource) {
        if (edge.get("source").asInt() == source) {
            edge.put("source", newSource);
        }
    }

    private static ObjectNode edge(ObjectNode like, int source, int target) {
        return like.deepCopy().put("source", source).put("target", target);
    }

    private static ObjectNode exchange(ObjectNode calc, String distribution, int id) throws JsonProcessingException {
        ObjectNode node = JSON.createObjectNode();
        node.put("id", id).put("type", "stream-exec-exchange_1");
        ObjectNode property = (ObjectNode) calc.get("inputProperties").get(0).deepCopy();
        property.set("requiredDistribution", JSON.readTree(distribution));
        node.putArray("inputProperties").add(property);
        node.set("outputType", calc.get("outputType"));
        return node.put("description", "Exchange(distribution=[planted])");
    }

    /** The same filter, which Flink demands of a Calc that projects nothing; its column is at the same place. */
    private static ObjectNode identity(ObjectNode calc, int id) {
        ObjectNode node = calc.deepCopy();
        node.put("id", id);
        ArrayNode projection = (ArrayNode) node.get("projection");
        for (int i = 0; i < projection.size(); i++) {
            ObjectNode reference = JSON.createObjectNode().put("kind", "INPUT_REF").put("inputIndex", i);
            reference.set("type", projection.get(i).get("type"));
            projection.set(i, reference);
        }
        return node;
    }

    @ParameterizedTest
    @CsvSource({"0,1", "0,2", "2,4", "3,3", "5,2"})
    void byKey(int key, int parallelism) {
        ParityResult result =
                test("{\"type\": \"HASH\", \"keys\": [" + key + ", 1]}")
                        .parallelism(parallelism)
                        .objectReuse(parallelism % 2 == 0)
                        .compare(parallelism == 1 ? Parity.Comparison.CHANGELOG : Parity.Comparison.UNORDERED)
                        .run();
        assertThat(result.changes()).hasSize(ROWS - 1);
    }

    @ParameterizedTest
    @CsvSource({"3"})
    void toASingleTask(int parallelism) {
        test("{\"type\": \"SINGLETON\"}").parallelism(parallelism).compare(Parity.Comparison.UNORDERED).run();
    }
}
