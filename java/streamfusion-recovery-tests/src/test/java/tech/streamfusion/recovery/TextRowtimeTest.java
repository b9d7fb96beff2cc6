package tech.streamfusion.recovery;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.table.api.bridge.java.StreamTableEnvironment;
import org.apache.flink.types.Row;
import org.apache.flink.util.CloseableIterator;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.Test;
import tech.streamfusion.testing.kafka.KafkaBroker;

/** A rowtime parsed from text with a pattern, whose watermark a Kafka source computes with the help of the host. */
class TextRowtimeTest {

    private static final String WINDOWS =
            "SELECT window_start, COUNT(*), SUM(n) FROM TABLE(TUMBLE((SELECT ts, n + 1 AS n FROM events WHERE n <> 3), "
                    + "DESCRIPTOR(ts), INTERVAL '10' SECOND)) GROUP BY window_start, window_end";

    @Test
    void theScanIsNativeAndTheWindowsAreStocks() throws Exception {
        try (KafkaBroker broker = KafkaBroker.start()) {
            produce(broker.bootstrapServers());
            StreamTableEnvironment accelerated = environment(true, broker.bootstrapServers());
            assertThat(accelerated.explainSql(WINDOWS)).contains("NativeTableSourceScan");
            List<String> expected = windows(environment(false, broker.bootstrapServers()));
            assertThat(expected).hasSizeGreaterThan(20);
            assertThat(windows(accelerated)).isEqualTo(expected);
        }
    }

    private static StreamTableEnvironment environment(boolean accelerated, String servers) {
        Configuration configuration = new Configuration();
        configuration.setString("parallelism.default", "1");
        StreamTableEnvironment environment =
                StreamTableEnvironment.create(StreamExecutionEnvironment.getExecutionEnvironment(configuration));
        environment.getConfig().set("streamfusion.native.enabled", String.valueOf(accelerated));
        environment.getConfig().set("streamfusion.planner.minimum-gain", "0");
        environment.executeSql(
                "CREATE TABLE events (t STRING, n INT, ts AS TO_TIMESTAMP(t, 'dd/MM/yyyy HH:mm:ss'), "
                        + "WATERMARK FOR ts AS ts - INTERVAL '1' SECOND) WITH ('connector' = 'kafka', 'topic' = 'events', "
                        + "'properties.bootstrap.servers' = '"
                        + servers
                        + "', 'format' = 'json', 'scan.startup.mode' = 'earliest-offset', 'scan.bounded.mode' = 'latest-offset')");
        return environment;
    }

    /** In order, some of them in another shape than the pattern's, which Flink takes as well. */
    private static void produce(String servers) throws Exception {
        try (Admin admin = Admin.create(Map.of("bootstrap.servers", servers))) {
            admin.createTopics(List.of(new NewTopic("events", 1, (short) 1))).all().get();
        }
        try (KafkaProducer<byte[], byte[]> producer =
                new KafkaProducer<>(
                        Map.of("bootstrap.servers", servers), new ByteArraySerializer(), new ByteArraySerializer())) {
            for (int i = 0; i < 600; i++) {
                String time =
                        i % 50 == 7
                                ? String.format("2024-02-01 10:%02d:%02d", i / 60, i % 60)
                                : String.format("01/02/2024 10:%02d:%02d", i / 60, i % 60);
                String json = "{\"t\":\"" + time + "\",\"n\":" + i % 17 + "}";
                producer.send(new ProducerRecord<>("events", json.getBytes(StandardCharsets.UTF_8)));
            }
        }
    }

    private static List<String> windows(StreamTableEnvironment environment) throws Exception {
        List<String> rows = new ArrayList<>();
        CloseableIterator<Row> results = environment.executeSql(WINDOWS).collect();
        try {
            results.forEachRemaining(row -> rows.add(row.toString()));
        } finally {
            results.close();
        }
        rows.sort(null);
        return rows;
    }
}
