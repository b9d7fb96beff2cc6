package tech.streamfusion.kafka.connector.source;

import java.util.Optional;
import org.apache.flink.connector.kafka.source.reader.deserializer.KafkaRecordDeserializationSchema;
import org.apache.flink.table.data.RowData;
import org.apache.flink.util.Collector;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/**
 * Decides the records that the engine leaves open with Flink's own deserializer, which sees the record as it would in stock
 * Flink: its rows, its skipping, its exceptions.
 */
final class HostRows {

    private final KafkaRecordDeserializationSchema<?> deserializer;
    private final BinaryRows rows;

    HostRows(KafkaRecordDeserializationSchema<?> deserializer, ScanPlan plan) {
        this.deserializer = deserializer;
        this.rows = new BinaryRows(plan.producedType);
    }

    /** Deserializes a record; returns the number of rows that it yields, which are added to {@link #rows()}. */
    int add(ConsumerRecord<byte[], byte[]> record, Slices keys, Slices values) throws Exception {
        int before = rows.count();
        deserialize(deserializer, materialised(record, keys, values));
        return rows.count() - before;
    }

    private <T> void deserialize(KafkaRecordDeserializationSchema<T> schema, ConsumerRecord<byte[], byte[]> record)
            throws Exception {
        schema.deserialize(
                record,
                new Collector<T>() {
                    @Override
                    public void collect(T row) {
                        // formats that ignore errors may hand on a null row; no row is what they mean
                        if (row != null) {
                            rows.add((RowData) row);
                        }
                    }

                    @Override
                    public void close() {}
                });
    }

    BinaryRows rows() {
        return rows;
    }

    private static ConsumerRecord<byte[], byte[]> materialised(
            ConsumerRecord<byte[], byte[]> record, Slices keys, Slices values) {
        return new ConsumerRecord<>(
                record.topic(),
                record.partition(),
                record.offset(),
                record.timestamp(),
                record.timestampType(),
                record.serializedKeySize(),
                record.serializedValueSize(),
                record.key() == null ? null : keys.copy(Slices.of(record.key())),
                record.value() == null ? null : values.copy(Slices.of(record.value())),
                record.headers(),
                record.leaderEpoch(),
                Optional.empty());
    }
}
