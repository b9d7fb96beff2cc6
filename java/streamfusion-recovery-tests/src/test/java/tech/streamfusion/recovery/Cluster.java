package tech.streamfusion.recovery;

import org.apache.flink.configuration.Configuration;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.runtime.testutils.CommonTestUtils;
import org.apache.flink.runtime.testutils.MiniClusterResourceConfiguration;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.table.api.bridge.java.StreamTableEnvironment;
import org.apache.flink.test.util.MiniClusterWithClientResource;

/** A MiniCluster and the submission of the one query that all recovery tests run. */
final class Cluster implements AutoCloseable {

    private static final String INSERT =
            "INSERT INTO target SELECT Fuse(id), name || '#', CAST(amount + 1 AS DECIMAL(12, 2)) FROM source WHERE MOD(id, 7) <> 0";

    private final MiniClusterWithClientResource resource =
            new MiniClusterWithClientResource(
                    new MiniClusterResourceConfiguration.Builder().setNumberTaskManagers(1).setNumberSlotsPerTaskManager(2).build());

    Cluster() throws Exception {
        resource.before();
    }

    private static StreamTableEnvironment environment(boolean accelerated, Topics topics, String name, String savepoint) {
        final Configuration configuration = new Configuration();
        configuration.setString("execution.checkpointing.interval", "200 ms");
        configuration.setString("execution.checkpointing.tolerable-failed-checkpoints", "100");
        configuration.setString("restart-strategy.type", "fixed-delay");
        configuration.setString("restart-strategy.fixed-delay.attempts", "1000");
        configuration.setString("restart-strategy.fixed-delay.delay", "100 ms");
        configuration.setString("pipeline.object-reuse", "true");
        configuration.setString("parallelism.default", "1");
        if (savepoint != null) {
            configuration.setString("execution.state-recovery.path", savepoint);
        }
        final StreamTableEnvironment environment =
                StreamTableEnvironment.create(StreamExecutionEnvironment.getExecutionEnvironment(configuration));
        environment.getConfig().set("streamfusion.native.enabled", String.valueOf(accelerated));
        environment.createTemporarySystemFunction("Fuse", Fuse.class);
        for (String statement : topics.ddl(name)) {
            environment.executeSql(statement);
        }
        return environment;
    }

    static String explain(boolean accelerated, Topics topics, String name) {
        return environment(accelerated, topics, name, null).explainSql(INSERT);
    }

    JobClient submit(boolean accelerated, Topics topics, String name, String savepoint) throws Exception {
        final JobClient client = execute(accelerated, topics, name, savepoint);
        CommonTestUtils.waitForAllTaskRunning(resource.getMiniCluster(), client.getJobID(), false);
        return client;
    }

    JobClient submitWithoutWaiting(Topics topics, String name) {
        return execute(true, topics, name, null);
    }

    private static JobClient execute(boolean accelerated, Topics topics, String name, String savepoint) {
        return environment(accelerated, topics, name, savepoint).executeSql(INSERT).getJobClient().orElseThrow();
    }

    @Override
    public void close() {
        resource.after();
    }
}
