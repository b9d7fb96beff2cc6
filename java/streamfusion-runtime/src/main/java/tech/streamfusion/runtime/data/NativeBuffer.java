package tech.streamfusion.runtime.data;

import tech.streamfusion.runtime.NativeEngine;

/** A growing native byte range that is written from Java and then handed to the engine. */
final class NativeBuffer {

    private final long pool;
    private long handle;
    private long address;
    private long capacity;
    /** What the last batch needed: the next one starts with that much. */
    private long expected;

    NativeBuffer(long pool, long expected) {
        this.pool = pool;
        this.expected = expected;
    }

    /** Makes room for {@code size} bytes in all and returns the address, which changes when the range grows. */
    long ensure(long size) {
        return size <= capacity ? address : grow(size);
    }

    private long grow(long size) {
        long wanted = Math.max(Math.max(size, expected), capacity + (capacity >> 1));
        long grown = NativeEngine.bufferCreate(pool, wanted);
        long grownAddress = NativeEngine.bufferAddress(grown);
        if (handle != 0) {
            NativeMemory.copy(address, grownAddress, capacity);
            NativeEngine.bufferRelease(handle);
        }
        handle = grown;
        address = grownAddress;
        capacity = wanted;
        return address;
    }

    long address() {
        return address;
    }

    /** Hands the reference over (0 when nothing was ever written) and starts over empty. */
    long take(long used) {
        long taken = handle;
        expected = Math.max(64, used);
        handle = 0;
        address = 0;
        capacity = 0;
        return taken;
    }

    void release() {
        if (handle != 0) {
            NativeEngine.bufferRelease(take(0));
        }
    }
}
