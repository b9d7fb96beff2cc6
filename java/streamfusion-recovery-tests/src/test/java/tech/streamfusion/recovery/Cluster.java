package tech.streamfusion.recovery;

import org.apache.flink.configuration.Configuration;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.runtime.testutils.CommonTestUtils;
import org.apache.flink.runtime.testutils.MiniClusterResourceConfiguration;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.table.api.bridge.java.StreamTableEnvironment;
import org.apache.flink.test.util.MiniClusterWithClientResource;

/** A MiniCluster and the submission of the queries that the recovery tests run; all of them write the same rows. */
final class Cluster implements AutoCloseable {

    /** How the rows get from source to target. */
    enum Query {
        /** All in one task. */
        CHAINED(
                "INSERT INTO target SELECT Fuse(id), name || '#', CAST(amount + 1 AS DECIMAL(12, 2)) FROM source "
                        + "WHERE MOD(id, 7) <> 0"),
        /** With keys, each of which is written once, and a buffer in front of the writer. */
        UPSERTED(
                "INSERT INTO upserted SELECT Fuse(id), name || '#', CAST(amount + 1 AS DECIMAL(12, 2)) FROM source "
                        + "WHERE MOD(id, 7) <> 0"),
        /** From task to task, with checkpoints that hold what is on its way. */
        UNION(
                "INSERT INTO target /*+ OPTIONS('sink.parallelism' = '2') */ "
                        + "SELECT Fuse(id), name || '#', CAST(amount + 1 AS DECIMAL(12, 2)) FROM source "
                        + "WHERE MOD(id, 7) <> 0 AND MOD(id, 2) = 0 UNION ALL "
                        + "SELECT id, name || '#', CAST(amount + 1 AS DECIMAL(12, 2)) FROM source "
                        + "WHERE MOD(id, 7) <> 0 AND MOD(id, 2) = 1");

        private final String insert;

        Query(String insert) {
            this.insert = insert;
        }
    }

    private final MiniClusterWithClientResource resource =
            new MiniClusterWithClientResource(
                    new MiniClusterResourceConfiguration.Builder().setNumberTaskManagers(1).setNumberSlotsPerTaskManager(2).build());

    private int taskManager;

    Cluster() throws Exception {
        resource.before();
    }

    private static StreamTableEnvironment environment(
            Query query, boolean accelerated, Topics topics, String name, String savepoint) {
        final Configuration configuration = new Configuration();
        configuration.setString("execution.checkpointing.interval", "200 ms");
        configuration.setString("execution.checkpointing.tolerable-failed-checkpoints", "100");
        configuration.setString("execution.checkpointing.unaligned.enabled", String.valueOf(query == Query.UNION));
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

    static String explain(Query query, boolean accelerated, Topics topics, String name) {
        return environment(query, accelerated, topics, name, null).explainSql(query.insert);
    }

    JobClient submit(Query query, boolean accelerated, Topics topics, String name, String savepoint) throws Exception {
        final JobClient client = execute(query, accelerated, topics, name, savepoint);
        awaitRunning(client);
        return client;
    }

    JobClient submitWithoutWaiting(Query query, Topics topics, String name) {
        return execute(query, true, topics, name, null);
    }

    private static JobClient execute(Query query, boolean accelerated, Topics topics, String name, String savepoint) {
        return environment(query, accelerated, topics, name, savepoint)
                .executeSql(query.insert)
                .getJobClient()
                .orElseThrow();
    }

    void awaitRunning(JobClient job) throws Exception {
        CommonTestUtils.waitForAllTaskRunning(resource.getMiniCluster(), job.getJobID(), false);
    }

    /** A task manager goes, with all that runs on it, and another one comes. */
    void replaceTaskManager() throws Exception {
        resource.getMiniCluster().terminateTaskManager(taskManager++).get();
        resource.getMiniCluster().startTaskManager();
    }

    @Override
    public void close() {
        resource.after();
    }
}
