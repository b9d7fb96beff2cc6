package tech.streamfusion.recovery;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.core.execution.SavepointFormatType;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import tech.streamfusion.testing.kafka.KafkaBroker;

/**
 * Savepoints that stock Flink has written once and for all, in {@code src/test/resources/golden}: native operators go on from
 * them as stock Flink does. With {@code -Dstreamfusion.golden.write=true} they are written anew instead.
 */
class GoldenSavepointTest {

    private static final boolean WRITE = Boolean.getBoolean("streamfusion.golden.write");
    private static final Path GOLDEN = Path.of("src/test/resources/golden");
    private static final Duration LIMIT = Duration.ofSeconds(60);
    private static final int BEFORE = 300;
    private static final int ALL = 700;

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

    /** Those whose updates are the same in every run. */
    @ParameterizedTest
    @EnumSource(
            value = StatefulQuery.class,
            mode = EnumSource.Mode.EXCLUDE,
            names = {"TWO_PHASES", "INCREMENTAL"})
    void nativeOperatorsGoOn(StatefulQuery query) throws Exception {
        final Map<String, List<String>> after = WRITE ? Map.of() : afterSavepoint(query);
        final Map<String, List<String>> expected = new LinkedHashMap<>();
        try (StatefulTopics topics = new StatefulTopics(broker.bootstrapServers(), "golden-" + query)) {
            topics.produce(BEFORE);
            if (WRITE) {
                write(query, topics);
                return;
            }
            topics.produce(ALL - BEFORE);
            for (String backend : List.of("hashmap", "rocksdb")) {
                after.forEach((key, values) -> expected.computeIfAbsent(key, k -> new ArrayList<>()).addAll(values));
                final JobClient job = new StatefulJobs(query, backend, directory, topics).start(true, 1, path(query).toUri().toString());
                try {
                    topics.awaitAllRead(LIMIT);
                    assertThat(topics.committed(count(expected), LIMIT)).as(backend).isEqualTo(expected);
                } finally {
                    job.cancel().get();
                    job.getJobExecutionResult().handle((result, error) -> null).get();
                }
            }
        }
    }

    /** What stock Flink commits for the records behind the savepoint. */
    private Map<String, List<String>> afterSavepoint(StatefulQuery query) throws Exception {
        final Map<String, List<String>> out = committedByStock(query, ALL);
        committedByStock(query, BEFORE)
                .forEach(
                        (key, values) -> {
                            assertThat(out.get(key)).startsWith(values.toArray(new String[0]));
                            out.put(key, out.get(key).subList(values.size(), out.get(key).size()));
                        });
        out.values().removeIf(List::isEmpty);
        assertThat(out).isNotEmpty();
        return out;
    }

    private Map<String, List<String>> committedByStock(StatefulQuery query, int records) throws Exception {
        try (StatefulTopics topics = new StatefulTopics(broker.bootstrapServers(), "stock-" + query + "-" + records)) {
            topics.produce(records);
            new StatefulJobs(query, "hashmap", directory, topics).runStockToTheEnd();
            return topics.committed(Integer.MAX_VALUE, Duration.ofSeconds(1));
        }
    }

    private static int count(Map<String, List<String>> values) {
        return values.values().stream().mapToInt(List::size).sum();
    }

    private static Path path(StatefulQuery query) {
        return GOLDEN.resolve(query.name().toLowerCase(Locale.ROOT)).toAbsolutePath();
    }

    /** Only by stock Flink; its meta data hold all of the state. */
    private void write(StatefulQuery query, StatefulTopics topics) throws Exception {
        final JobClient job = new StatefulJobs(query, "hashmap", directory, topics).start(false, 1, null);
        cluster.awaitRunning(job);
        topics.awaitAllRead(LIMIT);
        final String savepoint =
                job.stopWithSavepoint(false, directory.toUri().toString(), SavepointFormatType.CANONICAL).get();
        job.getJobExecutionResult().get();
        Files.createDirectories(path(query));
        Files.copy(
                Path.of(URI.create(savepoint)).resolve("_metadata"),
                path(query).resolve("_metadata"),
                StandardCopyOption.REPLACE_EXISTING);
    }
}
