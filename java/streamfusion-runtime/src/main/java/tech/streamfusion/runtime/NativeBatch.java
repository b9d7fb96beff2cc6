package tech.streamfusion.runtime;

/**
 * A reference-counted columnar batch that lives in native memory; the element that native operators hand to each other.
 *
 * <p>Ownership: whoever creates a {@code NativeBatch} owns one native reference and calls {@link #release()} once.
 * Passing a batch to {@code Output.collect} or any other method <em>lends</em> it for the duration of the call; a callee
 * that keeps it calls {@link #retain()} and releases that reference later. Batches are immutable, so copying one (Flink
 * does when object reuse is off) hands out the same object.
 */
public final class NativeBatch {

    private final long handle;
    private final int rowCount;

    /** Takes over one native reference. */
    public NativeBatch(long handle) {
        this.handle = handle;
        this.rowCount = NativeEngine.batchRowCount(handle);
    }

    /** Address of the {@code sf_batch}; valid while a reference is held. */
    public long handle() {
        return handle;
    }

    public int rowCount() {
        return rowCount;
    }

    /** Adds a native reference; returns this. */
    public NativeBatch retain() {
        NativeEngine.batchRetain(handle);
        return this;
    }

    /** Drops one native reference. */
    public void release() {
        NativeEngine.batchRelease(handle);
    }

    @Override
    public String toString() {
        return "NativeBatch(" + rowCount + " rows)";
    }
}
