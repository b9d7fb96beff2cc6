package tech.streamfusion.nexmark;

import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.apache.flink.api.common.JobID;
import org.apache.flink.configuration.CheckpointingOptions;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.MemorySize;
import org.apache.flink.configuration.TaskManagerOptions;
import org.apache.flink.core.execution.CheckpointType;
import org.apache.flink.runtime.checkpoint.AbstractCheckpointStats;
import org.apache.flink.runtime.executiongraph.AccessExecutionGraph;
import org.apache.flink.runtime.jobgraph.JobGraph;
import org.apache.flink.runtime.minicluster.MiniCluster;
import org.apache.flink.runtime.minicluster.MiniClusterConfiguration;

/**
 * The Flink cluster of one worker, for all of its jobs, as a session cluster would be; ends with the process. A cluster for each job would load
 * thousands of classes again, and the JIT compiler's work on them would hide what the job itself costs.
 */
final class WorkerCluster {

    private static final long CANCEL_SECONDS = 30;

    /** System property of a worker. */
    static final String MANAGED_MEMORY = "nexmark.managed.memory";

    /** Unless told otherwise, what a task manager of Flink's default size has; a cluster inside a process would get a quarter of it. */
    private static final MemorySize MANAGED_MEMORY_OF_A_SLOT = MemorySize.parse(System.getProperty(MANAGED_MEMORY, "512m"));

    private final MiniCluster cluster;

    private WorkerCluster(MiniCluster cluster) {
        this.cluster = cluster;
    }

    /** @param checkpoints directory for the state of the jobs */
    static WorkerCluster start(int slots, Path checkpoints) throws Exception {
        Configuration config = new Configuration();
        config.set(TaskManagerOptions.MANAGED_MEMORY_SIZE, MANAGED_MEMORY_OF_A_SLOT.multiply(slots));
        config.set(CheckpointingOptions.CHECKPOINT_STORAGE, "filesystem");
        config.set(CheckpointingOptions.CHECKPOINTS_DIRECTORY, checkpoints.toUri().toString());
        config.setString("metrics.reporter.kept.factory.class", KeptMetrics.class.getName());
        MiniCluster cluster =
                new MiniCluster(
                        new MiniClusterConfiguration.Builder()
                                .setConfiguration(config)
                                .setNumTaskManagers(1)
                                .setNumSlotsPerTaskManager(slots)
                                .withRandomPorts()
                                .build());
        cluster.start();
        return new WorkerCluster(cluster);
    }

    /** Runs the job to its end; throws what made it fail. */
    void run(JobGraph job) throws Exception {
        cluster.executeJobBlocking(job);
    }

    JobID submit(JobGraph job) throws Exception {
        return cluster.submitJob(job).get().getJobID();
    }

    AccessExecutionGraph graph(JobID job) throws Exception {
        return cluster.getExecutionGraph(job).get();
    }

    /** Takes a checkpoint and returns what Flink knows of it. */
    AbstractCheckpointStats checkpoint(JobID job) throws Exception {
        long id = cluster.triggerCheckpoint(job, CheckpointType.FULL).get();
        AbstractCheckpointStats stats = graph(job).getCheckpointStatsSnapshot().getHistory().getCheckpointById(id);
        if (stats == null) {
            throw new IllegalStateException("Flink has forgotten checkpoint " + id);
        }
        return stats;
    }

    void cancel(JobID job) throws Exception {
        cluster.cancelJob(job).get(CANCEL_SECONDS, TimeUnit.SECONDS);
    }

    /** Otherwise it ends with the process. */
    void stop() throws Exception {
        cluster.close();
    }
}
