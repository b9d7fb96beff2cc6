package tech.streamfusion.kafka.connector.sink;

import javax.annotation.Nullable;
import tech.streamfusion.kafka.TableFormats;
import tech.streamfusion.runtime.NativeEngine;

/** The native encoder of the key or the value. */
final class FieldEncoder implements AutoCloseable {

    private final long encoder;
    private final int[] columns;

    FieldEncoder(long pool, SinkPlan.FormatPlan plan, ClassLoader loader) {
        this.encoder = NativeEngine.encoderCreate(TableFormats.get(plan.identifier, loader).open(), pool, plan.plan);
        this.columns = plan.columns;
    }

    Encoded encode(long batch) {
        return new Encoded(NativeEngine.encode(encoder, batch, columns));
    }

    @Override
    public void close() {
        NativeEngine.encoderClose(encoder);
    }

    /** The text of all rows of a batch. */
    static final class Encoded implements AutoCloseable {
        private final long handle;

        private Encoded(long handle) {
            this.handle = handle;
        }

        long data() {
            return NativeEngine.encodedData(handle);
        }

        long offsets() {
            return NativeEngine.encodedOffsets(handle);
        }

        /** Ascending rows that are left to the host's serializer; null: none. */
        @Nullable
        int[] puntRows() {
            return NativeEngine.encodedPuntRows(handle);
        }

        @Override
        public void close() {
            NativeEngine.encodedRelease(handle);
        }
    }
}
