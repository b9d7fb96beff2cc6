package tech.streamfusion.runtime;

/**
 * The JNI surface of the engine: operator-neutral, handles and byte ranges only. Every method throws the Java exception
 * that the engine's status stands for (see {@code jni/jni_error.c}). Handles are addresses of native objects; passing a
 * stale one is a bug of the caller.
 */
public final class NativeEngine {

    static {
        NativeLibrary.load();
    }

    private NativeEngine() {}

    // ---- library ----

    /** Build identity: version, Flink line, compiler, instruction set in use. */
    public static native String buildInfo();

    /** Live native objects of the process; tests assert that it returns to its starting value. */
    public static native long liveObjects();

    /**
     * Binds the native methods of {@code tech.streamfusion.kafka.KafkaNative}, which may live in another class loader than
     * the library.
     */
    public static native void bindKafka(Class<?> kafkaNative);

    // ---- memory pools ----

    /**
     * @param limitBytes negative: unlimited
     * @param reservation may be null; asked before the pool grows
     */
    public static native long poolCreate(String name, long limitBytes, MemoryReservation reservation);

    public static native void poolRelease(long pool);

    public static native long poolUsed(long pool);

    // ---- batches ----

    public static native void batchRetain(long batch);

    public static native void batchRelease(long batch);

    public static native int batchRowCount(long batch);

    /**
     * Addresses of a batch's buffers for {@code ColumnarRow}: depth-first over all columns, six longs each: type kind |
     * layout << 8 | const << 16, validity, values, aux, length, number of children. Returns the number of longs that the
     * description needs; fills {@code out} when it is large enough.
     */
    public static native int batchDescribe(long batch, long[] out);

    /** Address of the row kinds (a byte a row) or 0. */
    public static native long batchRowKinds(long batch);

    /** Marks as pairs (row, watermark) or null when there are none. */
    public static native long[] batchMarks(long batch);

    /**
     * Rows of a byte range in the edge format of {@code sf_batch_builder_binary_rows}, as a batch.
     *
     * @param marks watermarks behind the rows, ascending, or null
     */
    public static native long batchFromBinaryRows(
            long pool, long rowType, long address, long size, int rows, long[] marks);

    /**
     * A batch of columns that Java has filled. {@code description} holds five longs a column, depth-first over the row
     * type: validity buffer or 0, number of NULLs, values buffer, aux buffer or 0, buffer with the bytes of views or 0.
     * Views come as (offset into their bytes, size). All buffers are taken over, also on failure.
     *
     * @param rowKinds a buffer with a byte a row, taken over, or 0 for insertions only
     */
    public static native long batchFromBuffers(long rowType, int rows, long[] description, long rowKinds);

    /** The same for a single column; returns an owned {@code sf_column}, what {@link HostKernels#call} returns. */
    public static native long columnFromBuffers(long type, int rows, long[] description);

    // ---- records that cross the network (sf_record) ----

    /** Bytes of {@link #batchWriteRecord} for the whole batch. */
    public static native long batchRecordSize(long batch);

    /** Rows {@code from..from + rows} as a record; {@code withMarks}: with the marks before, between and behind them. */
    public static native byte[] batchWriteRecord(long batch, int from, int rows, boolean withMarks);

    /** The owned batch of a record; throws {@code IOException} when it is damaged or of another version or type. */
    public static native long batchReadRecord(long pool, long rowType, byte[] record);

    /** Joins the first {@code n} batches of one type, borrowed; the result is owned. */
    public static native long batchConcat(long pool, long[] batches, int n);

    // ---- hash exchanges (sf_scatter) ----

    /**
     * Gathers rows by channel, as {@code KeyGroupStreamPartitioner} chooses it for the key of these fields.
     *
     * @param recordRows rows that make a record
     * @param recordBytes bytes that make a record, about
     */
    public static native long scatterCreate(
            long pool,
            long rowType,
            int[] keyFields,
            int channels,
            int maxParallelism,
            int recordRows,
            int recordBytes);

    /** Adds rows {@code from..from + rows} of a borrowed batch, whose marks are ignored. */
    public static native void scatterAdd(long scatter, long batch, int from, int rows);

    /**
     * The next record that is whole, or with {@code all} any; null when there is none.
     *
     * @param target receives the record's channel and its number of rows
     */
    public static native byte[] scatterNext(long scatter, boolean all, int[] target);

    public static native void scatterClose(long scatter);

    /** The rows of a borrowed batch that a hash exchange sends to {@code subtask}; owned, maybe without rows. */
    public static native long batchSelect(
            long pool, long batch, int[] keyFields, int channels, int maxParallelism, int subtask);

    // ---- rows as bytes ----

    /** Writes the rows of batches as Flink's {@code BinaryRowData}. */
    public static native long rowWriterCreate(long pool, long rowType);

    /**
     * The bytes of rows {@code from}, {@code from + 1}, ... back to back, as many as make a chunk of moderate size and fit
     * {@code ends}, which receives where each ends. The result ends with the last of them.
     */
    public static native byte[] rowWriterWrite(long writer, long batch, int from, int[] ends);

    public static native void rowWriterClose(long writer);

    // ---- types and sessions ----

    /** Decodes a serialized {@code streamfusion.plan.Type}; returns an owned {@code sf_type}. */
    public static native long typeCreate(byte[] plan);

    public static native void typeRelease(long type);

    // ---- operators ----

    /** @param hostKernels may be null when the plan has no host calls */
    public static native long operatorCreate(long pool, byte[] plan, HostKernels hostKernels);

    /** Input and output row type of a serialized {@code streamfusion.plan.Operator}, as two owned {@code sf_type}. */
    public static native long[] operatorTypes(byte[] plan);

    /** Processes a borrowed batch; returns an owned output batch or 0. Further outputs: {@link #operatorPoll}. */
    public static native long operatorProcess(long operator, int input, long batch);

    /** Next pending output batch (owned) or 0. */
    public static native long operatorPoll(long operator);

    public static native long operatorWatermark(long operator, long watermark);

    public static native long operatorTimer(long operator, long millis);

    public static native long operatorBeforeBarrier(long operator);

    public static native long operatorFinish(long operator);

    public static native void operatorClose(long operator);

    // ---- keyed state (sf_state) ----

    /** Makes the keyed state of an operator that has one, empty; once, before anything is processed. */
    public static native void operatorOpenState(long operator, int firstKeyGroup, int keyGroups, int maxParallelism);

    /**
     * Adds entries of one state: size, key, size, value, back to back, big endian, as in a canonical savepoint.
     *
     * @param state number of the state, in the order that the operator documents
     * @param size of the entries in the array
     */
    public static native void stateRestore(long operator, int state, byte[] entries, int size);

    /**
     * Keeps the state in Flink's RocksDB from here on; once, before anything is processed. All handles are {@code
     * RocksObject.getNativeHandle()} and must outlive the operator.
     *
     * @param handles database, read options, write options, and the column family of each state in the order of their numbers
     * @param cacheBytes what entries in native memory may take
     */
    public static native void stateUseRocksDb(long operator, long pool, long[] handles, long cacheBytes);

    /** Writes what has changed in native memory to RocksDB, if the state is there. */
    public static native void stateFlush(long operator);

    /** How many numbers {@link #operatorCounts} gives. */
    public static final int COUNTS = 10;

    /**
     * What an operator has and has done so far: 0 bytes of its pool; 1 keys and 2 map entries in native memory; of the memory in
     * front of RocksDB, 3 bytes, 4 keys found in it, 5 entries read, 6 entries written, 7 flushes; of the present bundle, 8 rows
     * (-1: the operator has no bundles) and 9 keys.
     *
     * @param out of at least {@link #COUNTS} elements
     */
    public static native void operatorCounts(long operator, long pool, long[] out);

    /** A view of the state at this moment, owned; the only handle here that another thread may read and release. */
    public static native long stateSnapshot(long operator);

    /**
     * The next entries, ordered by key group and state, or null: short key group, short state, size, key, size, value, back
     * to back, big endian.
     */
    public static native byte[] snapshotRead(long snapshot);

    public static native void snapshotRelease(long snapshot);

    // ---- single expressions (watermarks of sources) ----

    public static native long exprCreate(long pool, byte[] session, long inputType, byte[] plan, HostKernels hostKernels);

    /** Largest non-NULL value of the expression over the batch, or {@code Long.MIN_VALUE} when all are NULL. */
    public static native long exprMax(long expr, long batch);

    public static native void exprClose(long expr);

    /** Whether the engine computes this serialized Call exactly. */
    public static native boolean exprSupports(byte[] plan);

    /** Entry i of the function registry as {name, signature}, or null past the end. */
    public static native String[] exprFunction(int i);

    // ---- formats ----

    /** Opens a format library (absolute path); returns its handle for the calls below. Never unloaded. */
    public static native long formatOpen(String path);

    /** @param plan a serialized {@code streamfusion.plan.Format} */
    public static native long decoderCreate(long format, long pool, byte[] plan);

    /**
     * Decodes records. {@code offsets[i], sizes[i]} locate record i in the native bytes at {@code buffer} (an {@code
     * sf_buffer} from {@link #bufferCreate}); size -1 is a NULL value. Returns an owned {@link DecodeResult} handle.
     */
    public static native long decode(long decoder, long buffer, int[] offsets, int[] sizes, int n);

    /** Rows of the result, or for {@code what}: 0 rows, 1 punts. */
    public static native int decodedCount(long decoded, int what);

    /** Record indices of the punted rows (ascending), null when none; and the record of each row when not 1:1. */
    public static native int[] decodedPuntRows(long decoded);

    public static native int[] decodedRowRecords(long decoded);

    /**
     * The rows of the result that were not punted, as an owned batch; frees the result, also on failure. {@code
     * keptRecords}, when not null, receives the record index of each row.
     */
    public static native long decodedToBatch(long decoded, long pool, long rowType, int[] keptRecords);

    public static native void decodedRelease(long decoded);

    public static native void decoderClose(long decoder);

    public static native long encoderCreate(long format, long pool, byte[] plan);

    /** Encodes all rows of the batch, restricted to {@code columns} when not null; returns an owned handle. */
    public static native long encode(long encoder, long batch, int[] columns);

    /** Address of the encoded bytes. */
    public static native long encodedData(long encoded);

    /** Address of the n+1 int64 offsets. */
    public static native long encodedOffsets(long encoded);

    public static native int[] encodedPuntRows(long encoded);

    public static native void encodedRelease(long encoded);

    public static native void encoderClose(long encoder);

    // ---- raw native memory ----

    /** Owned {@code sf_buffer} of this size. */
    public static native long bufferCreate(long pool, long size);

    public static native long bufferAddress(long buffer);

    /** Copies {@code array[from, from+length)} to {@code address}, in bulk. */
    public static native void copyIn(byte[] array, int from, long address, int length);

    public static native void copyOut(long address, byte[] array, int from, int length);

    public static native void bufferRelease(long buffer);
}
