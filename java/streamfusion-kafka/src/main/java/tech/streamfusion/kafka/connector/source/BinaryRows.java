package tech.streamfusion.kafka.connector.source;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.binary.BinaryRowData;
import org.apache.flink.table.data.binary.BinarySegmentUtils;
import org.apache.flink.table.runtime.typeutils.RowDataSerializer;
import org.apache.flink.table.types.logical.RowType;
import tech.streamfusion.runtime.NativeEngine;

/** Collects rows of the host in the form that the engine takes: BinaryRowData, each behind its size. */
final class BinaryRows {

    private final RowDataSerializer serializer;
    private byte[] bytes = new byte[1 << 12];
    private int used;
    private int count;

    BinaryRows(RowType type) {
        this.serializer = new RowDataSerializer(type);
    }

    void add(RowData row) {
        BinaryRowData binary = serializer.toBinaryRow(row);
        int size = binary.getSizeInBytes();
        ensure(Integer.BYTES + size);
        ByteBuffer.wrap(bytes, used, Integer.BYTES).order(ByteOrder.nativeOrder()).putInt(size);
        used += Integer.BYTES;
        byte[] copy = BinarySegmentUtils.copyToBytes(binary.getSegments(), binary.getOffset(), size);
        System.arraycopy(copy, 0, bytes, used, size);
        used += size;
        count++;
    }

    private void ensure(int more) {
        long needed = (long) used + more;
        if (needed > bytes.length) {
            bytes = Arrays.copyOf(bytes, Math.toIntExact(Math.max(needed, Math.min(2L * bytes.length, 1 << 30))));
        }
    }

    int count() {
        return count;
    }

    /** Drops all rows. */
    void clear() {
        used = 0;
        count = 0;
    }

    /** An owned batch of the rows; starts over empty. */
    long toBatch(long pool, long rowType) {
        long buffer = NativeEngine.bufferCreate(pool, used);
        try {
            long address = NativeEngine.bufferAddress(buffer);
            NativeEngine.copyIn(bytes, 0, address, used);
            return NativeEngine.batchFromBinaryRows(pool, rowType, address, used, count, null);
        } finally {
            NativeEngine.bufferRelease(buffer);
            clear();
        }
    }
}
