package tech.streamfusion.runtime;

import javax.annotation.Nullable;

/**
 * A columnar batch; the element that native operators hand to each other. It lives in native memory, or, on its way from task
 * to task, as a record on the Java heap.
 *
 * <p>Ownership: whoever creates a {@code NativeBatch} owns one native reference and calls {@link #release()} once.
 * Passing a batch to {@code Output.collect} or any other method <em>lends</em> it for the duration of the call; a callee
 * that keeps it calls {@link #retain()} and releases that reference later. Batches are immutable, so copying one (Flink
 * does when object reuse is off) hands out the same object.
 *
 * <p>A record owns nothing native: Flink may buffer, drop or restore it at will. The operator that it reaches makes a batch
 * of it with {@link #resident}, in its own memory.
 */
public final class NativeBatch {

    private static final int NO_CHANNEL = -1;

    private final long handle;
    private final int rowCount;
    @Nullable private final byte[] record;
    private final int channel;

    /** Takes over one native reference. */
    public NativeBatch(long handle) {
        this.handle = handle;
        this.rowCount = NativeEngine.batchRowCount(handle);
        this.record = null;
        this.channel = NO_CHANNEL;
    }

    private NativeBatch(byte[] record, int rowCount, int channel) {
        this.handle = 0;
        this.rowCount = rowCount;
        this.record = record;
        this.channel = channel;
    }

    /** A batch on its way, as {@link NativeEngine#batchWriteRecord} wrote it; the array is taken over. */
    public static NativeBatch ofRecord(byte[] record, int rowCount) {
        return new NativeBatch(record, rowCount, NO_CHANNEL);
    }

    /** A batch whose rows all go to one channel of a hash exchange, as {@link NativeEngine#scatterNext} wrote it. */
    public static NativeBatch ofScattered(byte[] record, int rowCount, int channel) {
        return new NativeBatch(record, rowCount, channel);
    }

    /** Whether {@link #channel()} is known: in front of the exchange, not behind it. */
    public boolean isScattered() {
        return channel != NO_CHANNEL;
    }

    /** Where a hash exchange sends all rows of this batch. */
    public int channel() {
        if (!isScattered()) {
            throw new IllegalStateException(this + " has not been scattered");
        }
        return channel;
    }

    /** Whether it is on its way between tasks, with nothing native to it. */
    public boolean isRecord() {
        return record != null;
    }

    /** Address of the {@code sf_batch}; valid while a reference is held. */
    public long handle() {
        if (record != null) {
            throw new IllegalStateException(this + " is on its way between tasks and has no native memory yet");
        }
        return handle;
    }

    public int rowCount() {
        return rowCount;
    }

    /**
     * This batch in native memory, for operators whose input may come from another task; the caller releases the result.
     *
     * @param pool where a record becomes a batch
     * @param rowType its type, a native handle
     */
    public NativeBatch resident(long pool, long rowType) {
        return record == null ? retain() : new NativeBatch(NativeEngine.batchReadRecord(pool, rowType, record));
    }

    /** The form in which the batch crosses the network; marks must have been taken out, see {@code BatchOutput}. */
    public byte[] toRecord() {
        if (record != null) {
            return record;
        }
        if (NativeEngine.batchMarks(handle) != null) {
            throw new IllegalStateException(
                    "Watermarks within " + this + " would get past the other inputs of its receiver");
        }
        return NativeEngine.batchWriteRecord(handle, 0, rowCount, false);
    }

    /** Adds a native reference; returns this. */
    public NativeBatch retain() {
        NativeEngine.batchRetain(handle());
        return this;
    }

    /** Drops one native reference. */
    public void release() {
        NativeEngine.batchRelease(handle());
    }

    @Override
    public String toString() {
        return "NativeBatch(" + rowCount + " rows)";
    }
}
