package tech.streamfusion.nexmark;

import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/** A changelog topic read to its end: the last record of each key, without keys that were deleted last. */
final class LastValues {

    private final Map<ByteBuffer, ConsumerRecord<byte[], byte[]>> byKey = new HashMap<>();
    private long records;

    private LastValues() {}

    static LastValues of(String bootstrap, String topic) {
        LastValues values = new LastValues();
        OutputDigest.readCommitted(bootstrap, topic, values::add);
        return values;
    }

    private void add(ConsumerRecord<byte[], byte[]> record) {
        records++;
        ByteBuffer key = ByteBuffer.wrap(record.key());
        if (record.value() == null) {
            byKey.remove(key);
        } else {
            byKey.put(key, record);
        }
    }

    /** Of the topic, replaced and deleted ones included. */
    long records() {
        return records;
    }

    void forEach(Consumer<ConsumerRecord<byte[], byte[]>> consumer) {
        byKey.values().forEach(consumer);
    }
}
