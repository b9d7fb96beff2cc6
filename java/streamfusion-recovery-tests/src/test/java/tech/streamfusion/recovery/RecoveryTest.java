package tech.streamfusion.recovery;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.core.execution.SavepointFormatType;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import tech.streamfusion.recovery.Cluster.Query;
import tech.streamfusion.runtime.NativeEngine;
import tech.streamfusion.testing.kafka.KafkaBroker;

/** Kafka to Kafka, exactly once, through failures and across savepoints. */
class RecoveryTest {

    private static final int ROUNDS = Integer.getInteger("streamfusion.recovery.rounds", 3);
    private static final Duration LIMIT = Duration.ofSeconds(90);

    private static KafkaBroker broker;
    private static Cluster cluster;

    @TempDir Path savepoints;

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

    @Test
    void theQueriesAreNativeFromSourceToSink() throws Exception {
        try (Topics topics = new Topics(broker.bootstrapServers(), "explain")) {
            assertThat(Cluster.explain(Query.CHAINED, true, topics, "explain"))
                    .contains("NativeTableSourceScan", "NativeCalc", "NativeSink");
            assertThat(Cluster.explain(Query.UPSERTED, true, topics, "explain"))
                    .contains("NativeTableSourceScan", "NativeCalc", "NativeSink");
            assertThat(Cluster.explain(Query.UNION, true, topics, "explain"))
                    .contains("NativeTableSourceScan", "NativeCalc", "NativeUnion", "NativeSink");
            assertThat(Cluster.explain(Query.CHAINED, false, topics, "explain")).doesNotContain("Native");
        }
    }

    /** A task failure and a broker restart in the middle of each round; every record committed exactly once. */
    @ParameterizedTest
    @EnumSource(Query.class)
    void nothingIsLostOrDoubledThroughFailures(Query query) throws Exception {
        final long live = NativeEngine.liveObjects();
        for (int round = 0; round < ROUNDS; round++) {
            final String name = "failures-" + query + "-" + round;
            try (Topics topics = new Topics(broker.bootstrapServers(), name)) {
                final JobClient job = cluster.submit(query, true, topics, name, null);
                produceSlowly(topics, 5);
                Fuse.light();
                produceSlowly(topics, 5);
                broker.stop();
                Thread.sleep(300);
                broker.restart();
                produceSlowly(topics, 5);
                topics.flush();

                assertThat(topics.awaitAll(LIMIT)).as("round %d", round).isEqualTo(topics.expectedOfAllProduced());
                assertThat(Fuse.isLit()).as("the failure was injected").isFalse();
                cancel(job);
            }
        }
        awaitLiveObjects(live);
    }

    /** Stop with a savepoint on one side, go on on the other, and back. */
    @ParameterizedTest
    @CsvSource({"false,true,false,CANONICAL", "true,false,true,CANONICAL", "false,true,false,NATIVE", "true,false,true,NATIVE"})
    void savepointsCross(boolean first, boolean second, boolean third, SavepointFormatType format) throws Exception {
        final String name = "savepoint-" + first + "-" + format;
        try (Topics topics = new Topics(broker.bootstrapServers(), name)) {
            String savepoint = null;
            for (boolean accelerated : new boolean[] {first, second, third}) {
                final JobClient job = cluster.submit(Query.CHAINED, accelerated, topics, name, savepoint);
                produceSlowly(topics, 3);
                savepoint = job.stopWithSavepoint(false, savepoints.toUri().toString(), format).get();
                job.getJobExecutionResult().get();
            }
            final JobClient last = cluster.submit(Query.CHAINED, first, topics, name, savepoint);
            produceSlowly(topics, 1);
            topics.flush();
            assertThat(topics.awaitAll(LIMIT)).isEqualTo(topics.expectedOfAllProduced());
            cancel(last);
        }
    }

    /** Returns when the job's slots are free again. */
    private static void cancel(JobClient job) throws Exception {
        job.cancel().get();
        job.getJobExecutionResult().handle((result, error) -> null).get();
    }

    private static void produceSlowly(Topics topics, int steps) throws InterruptedException {
        for (int i = 0; i < steps; i++) {
            topics.produce(1_000);
            Thread.sleep(100);
        }
    }

    /** Fetcher and producer threads of cancelled tasks may take a moment to end. */
    private static void awaitLiveObjects(long expected) throws InterruptedException {
        for (int i = 0; i < 100 && NativeEngine.liveObjects() != expected; i++) {
            Thread.sleep(100);
        }
        assertThat(NativeEngine.liveObjects()).isEqualTo(expected);
    }
}
