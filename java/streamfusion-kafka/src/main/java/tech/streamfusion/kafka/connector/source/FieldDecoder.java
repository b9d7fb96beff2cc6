package tech.streamfusion.kafka.connector.source;

import java.util.List;
import java.util.function.Function;
import javax.annotation.Nullable;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import tech.streamfusion.runtime.NativeEngine;
import tech.streamfusion.runtime.spi.NativeFormat;

/** The native decoder of the key or the value. */
final class FieldDecoder implements AutoCloseable {

    private final long pool;
    private final long rowType;
    private final long decoder;

    FieldDecoder(long pool, NativeFormat format, byte[] formatPlan, byte[] typePlan) {
        this.pool = pool;
        this.rowType = NativeEngine.typeCreate(typePlan);
        try {
            this.decoder = NativeEngine.decoderCreate(format.open(), pool, formatPlan);
        } catch (RuntimeException | Error e) {
            NativeEngine.typeRelease(rowType);
            throw e;
        }
    }

    /** Decodes the keys or values ({@code part}) of records. */
    Decoded decode(
            List<ConsumerRecord<byte[], byte[]>> records,
            Slices slices,
            Function<ConsumerRecord<byte[], byte[]>, byte[]> part) {
        try (NativeRecords bytes = NativeRecords.copy(pool, records, slices, part)) {
            return new Decoded(
                    NativeEngine.decode(decoder, bytes.buffer(), bytes.offsets, bytes.sizes, bytes.sizes.length));
        }
    }

    @Override
    public void close() {
        NativeEngine.decoderClose(decoder);
        NativeEngine.typeRelease(rowType);
    }

    /** Result of one call; {@link #close()} unless it was turned into a batch. */
    final class Decoded implements AutoCloseable {
        private long handle;

        private Decoded(long handle) {
            this.handle = handle;
        }

        boolean hasPunts() {
            return NativeEngine.decodedCount(handle, 1) > 0;
        }

        /** Marks the records that the engine leaves to the host. */
        void markPunts(boolean[] punted) {
            int[] rows = NativeEngine.decodedPuntRows(handle);
            if (rows == null) {
                return;
            }
            int[] records = NativeEngine.decodedRowRecords(handle);
            for (int row : rows) {
                punted[records == null ? row : records[row]] = true;
            }
        }

        int rows() {
            return NativeEngine.decodedCount(handle, 0);
        }

        /** All rows as an owned batch of the given type, which must be this row's but for nullability. */
        long toBatch(long type) {
            return toBatch(type, null);
        }

        /** The rows that were not punted, as an owned batch; {@code records} receives the record of each. */
        long toBatch(@Nullable int[] records) {
            return toBatch(rowType, records);
        }

        private long toBatch(long type, @Nullable int[] records) {
            long decoded = handle;
            handle = 0; // the call frees it, also when it fails
            return NativeEngine.decodedToBatch(decoded, pool, type, records);
        }

        @Override
        public void close() {
            if (handle != 0) {
                NativeEngine.decodedRelease(handle);
                handle = 0;
            }
        }
    }
}
