package tech.streamfusion.kafka.connector.source;

import java.util.List;
import java.util.function.Function;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import tech.streamfusion.runtime.NativeEngine;

/**
 * The keys or values of some records in one native buffer. Slices that lie close together in one fetch buffer are copied in
 * one piece, with what lies between them; single ones (records of compressed batches have an array each) are gathered.
 */
final class NativeRecords implements AutoCloseable {

    /** More than this between two slices is not worth copying. */
    private static final int MAX_GAP = 512;

    private static final int SCRATCH_SIZE = 64 << 10;

    /** Per record: where it starts in the buffer, and its size; size -1 stands for null. */
    final int[] offsets;

    final int[] sizes;
    private final long buffer;

    private NativeRecords(int[] offsets, int[] sizes, long buffer) {
        this.offsets = offsets;
        this.sizes = sizes;
        this.buffer = buffer;
    }

    long buffer() {
        return buffer;
    }

    /** @param part the token that stands for the key or value of a record */
    static NativeRecords copy(
            long pool,
            List<ConsumerRecord<byte[], byte[]>> records,
            Slices slices,
            Function<ConsumerRecord<byte[], byte[]>, byte[]> part) {
        int n = records.size();
        int[] offsets = new int[n];
        int[] sizes = new int[n];
        int[] slice = new int[n];
        for (int i = 0; i < n; i++) {
            byte[] token = part.apply(records.get(i));
            slice[i] = token == null ? -1 : Slices.of(token);
            sizes[i] = token == null ? -1 : slices.size(slice[i]);
        }
        Pieces pieces = new Pieces(slices, slice, offsets);
        long buffer = NativeEngine.bufferCreate(pool, pieces.size());
        try {
            pieces.copyTo(NativeEngine.bufferAddress(buffer));
        } catch (RuntimeException | Error e) {
            NativeEngine.bufferRelease(buffer);
            throw e;
        }
        return new NativeRecords(offsets, sizes, buffer);
    }

    @Override
    public void close() {
        NativeEngine.bufferRelease(buffer);
    }

    /** Contiguous ranges that cover the slices; laying them out fills in the offsets. */
    private static final class Pieces {
        private final byte[][] arrays;
        private final int[] from;
        private final int[] length;
        private int count;
        private long size;

        Pieces(Slices slices, int[] slice, int[] offsets) {
            arrays = new byte[slice.length][];
            from = new int[slice.length];
            length = new int[slice.length];
            for (int i = 0; i < slice.length; i++) {
                if (slice[i] >= 0) {
                    offsets[i] = add(slices.array(slice[i]), slices.start(slice[i]), slices.size(slice[i]));
                }
            }
        }

        private int add(byte[] array, int start, int bytes) {
            int last = count - 1;
            if (last >= 0 && arrays[last] == array) {
                int end = from[last] + length[last];
                if (start >= end && start - end <= MAX_GAP) {
                    size += (long) start - end + bytes;
                    length[last] = start + bytes - from[last];
                    return Math.toIntExact(size - bytes);
                }
            }
            arrays[count] = array;
            from[count] = start;
            length[count] = bytes;
            count++;
            size += bytes;
            return Math.toIntExact(size - bytes);
        }

        long size() {
            return size;
        }

        void copyTo(long address) {
            byte[] scratch = null;
            int gathered = 0;
            long at = address;
            for (int i = 0; i < count; i++) {
                if (length[i] >= SCRATCH_SIZE / 4) {
                    at = flush(scratch, gathered, at);
                    gathered = 0;
                    NativeEngine.copyIn(arrays[i], from[i], at, length[i]);
                    at += length[i];
                    continue;
                }
                if (scratch == null) {
                    scratch = new byte[SCRATCH_SIZE];
                }
                if (gathered + length[i] > SCRATCH_SIZE) {
                    at = flush(scratch, gathered, at);
                    gathered = 0;
                }
                System.arraycopy(arrays[i], from[i], scratch, gathered, length[i]);
                gathered += length[i];
            }
            flush(scratch, gathered, at);
        }

        private static long flush(byte[] scratch, int gathered, long at) {
            if (gathered > 0) {
                NativeEngine.copyIn(scratch, 0, at, gathered);
            }
            return at + gathered;
        }
    }
}
