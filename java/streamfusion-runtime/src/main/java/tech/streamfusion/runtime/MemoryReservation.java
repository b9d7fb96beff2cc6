package tech.streamfusion.runtime;

/** Asked by a native pool, from any thread, before it grows; see {@code sf_reservation}. */
public interface MemoryReservation {

    /** Reserves bytes or throws {@link NativeMemoryLimitException} naming the option to raise. */
    void grow(long bytes);

    void shrink(long bytes);
}
