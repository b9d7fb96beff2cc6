package tech.streamfusion.runtime.operators;

import org.apache.flink.runtime.memory.MemoryManager;
import org.apache.flink.runtime.memory.MemoryReservationException;
import tech.streamfusion.runtime.MemoryReservation;
import tech.streamfusion.runtime.NativeMemoryLimitException;

/**
 * Native memory of one operator, taken from its share of the slot's managed memory if it has one. An allowance on top is for
 * the few batches that every operator holds, as stock Flink's rows on the heap are outside managed memory.
 */
final class ManagedMemoryReservation implements MemoryReservation {

    /** What an operator may use beyond its share: many batches of ordinary rows, or a few of huge ones. */
    static final long ALLOWANCE = 256L << 20;

    private final String operatorName;
    private final MemoryManager memory;
    private final long share;
    private final Object owner = new Object();
    private long managed;
    private long beyond;

    /** @param share bytes of managed memory that are the operator's */
    ManagedMemoryReservation(String operatorName, MemoryManager memory, long share) {
        this.operatorName = operatorName;
        this.memory = memory;
        this.share = share;
    }

    @Override
    public synchronized void grow(long bytes) {
        long fromShare = reserve(Math.min(bytes, share - managed));
        long rest = bytes - fromShare;
        if (beyond + rest > ALLOWANCE) {
            long inUse = managed + beyond;
            release(fromShare);
            throw new NativeMemoryLimitException(refusal(bytes, inUse));
        }
        managed += fromShare;
        beyond += rest;
    }

    private String refusal(long bytes, long inUse) {
        String more = share == 0 ? "" : "raise taskmanager.memory.managed.size (or taskmanager.memory.managed.fraction), or ";
        return String.format(
                "Operator '%s' needs %d more bytes of native memory than the %d it has; it may use %d bytes of managed memory"
                        + " and %d beyond. Make its batches smaller (properties.max.poll.records of a Kafka table), %sset"
                        + " streamfusion.memory.accounting.enabled to false.",
                operatorName, bytes, inUse, share, ALLOWANCE, more);
    }

    /** Reserves all or nothing; returns what it got. */
    private long reserve(long bytes) {
        if (bytes <= 0) {
            return 0;
        }
        try {
            memory.reserveMemory(owner, bytes);
            return bytes;
        } catch (MemoryReservationException e) {
            return 0; // others use more than their share; the allowance may do
        }
    }

    private void release(long bytes) {
        if (bytes > 0) {
            memory.releaseMemory(owner, bytes);
        }
    }

    @Override
    public synchronized void shrink(long bytes) {
        long fromBeyond = Math.min(bytes, beyond);
        beyond -= fromBeyond;
        managed -= bytes - fromBeyond;
        release(bytes - fromBeyond);
    }
}
