package tech.streamfusion.kafka.connector.source;

import java.nio.ByteBuffer;
import java.util.Map;
import java.util.Properties;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.serialization.Deserializer;

/** Makes nothing of the bytes: notes in {@link Slices} where they are. Created by the consumer, by class. */
public final class SliceDeserializer implements Deserializer<byte[]> {

    private static final String KEY_SLICES = "streamfusion.key.slices";
    private static final String VALUE_SLICES = "streamfusion.value.slices";

    private Slices slices;

    /** Has the consumer use this class; the objects travel inside the client's configuration. */
    static void install(Properties consumer, Slices keys, Slices values) {
        consumer.put(ConsumerConfig.KEY_DESERIALIZER_CLASS_CONFIG, SliceDeserializer.class);
        consumer.put(ConsumerConfig.VALUE_DESERIALIZER_CLASS_CONFIG, SliceDeserializer.class);
        consumer.put(KEY_SLICES, keys);
        consumer.put(VALUE_SLICES, values);
    }

    @Override
    public void configure(Map<String, ?> configs, boolean isKey) {
        slices = (Slices) configs.get(isKey ? KEY_SLICES : VALUE_SLICES);
    }

    @Override
    public byte[] deserialize(String topic, Headers headers, ByteBuffer data) {
        return data == null ? null : slices.add(data);
    }

    @Override
    public byte[] deserialize(String topic, byte[] data) {
        return data == null ? null : slices.add(ByteBuffer.wrap(data));
    }
}
