package tech.streamfusion.runtime.operators;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.EOFException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.api.common.typeutils.TypeSerializerSnapshot;
import org.apache.flink.core.memory.DataInputDeserializer;
import org.apache.flink.core.memory.DataOutputSerializer;
import org.apache.flink.table.data.GenericRowData;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.StringData;
import org.apache.flink.table.types.logical.BigIntType;
import org.apache.flink.table.types.logical.RowType;
import org.apache.flink.table.types.logical.VarCharType;
import org.apache.flink.types.RowKind;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import tech.streamfusion.runtime.LeakCheck;
import tech.streamfusion.runtime.NativeBatch;
import tech.streamfusion.runtime.NativeEngine;
import tech.streamfusion.runtime.PlanBytes;
import tech.streamfusion.runtime.data.BatchReader;
import tech.streamfusion.runtime.data.BatchWriter;

/** Batches as records: through the serializer, in pieces at the edge of a task, and damaged. */
@ExtendWith(LeakCheck.class)
class BatchRecordTest {

    private static final RowType TYPE = RowType.of(new BigIntType(), VarCharType.STRING_TYPE);
    private static final TypeSerializer<NativeBatch> SERIALIZER = NativeBatchSerializer.INSTANCE;

    private long pool;
    private long type;

    @BeforeEach
    void open() {
        pool = NativeEngine.poolCreate("test", -1, null);
        type = NativeEngine.typeCreate(PlanBytes.type(TYPE));
    }

    @AfterEach
    void close() {
        NativeEngine.typeRelease(type);
        NativeEngine.poolRelease(pool);
    }

    private NativeBatch batch(int rows, int textSize) {
        char[] text = new char[textSize];
        Arrays.fill(text, 'x');
        try (BatchWriter writer = new BatchWriter(TYPE, type, pool, rows + 1)) {
            for (long i = 0; i < rows; i++) {
                StringData value = i % 5 == 4 ? null : StringData.fromString(i + new String(text));
                writer.write(GenericRowData.ofKind(RowKind.fromByteValue((byte) (i % 4)), i, value));
            }
            return writer.finish();
        }
    }

    private static List<String> rows(NativeBatch batch) {
        List<String> rows = new ArrayList<>();
        BatchReader reader = new BatchReader(TYPE.getFieldCount());
        reader.bind(batch);
        for (int i = 0; i < batch.rowCount(); i++) {
            RowData row = reader.row(i);
            rows.add(row.getRowKind().shortString() + row.getLong(0) + (row.isNullAt(1) ? " NULL" : " " + row.getString(1)));
        }
        reader.unbind();
        return rows;
    }

    private byte[] serialized(NativeBatch batch) throws IOException {
        DataOutputSerializer out = new DataOutputSerializer(16);
        SERIALIZER.serialize(batch, out);
        return out.getCopyOfBuffer();
    }

    private static NativeBatch deserialized(byte[] bytes) throws IOException {
        return SERIALIZER.deserialize(new DataInputDeserializer(bytes));
    }

    @Test
    void batchesTravelThroughTheSerializer() throws Exception {
        NativeBatch batch = batch(1000, 3);
        final List<String> expected = rows(batch);
        byte[] bytes = serialized(batch);
        batch.release();
        NativeBatch record = deserialized(bytes);
        assertThat(record.isRecord()).isTrue();
        assertThat(record.rowCount()).isEqualTo(1000);
        assertThat(serialized(record)).as("records can be sent on").isEqualTo(bytes);
        DataOutputSerializer copy = new DataOutputSerializer(16);
        SERIALIZER.copy(new DataInputDeserializer(bytes), copy);
        assertThat(copy.getCopyOfBuffer()).isEqualTo(bytes);
        NativeBatch resident = record.resident(pool, type);
        assertThat(rows(resident)).isEqualTo(expected);
        resident.release();
    }

    @Test
    void largeRecordsTravelToo() throws Exception {
        NativeBatch batch = batch(3000, 3000);
        byte[] bytes = serialized(batch);
        NativeBatch resident = deserialized(bytes).resident(pool, type);
        assertThat(rows(resident)).isEqualTo(rows(batch));
        resident.release();
        batch.release();
    }

    @Test
    void copiesAreTheSameObject() {
        NativeBatch batch = batch(1, 0);
        assertThat(SERIALIZER.copy(batch)).isSameAs(batch);
        NativeBatch resident = batch.resident(pool, type);
        assertThat(resident).isSameAs(batch);
        resident.release();
        batch.release();
    }

    @Test
    void aRecordOwnsNothingNative() throws Exception {
        NativeBatch batch = batch(10, 3);
        NativeBatch record = deserialized(serialized(batch));
        batch.release();
        assertThatThrownBy(record::handle).isInstanceOf(IllegalStateException.class).hasMessageContaining("between tasks");
    }

    @Test
    void marksDoNotTravelUnseen() {
        NativeBatch batch = new NativeBatch(NativeEngine.batchFromBinaryRows(pool, type, 0, 0, 0, new long[] {5}));
        assertThatThrownBy(() -> serialized(batch)).isInstanceOf(IllegalStateException.class).hasMessageContaining("Watermarks");
        batch.release();
    }

    @Test
    void damagedRecordsAreErrors() throws Exception {
        NativeBatch batch = batch(10, 3);
        byte[] bytes = serialized(batch);
        batch.release();
        byte[] shortened = Arrays.copyOf(bytes, bytes.length - 1);
        assertThatThrownBy(() -> deserialized(shortened)).isInstanceOf(EOFException.class);
        byte[] negative = bytes.clone();
        negative[4] = -1;
        assertThatThrownBy(() -> deserialized(negative)).isInstanceOf(IOException.class).hasMessageContaining("damaged");
        byte[] endless = bytes.clone();
        endless[4] = 127;
        assertThatThrownBy(() -> deserialized(endless)).isInstanceOf(EOFException.class);
        byte[] newer = bytes.clone();
        newer[8]++;
        assertThatThrownBy(() -> deserialized(newer).resident(pool, type))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("format version 2");
        byte[] otherLayout = bytes.clone();
        otherLayout[8 + 24 + 16]++; // behind the header and ten row kinds: the first column
        assertThatThrownBy(() -> deserialized(otherLayout).resident(pool, type))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("BIGINT is expected");
    }

    @Test
    void theSnapshotRestoresTheSerializer() throws Exception {
        DataOutputSerializer out = new DataOutputSerializer(64);
        TypeSerializerSnapshot.writeVersionedSnapshot(out, SERIALIZER.snapshotConfiguration());
        TypeSerializerSnapshot<NativeBatch> snapshot =
                TypeSerializerSnapshot.readVersionedSnapshot(
                        new DataInputDeserializer(out.getCopyOfBuffer()), getClass().getClassLoader());
        assertThat(snapshot.restoreSerializer()).isEqualTo(SERIALIZER);
        assertThat(SERIALIZER.snapshotConfiguration().resolveSchemaCompatibility(snapshot).isCompatibleAsIs()).isTrue();
    }
}
