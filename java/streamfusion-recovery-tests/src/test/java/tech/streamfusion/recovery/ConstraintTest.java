package tech.streamfusion.recovery;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.table.api.bridge.java.StreamTableEnvironment;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tech.streamfusion.runtime.NativeEngine;
import tech.streamfusion.testing.kafka.KafkaBroker;

/** A NULL on its way from Kafka into a NOT NULL column of a Kafka table. */
class ConstraintTest {

    private static final String INSERT = "INSERT INTO target SELECT id, UPPER(name) FROM source";

    private static KafkaBroker broker;

    @BeforeAll
    static void start() throws Exception {
        broker = KafkaBroker.start();
        try (Admin admin = Admin.create(Map.of("bootstrap.servers", broker.bootstrapServers()))) {
            for (String topic : List.of("source", "error-true", "error-false", "drop-true", "drop-false")) {
                admin.createTopics(List.of(new NewTopic(topic, 1, (short) 1))).all().get();
            }
        }
        try (KafkaProducer<byte[], byte[]> producer =
                new KafkaProducer<>(
                        Map.of("bootstrap.servers", broker.bootstrapServers()),
                        new ByteArraySerializer(),
                        new ByteArraySerializer())) {
            for (String value : List.of("{\"id\":1,\"name\":\"a\"}", "{\"id\":2,\"name\":null}", "{\"id\":3,\"name\":\"c\"}")) {
                producer.send(new ProducerRecord<>("source", value.getBytes(StandardCharsets.UTF_8)));
            }
        }
    }

    @AfterAll
    static void stop() {
        broker.close();
    }

    private static StreamTableEnvironment environment(boolean accelerated, String enforcer) {
        final Configuration configuration = new Configuration();
        configuration.setString("restart-strategy.type", "none");
        configuration.setString("parallelism.default", "1");
        final StreamTableEnvironment environment =
                StreamTableEnvironment.create(StreamExecutionEnvironment.getExecutionEnvironment(configuration));
        environment.getConfig().set("streamfusion.native.enabled", String.valueOf(accelerated));
        environment.getConfig().set("table.exec.sink.not-null-enforcer", enforcer);
        final String options =
                "'connector' = 'kafka', 'format' = 'json', 'properties.bootstrap.servers' = '" + broker.bootstrapServers() + "'";
        environment.executeSql(
                "CREATE TABLE source (id BIGINT, name STRING) WITH (" + options
                        + ", 'topic' = 'source', 'scan.startup.mode' = 'earliest-offset', 'scan.bounded.mode' = 'latest-offset')");
        environment.executeSql(
                "CREATE TABLE target (id BIGINT, name STRING NOT NULL) WITH ("
                        + options
                        + ", 'topic' = '"
                        + enforcer
                        + '-'
                        + accelerated
                        + "')");
        return environment;
    }

    private static List<String> failure(boolean accelerated) {
        try {
            environment(accelerated, "error").executeSql(INSERT).await();
        } catch (Exception e) {
            final List<String> causes = new ArrayList<>();
            for (Throwable cause = e; cause != null; cause = cause.getCause()) {
                causes.add(cause.getClass().getName() + ": " + cause.getMessage());
            }
            return causes;
        }
        throw new AssertionError("the job did not fail");
    }

    @Test
    void failsAsStockDoes() {
        final long live = NativeEngine.liveObjects();
        assertThat(environment(true, "error").explainSql(INSERT))
                .contains("NativeTableSourceScan", "NativeCalc", "NativeSink");
        final List<String> stock = failure(false);
        final List<String> own = failure(true);
        assertThat(own.get(own.size() - 1)).isEqualTo(stock.get(stock.size() - 1)).contains("Column 'name' is NOT NULL");
        assertThat(NativeEngine.liveObjects()).isEqualTo(live);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void dropsTheRowWhereToldTo(boolean accelerated) throws Exception {
        environment(accelerated, "drop").executeSql(INSERT).await();
        assertThat(written("drop-" + accelerated)).containsExactly("{\"id\":1,\"name\":\"A\"}", "{\"id\":3,\"name\":\"C\"}");
    }

    private static List<String> written(String topic) {
        try (KafkaConsumer<byte[], byte[]> consumer =
                new KafkaConsumer<>(
                        Map.of("bootstrap.servers", broker.bootstrapServers()),
                        new ByteArrayDeserializer(),
                        new ByteArrayDeserializer())) {
            final TopicPartition partition = new TopicPartition(topic, 0);
            consumer.assign(List.of(partition));
            consumer.seekToBeginning(List.of(partition));
            final long end = consumer.endOffsets(List.of(partition)).get(partition);
            final List<String> values = new ArrayList<>();
            while (values.size() < end) {
                consumer.poll(Duration.ofMillis(200))
                        .forEach(record -> values.add(new String(record.value(), StandardCharsets.UTF_8)));
            }
            return values;
        }
    }
}
