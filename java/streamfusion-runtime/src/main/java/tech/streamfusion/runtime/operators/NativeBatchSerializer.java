package tech.streamfusion.runtime.operators;

import java.io.IOException;
import java.util.Arrays;
import org.apache.flink.api.common.typeutils.SimpleTypeSerializerSnapshot;
import org.apache.flink.api.common.typeutils.TypeSerializerSnapshot;
import org.apache.flink.api.common.typeutils.base.TypeSerializerSingleton;
import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.core.memory.DataOutputView;
import tech.streamfusion.runtime.NativeBatch;

/**
 * Serializer of the edges that carry batches. Copies hand out the same object: batches are immutable and lent for the duration
 * of the call (see {@link NativeBatch}). Over the network and in unaligned checkpoints a batch is a record of the engine with
 * its version inside, preceded by the numbers of rows and bytes; it stays one until an operator takes it, so nothing native
 * hangs on what Flink buffers.
 */
public final class NativeBatchSerializer extends TypeSerializerSingleton<NativeBatch> {

    private static final long serialVersionUID = 1L;

    public static final NativeBatchSerializer INSTANCE = new NativeBatchSerializer();

    private static final int TRUSTED_SIZE = 4 << 20;

    @Override
    public boolean isImmutableType() {
        return true;
    }

    /** There is no empty batch to hand out; callers only use the result as a place to reuse. */
    @Override
    public NativeBatch createInstance() {
        return null;
    }

    @Override
    public NativeBatch copy(NativeBatch from) {
        return from;
    }

    @Override
    public NativeBatch copy(NativeBatch from, NativeBatch reuse) {
        return from;
    }

    @Override
    public int getLength() {
        return -1;
    }

    @Override
    public void serialize(NativeBatch batch, DataOutputView target) throws IOException {
        byte[] record = batch.toRecord();
        target.writeInt(batch.rowCount());
        target.writeInt(record.length);
        target.write(record);
    }

    @Override
    public NativeBatch deserialize(DataInputView source) throws IOException {
        int rows = source.readInt();
        return NativeBatch.ofRecord(readRecord(source, rows), rows);
    }

    @Override
    public NativeBatch deserialize(NativeBatch reuse, DataInputView source) throws IOException {
        return deserialize(source);
    }

    @Override
    public void copy(DataInputView source, DataOutputView target) throws IOException {
        int rows = source.readInt();
        byte[] record = readRecord(source, rows);
        target.writeInt(rows);
        target.writeInt(record.length);
        target.write(record);
    }

    private static byte[] readRecord(DataInputView source, int rows) throws IOException {
        int size = source.readInt();
        if (rows < 0 || size < 0) {
            throw new IOException(
                    "A record of a batch is damaged: "
                            + rows
                            + " rows in "
                            + size
                            + " bytes. If the job was restored from an unaligned checkpoint of stock Flink: rows on their way do not"
                            + " cross, restore it from a savepoint or an aligned checkpoint");
        }
        // a damaged size must run into the end of the input, not out of memory
        byte[] record = new byte[Math.min(size, TRUSTED_SIZE)];
        int filled = 0;
        while (true) {
            source.readFully(record, filled, record.length - filled);
            if (record.length == size) {
                return record;
            }
            filled = record.length;
            record = Arrays.copyOf(record, (int) Math.min(size, 4L * filled));
        }
    }

    @Override
    public TypeSerializerSnapshot<NativeBatch> snapshotConfiguration() {
        return new Snapshot();
    }

    /** No configuration. */
    @SuppressWarnings("WeakerAccess")
    public static final class Snapshot extends SimpleTypeSerializerSnapshot<NativeBatch> {
        public Snapshot() {
            super(() -> INSTANCE);
        }
    }
}
