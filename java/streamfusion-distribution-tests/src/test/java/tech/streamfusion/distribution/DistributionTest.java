package tech.streamfusion.distribution;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.jar.JarInputStream;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.zip.ZipEntry;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tech.streamfusion.testing.kafka.KafkaBroker;

/** The jars in a real Flink 2.2 distribution: real processes, the stock SQL client, a real broker. */
class DistributionTest {

    private static final int RECORDS = 20_000;

    @TempDir Path directory;

    @BeforeAll
    static void releaseIsBuilt() {
        final Path release = Path.of(System.getProperty("streamfusion.root"), "build/release/00-streamfusion-loader.jar");
        assertThat(release).as("run bin/build-release.sh first (bin/test does)").exists();
    }

    /** Both forms of the Kafka connector: one relocated jar, and plain jars beside kafka-clients. */
    @ParameterizedTest
    @ValueSource(strings = {"flink-sql-connector-kafka", "flink-connector-kafka"})
    void jobIsAcceleratedAndCorrect(String connector) throws Exception {
        final String[] jars =
                connector.startsWith("flink-sql")
                        ? new String[] {connector}
                        : new String[] {connector, "flink-connector-base", "kafka-clients"};
        try (KafkaBroker broker = KafkaBroker.start();
                FlinkDistribution flink = FlinkDistribution.copyTo(directory, jars)) {
            assertThat(flink.install())
                    .contains("installed streamfusion-json.jar")
                    .contains("installed streamfusion-kafka.jar");
            KafkaTopics.create(broker.bootstrapServers(), "source", "target");
            KafkaTopics.produce(broker.bootstrapServers(), "source", records());
            flink.start();

            final String output = flink.sql(script(broker.bootstrapServers()));

            assertThat(output).contains("NativeTableSourceScan", "NativeCalc", "NativeSink");
            final Matcher job = Pattern.compile("\"id\":\"([0-9a-f]{32})\"").matcher(flink.rest("/jobs"));
            assertThat(job.find()).as("client output:\n%s", output).isTrue();
            assertThat(flink.rest("/jobs/" + job.group(1))).contains("\"state\":\"FINISHED\"").contains("source[").contains("Writer");
            final List<String> actual = KafkaTopics.readCommitted(broker.bootstrapServers(), "target");
            Collections.sort(actual);
            final List<String> expected = expected();
            Collections.sort(expected);
            assertThat(actual).isEqualTo(expected);
        }
    }

    @Test
    void coreAloneFallsBackWithReason() throws Exception {
        try (KafkaBroker broker = KafkaBroker.start();
                FlinkDistribution flink = FlinkDistribution.copyTo(directory, "flink-sql-connector-kafka")) {
            flink.install("--only-core");
            KafkaTopics.create(broker.bootstrapServers(), "source", "target");
            KafkaTopics.produce(broker.bootstrapServers(), "source", records());
            flink.start();

            final String output = flink.sql(script(broker.bootstrapServers()));

            assertThat(output).doesNotContain("NativeTableSourceScan").contains("no native module takes Kafka table source");
            assertThat(KafkaTopics.readCommitted(broker.bootstrapServers(), "target")).hasSize(expected().size());
        }
    }

    @Test
    void jarOfAnotherFlinkLineIsRefusedByTheClient() throws Exception {
        try (FlinkDistribution flink = FlinkDistribution.copyTo(directory)) {
            flink.install("--only-core");
            final Path core = flink.lib().resolve("streamfusion-core.jar");
            relabel(core, flink.lib().resolve("harmless-name.jar"), "1.18");
            Files.delete(core);
            flink.configure();

            assertThatThrownBy(() -> flink.sql("SELECT 1;\n"))
                    .hasMessageContaining("harmless-name.jar")
                    .hasMessageContaining("was built for Flink line 1.18");
        }
    }

    private static void relabel(Path from, Path to, String line) throws Exception {
        try (InputStream in = Files.newInputStream(from);
                JarInputStream jarIn = new JarInputStream(in)) {
            final Manifest manifest = jarIn.getManifest();
            manifest.getMainAttributes().putValue("StreamFusion-Flink-Line", line);
            try (OutputStream out = Files.newOutputStream(to);
                    JarOutputStream jarOut = new JarOutputStream(out, manifest)) {
                for (ZipEntry entry = jarIn.getNextEntry(); entry != null; entry = jarIn.getNextEntry()) {
                    jarOut.putNextEntry(new ZipEntry(entry.getName()));
                    jarIn.transferTo(jarOut);
                }
            }
        }
    }

    private static List<byte[]> records() {
        final List<byte[]> records = new ArrayList<>();
        for (int i = 0; i < RECORDS; i++) {
            final String json = "{\"id\":" + i + ",\"name\":\"n" + i % 7 + "\",\"price\":" + i * 3 + "}";
            records.add(json.getBytes(StandardCharsets.UTF_8));
        }
        return records;
    }

    private static List<String> expected() {
        final List<String> rows = new ArrayList<>();
        for (int i = 0; i < RECORDS; i++) {
            if (i % 5 == 0) {
                rows.add("{\"id\":" + i + ",\"label\":\"n" + i % 7 + "!\",\"doubled\":" + (long) i * 3 * 2 + "}");
            }
        }
        return rows;
    }

    private static String script(String bootstrapServers) {
        final String common = "'connector' = 'kafka', 'properties.bootstrap.servers' = '" + bootstrapServers + "', 'format' = 'json'";
        final String insert =
                "INSERT INTO target SELECT id, name || '!', price * 2 FROM source WHERE MOD(id, 5) = 0;\n";
        return "SET 'sql-client.execution.result-mode' = 'tableau';\n"
                + "SET 'table.dml-sync' = 'true';\n"
                + "CREATE TEMPORARY TABLE source (id BIGINT, name STRING, price BIGINT) WITH ("
                + common
                + ", 'topic' = 'source', 'scan.startup.mode' = 'earliest-offset', 'scan.bounded.mode' = 'latest-offset');\n"
                + "CREATE TEMPORARY TABLE target (id BIGINT, label STRING, doubled BIGINT) WITH ("
                + common
                + ", 'topic' = 'target', 'sink.delivery-guarantee' = 'exactly-once', 'sink.transactional-id-prefix' = 'it');\n"
                + "EXPLAIN "
                + insert
                + insert;
    }
}
