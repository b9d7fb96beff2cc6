package tech.streamfusion.distribution;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tech.streamfusion.testing.kafka.KafkaBroker;

/**
 * Task managers of a real cluster are killed at random moments, again and again, under a job with keyed state, incremental
 * checkpoints and an exactly-once sink: each key's updates are committed once, in order, none is missing.
 */
class KillTest {

    private static final int KILLS = Integer.getInteger("streamfusion.kill.rounds", 2);
    private static final long SEED = Long.getLong("streamfusion.kill.seed", 20261201L);
    private static final int RECORDS_BETWEEN = 1_000;
    private static final int NAMES = 13;
    private static final Pattern NAME = Pattern.compile("\"name\":\"([^\"]*)\"");

    @TempDir Path directory;

    @ParameterizedTest
    @ValueSource(strings = {"hashmap", "rocksdb"})
    void everyUpdateIsCommittedOnce(String backend) throws Exception {
        final Random random = new Random(SEED);
        try (KafkaBroker broker = KafkaBroker.start();
                FlinkDistribution flink = FlinkDistribution.copyTo(directory, "flink-sql-connector-kafka")) {
            flink.install();
            KafkaTopics.create(broker.bootstrapServers(), "updates", "totals");
            flink.start(
                    "state.backend.type: " + backend,
                    "execution.checkpointing.incremental: true",
                    "execution.checkpointing.storage: filesystem",
                    "execution.checkpointing.dir: " + directory.resolve("checkpoints").toUri(),
                    "restart-strategy.type: fixed-delay",
                    "restart-strategy.fixed-delay.attempts: 1000000",
                    "restart-strategy.fixed-delay.delay: 100 ms",
                    "heartbeat.interval: 500 ms",
                    "heartbeat.timeout: 5 s");
            assertThat(flink.sql(script(broker.bootstrapServers())))
                    .contains("NativeTableSourceScan", "NativeGroupAggregate", "NativeSink");

            final List<Integer> sent = new ArrayList<>();
            for (int kill = 0; kill < KILLS; kill++) {
                awaitRunning(flink);
                send(broker, sent);
                Thread.sleep(random.nextInt(2_500));
                flink.killTaskManager();
            }
            send(broker, sent);

            final Map<String, List<String>> expected = expected(sent);
            assertThat(committed(broker, sent.size())).as("%d kills, seed %d", KILLS, SEED).isEqualTo(expected);
        }
    }

    private static void send(KafkaBroker broker, List<Integer> sent) {
        final List<byte[]> records = new ArrayList<>();
        for (int i = 0; i < RECORDS_BETWEEN; i++) {
            final int id = sent.size();
            sent.add(id);
            records.add(
                    ("{\"id\":" + id + ",\"name\":\"n" + id * 7 % NAMES + "\",\"price\":" + id % 1000 + "}")
                            .getBytes(StandardCharsets.UTF_8));
        }
        KafkaTopics.produce(broker.bootstrapServers(), "updates", records);
    }

    /** The job's tasks run, or run again. */
    private static void awaitRunning(FlinkDistribution flink) throws Exception {
        final long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(120);
        while (true) {
            final String jobs = flink.rest("/jobs/overview");
            final int tasks = number(jobs, "total");
            if (tasks > 0 && number(jobs, "running") == tasks) {
                return;
            }
            if (System.nanoTime() > deadline) {
                throw new AssertionError("the job does not come back:\n" + jobs + "\n" + flink.logs());
            }
            Thread.sleep(100);
        }
    }

    /** The first number of that name; -1: there is none. */
    private static int number(String json, String name) {
        final Matcher matcher = Pattern.compile("\"" + name + "\":(\\d+)").matcher(json);
        return matcher.find() ? Integer.parseInt(matcher.group(1)) : -1;
    }

    /** The updates of each name, in order, when there are as many as rows were sent. */
    private static Map<String, List<String>> committed(KafkaBroker broker, int rows) throws Exception {
        final long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(120);
        while (true) {
            final List<String> values = KafkaTopics.readCommitted(broker.bootstrapServers(), "totals");
            if (values.size() >= rows || System.nanoTime() > deadline) {
                final Map<String, List<String>> out = new TreeMap<>();
                for (String value : values) {
                    final Matcher name = NAME.matcher(value);
                    assertThat(name.find()).isTrue();
                    out.computeIfAbsent(name.group(1), key -> new ArrayList<>()).add(value);
                }
                return out;
            }
            Thread.sleep(500);
        }
    }

    /** What an uninterrupted stock Flink emits: an update for each row. */
    private static Map<String, List<String>> expected(List<Integer> sent) {
        final Map<String, List<String>> out = new TreeMap<>();
        final Map<String, Long> sums = new TreeMap<>();
        final Map<String, Set<Integer>> distinct = new TreeMap<>();
        for (int id : sent) {
            final String name = "n" + id * 7 % NAMES;
            final long sum = sums.merge(name, (long) (id % 1000), Long::sum);
            distinct.computeIfAbsent(name, key -> new HashSet<>()).add(id % 400);
            final List<String> updates = out.computeIfAbsent(name, key -> new ArrayList<>());
            updates.add(
                    "{\"name\":\"" + name + "\",\"n\":" + (updates.size() + 1) + ",\"total\":" + sum + ",\"kinds\":"
                            + distinct.get(name).size() + ",\"last\":" + id + "}");
        }
        return out;
    }

    private static String script(String bootstrapServers) {
        final String broker = "'properties.bootstrap.servers' = '" + bootstrapServers + "'";
        final String insert =
                "INSERT INTO totals SELECT name, COUNT(*), SUM(price), COUNT(DISTINCT MOD(id, 400)), MAX(id) FROM updates GROUP BY name;\n";
        return "SET 'sql-client.execution.result-mode' = 'tableau';\n"
                + "CREATE TEMPORARY TABLE updates (id BIGINT, name STRING, price BIGINT) WITH ('connector' = 'kafka', "
                + broker
                + ", 'format' = 'json', 'topic' = 'updates', 'scan.startup.mode' = 'earliest-offset');\n"
                + "CREATE TEMPORARY TABLE totals (name STRING, n BIGINT, total BIGINT, kinds BIGINT, last BIGINT,"
                + " PRIMARY KEY (name) NOT ENFORCED) WITH ('connector' = 'upsert-kafka', "
                + broker
                + ", 'key.format' = 'json', 'value.format' = 'json', 'topic' = 'totals',"
                + " 'sink.delivery-guarantee' = 'exactly-once', 'sink.transactional-id-prefix' = 'totals');\n"
                + "EXPLAIN "
                + insert
                + insert;
    }
}
