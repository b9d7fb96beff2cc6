package tech.streamfusion.nexmark;

import java.util.concurrent.TimeUnit;
import org.apache.flink.api.common.JobID;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.runtime.jobgraph.JobGraph;
import org.apache.flink.runtime.minicluster.MiniCluster;
import org.apache.flink.runtime.minicluster.MiniClusterConfiguration;

/**
 * The Flink cluster of one worker, for all of its jobs, as a session cluster would be; ends with the process. A cluster for each job would load
 * thousands of classes again, and the JIT compiler's work on them would hide what the job itself costs.
 */
final class WorkerCluster {

    private static final long CANCEL_SECONDS = 30;

    private final MiniCluster cluster;

    private WorkerCluster(MiniCluster cluster) {
        this.cluster = cluster;
    }

    static WorkerCluster start(int slots) throws Exception {
        MiniCluster cluster =
                new MiniCluster(
                        new MiniClusterConfiguration.Builder()
                                .setConfiguration(new Configuration())
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

    void cancel(JobID job) throws Exception {
        cluster.cancelJob(job).get(CANCEL_SECONDS, TimeUnit.SECONDS);
    }
}
