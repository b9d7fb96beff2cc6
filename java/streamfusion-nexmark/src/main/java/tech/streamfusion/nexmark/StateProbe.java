package tech.streamfusion.nexmark;

import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.ExecutionException;
import org.apache.flink.api.common.JobID;
import org.apache.flink.api.common.JobStatus;
import org.apache.flink.runtime.checkpoint.AbstractCheckpointStats;
import org.apache.flink.runtime.checkpoint.TaskStateStats;
import org.apache.flink.runtime.execution.ExecutionState;
import org.apache.flink.runtime.executiongraph.AccessExecutionGraph;
import org.apache.flink.runtime.executiongraph.AccessExecutionJobVertex;

/**
 * Fills the state of {@code COUNT/SUM GROUP BY bigint} with keys, and measures what they take and what a checkpoint of them
 * costs while the job goes on.
 */
final class StateProbe {

    private static final int CHECKPOINTS = 5;

    private final WorkerCluster cluster;

    StateProbe(WorkerCluster cluster) {
        this.cluster = cluster;
    }

    /** The script whose last source does not end; after the others have, all keys are in the state. */
    static String script(long keys) {
        return "CREATE TEMPORARY TABLE all_keys (k BIGINT, v BIGINT) WITH ('connector' = 'datagen', 'rows-per-second' = '100000000',"
                + " 'fields.k.kind' = 'sequence', 'fields.k.start' = '1', 'fields.k.end' = '"
                + keys
                + "', 'fields.v.min' = '1', 'fields.v.max' = '1000');\n"
                + "CREATE TEMPORARY TABLE some_keys (k BIGINT, v BIGINT) WITH ('connector' = 'datagen', 'rows-per-second' = '100',"
                + " 'fields.k.min' = '1', 'fields.k.max' = '"
                + keys
                + "', 'fields.v.min' = '1', 'fields.v.max' = '1000');\n"
                + "CREATE TEMPORARY TABLE nowhere (k BIGINT, n BIGINT, s BIGINT) WITH ('connector' = 'blackhole');\n"
                + "INSERT INTO nowhere SELECT k, COUNT(*), SUM(v) FROM (SELECT * FROM all_keys UNION ALL SELECT * FROM some_keys)"
                + " GROUP BY k;\n";
    }

    Message measure(Message request) throws Exception {
        Job job = Job.of(request);
        String explained = job.explain();
        long heapBefore = usedHeap();
        JobID id = cluster.submit(job.plan());
        try {
            awaitFilled(id);
            List<Long> durations = new ArrayList<>();
            long size = 0;
            for (int i = 0; i < CHECKPOINTS; i++) {
                AbstractCheckpointStats stats = cluster.checkpoint(id);
                durations.add(slowestSyncMillis(stats));
                size = stats.getStateSize();
            }
            long heap = usedHeap() - heapBefore;
            return new Message()
                    .with("nativeNodes", Worker.nativeNodes(explained))
                    .with("heapBytes", heap)
                    .with("nativeBytes", KeptMetrics.sum("nativeBytes"))
                    .with("stateKeys", KeptMetrics.sum("stateKeys"))
                    .with("syncMillis", durations.toString())
                    .with("checkpointBytes", size);
        } finally {
            cluster.cancel(id);
        }
    }

    /** Returns when the source that ends has ended, which it does with a checkpoint behind its last row. */
    private void awaitFilled(JobID id) throws Exception {
        while (true) {
            AccessExecutionGraph graph = cluster.graph(id);
            failIfFailed(graph);
            boolean running = graph.getState() == JobStatus.RUNNING; // before that it has no vertices
            for (AccessExecutionJobVertex vertex : graph.getVerticesTopologically()) {
                if (vertex.getAggregateState() == ExecutionState.FINISHED) {
                    return;
                }
                running &= vertex.getAggregateState() == ExecutionState.RUNNING;
            }
            Thread.sleep(1000);
            if (running) { // on a busy machine it may take more than a second until they are
                try {
                    cluster.checkpoint(id);
                } catch (ExecutionException e) {
                    failIfFailed(cluster.graph(id)); // which says more
                    throw e;
                }
            }
        }
    }

    private static void failIfFailed(AccessExecutionGraph graph) {
        if (graph.getFailureInfo() != null) {
            throw new IllegalStateException(graph.getFailureInfo().getExceptionAsString());
        }
    }

    private static long slowestSyncMillis(AbstractCheckpointStats stats) {
        long slowest = 0;
        for (TaskStateStats task : stats.getAllTaskStateStats()) {
            slowest = Math.max(slowest, task.getSummaryStats().getSyncCheckpointDurationStats().getMaximum());
        }
        return slowest;
    }

    private static long usedHeap() throws InterruptedException {
        long least = Long.MAX_VALUE;
        for (int i = 0; i < 3; i++) {
            System.gc();
            Thread.sleep(300);
            least = Math.min(least, ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed());
        }
        return least;
    }

    /** One line of the report. */
    static String line(Side side, long keys, Message answer) {
        long heap = answer.getLong("heapBytes");
        long off = answer.getLong("nativeBytes");
        return String.format(
                Locale.ROOT,
                "%-7s %10d keys | %6.1f bytes a key (heap %.1f, native %.1f) | checkpoint %.2f GB, synchronous part %s ms | %s",
                side,
                keys,
                (double) (heap + off) / keys,
                (double) heap / keys,
                (double) off / keys,
                answer.getLong("checkpointBytes") / 1e9,
                answer.get("syncMillis"),
                answer.get("nativeNodes").isEmpty() ? "stock nodes" : answer.get("nativeNodes"));
    }
}
