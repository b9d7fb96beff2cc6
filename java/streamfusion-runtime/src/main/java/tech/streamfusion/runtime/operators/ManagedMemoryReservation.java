package tech.streamfusion.runtime.operators;

import org.apache.flink.runtime.memory.MemoryManager;
import org.apache.flink.runtime.memory.MemoryReservationException;
import tech.streamfusion.runtime.MemoryReservation;
import tech.streamfusion.runtime.NativeMemoryLimitException;

/**
 * Native memory of one operator, taken from its share of the slot's managed memory. An allowance on top lets operators
 * that only hold a few batches run where there is little or no managed memory, as stock Flink does.
 */
final class ManagedMemoryReservation implements MemoryReservation {

    /** What an operator may use beyond its share: many batches of ordinary rows, or a few of huge ones. */
    static final long ALLOWANCE = 64L << 20;

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
            throw new NativeMemoryLimitException(
                    "Operator '"
                            + operatorName
                            + "' needs "
                            + bytes
                            + " more bytes of native memory than the "
                            + inUse
                            + " it has; its share of managed memory is "
                            + share
                            + " bytes, and "
                            + ALLOWANCE
                            + " on top. Raise taskmanager.memory.managed.size (or taskmanager.memory.managed.fraction), or set"
                            + " streamfusion.memory.accounting.enabled to false.");
        }
        managed += fromShare;
        beyond += rest;
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
