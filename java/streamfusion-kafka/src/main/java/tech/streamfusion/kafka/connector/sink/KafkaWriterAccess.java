package tech.streamfusion.kafka.connector.sink;

import java.lang.reflect.Field;
import org.apache.flink.connector.kafka.sink.internal.FlinkKafkaInternalProducer;
import org.apache.kafka.clients.producer.Callback;

/** Producer and delivery callback of Flink's Kafka writer, which is not public. */
final class KafkaWriterAccess {

    private static final String WRITER_CLASS = "org.apache.flink.connector.kafka.sink.KafkaWriter";

    private final Object writer;
    private final Field currentProducer;
    private final Callback deliveryCallback;

    private KafkaWriterAccess(Object writer, Field currentProducer, Callback deliveryCallback) {
        this.writer = writer;
        this.currentProducer = currentProducer;
        this.deliveryCallback = deliveryCallback;
    }

    /** @throws ReflectiveOperationException when this is not the writer we know */
    static KafkaWriterAccess of(Object writer) throws ReflectiveOperationException {
        Class<?> type = writer.getClass();
        while (!type.getName().equals(WRITER_CLASS)) {
            type = type.getSuperclass();
            if (type == null) {
                throw new NoSuchFieldException("no " + WRITER_CLASS + ": " + writer.getClass());
            }
        }
        Field producer = field(type, "currentProducer", FlinkKafkaInternalProducer.class);
        Field callback = field(type, "deliveryCallback", Callback.class);
        return new KafkaWriterAccess(writer, producer, (Callback) callback.get(writer));
    }

    private static Field field(Class<?> declaring, String name, Class<?> type) throws ReflectiveOperationException {
        Field field = declaring.getDeclaredField(name);
        if (field.getType() != type) {
            throw new NoSuchFieldException(name + " is a " + field.getType());
        }
        field.setAccessible(true);
        return field;
    }

    /** Changes from transaction to transaction. */
    FlinkKafkaInternalProducer<?, ?> currentProducer() {
        try {
            return (FlinkKafkaInternalProducer<?, ?>) currentProducer.get(writer);
        } catch (IllegalAccessException e) {
            throw new IllegalStateException("Kafka writer became inaccessible", e);
        }
    }

    Callback deliveryCallback() {
        return deliveryCallback;
    }
}
