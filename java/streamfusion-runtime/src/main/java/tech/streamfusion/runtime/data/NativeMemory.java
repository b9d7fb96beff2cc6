package tech.streamfusion.runtime.data;

import org.apache.flink.core.memory.MemorySegment;
import org.apache.flink.core.memory.MemoryUtils;

/**
 * Unchecked access to native memory by address, little endian as the engine's. Callers know their bounds; the one place
 * that touches {@code Unsafe}.
 */
final class NativeMemory {

    private static final int BYTE_ARRAY = MemoryUtils.UNSAFE.arrayBaseOffset(byte[].class);

    private NativeMemory() {}

    static byte getByte(long address) {
        return MemoryUtils.UNSAFE.getByte(address);
    }

    static short getShort(long address) {
        return MemoryUtils.UNSAFE.getShort(address);
    }

    static int getInt(long address) {
        return MemoryUtils.UNSAFE.getInt(address);
    }

    static long getLong(long address) {
        return MemoryUtils.UNSAFE.getLong(address);
    }

    static void putByte(long address, byte value) {
        MemoryUtils.UNSAFE.putByte(address, value);
    }

    static void putShort(long address, short value) {
        MemoryUtils.UNSAFE.putShort(address, value);
    }

    static void putInt(long address, int value) {
        MemoryUtils.UNSAFE.putInt(address, value);
    }

    static void putLong(long address, long value) {
        MemoryUtils.UNSAFE.putLong(address, value);
    }

    static void fill(long address, long size, byte value) {
        MemoryUtils.UNSAFE.setMemory(address, size, value);
    }

    static void copy(long from, long to, long size) {
        MemoryUtils.UNSAFE.copyMemory(from, to, size);
    }

    static void copyIn(byte[] from, int offset, long to, int size) {
        MemoryUtils.UNSAFE.copyMemory(from, BYTE_ARRAY + offset, null, to, size);
    }

    static void copyIn(MemorySegment from, int offset, long to, int size) {
        if (from.isOffHeap()) {
            copy(from.getAddress() + offset, to, size);
        } else {
            copyIn(from.getArray(), offset, to, size);
        }
    }

    static byte[] copyOut(long from, int size) {
        byte[] bytes = new byte[size];
        MemoryUtils.UNSAFE.copyMemory(null, from, bytes, BYTE_ARRAY, size);
        return bytes;
    }
}
