package tech.streamfusion.kafka.connector.source;

import javax.annotation.Nullable;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import tech.streamfusion.runtime.NativeBatch;

/**
 * A decoded run of one partition's records: a batch, or the failure that
 * ended it, or neither (all records skipped). It takes the place of a record in Flink's reader; its offset is that of the
 * last record it stands for.
 */
final class BatchRecord extends ConsumerRecord<byte[], byte[]> {

    @Nullable private final NativeBatch batch;
    @Nullable private final Exception failure;
    private final int records;
    private final long timestamp;

    private BatchRecord(
            ConsumerRecord<byte[], byte[]> last,
            int records,
            @Nullable NativeBatch batch,
            long timestamp,
            @Nullable Exception failure) {
        super(last.topic(), last.partition(), last.offset(), null, null);
        this.records = records;
        this.batch = batch;
        this.timestamp = timestamp;
        this.failure = failure;
    }

    /**
     * @param batch owned; null when the records yield no row
     * @param timestamp what the batch is emitted with
     */
    static BatchRecord of(
            ConsumerRecord<byte[], byte[]> last, int records, @Nullable NativeBatch batch, long timestamp) {
        return new BatchRecord(last, records, batch, timestamp, null);
    }

    /** @param failure to be thrown where stock Flink, emitting the record, throws it */
    static BatchRecord failed(ConsumerRecord<byte[], byte[]> record, Exception failure) {
        return new BatchRecord(record, 1, null, 0, failure);
    }

    /** Kafka records that this stands for. */
    int records() {
        return records;
    }

    long batchTimestamp() {
        return timestamp;
    }

    @Nullable
    Exception failure() {
        return failure;
    }

    /** The emitter's, which releases it; null when there is none. */
    @Nullable
    NativeBatch batch() {
        return batch;
    }
}
