package tech.streamfusion.testing.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.Test;

class KafkaBrokerTest {

    @Test
    void keepsCommittedTransactionsOverARestartOnTheSamePort() throws Exception {
        try (KafkaBroker broker = KafkaBroker.start()) {
            String servers = broker.bootstrapServers();
            try (Admin admin = Admin.create(Map.<String, Object>of("bootstrap.servers", servers))) {
                admin.createTopics(List.of(new NewTopic("t", 1, (short) 1))).all().get();
            }
            produce(servers, "kept", true);
            produce(servers, "aborted", false);
            broker.stop();
            broker.restart();
            assertThat(broker.bootstrapServers()).isEqualTo(servers);
            produce(servers, "after", true);
            assertThat(readCommitted(servers, 2)).containsExactly("kept", "after");
        }
    }

    private static void produce(String servers, String value, boolean commit) {
        Properties config = new Properties();
        config.put("bootstrap.servers", servers);
        config.put("transactional.id", "tx");
        try (KafkaProducer<String, String> producer =
                new KafkaProducer<>(config, new StringSerializer(), new StringSerializer())) {
            producer.initTransactions();
            producer.beginTransaction();
            producer.send(new ProducerRecord<>("t", value));
            producer.flush();
            if (commit) {
                producer.commitTransaction();
            } else {
                producer.abortTransaction();
            }
        }
    }

    private static List<String> readCommitted(String servers, int count) {
        Properties config = new Properties();
        config.put("bootstrap.servers", servers);
        config.put("isolation.level", "read_committed");
        config.put("auto.offset.reset", "earliest");
        List<String> values = new ArrayList<>();
        try (KafkaConsumer<String, String> consumer =
                new KafkaConsumer<>(config, new StringDeserializer(), new StringDeserializer())) {
            consumer.assign(List.of(new TopicPartition("t", 0)));
            for (int i = 0; i < 100 && values.size() < count; i++) {
                for (ConsumerRecord<String, String> record : consumer.poll(Duration.ofMillis(200))) {
                    values.add(record.value());
                }
            }
        }
        return values;
    }
}
