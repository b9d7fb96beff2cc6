package tech.streamfusion.recovery;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.connector.source.lib.NumberSequenceSource;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.MemorySize;
import org.apache.flink.configuration.TaskManagerOptions;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.runtime.testutils.MiniClusterResourceConfiguration;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.sink.v2.DiscardingSink;
import org.apache.flink.table.api.bridge.java.StreamTableEnvironment;
import org.apache.flink.test.util.MiniClusterWithClientResource;
import org.apache.flink.types.Row;
import org.apache.flink.types.RowKind;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tech.streamfusion.runtime.NativeEngine;

/**
 * Aggregates through failures: the last values of all keys are those of an undisturbed stock job. Managed memory is so small
 * that with RocksDB most of the state does not fit into native memory.
 */
@Timeout(300)
class AggregateRecoveryTest {

    private static final int ROWS = 30_000;
    private static final int ROWS_A_MILLISECOND = 8;
    private static final int KEYS = 50;
    private static final String QUERY =
            "SELECT MOD(k, 50), COUNT(*), SUM(n), MAX(n), MIN(n), COUNT(DISTINCT m) FROM"
                    + " (SELECT k, COUNT(*) AS n, MAX(Fuse(id)) AS latest, COUNT(DISTINCT MOD(id, 17)) AS m FROM t GROUP BY k)"
                    + " GROUP BY MOD(k, 50)";

    /** What the jobs of this test, one at a time, have written last for each key. */
    private static final Map<Object, String> TARGET = new ConcurrentHashMap<>();

    private static Map<Object, String> expected;
    private MiniClusterWithClientResource cluster;

    @TempDir Path checkpoints;
    /** Where a task manager keeps copies of its own for local recovery. */
    @TempDir Path copies;

    /** @param local whether task managers keep copies of state, and recover from them */
    private void start(boolean local) throws Exception {
        final Configuration configuration = new Configuration();
        configuration.set(TaskManagerOptions.MANAGED_MEMORY_SIZE, MemorySize.ofMebiBytes(8));
        configuration.setString("taskmanager.state.local.root-dirs", copies.toString());
        configuration.setString("execution.checkpointing.local-backup.enabled", String.valueOf(local));
        configuration.setString("execution.state-recovery.from-local", String.valueOf(local));
        cluster =
                new MiniClusterWithClientResource(
                        new MiniClusterResourceConfiguration.Builder()
                                .setConfiguration(configuration)
                                .setNumberTaskManagers(1)
                                .setNumberSlotsPerTaskManager(1)
                                .build());
        cluster.before();
    }

    @AfterEach
    void stop() {
        cluster.after();
    }

    @AfterAll
    static void forget() {
        expected = null;
    }

    private JobClient submit(boolean accelerated, String backend, boolean incremental) throws Exception {
        final Configuration configuration = new Configuration();
        configuration.setString("parallelism.default", "1");
        configuration.setString("execution.checkpointing.interval", "150 ms");
        configuration.setString("execution.checkpointing.dir", checkpoints.toUri().toString());
        configuration.setString("execution.checkpointing.incremental", String.valueOf(incremental));
        configuration.setString("execution.checkpointing.tolerable-failed-checkpoints", "100");
        configuration.setString("restart-strategy.type", "fixed-delay");
        configuration.setString("restart-strategy.fixed-delay.attempts", "100");
        configuration.setString("restart-strategy.fixed-delay.delay", "50 ms");
        configuration.setString("state.backend.type", backend);
        configuration.setString("state.backend.rocksdb.memory.managed", "false");
        final StreamExecutionEnvironment environment = StreamExecutionEnvironment.getExecutionEnvironment(configuration);
        final StreamTableEnvironment table = StreamTableEnvironment.create(environment);
        table.getConfig().set("streamfusion.native.enabled", String.valueOf(accelerated));
        table.getConfig().set("streamfusion.planner.minimum-gain", "0");
        table.createTemporarySystemFunction("Fuse", Fuse.class);
        final DataStream<Row> rows =
                environment
                        .fromSource(new NumberSequenceSource(0, ROWS - 1), WatermarkStrategy.noWatermarks(), "numbers")
                        .map(AggregateRecoveryTest::row)
                        .returns(Types.ROW_NAMED(new String[] {"id", "k"}, Types.LONG, Types.LONG));
        table.createTemporaryView("t", table.fromDataStream(rows));
        assertThat(table.explainSql(QUERY).split("NativeGroupAggregate", -1).length - 1).isEqualTo(accelerated ? 2 : 0);
        TARGET.clear();
        table.toChangelogStream(table.sqlQuery(QUERY))
                .map(AggregateRecoveryTest::write)
                .returns(Types.BOOLEAN)
                .sinkTo(new DiscardingSink<>());
        return environment.executeAsync();
    }

    private static boolean write(Row change) {
        final Object key = change.getField(0);
        if (change.getKind() == RowKind.DELETE) {
            TARGET.remove(key);
        } else if (change.getKind() != RowKind.UPDATE_BEFORE) {
            TARGET.put(key, change.toString().substring(2));
        }
        return true;
    }

    /** Keys come again soon, later, or much later. */
    private static Row row(long i) throws InterruptedException {
        if (i % (5 * ROWS_A_MILLISECOND) == 0) {
            Thread.sleep(5);
        }
        final long k = i % 3 == 0 ? i % 100 : i % 3 == 1 ? i * 7919 % 6_000 : i / 30;
        return Row.of(i, k);
    }

    private static Map<Object, String> result(JobClient job) throws Exception {
        job.getJobExecutionResult().get();
        return Map.copyOf(TARGET);
    }

    private Map<Object, String> undisturbedStock() throws Exception {
        if (expected == null) {
            expected = result(submit(false, "hashmap", false));
            assertThat(expected).hasSize(KEYS);
        }
        return expected;
    }

    @ParameterizedTest
    @CsvSource({"hashmap, false, false", "hashmap, false, true", "rocksdb, false, false", "rocksdb, true, false", "rocksdb, true, true"})
    void nothingIsLostOrDoubledThroughFailures(String backend, boolean incremental, boolean local) throws Exception {
        start(local);
        final Map<Object, String> stock = undisturbedStock();
        final long live = NativeEngine.liveObjects();
        final JobClient job = submit(true, backend, incremental);
        final AtomicInteger copied = new AtomicInteger();
        final Thread failures = new Thread(() -> fail(() -> copied.addAndGet(copies())));
        failures.start();
        final Map<Object, String> values = result(job);
        failures.join();
        assertThat(copied.get() > 0).as("copies of keyed state were there").isEqualTo(local);
        assertThat(values).isEqualTo(stock);
        assertThat(Fuse.isLit()).as("the failures were injected").isFalse();
        final long deadline = System.nanoTime() + Duration.ofSeconds(20).toNanos();
        while (NativeEngine.liveObjects() != live && System.nanoTime() < deadline) {
            Thread.sleep(20);
        }
        assertThat(NativeEngine.liveObjects()).isEqualTo(live);
    }

    /** Files of state that are on the task manager's own disk. */
    private int copies() {
        try (Stream<Path> files = Files.walk(copies)) {
            return (int) files.filter(Files::isRegularFile).filter(file -> file.toString().contains("chk_")).count();
        } catch (IOException | UncheckedIOException e) {
            return 0; // of a checkpoint that Flink was just about to forget
        }
    }

    /** A few times while the job runs, some of them soon after another. */
    private static void fail(Runnable before) {
        try {
            for (int i = 0; i < 6; i++) {
                Thread.sleep(i % 2 == 0 ? 900 : 150);
                before.run();
                Fuse.light();
                while (Fuse.isLit()) {
                    Thread.sleep(5);
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** A task manager goes, and another one takes over. */
    @Test
    void anotherTaskManagerGoesOn() throws Exception {
        start(false);
        final Map<Object, String> stock = undisturbedStock();
        final JobClient job = submit(true, "rocksdb", true);
        final Thread failure =
                new Thread(
                        () -> {
                            try {
                                Thread.sleep(2500);
                                cluster.getMiniCluster().terminateTaskManager(0).get();
                                cluster.getMiniCluster().startTaskManager();
                            } catch (Exception e) {
                                throw new IllegalStateException(e);
                            }
                        });
        failure.start();
        final Map<Object, String> values = result(job);
        failure.join();
        assertThat(values).isEqualTo(stock);
    }
}
