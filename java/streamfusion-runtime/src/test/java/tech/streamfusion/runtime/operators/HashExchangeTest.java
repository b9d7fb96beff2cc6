package tech.streamfusion.runtime.operators;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.apache.flink.configuration.CheckpointingOptions;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.ExternalizedCheckpointRetention;
import org.apache.flink.configuration.MemorySize;
import org.apache.flink.configuration.TaskManagerOptions;
import org.apache.flink.runtime.jobgraph.JobGraph;
import org.apache.flink.runtime.jobmaster.JobResult;
import org.apache.flink.runtime.minicluster.MiniCluster;
import org.apache.flink.runtime.state.KeyGroupRangeAssignment;
import org.apache.flink.runtime.testutils.CommonTestUtils;
import org.apache.flink.runtime.testutils.InternalMiniClusterExtension;
import org.apache.flink.runtime.testutils.MiniClusterResourceConfiguration;
import org.apache.flink.streaming.runtime.partitioner.BroadcastPartitioner;
import org.apache.flink.streaming.runtime.partitioner.GlobalPartitioner;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tech.streamfusion.runtime.LeakCheck;
import tech.streamfusion.runtime.operators.ExchangeJob.Arrival;

/** Running jobs with exchanges of batches, against the same jobs on Flink's own edges. */
@ExtendWith(LeakCheck.class)
class HashExchangeTest {

    private static final int ROWS = 30_000;

    @RegisterExtension
    static final InternalMiniClusterExtension CLUSTER =
            new InternalMiniClusterExtension(
                    new MiniClusterResourceConfiguration.Builder()
                            .setConfiguration(clusterConfiguration())
                            .setNumberTaskManagers(1)
                            .setNumberSlotsPerTaskManager(8)
                            .build());

    private static Configuration clusterConfiguration() {
        Configuration configuration = new Configuration();
        configuration.set(TaskManagerOptions.NETWORK_MEMORY_MIN, MemorySize.ofMebiBytes(64));
        configuration.set(TaskManagerOptions.NETWORK_MEMORY_MAX, MemorySize.ofMebiBytes(64));
        return configuration;
    }

    private static MiniCluster cluster() {
        return CLUSTER.getMiniCluster();
    }

    private static List<Arrival> run(ExchangeJob job) throws Exception {
        cluster().executeJobBlocking(job.graph());
        return job.arrivals();
    }

    /** Which receiver got each row; every row has arrived once. */
    private static Map<Long, Integer> receivers(List<Arrival> arrivals) {
        Map<Long, Integer> out = new HashMap<>();
        for (Arrival arrival : arrivals) {
            assertThat(out.put(arrival.id(), arrival.receiver)).as("row %s arrives once", arrival.id()).isNull();
        }
        return out;
    }

    private static void expectOrder(List<Arrival> arrivals) {
        Map<String, Long> last = new HashMap<>();
        for (Arrival arrival : arrivals) {
            Long before = last.put(arrival.receiver + " from " + arrival.sender(), arrival.number());
            assertThat(before == null || before < arrival.number())
                    .as("rows of a channel keep their order: %s before %s", before, arrival.number())
                    .isTrue();
            assertThat(arrival.watermark).as("rows stay before their watermark").isLessThan(arrival.number());
        }
    }

    @ParameterizedTest
    @CsvSource({"1,1,128", "2,2,128", "1,4,128", "4,1,128", "3,8,300", "8,3,8", "8,8,32768"})
    void rowsGoWhereFlinkSendsThem(int senders, int receivers, int maxParallelism) throws Exception {
        List<Arrival> stock =
                run(new ExchangeJob().stock().parallelism(senders, receivers).maxParallelism(maxParallelism).rows(ROWS));
        List<Arrival> batches =
                run(new ExchangeJob().parallelism(senders, receivers).maxParallelism(maxParallelism).rows(ROWS));
        assertThat(batches).hasSize(ROWS);
        assertThat(receivers(batches)).isEqualTo(receivers(stock));
        expectOrder(batches);
        if (batches.stream().map(Arrival::sender).distinct().count() == senders) { // a late one may find no split left
            assertThat(batches.stream().anyMatch(arrival -> arrival.watermark > 0)).as("watermarks get through").isTrue();
        }
    }

    @ParameterizedTest
    @CsvSource({"0,true", "0,false", "-1,true", "-1,false", "1,true", "500,false"})
    void bufferTimeoutAndObjectReuseChangeNothing(long timeout, boolean reuse) throws Exception {
        List<Arrival> arrivals =
                run(new ExchangeJob().parallelism(2, 3).rows(ROWS).bufferTimeout(timeout).objectReuse(reuse));
        assertThat(receivers(arrivals)).hasSize(ROWS);
        expectOrder(arrivals);
    }

    @Test
    void anIdleSenderHoldsNothingUp() throws Exception {
        List<Arrival> arrivals = run(new ExchangeJob().parallelism(2, 2).rows(ROWS).withIdleSender());
        assertThat(arrivals).isNotEmpty();
        expectOrder(arrivals);
        long rows = arrivals.size();
        assertThat(arrivals.stream().mapToLong(arrival -> arrival.watermark).max().getAsLong())
                .as("the last rows see the watermark of the other sender")
                .isGreaterThanOrEqualTo(rows - 200);
    }

    @Test
    void allRowsGoToASingleTask() throws Exception {
        List<Arrival> arrivals =
                run(new ExchangeJob().parallelism(3, 1).rows(ROWS).over(new GlobalPartitioner<>()));
        assertThat(receivers(arrivals).values()).hasSize(ROWS).containsOnly(0);
        expectOrder(arrivals);
    }

    @Test
    void broadcastsReachAll() throws Exception {
        List<Arrival> arrivals =
                run(new ExchangeJob().parallelism(2, 3).rows(ROWS).over(new BroadcastPartitioner<>()));
        for (int i = 0; i < 3; i++) {
            int receiver = i;
            List<Arrival> own =
                    arrivals.stream().filter(arrival -> arrival.receiver == receiver).collect(Collectors.toList());
            assertThat(receivers(own)).hasSize(ROWS);
        }
        expectOrder(arrivals);
    }

    // ---- checkpoints ----

    private static ExchangeJob checkpointed(Path directory, boolean unaligned) {
        ExchangeJob job = new ExchangeJob().rows(4 * ROWS);
        Configuration configuration = job.configuration();
        configuration.set(CheckpointingOptions.CHECKPOINTING_INTERVAL, Duration.ofMillis(200));
        configuration.set(CheckpointingOptions.CHECKPOINTS_DIRECTORY, directory.toUri().toString());
        configuration.set(CheckpointingOptions.ENABLE_UNALIGNED, unaligned);
        configuration.set(
                CheckpointingOptions.EXTERNALIZED_CHECKPOINT_RETENTION,
                ExternalizedCheckpointRetention.RETAIN_ON_CANCELLATION);
        return job;
    }

    private static String checkpointOf(ExchangeJob job, boolean withBuffers) throws Exception {
        job.slow(true);
        JobGraph graph = job.graph();
        cluster().submitJob(graph).get();
        CommonTestUtils.waitForAllTaskRunning(cluster(), graph.getJobID(), false);
        String path;
        if (withBuffers) {
            path = CommonTestUtils.waitForCheckpointWithInflightBuffers(graph.getJobID(), cluster());
        } else {
            CommonTestUtils.waitForCheckpoint(graph.getJobID(), cluster(), 1);
            path = CommonTestUtils.getLatestCompletedCheckpointPath(graph.getJobID(), cluster()).orElseThrow();
        }
        cluster().cancelJob(graph.getJobID()).get();
        JobResult result = cluster().requestJobResult(graph.getJobID()).get();
        assertThat(result.getSerializedThrowable()).isEmpty();
        return path;
    }

    private static void expectAllOnTheirSubtasks(List<Arrival> arrivals, int receivers) {
        assertThat(receivers(arrivals)).hasSize(4 * ROWS);
        ExchangeJob.Key key = new ExchangeJob.Key();
        for (Arrival arrival : arrivals) {
            if (arrival.receiver >= 0) {
                assertThat(arrival.receiver)
                        .isEqualTo(
                                KeyGroupRangeAssignment.assignKeyToParallelOperator(
                                        key.getKey(arrival.row), 128, receivers));
            }
        }
    }

    @ParameterizedTest
    @CsvSource({"2,2,2,2", "2,2,2,3", "2,4,2,1", "3,3,1,8", "1,2,4,5", "1,1,1,4", "4,5,2,2"})
    void rowsOnTheirWayFindTheirNewSubtask(int senders, int receivers, int newSenders, int newReceivers, @TempDir Path dir)
            throws Exception {
        String checkpoint = checkpointOf(checkpointed(dir, true).parallelism(senders, receivers), true);
        List<Arrival> arrivals =
                run(checkpointed(dir, true).parallelism(newSenders, newReceivers).restoredFrom(checkpoint));
        expectAllOnTheirSubtasks(arrivals, newReceivers);
    }

    @ParameterizedTest
    @CsvSource({"2,3,3,2", "1,4,2,4"})
    void alignedCheckpointsRescale(int senders, int receivers, int newSenders, int newReceivers, @TempDir Path dir)
            throws Exception {
        String checkpoint = checkpointOf(checkpointed(dir, false).parallelism(senders, receivers), false);
        List<Arrival> arrivals =
                run(checkpointed(dir, false).parallelism(newSenders, newReceivers).restoredFrom(checkpoint));
        expectAllOnTheirSubtasks(arrivals, newReceivers);
    }

    @Test
    void cancellingUnderBackPressureFreesEverything() throws Exception {
        for (int i = 0; i < 5; i++) {
            ExchangeJob job = new ExchangeJob().parallelism(2, 3).rows(20L * ROWS);
            job.slow(true);
            JobGraph graph = job.graph();
            cluster().submitJob(graph).get();
            CommonTestUtils.waitForAllTaskRunning(cluster(), graph.getJobID(), false);
            Thread.sleep(100L * i);
            cluster().cancelJob(graph.getJobID()).get();
            JobResult result = cluster().requestJobResult(graph.getJobID()).get();
            assertThat(result.getSerializedThrowable()).isEmpty();
        }
    }
}
