package tech.streamfusion.planner;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.apache.flink.runtime.jobgraph.JobGraph;
import org.apache.flink.runtime.jobgraph.JobVertex;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.graph.StreamGraph;
import org.apache.flink.streaming.api.graph.StreamNode;
import org.apache.flink.table.api.EnvironmentSettings;
import org.apache.flink.table.api.bridge.java.StreamTableEnvironment;
import org.apache.flink.table.planner.plan.nodes.exec.ExecNodeContext;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Accelerated or not, Flink sees the same graph: names, uids, parallelism, chains, operator ids. */
class SameGraphTest {

    private static final String[] TABLES = {
        "CREATE TABLE src (id BIGINT, s STRING, ts TIMESTAMP(3), WATERMARK FOR ts AS ts - INTERVAL '1' SECOND) "
                + "WITH ('connector' = 'planned')",
        "CREATE TABLE generated (id BIGINT, s STRING, ts TIMESTAMP(3), WATERMARK FOR ts AS ts - INTERVAL '1' SECOND) "
                + "WITH ('connector' = 'datagen')",
        "CREATE TABLE changes (id BIGINT, n INT, PRIMARY KEY (id) NOT ENFORCED) "
                + "WITH ('connector' = 'planned', 'changelog' = 'all')",
        "CREATE TABLE target (id BIGINT NOT NULL, s CHAR(4), ts TIMESTAMP(3)) WITH ('connector' = 'planned')",
        "CREATE TABLE plain (id BIGINT, s STRING) WITH ('connector' = 'planned')",
        "CREATE TABLE narrow (id BIGINT, s STRING) WITH ('connector' = 'planned', 'scan.parallelism' = '1')",
        "CREATE TABLE wide (id BIGINT NOT NULL, s STRING) WITH ('connector' = 'planned', 'sink.parallelism' = '5')",
        "CREATE TABLE keyed (id BIGINT, n BIGINT, PRIMARY KEY (id) NOT ENFORCED) WITH ('connector' = 'planned')",
    };

    @ParameterizedTest
    @ValueSource(
            strings = {
                "INSERT INTO plain SELECT id + 1, UPPER(s) FROM src WHERE id > 3",
                "INSERT INTO target SELECT id, CAST(s AS CHAR(4)), ts FROM src WHERE id > 3",
                "INSERT INTO target SELECT id, CAST(s AS CHAR(4)), ts FROM generated WHERE CHAR_LENGTH(s) > 3",
                "INSERT INTO keyed SELECT id, n + 1 FROM changes WHERE n > 2",
                "INSERT INTO keyed SELECT id, COUNT(*) FROM src WHERE id > 3 GROUP BY id",
                "INSERT INTO keyed SELECT COUNT(*) + 1, 7 FROM src WHERE id > 3",
                "INSERT INTO plain SELECT id * 2, s FROM (SELECT id, s FROM src WHERE id > 1 UNION ALL "
                        + "SELECT n, 'x' FROM changes WHERE n = 2) WHERE id < 100",
                "INSERT INTO plain SELECT id * 2, s FROM src WHERE id > 1 UNION ALL SELECT id, s FROM narrow",
                "INSERT INTO plain SELECT id * 2, s FROM src UNION ALL (SELECT id, s || 'x' FROM narrow UNION ALL "
                        + "SELECT id, s FROM generated WHERE id > 4)",
                "INSERT INTO wide SELECT id, s FROM narrow",
                "INSERT INTO wide SELECT id + 1, UPPER(s) FROM narrow WHERE id > 3",
                "INSERT INTO plain SELECT a.id, b.s FROM src a JOIN src b ON a.id = b.id WHERE a.s <> b.s",
                "INSERT INTO plain SELECT id, s FROM src WHERE id = 1;"
                        + "INSERT INTO keyed SELECT id, CHAR_LENGTH(s) FROM src WHERE id = 1",
            })
    void sameGraph(String inserts) throws Exception {
        List<String> stock = describe(inserts, false);
        List<String> accelerated = describe(inserts, true);
        assertThat(accelerated).isEqualTo(stock);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "INSERT INTO plain SELECT id + 1, UPPER(s) FROM src WHERE id > 3",
                "INSERT INTO wide SELECT id * 2, s FROM src WHERE id > 1 UNION ALL SELECT id, s FROM narrow",
            })
    void sameGraphWithoutChaining(String insert) throws Exception {
        String option = "pipeline.operator-chaining.enabled";
        assertThat(describe(insert, true, option, "false")).isEqualTo(describe(insert, false, option, "false"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"PLAN_ONLY", "ALWAYS"})
    void sameUids(String generation) throws Exception {
        String insert = "INSERT INTO target SELECT id, CAST(s AS CHAR(4)), ts FROM src WHERE id > 3";
        List<String> stock = describe(insert, false, "table.exec.uid.generation", generation);
        assertThat(describe(insert, true, "table.exec.uid.generation", generation)).isEqualTo(stock);
        assertThat(stock.toString().contains("uid=null")).isEqualTo(generation.equals("PLAN_ONLY"));
    }

    /** Or stock operators beside them, whose share is what is left, may not even start. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "INSERT INTO target SELECT id + 1, CAST(s AS CHAR(4)), ts FROM generated WHERE CHAR_LENGTH(s) > 3",
                "INSERT INTO plain SELECT COUNT(*) + 1, UPPER(s) FROM TUMBLE(TABLE src, DESCRIPTOR(ts), INTERVAL '1' SECOND) "
                        + "WHERE id > 3 GROUP BY s, window_start, window_end",
            })
    void statelessOperatorsClaimNoManagedMemory(String insert) throws Exception {
        assertThat(managedMemory(insert, true)).isEqualTo(managedMemory(insert, false));
    }

    private static List<String> managedMemory(String insert, boolean accelerated) throws Exception {
        List<String> lines = new ArrayList<>();
        graph(insert, accelerated).getStreamNodes().stream()
                .sorted(Comparator.comparing(StreamNode::getId))
                .forEach(
                        node ->
                                lines.add(
                                        node.getManagedMemoryOperatorScopeUseCaseWeights()
                                                + " "
                                                + node.getManagedMemorySlotScopeUseCases()));
        return lines;
    }

    private static List<String> describe(String inserts, boolean accelerated, String... options) throws Exception {
        StreamGraph graph = graph(inserts, accelerated, options);
        List<String> lines = new ArrayList<>();
        graph.getStreamNodes().stream()
                .sorted(Comparator.comparing(StreamNode::getId))
                .forEach(node -> lines.add(describe(node)));
        JobGraph job = graph.getJobGraph();
        for (JobVertex vertex : job.getVerticesSortedTopologicallyFromSources()) {
            List<Object> operators = new ArrayList<>();
            vertex.getOperatorIDs().forEach(id -> operators.add(id.getGeneratedOperatorID()));
            lines.add(vertex.getID() + " " + vertex.getName() + " " + operators);
        }
        return lines;
    }

    private static StreamGraph graph(String inserts, boolean accelerated, String... options) throws Exception {
        StreamExecutionEnvironment stream = StreamExecutionEnvironment.getExecutionEnvironment();
        stream.setParallelism(2);
        StreamTableEnvironment env = StreamTableEnvironment.create(stream, EnvironmentSettings.inStreamingMode());
        env.getConfig().set(StreamFusionOptions.NATIVE_ENABLED, String.valueOf(accelerated));
        env.getConfig().set(StreamFusionOptions.MINIMUM_GAIN, "0");
        for (int i = 0; i < options.length; i += 2) {
            env.getConfig().set(options[i], options[i + 1]);
        }
        for (String table : TABLES) {
            env.executeSql(table);
        }
        ExecNodeContext.resetIdCounter();
        StreamGraph graph = Planning.streamGraph(env, stream, inserts.split(";"));
        assertThat(Planning.planner(env).lastReport().nativeNodes().isEmpty()).isNotEqualTo(accelerated);
        return graph;
    }

    private static String describe(StreamNode node) {
        return String.join(
                " ",
                node.getOperatorName(),
                node.getOperatorDescription(),
                "uid=" + node.getTransformationUID(),
                "p=" + node.getParallelism(),
                "max=" + node.getMaxParallelism(),
                "inputs=" + node.getInEdges().size(),
                "outputs=" + node.getOutEdges().size(),
                "partitioners=" + partitioners(node),
                String.valueOf(node.getOperatorFactory().getChainingStrategy()));
    }

    private static List<String> partitioners(StreamNode node) {
        List<String> names = new ArrayList<>();
        node.getInEdges().forEach(edge -> names.add(String.valueOf(edge.getPartitioner())));
        return names;
    }
}
