package tech.streamfusion.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Iterator;
import java.util.Random;
import org.apache.flink.table.types.logical.BigIntType;
import org.apache.flink.table.types.logical.RowType;
import org.apache.flink.types.RowKind;
import org.apache.kafka.clients.producer.internals.BuiltInPartitioner;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.record.MemoryRecords;
import org.apache.kafka.common.record.MemoryRecordsBuilder;
import org.apache.kafka.common.record.Record;
import org.apache.kafka.common.record.RecordBatch;
import org.apache.kafka.common.record.TimestampType;
import org.apache.kafka.common.record.AbstractRecords;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import tech.streamfusion.runtime.NativeEngine;

/** Runs of records against what the client's own builder makes of the same records, byte for byte. */
class RecordRunTest {

    private static final int HEADER = 61;
    private static final long NOW = 1_700_000_000_123L;

    private long live;
    private long pool;

    @BeforeEach
    void open() {
        live = NativeEngine.liveObjects();
        pool = NativeEngine.poolCreate("test", -1, null);
    }

    @AfterEach
    void close() {
        NativeEngine.poolRelease(pool);
        assertThat(NativeEngine.liveObjects()).isEqualTo(live);
    }

    /** Random texts in native memory, in the layout of an encoder's result. */
    private final class Texts implements AutoCloseable {
        final byte[][] items;
        final long buffer;
        final long offsets;

        Texts(Random random, int n, int maxSize) {
            items = new byte[n][];
            ByteBuffer starts = ByteBuffer.allocate(8 * (n + 1)).order(ByteOrder.nativeOrder());
            ByteBuffer all = ByteBuffer.allocate(n * maxSize + 1);
            for (int i = 0; i < n; i++) {
                items[i] = new byte[random.nextInt(maxSize + 1)];
                random.nextBytes(items[i]);
                starts.putLong(all.position());
                all.put(items[i]);
            }
            starts.putLong(all.position());
            buffer = NativeEngine.bufferCreate(pool, all.capacity());
            NativeEngine.copyIn(all.array(), 0, NativeEngine.bufferAddress(buffer), all.position());
            offsets = NativeEngine.bufferCreate(pool, starts.capacity());
            NativeEngine.copyIn(starts.array(), 0, NativeEngine.bufferAddress(offsets), starts.capacity());
        }

        @Override
        public void close() {
            NativeEngine.bufferRelease(buffer);
            NativeEngine.bufferRelease(offsets);
        }
    }

    private long batch(int rows) {
        return batch(rows, 0);
    }

    /** @param everyDeletion every n-th row is a deletion; 0: none */
    private long batch(int rows, int everyDeletion) {
        long type = NativeEngine.typeCreate(new PlanBytes().type(RowType.of(false, new BigIntType())));
        ByteBuffer bytes = ByteBuffer.allocate(rows * 20).order(ByteOrder.nativeOrder());
        for (int i = 0; i < rows; i++) {
            // the row kind is the first byte of a row, in memory order
            boolean deletion = everyDeletion > 0 && i % everyDeletion == 0;
            bytes.putInt(16).put(deletion ? RowKind.DELETE.toByteValue() : 0).put(new byte[7]).putLong(i);
        }
        long buffer = NativeEngine.bufferCreate(pool, bytes.capacity());
        NativeEngine.copyIn(bytes.array(), 0, NativeEngine.bufferAddress(buffer), bytes.capacity());
        long batch =
                NativeEngine.batchFromBinaryRows(
                        pool, type, NativeEngine.bufferAddress(buffer), bytes.capacity(), rows, null);
        NativeEngine.bufferRelease(buffer);
        NativeEngine.typeRelease(type);
        return batch;
    }

    private static long[] emptyState(int limit, Compression compression, float ratio) {
        long[] state = new long[KafkaNative.STATE_SIZE];
        state[KafkaNative.MAX_TIMESTAMP] = RecordBatch.NO_TIMESTAMP;
        state[KafkaNative.OFFSET_OF_MAX_TIMESTAMP] = -1;
        state[KafkaNative.WRITE_LIMIT] = limit;
        state[KafkaNative.HEADER_BYTES] = HEADER;
        state[KafkaNative.COMPRESSED] = compression == Compression.NONE ? 0 : 1;
        state[KafkaNative.COMPRESSION_RATIO] = Float.floatToRawIntBits(ratio);
        state[KafkaNative.RECORD_LIMIT] = Integer.MAX_VALUE;
        return state;
    }

    @Test
    void equalsTheClientsBuilder() {
        Random random = new Random(7);
        for (int round = 0; round < 60; round++) {
            int n = 1 + random.nextInt(300);
            boolean keyed = random.nextBoolean();
            Compression compression = random.nextBoolean() ? Compression.NONE : Compression.gzip().build();
            float ratio = 0.1f + random.nextFloat();
            int limit = HEADER + random.nextInt(40_000);
            long batch = batch(n);
            try (Texts values = new Texts(random, n, 1 + random.nextInt(400));
                    Texts keys = new Texts(random, n, 30)) {
                long rows =
                        KafkaNative.rowsCreate(
                                pool,
                                batch,
                                NativeEngine.bufferAddress(values.buffer),
                                NativeEngine.bufferAddress(values.offsets),
                                keyed ? NativeEngine.bufferAddress(keys.buffer) : 0,
                                keyed ? NativeEngine.bufferAddress(keys.offsets) : 0,
                                -1,
                                -1,
                                false);
                KafkaNative.rowsNow(rows, NOW);
                compare(rows, n, values.items, keyed ? keys.items : new byte[n][], limit, compression, ratio);
                KafkaNative.rowsRelease(rows);
            } finally {
                NativeEngine.batchRelease(batch);
            }
        }
    }

    private static void compare(
            long rows, int n, byte[][] values, byte[][] keys, int limit, Compression compression, float ratio) {
        ByteBuffer buffer = ByteBuffer.allocate(limit);
        MemoryRecordsBuilder builder =
                MemoryRecords.builder(
                        buffer, RecordBatch.CURRENT_MAGIC_VALUE, compression, TimestampType.CREATE_TIME, 0L);
        builder.setEstimatedCompressionRatio(ratio);
        int fitting = 0;
        while (fitting < n && builder.hasRoomFor(NOW, keys[fitting], values[fitting], Record.EMPTY_HEADERS)) {
            builder.append(NOW, keys[fitting], values[fitting]);
            fitting++;
        }
        long[] state = emptyState(limit, compression, ratio);
        byte[] out = new byte[1 << 20];
        int next = KafkaNative.rowsFill(rows, 0, n, state, out, 5, out.length - 5);
        assertThat(next).isEqualTo(fitting);
        assertThat(state[KafkaNative.STOP]).isEqualTo(fitting == n ? KafkaNative.STOP_END : KafkaNative.STOP_FULL);
        assertThat((int) state[KafkaNative.UNCOMPRESSED_BYTES] + HEADER).isEqualTo(builder.uncompressedBytesWritten());
        assertThat(state[KafkaNative.NUM_RECORDS]).isEqualTo(builder.numRecords());
        int bound = 0;
        for (int i = 0; i < fitting; i++) {
            bound =
                    Math.max(
                            bound,
                            AbstractRecords.estimateSizeInBytesUpperBound(
                                    RecordBatch.CURRENT_MAGIC_VALUE,
                                    compression.type(),
                                    keys[i],
                                    values[i],
                                    Record.EMPTY_HEADERS));
        }
        assertThat(state[KafkaNative.MAX_RECORD_BOUND]).isEqualTo(bound);
        MemoryRecords records = builder.build();
        if (compression == Compression.NONE) {
            ByteBuffer body = records.buffer().duplicate();
            body.position(body.position() + HEADER);
            assertThat(ByteBuffer.wrap(out, 5, (int) state[KafkaNative.WRITTEN])).isEqualTo(body);
        }
        Iterator<Record> decoded = records.records().iterator();
        assertThat(decoded.hasNext()).isEqualTo(fitting > 0);
    }

    @Test
    void partitionsLikeTheClient() {
        Random random = new Random(3);
        int n = 500;
        long batch = batch(n);
        try (Texts keys = new Texts(random, n, 40);
                Texts values = new Texts(random, n, 10)) {
            long rows =
                    KafkaNative.rowsCreate(
                            pool,
                            batch,
                            NativeEngine.bufferAddress(values.buffer),
                            NativeEngine.bufferAddress(values.offsets),
                            NativeEngine.bufferAddress(keys.buffer),
                            NativeEngine.bufferAddress(keys.offsets),
                            -1,
                            -1,
                            false);
            int[] counts = new int[7];
            KafkaNative.rowsPartition(rows, 100, n, counts);
            int position = 100;
            for (int partition = 0; partition < counts.length; partition++) {
                for (int i = 0; i < counts[partition]; i++) {
                    byte[] key = KafkaNative.rowsBytes(rows, position++, 0);
                    assertThat(BuiltInPartitioner.partitionForKey(key, counts.length)).isEqualTo(partition);
                }
            }
            assertThat(position).isEqualTo(n);
            KafkaNative.rowsRelease(rows);
        } finally {
            NativeEngine.batchRelease(batch);
        }
    }

    @Test
    void makesTombstonesOfDeletions() {
        int n = 10;
        long batch = batch(n, 3);
        try (Texts texts = new Texts(new Random(1), n, 10)) {
            long rows =
                    KafkaNative.rowsCreate(
                            pool,
                            batch,
                            NativeEngine.bufferAddress(texts.buffer),
                            NativeEngine.bufferAddress(texts.offsets),
                            NativeEngine.bufferAddress(texts.buffer),
                            NativeEngine.bufferAddress(texts.offsets),
                            -1,
                            -1,
                            true);
            for (int i = 0; i < n; i++) {
                assertThat(KafkaNative.rowsBytes(rows, i, 0)).isEqualTo(texts.items[i]);
                assertThat(KafkaNative.rowsBytes(rows, i, 1)).isEqualTo(i % 3 == 0 ? null : texts.items[i]);
            }
            KafkaNative.rowsRelease(rows);
        } finally {
            NativeEngine.batchRelease(batch);
        }
    }
}
