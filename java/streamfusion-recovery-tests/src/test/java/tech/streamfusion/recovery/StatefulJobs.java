package tech.streamfusion.recovery;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.table.api.bridge.java.StreamTableEnvironment;

/** How the jobs of one test case run: query, state backend, and where checkpoints go. */
final class StatefulJobs {

    private final StatefulQuery query;
    private final StatefulTopics topics;
    private final Map<String, String> options = new TreeMap<>();

    StatefulJobs(StatefulQuery query, String backend, Path checkpoints, StatefulTopics topics) {
        this.query = query;
        this.topics = topics;
        options.put("state.backend.type", backend);
        options.put("execution.checkpointing.incremental", "true");
        options.put("execution.checkpointing.dir", checkpoints.toUri().toString());
        options.put("execution.checkpointing.data-inline-threshold", "1 mb");
        options.put("execution.checkpointing.interval", "200 ms");
        options.put("execution.checkpointing.tolerable-failed-checkpoints", "100");
        options.put("restart-strategy.type", "fixed-delay");
        options.put("restart-strategy.fixed-delay.attempts", "1000");
        options.put("restart-strategy.fixed-delay.delay", "100 ms");
        options.put("pipeline.object-reuse", "true");
        options.put("pipeline.max-parallelism", "16");
        options.put("table.exec.sink.upsert-materialize", "NONE");
        options.put("streamfusion.planner.minimum-gain", "0");
        options.putAll(query.options);
    }

    /** An option of the jobs that are started from now on. */
    void set(String option, String value) {
        options.put(option, value);
    }

    /** On stock Flink, over all that has been produced, until its end. */
    void runStockToTheEnd() throws Exception {
        environment(false, 1, null, true).executeSql(query.insert).await();
    }

    JobClient start(boolean accelerated, int parallelism, String savepoint) {
        final StreamTableEnvironment environment = environment(accelerated, parallelism, savepoint, false);
        if (accelerated) {
            assertThat(environment.explainSql(query.insert)).contains(query.nativeNode);
        }
        return environment.executeSql(query.insert).getJobClient().orElseThrow();
    }

    private StreamTableEnvironment environment(boolean accelerated, int parallelism, String savepoint, boolean bounded) {
        final Configuration configuration = Configuration.fromMap(options);
        configuration.setString("parallelism.default", String.valueOf(parallelism));
        configuration.setString("streamfusion.native.enabled", String.valueOf(accelerated));
        if (savepoint != null) {
            configuration.setString("execution.state-recovery.path", savepoint);
        }
        final StreamTableEnvironment environment =
                StreamTableEnvironment.create(StreamExecutionEnvironment.getExecutionEnvironment(configuration));
        for (String statement : topics.ddl(bounded)) {
            environment.executeSql(statement);
        }
        return environment;
    }
}
