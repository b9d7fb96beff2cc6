package tech.streamfusion.testing;

import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.JobManagerOptions;
import org.apache.flink.configuration.MemorySize;
import org.apache.flink.configuration.TaskManagerOptions;
import org.apache.flink.runtime.jobgraph.JobGraph;
import org.apache.flink.runtime.minicluster.MiniCluster;
import org.apache.flink.runtime.minicluster.MiniClusterConfiguration;

/** One small Flink cluster for all tests of the JVM, started at first use and ended with the JVM. */
final class SharedCluster {

    private static final int SLOTS = 4;
    private static MiniCluster cluster;

    private SharedCluster() {}

    /** Runs the job to its end; throws what made it fail. */
    static void run(JobGraph job) throws Exception {
        get().executeJobBlocking(job);
    }

    private static synchronized MiniCluster get() throws Exception {
        if (cluster == null) {
            Configuration config = new Configuration();
            config.set(TaskManagerOptions.MANAGED_MEMORY_SIZE, MemorySize.ofMebiBytes(256));
            config.set(JobManagerOptions.JOB_STORE_MAX_CAPACITY, 4); // nobody looks at the jobs that ended
            MiniCluster started =
                    new MiniCluster(
                            new MiniClusterConfiguration.Builder()
                                    .setConfiguration(config)
                                    .setNumTaskManagers(1)
                                    .setNumSlotsPerTaskManager(SLOTS)
                                    .withRandomPorts()
                                    .build());
            started.start();
            cluster = started;
        }
        return cluster;
    }
}
