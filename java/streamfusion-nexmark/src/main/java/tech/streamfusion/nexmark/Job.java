package tech.streamfusion.nexmark;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.runtime.jobgraph.JobGraph;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.table.api.TableEnvironment;
import org.apache.flink.table.api.bridge.java.StreamStatementSet;
import org.apache.flink.table.api.bridge.java.StreamTableEnvironment;

/** A script made ready to run: everything but its INSERTs has been executed. */
final class Job {

    private static final Pattern SET = Pattern.compile("(?is)SET\\s+'([^']+)'\\s*=\\s*'([^']*)'");

    /** As the public benchmark has it. */
    private static final Map<String, String> MINI_BATCH =
            Map.of(
                    "table.exec.mini-batch.enabled", "true",
                    "table.exec.mini-batch.allow-latency", "2 s",
                    "table.exec.mini-batch.size", "50000",
                    "table.optimizer.distinct-agg.split.enabled", "true");

    final TableEnvironment tables;
    private final StreamExecutionEnvironment environment;
    private final StreamStatementSet inserts;

    private Job(StreamExecutionEnvironment environment, TableEnvironment tables, StreamStatementSet inserts) {
        this.environment = environment;
        this.tables = tables;
        this.inserts = inserts;
    }

    String explain() {
        return inserts.explain();
    }

    /** Plans the job; once only. */
    JobGraph plan() {
        inserts.attachAsDataStream();
        return environment.getStreamGraph().getJobGraph();
    }

    static Job of(Message request) {
        Configuration config = new Configuration();
        config.setString("parallelism.default", request.get("parallelism"));
        config.setString("pipeline.object-reuse", "true");
        config.setString("execution.checkpointing.interval", request.has("checkpointInterval") ? request.get("checkpointInterval") : "1s");
        config.setString("execution.checkpointing.mode", "EXACTLY_ONCE");
        config.setString("restart-strategy.type", "none");
        config.setString("state.backend.type", request.get("state"));
        config.setString("execution.checkpointing.incremental", "true"); // of the backends that can
        config.setString("table.local-time-zone", "UTC");
        StreamExecutionEnvironment environment = StreamExecutionEnvironment.getExecutionEnvironment(config);
        StreamTableEnvironment tables = StreamTableEnvironment.create(environment);
        if (Boolean.parseBoolean(request.get("miniBatch"))) {
            MINI_BATCH.forEach(tables.getConfig()::set);
        }
        List<String> inserts = new ArrayList<>();
        for (String statement : SqlScript.statements(request.get("sql"))) {
            Matcher set = SET.matcher(statement);
            if (set.matches()) {
                tables.getConfig().set(set.group(1), set.group(2));
            } else if (statement.toUpperCase(Locale.ROOT).startsWith("INSERT")) {
                inserts.add(statement);
            } else {
                tables.executeSql(statement);
            }
        }
        if (inserts.isEmpty()) {
            throw new IllegalArgumentException("the script has no INSERT");
        }
        StreamStatementSet set = tables.createStatementSet();
        inserts.forEach(set::addInsertSql);
        return new Job(environment, tables, set);
    }
}
