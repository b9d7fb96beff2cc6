package tech.streamfusion.kafka.connector.source;

import java.nio.ByteBuffer;
import java.util.Map;
import java.util.Properties;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.serialization.Deserializer;

/** Makes nothing of the bytes: notes in {@link Slices} where they are. Created by the consumer, by class. */
public final class SliceDeserializer implements Deserializer<byte[]> {

    private static final String TARGET = "streamfusion.slices";

    private Target target;
    private boolean isKey;

    /** What the running poll writes to. Belongs to the fetcher thread. */
    static final class Target {
        FetchedBytes bytes = new FetchedBytes();
    }

    /** Has the consumer use this class; the target travels inside the client's configuration. */
    static void install(Properties consumer, Target target) {
        consumer.put(ConsumerConfig.KEY_DESERIALIZER_CLASS_CONFIG, SliceDeserializer.class);
        consumer.put(ConsumerConfig.VALUE_DESERIALIZER_CLASS_CONFIG, SliceDeserializer.class);
        consumer.put(TARGET, target);
    }

    @Override
    public void configure(Map<String, ?> configs, boolean key) {
        target = (Target) configs.get(TARGET);
        isKey = key;
    }

    @Override
    public byte[] deserialize(String topic, Headers headers, ByteBuffer data) {
        return data == null ? null : slices().add(data);
    }

    @Override
    public byte[] deserialize(String topic, byte[] data) {
        return data == null ? null : slices().add(ByteBuffer.wrap(data));
    }

    private Slices slices() {
        return isKey ? target.bytes.keys : target.bytes.values;
    }
}
