package tech.streamfusion.recovery;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.stream.Stream;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.core.execution.SavepointFormatType;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import tech.streamfusion.testing.kafka.KafkaBroker;

/** Whole jobs with keyed state: what they commit is what an uninterrupted job of stock Flink commits, key by key. */
class StatefulRecoveryTest {

    private static final int ROUNDS = Integer.getInteger("streamfusion.recovery.rounds", 3);
    private static final long SEED = Long.getLong("streamfusion.recovery.seed", 20261130L);
    private static final Duration LIMIT = Duration.ofSeconds(90);
    private static final int RECORDS = 4_000;
    private static final List<String> BACKENDS = List.of("hashmap", "rocksdb");

    /** What both backends are tried with in short runs: queries whose states have maps. */
    private static final Set<StatefulQuery> MAPS =
            Set.of(StatefulQuery.DISTINCT, StatefulQuery.RETRACTING, StatefulQuery.TWO_PHASES, StatefulQuery.INCREMENTAL);

    private static final Map<StatefulQuery, Map<String, List<String>>> EXPECTED = new EnumMap<>(StatefulQuery.class);

    private static KafkaBroker broker;
    private static Cluster cluster;

    @TempDir Path directory;

    @BeforeAll
    static void start() throws Exception {
        broker = KafkaBroker.start();
        cluster = new Cluster();
    }

    @AfterAll
    static void stop() {
        cluster.close();
        broker.close();
    }

    static Stream<Arguments> crossings() {
        return Stream.of(StatefulQuery.values())
                .flatMap(query -> BACKENDS.stream().map(backend -> Arguments.of(query, backend)))
                .filter(arguments -> ROUNDS > 3 || arguments.get()[1].equals("hashmap") || MAPS.contains(arguments.get()[0]));
    }

    /** Stock, accelerated and back, twice, with savepoints of both formats; where order allows, with another parallelism too. */
    @ParameterizedTest
    @MethodSource("crossings")
    void savepointsCross(StatefulQuery query, String backend) throws Exception {
        final String name = "crossing-" + query + "-" + backend;
        final Map<String, List<String>> expected = expected(query);
        try (StatefulTopics topics = new StatefulTopics(broker.bootstrapServers(), name)) {
            final StatefulJobs jobs = new StatefulJobs(query, backend, directory, topics);
            String savepoint = null;
            for (int part = 0; part < 4; part++) {
                final int parallelism = query.ordered && part >= 2 ? 2 : 1;
                final JobClient job = jobs.start(part % 2 == 1, parallelism, savepoint);
                cluster.awaitRunning(job);
                produceSlowly(topics, 3, RECORDS / 15);
                savepoint =
                        job.stopWithSavepoint(
                                        false,
                                        directory.toUri().toString(),
                                        part < 2 ? SavepointFormatType.CANONICAL : SavepointFormatType.NATIVE)
                                .get();
                job.getJobExecutionResult().get();
            }
            final JobClient last = jobs.start(false, 1, savepoint);
            try {
                assertCommitted(query, expected, topics);
            } finally {
                cancel(last);
            }
        }
    }

    /**
     * From the last checkpoint that a cancelled job has left, incremental, owned by the next job or not; with other parallelism in
     * between. Unaligned ones hold rows on their way, and do not cross. Without transactions: those that a cancelled job has left open
     * would hide what comes after them until they time out.
     */
    @ParameterizedTest
    @CsvSource({
        "hashmap, CLAIM, true",
        "hashmap, NO_CLAIM, true",
        "rocksdb, CLAIM, true",
        "rocksdb, NO_CLAIM, true",
        "hashmap, NO_CLAIM, false",
        "rocksdb, CLAIM, false"
    })
    void retainedCheckpointsCross(String backend, String mode, boolean aligned) throws Exception {
        final StatefulQuery query = StatefulQuery.DISTINCT;
        final Map<String, String> expected = StatefulTopics.last(expected(query));
        final String name = "retained-" + backend + "-" + mode + "-" + aligned;
        try (StatefulTopics topics = new StatefulTopics(broker.bootstrapServers(), name, "at-least-once")) {
            final StatefulJobs jobs = new StatefulJobs(query, backend, directory, topics);
            jobs.set("execution.checkpointing.externalized-checkpoint-retention", "RETAIN_ON_CANCELLATION");
            jobs.set("execution.checkpointing.unaligned.enabled", String.valueOf(!aligned));
            jobs.set("execution.state-recovery.claim-mode", mode);
            String checkpoint = null;
            for (int part = 0; part < 4; part++) {
                final JobClient job = jobs.start(!aligned || part % 2 == 1, part < 2 ? 1 : 2, checkpoint);
                cluster.awaitRunning(job);
                produceSlowly(topics, 3, RECORDS / 15);
                awaitCheckpoint(job, lastCheckpoint(job) + 2);
                cancel(job);
                checkpoint = checkpointsOf(job).resolve("chk-" + lastCheckpoint(job)).toString();
            }
            final JobClient last = jobs.start(true, 1, checkpoint);
            try {
                topics.produce(RECORDS - topics.produced());
                assertThat(topics.lastCommitted(expected, LIMIT)).isEqualTo(expected);
            } finally {
                cancel(last);
            }
        }
    }

    private Path checkpointsOf(JobClient job) {
        return directory.resolve(job.getJobID().toString());
    }

    /** The number of the job's latest complete checkpoint, or 0. */
    private int lastCheckpoint(JobClient job) throws Exception {
        try (Stream<Path> checkpoints = Files.list(checkpointsOf(job))) {
            return checkpoints
                    .filter(checkpoint -> Files.exists(checkpoint.resolve("_metadata")))
                    .mapToInt(checkpoint -> Integer.parseInt(checkpoint.getFileName().toString().substring("chk-".length())))
                    .max()
                    .orElse(0);
        }
    }

    private void awaitCheckpoint(JobClient job, int number) throws Exception {
        final long deadline = System.nanoTime() + LIMIT.toNanos();
        while (lastCheckpoint(job) < number) {
            assertThat(System.nanoTime()).as("waiting for checkpoint " + number).isLessThan(deadline);
            Thread.sleep(20);
        }
    }

    /** As stock Flink does, and with its words: key groups of another number hold other keys. */
    @ParameterizedTest
    @ValueSource(strings = {"hashmap", "rocksdb"})
    void anotherMaximumParallelismIsRefused(String backend) throws Exception {
        try (StatefulTopics topics = new StatefulTopics(broker.bootstrapServers(), "maximum-" + backend)) {
            final StatefulJobs jobs = new StatefulJobs(StatefulQuery.APPEND, backend, directory, topics);
            final JobClient first = jobs.start(true, 1, null);
            cluster.awaitRunning(first);
            produceSlowly(topics, 1, RECORDS / 15);
            final String savepoint =
                    first.stopWithSavepoint(false, directory.toUri().toString(), SavepointFormatType.CANONICAL).get();
            jobs.set("pipeline.max-parallelism", "32");
            for (boolean accelerated : new boolean[] {false, true}) {
                assertThatThrownBy(() -> jobs.start(accelerated, 1, savepoint).getJobExecutionResult().get())
                        .as(accelerated ? "accelerated" : "stock")
                        .hasStackTraceContaining("Max parallelism mismatch between checkpoint/savepoint state and new program")
                        .hasStackTraceContaining("with max parallelism 16 to new program with max parallelism 32");
            }
        }
    }

    /** Task managers die at random moments, a few times in each round. */
    @Test
    void nothingIsLostOrDoubledThroughFailures() throws Exception {
        final Random random = new Random(SEED);
        for (int round = 0; round < ROUNDS; round++) {
            final StatefulQuery query = StatefulQuery.values()[round % StatefulQuery.values().length];
            final String backend = BACKENDS.get((round + round / StatefulQuery.values().length) % BACKENDS.size());
            final int parallelism = query.ordered ? 1 + random.nextInt(2) : 1;
            try {
                survivesFailures(query, backend, parallelism, "failures-" + round, random);
            } catch (Throwable failure) {
                throw new AssertionError("round " + round + " of seed " + SEED + ": " + query + " on " + backend, failure);
            }
        }
    }

    private void survivesFailures(StatefulQuery query, String backend, int parallelism, String name, Random random)
            throws Exception {
        final Map<String, List<String>> expected = expected(query);
        try (StatefulTopics topics = new StatefulTopics(broker.bootstrapServers(), name)) {
            final JobClient job = new StatefulJobs(query, backend, directory, topics).start(true, parallelism, null);
            try {
                cluster.awaitRunning(job);
                for (int kill = 0; kill < 2; kill++) {
                    produceSlowly(topics, 3 + random.nextInt(3), RECORDS / 15);
                    Thread.sleep(random.nextInt(300));
                    cluster.replaceTaskManager();
                }
                assertCommitted(query, expected, topics);
            } finally {
                cancel(job);
            }
        }
    }

    private void assertCommitted(StatefulQuery query, Map<String, List<String>> expected, StatefulTopics topics) {
        topics.produce(RECORDS - topics.produced());
        if (!query.everyUpdate) {
            final Map<String, String> last = StatefulTopics.last(expected);
            assertThat(topics.lastCommitted(last, LIMIT)).isEqualTo(last);
            return;
        }
        final int n = expected.values().stream().mapToInt(List::size).sum();
        assertThat(topics.committed(n, LIMIT)).isEqualTo(expected);
    }

    /** By an uninterrupted job of stock Flink; before others take the slots. */
    private Map<String, List<String>> expected(StatefulQuery query) throws Exception {
        if (!EXPECTED.containsKey(query)) {
            try (StatefulTopics topics = new StatefulTopics(broker.bootstrapServers(), "expected-" + query)) {
                topics.produce(RECORDS);
                new StatefulJobs(query, "hashmap", directory, topics).runStockToTheEnd();
                EXPECTED.put(query, topics.committed(Integer.MAX_VALUE, Duration.ofSeconds(2)));
            }
        }
        assertThat(EXPECTED.get(query)).isNotEmpty();
        return EXPECTED.get(query);
    }

    private static void produceSlowly(StatefulTopics topics, int steps, int records) throws InterruptedException {
        for (int i = 0; i < steps; i++) {
            topics.produce(records);
            Thread.sleep(100);
        }
    }

    /** Returns when the job's slots are free again. */
    private static void cancel(JobClient job) throws Exception {
        job.cancel().get();
        job.getJobExecutionResult().handle((result, error) -> null).get();
    }
}
