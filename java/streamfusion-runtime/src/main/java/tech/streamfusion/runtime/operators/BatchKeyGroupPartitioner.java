package tech.streamfusion.runtime.operators;

import java.util.Arrays;
import org.apache.flink.api.java.functions.KeySelector;
import org.apache.flink.runtime.plugable.SerializationDelegate;
import org.apache.flink.streaming.runtime.partitioner.KeyGroupStreamPartitioner;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.table.data.RowData;
import tech.streamfusion.runtime.NativeBatch;
import tech.streamfusion.runtime.NativeEngine;

/**
 * Flink's partitioner of a hash exchange, for batches. In front of the exchange a batch has been scattered and says where it
 * goes. Behind it, when parallelism has changed across an unaligned checkpoint, Flink asks in each subtask which channel a
 * restored record belongs to, to keep it in one of them; of a batch then those rows stay in the record that belong to the
 * subtask that asks.
 */
public final class BatchKeyGroupPartitioner extends KeyGroupStreamPartitioner<NativeBatch, RowData> {

    private static final long serialVersionUID = 1L;

    private final int[] keyFields;
    private final byte[] rowType;

    /**
     * @param keySelector the stock one: what makes two of these partitioners equal; it never sees a batch
     * @param maxParallelism until Flink configures the one of the receiver
     * @param keyFields the key's fields in their order
     * @param rowType a serialized {@code streamfusion.plan.Type}
     */
    public BatchKeyGroupPartitioner(
            KeySelector<RowData, RowData> keySelector, int maxParallelism, int[] keyFields, byte[] rowType) {
        super(ofBatches(keySelector), maxParallelism);
        this.keyFields = keyFields.clone();
        this.rowType = rowType.clone();
    }

    @SuppressWarnings({"unchecked", "rawtypes"})
    private static KeySelector<NativeBatch, RowData> ofBatches(KeySelector<RowData, RowData> selector) {
        return (KeySelector) selector;
    }

    int[] keyFields() {
        return keyFields.clone();
    }

    @Override
    public int selectChannel(SerializationDelegate<StreamRecord<NativeBatch>> element) {
        StreamRecord<NativeBatch> record = element.getInstance();
        NativeBatch batch = record.getValue();
        return batch.isScattered() ? batch.channel() : keepOwnRows(record);
    }

    /** The subtask that runs this when rows of it are left; otherwise any other. */
    private int keepOwnRows(StreamRecord<NativeBatch> record) {
        int subtask = CurrentSubtask.index();
        NativeBatch own = rowsOf(subtask, record.getValue());
        if (own.rowCount() == 0) {
            return subtask == 0 ? 1 : 0;
        }
        record.replace(own);
        return subtask;
    }

    /** Only restored records come here, so everything is made anew for each. */
    private NativeBatch rowsOf(int subtask, NativeBatch record) {
        long pool = NativeEngine.poolCreate("restored records", -1, null);
        long type = NativeEngine.typeCreate(rowType);
        try {
            NativeBatch batch = record.resident(pool, type);
            try {
                return selected(pool, batch, subtask);
            } finally {
                batch.release();
            }
        } finally {
            NativeEngine.typeRelease(type);
            NativeEngine.poolRelease(pool);
        }
    }

    private NativeBatch selected(long pool, NativeBatch batch, int subtask) {
        NativeBatch own =
                new NativeBatch(
                        NativeEngine.batchSelect(
                                pool, batch.handle(), keyFields, numberOfChannels, getMaxParallelism(), subtask));
        try {
            return NativeBatch.ofRecord(own.toRecord(), own.rowCount());
        } finally {
            own.release();
        }
    }

    @Override
    public boolean equals(Object other) {
        return super.equals(other)
                && Arrays.equals(keyFields, ((BatchKeyGroupPartitioner) other).keyFields)
                && Arrays.equals(rowType, ((BatchKeyGroupPartitioner) other).rowType);
    }

    @Override
    public int hashCode() {
        return 31 * super.hashCode() + Arrays.hashCode(keyFields);
    }
}
