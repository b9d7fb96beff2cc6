package tech.streamfusion.kafka;

import tech.streamfusion.runtime.NativeEngine;

/**
 * The engine's Kafka part: record encoding for the producer and putting decoded parts of rows together. Handles are
 * addresses, as in {@link NativeEngine}, whose library holds these functions too.
 */
public final class KafkaNative {

    /** Slots of the {@code state} array of {@link #rowsFill}; see {@code sf_kafka_batch_state}. */
    public static final int NUM_RECORDS = 0;

    public static final int UNCOMPRESSED_BYTES = 1;
    public static final int BASE_TIMESTAMP = 2;
    public static final int MAX_TIMESTAMP = 3;
    public static final int OFFSET_OF_MAX_TIMESTAMP = 4;
    public static final int WRITE_LIMIT = 5;
    public static final int HEADER_BYTES = 6;
    public static final int COMPRESSED = 7;
    /** {@link Float#floatToRawIntBits}. */
    public static final int COMPRESSION_RATIO = 8;

    public static final int STICKY_BYTES = 9;
    public static final int STICKY_LIMIT = 10;
    public static final int RECORD_LIMIT = 11;
    public static final int MAX_RECORD_BOUND = 12;
    /** Out: bytes written by the call. */
    public static final int WRITTEN = 13;
    /** Out: one of the {@code STOP_} constants. */
    public static final int STOP = 14;

    public static final int STATE_SIZE = 15;

    public static final int STOP_END = 0;
    public static final int STOP_FULL = 1;
    public static final int STOP_ROOM = 2;
    public static final int STOP_SINGLE = 3;

    static {
        NativeEngine.bindKafka(KafkaNative.class);
    }

    private KafkaNative() {}

    /**
     * Rows of a batch as records: encoded values and keys (addresses from {@link NativeEngine#encodedData} and {@link
     * NativeEngine#encodedOffsets}, 0: no keys), headers and timestamps from columns of the batch (-1: none), null values
     * where the row is a deletion if {@code tombstones}. The batch is retained; the encoded bytes must outlive the handle.
     */
    public static native long rowsCreate(
            long pool,
            long batch,
            long valueData,
            long valueOffsets,
            long keyData,
            long keyOffsets,
            int headersColumn,
            int timestampColumn,
            boolean tombstones);

    public static native void rowsRelease(long rows);

    /** Timestamp of records without one of their own. */
    public static native void rowsNow(long rows, long now);

    /**
     * Orders positions {@code from..to} by the partition of their keys, stable, and fills the number of rows per partition.
     * Before the first ordering position and row are the same.
     */
    public static native void rowsPartition(long rows, int from, int to, int[] counts);

    /**
     * Orders positions {@code from..to} by group, stable, and fills the number of rows per group.
     *
     * @param groups of the row at position {@code from} and those that follow; below the length of {@code counts}
     */
    public static native void rowsGroup(long rows, int from, int to, int[] groups, int[] counts);

    /**
     * Appends records from position {@code from} of the order until the batch of {@code state} is full, writing at most
     * {@code room} bytes to {@code out} from {@code at}. Returns the next position; {@code state} is advanced.
     */
    public static native int rowsFill(long rows, int from, int to, long[] state, byte[] out, int at, int room);

    /** Key, value or headers of the record at a position of the order: {@code what} 0, 1 or 2; null when it has none. */
    public static native byte[] rowsBytes(long rows, int position, int what);

    public static native long rowsTimestamp(long rows, int position);

    /**
     * A batch out of columns of others ({@code sf_batch_assemble}).
     *
     * @param batches lent
     * @param rows per batch the rows to take, null for all
     * @param partOf per column of the result the batch that it comes from, -1: all NULL
     * @param columnOf per column of the result the column in that batch
     * @return an owned batch handle
     */
    public static native long assemble(
            long pool, long rowType, int length, long[] batches, int[][] rows, int[] partOf, int[] columnOf);

    /** Rows of the batches one after the other, as one owned batch. */
    public static native long concat(long pool, long[] batches);

    // ---- the last row of each key (sf_kafka_reducer)

    /** @param keyColumns columns of the row type; with {@code maxKeys} keys it is full */
    public static native long reducerCreate(long pool, long rowType, int[] keyColumns, long maxKeys);

    public static native void reducerRelease(long reducer);

    /** Copies rows of the batch from row {@code from} on, up to the end or until it is full; returns the row that follows. */
    public static native int reducerAdd(long reducer, long batch, int from);

    public static native boolean reducerFull(long reducer);

    /** The rows as an owned batch handle, one per key; starts over empty. */
    public static native long reducerTake(long reducer);
}
