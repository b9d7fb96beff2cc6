package tech.streamfusion.recovery;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.flink.core.execution.JobClient;
import org.junit.jupiter.api.Test;
import tech.streamfusion.recovery.Cluster.Query;
import tech.streamfusion.runtime.NativeEngine;
import tech.streamfusion.testing.kafka.KafkaBroker;

/** Jobs that are cancelled at any moment leave nothing behind. */
class CancellationTest {

    private static final int ROUNDS = Integer.getInteger("streamfusion.cancel.rounds", 8);

    /** Threads of the cluster and of clients come and go. */
    private static final int SLACK = 8;

    @Test
    void cancelledJobsLeaveNothingBehind() throws Exception {
        final long seed = System.nanoTime();
        System.out.println("cancelling " + ROUNDS + " jobs, seed " + seed);
        final Random random = new Random(seed);
        try (KafkaBroker broker = KafkaBroker.start();
                Cluster cluster = new Cluster()) {
            final long live = NativeEngine.liveObjects();
            cancelOne(broker, cluster, "warm-up", random); // opens what stays open: classes, selectors, the cluster's own files
            final Map<String, Long> files = openFiles();
            for (int round = 0; round < ROUNDS; round++) {
                final long start = System.nanoTime();
                cancelOne(broker, cluster, "cancel-" + round, random);
                final long millis = (System.nanoTime() - start) / 1_000_000;
                if (millis > 5_000 || round % 20 == 19) {
                    System.out.println("round " + (round + 1) + " of " + ROUNDS + ", the last took " + millis + " ms");
                }
            }
            awaitLiveObjects(live);
            // client threads close their sockets with some delay
            for (int i = 0; i < 100 && !grown(files).isEmpty(); i++) {
                Thread.sleep(100);
            }
            assertThat(grown(files)).as("open files after %d cancelled jobs, seed %d", ROUNDS, seed).isEmpty();
        }
    }

    /** Kinds of files of which there are clearly more than before. */
    private static Map<String, String> grown(Map<String, Long> before) throws IOException {
        final Map<String, String> grown = new TreeMap<>();
        openFiles()
                .forEach(
                        (kind, count) -> {
                            final long old = before.getOrDefault(kind, 0L);
                            if (count > old + SLACK) {
                                grown.put(kind, old + " -> " + count);
                            }
                        });
        return grown;
    }

    /** Records are waiting, so that the job is busy from its first moment. */
    private static void cancelOne(KafkaBroker broker, Cluster cluster, String name, Random random) throws Exception {
        try (Topics topics = new Topics(broker.bootstrapServers(), name)) {
            topics.produce(random.nextInt(20_000));
            topics.flush();
            final Query query = Query.values()[random.nextInt(Query.values().length)];
            final JobClient job =
                    random.nextInt(4) == 0
                            ? cluster.submitWithoutWaiting(query, topics, name)
                            : cluster.submit(query, true, topics, name, null);
            Thread.sleep(random.nextInt(400));
            if (random.nextInt(4) == 0) {
                Fuse.light(); // the task fails, perhaps while it is being cancelled
                topics.produce(100);
                Thread.sleep(random.nextInt(100));
            }
            job.cancel().get();
            job.getJobExecutionResult().handle((result, error) -> null).get();
            Fuse.putOut();
        }
    }

    private static Map<String, Long> openFiles() throws IOException {
        final Map<String, Long> kinds = new TreeMap<>();
        try (Stream<Path> files = Files.list(Path.of("/proc/self/fd"))) {
            for (Path file : files.collect(Collectors.toList())) {
                try {
                    final String target = Files.readSymbolicLink(file).toString();
                    if (!target.contains("/streamfusion-kafka")) { // the broker's, which lives in this process
                        kinds.merge(target.replaceAll("[0-9a-f-]{4,}|\\d+", "#"), 1L, Long::sum);
                    }
                } catch (NoSuchFileException e) {
                    // closed meanwhile
                }
            }
        }
        return kinds;
    }

    private static void awaitLiveObjects(long expected) throws InterruptedException {
        for (int i = 0; i < 200 && NativeEngine.liveObjects() != expected; i++) {
            Thread.sleep(100);
        }
        assertThat(NativeEngine.liveObjects()).as("live native objects").isEqualTo(expected);
    }
}
