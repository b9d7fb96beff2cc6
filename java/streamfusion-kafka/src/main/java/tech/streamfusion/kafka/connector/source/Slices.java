package tech.streamfusion.kafka.connector.source;

import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * Where the bytes of polled keys or values are. In place of a copy the consumer gets a token, an array out of a reused set
 * whose content is the slice's number. Filled by the fetcher thread, then read by the task thread.
 */
final class Slices {

    private byte[][] tokens = new byte[0][];
    private byte[][] arrays = new byte[0][];
    private int[] starts = new int[0];
    private int[] sizes = new int[0];
    private int count;

    /** Notes the slice and returns its token. */
    byte[] add(ByteBuffer data) {
        if (count == tokens.length) {
            grow();
        }
        int slice = count++;
        if (data.hasArray()) {
            arrays[slice] = data.array();
            starts[slice] = data.arrayOffset() + data.position();
        } else {
            byte[] copy = new byte[data.remaining()];
            data.duplicate().get(copy);
            arrays[slice] = copy;
            starts[slice] = 0;
        }
        sizes[slice] = data.remaining();
        return tokens[slice];
    }

    private void grow() {
        int size = Math.max(1024, 2 * tokens.length);
        int old = tokens.length;
        tokens = Arrays.copyOf(tokens, size);
        for (int i = old; i < size; i++) {
            tokens[i] = new byte[] {(byte) (i >> 24), (byte) (i >> 16), (byte) (i >> 8), (byte) i};
        }
        arrays = Arrays.copyOf(arrays, size);
        starts = Arrays.copyOf(starts, size);
        sizes = Arrays.copyOf(sizes, size);
    }

    int count() {
        return count;
    }

    /** Number of the slice behind a token. */
    static int of(byte[] token) {
        return (token[0] & 0xff) << 24 | (token[1] & 0xff) << 16 | (token[2] & 0xff) << 8 | token[3] & 0xff;
    }

    byte[] array(int slice) {
        return arrays[slice];
    }

    int start(int slice) {
        return starts[slice];
    }

    int size(int slice) {
        return sizes[slice];
    }

    byte[] copy(int slice) {
        return Arrays.copyOfRange(arrays[slice], starts[slice], starts[slice] + sizes[slice]);
    }

    /** Forgets all slices, so that fetch buffers can go. */
    void clear() {
        Arrays.fill(arrays, 0, count, null);
        count = 0;
    }
}
