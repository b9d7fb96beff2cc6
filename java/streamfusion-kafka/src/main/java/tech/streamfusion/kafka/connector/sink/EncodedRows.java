package tech.streamfusion.kafka.connector.sink;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import javax.annotation.Nullable;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.internals.RecordHeader;
import org.apache.kafka.common.utils.ByteUtils;
import tech.streamfusion.kafka.KafkaNative;
import tech.streamfusion.runtime.NativeBatch;

/** The rows of one batch as native records, and the order in which they go out. */
final class EncodedRows implements AutoCloseable {

    private static final int KEY = 0;
    private static final int VALUE = 1;
    private static final int HEADERS = 2;

    private final SinkPlan plan;
    private final FieldEncoder.Encoded values;
    @Nullable private final FieldEncoder.Encoded keys;
    private long handle;

    /** Takes over the encoded bytes, also when it fails. */
    EncodedRows(
            SinkPlan plan,
            long pool,
            NativeBatch batch,
            FieldEncoder.Encoded values,
            @Nullable FieldEncoder.Encoded keys) {
        this.plan = plan;
        this.values = values;
        this.keys = keys;
        try {
            this.handle =
                    KafkaNative.rowsCreate(
                            pool,
                            batch.handle(),
                            values.data(),
                            values.offsets(),
                            keys == null ? 0 : keys.data(),
                            keys == null ? 0 : keys.offsets(),
                            plan.headersColumn,
                            plan.timestampColumn,
                            plan.upsert);
        } catch (RuntimeException | Error e) {
            close();
            throw e;
        }
    }

    boolean hasKeys() {
        return keys != null;
    }

    void setNow(long millis) {
        KafkaNative.rowsNow(handle, millis);
    }

    /** Orders positions {@code from..to} by partition. Returns the rows per partition. */
    int[] partition(int from, int to, int partitions) {
        int[] counts = new int[partitions];
        KafkaNative.rowsPartition(handle, from, to, counts);
        return counts;
    }

    /** Orders positions {@code from..to} by the groups of their rows. Returns the rows per group. */
    int[] group(int from, int to, int[] groups, int count) {
        int[] counts = new int[count];
        KafkaNative.rowsGroup(handle, from, to, groups, counts);
        return counts;
    }

    /** See {@link KafkaNative#rowsFill}. */
    int fill(int from, int to, long[] state, byte[] out, int at, int room) {
        return KafkaNative.rowsFill(handle, from, to, state, out, at, room);
    }

    /** The record at a position, for the client's own {@code send}. */
    ProducerRecord<byte[], byte[]> record(String topic, @Nullable Integer partition, int position) {
        return new ProducerRecord<>(
                topic,
                partition,
                plan.timestampColumn < 0 ? null : (Long) KafkaNative.rowsTimestamp(handle, position),
                KafkaNative.rowsBytes(handle, position, KEY),
                KafkaNative.rowsBytes(handle, position, VALUE),
                headers(KafkaNative.rowsBytes(handle, position, HEADERS)));
    }

    @Nullable
    private static List<Header> headers(@Nullable byte[] encoded) {
        if (encoded == null) {
            return null;
        }
        ByteBuffer bytes = ByteBuffer.wrap(encoded);
        int count = ByteUtils.readVarint(bytes);
        List<Header> headers = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            String key = new String(next(bytes), java.nio.charset.StandardCharsets.UTF_8);
            headers.add(new RecordHeader(key, next(bytes)));
        }
        return headers;
    }

    private static byte[] next(ByteBuffer bytes) {
        byte[] item = new byte[ByteUtils.readVarint(bytes)];
        bytes.get(item);
        return item;
    }

    @Override
    public void close() {
        if (handle != 0) {
            KafkaNative.rowsRelease(handle);
            handle = 0;
        }
        values.close();
        if (keys != null) {
            keys.close();
        }
    }
}
