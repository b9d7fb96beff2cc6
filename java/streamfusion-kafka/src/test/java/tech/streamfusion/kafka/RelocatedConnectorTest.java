package tech.streamfusion.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.junit.jupiter.api.Test;

/** The same jar with flink-sql-connector-kafka, which has the Kafka client under another name. */
class RelocatedConnectorTest extends KafkaTestBase {

    @Test
    void copiesWithTheSqlConnector() throws Exception {
        topics.create("plain", 2);
        topics.create("copied", 1);
        topics.create("copied-keyed", 3);
        topics.send("plain", items(0, 5000));
        Path log = Files.createTempFile("relocated-copy", ".log");
        List<String> command = new ArrayList<>();
        command.add(Paths.get(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(openings());
        command.add("-cp");
        command.add(classPath());
        command.add(RelocatedCopy.class.getName());
        command.addAll(List.of(broker.bootstrapServers(), "plain", "copied", "copied-keyed"));
        Process process = new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(log.toFile()).start();
        try {
            assertThat(process.waitFor(5, TimeUnit.MINUTES)).isTrue();
            assertThat(process.exitValue()).as(() -> read(log)).isZero();
        } finally {
            process.destroyForcibly();
        }
        assertThat(read(log)).doesNotContain("Records are sent one by one");
        assertThat(topics.values("copied")).hasSize(5000).isEqualTo(topics.values("plain"));
        assertThat(topics.read("copied-keyed"))
                .hasSize(5000)
                .allSatisfy(record -> assertThat(Topics.text(record.value())).startsWith(keyOf(record)));
        Files.delete(log);
    }

    /** The key's object without its end, with which the value's begins. */
    private static String keyOf(ConsumerRecord<byte[], byte[]> record) {
        String key = Topics.text(record.key());
        return key.substring(0, key.length() - 1);
    }

    /** What this JVM was opened for. */
    private static List<String> openings() {
        return java.lang.management.ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
                .filter(argument -> argument.startsWith("--add-opens") || argument.startsWith("-Dstreamfusion."))
                .collect(Collectors.toList());
    }

    private static String classPath() throws Exception {
        List<String> entries = new ArrayList<>();
        for (String entry : System.getProperty("java.class.path").split(File.pathSeparator)) {
            String name = Paths.get(entry).getFileName().toString();
            if (!name.startsWith("flink-connector-kafka") && !name.startsWith("kafka-clients")) {
                entries.add(entry);
            }
        }
        Path classes = Paths.get(KafkaScanProvider.class.getProtectionDomain().getCodeSource().getLocation().toURI());
        String configured = System.getProperty("streamfusion.test.sql.connector");
        Path directory = configured != null ? Paths.get(configured) : classes.resolveSibling("sql-connector");
        try (Stream<Path> jars = Files.list(directory)) {
            jars.forEach(jar -> entries.add(jar.toString()));
        }
        return String.join(File.pathSeparator, entries);
    }

    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (java.io.IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }
}
