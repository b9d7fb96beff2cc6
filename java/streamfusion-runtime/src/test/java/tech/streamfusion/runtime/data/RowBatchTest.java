package tech.streamfusion.runtime.data;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.apache.flink.core.memory.MemorySegment;
import org.apache.flink.core.memory.MemorySegmentFactory;
import org.apache.flink.table.data.ArrayData;
import org.apache.flink.table.data.GenericArrayData;
import org.apache.flink.table.data.GenericRowData;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.StringData;
import org.apache.flink.table.data.binary.BinaryRowData;
import org.apache.flink.table.data.binary.BinarySegmentUtils;
import org.apache.flink.table.runtime.typeutils.RowDataSerializer;
import org.apache.flink.table.types.logical.ArrayType;
import org.apache.flink.table.types.logical.IntType;
import org.apache.flink.table.types.logical.NullType;
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

/** Rows into batches and back, by both readers. */
@ExtendWith(LeakCheck.class)
class RowBatchTest {

    private long pool;

    @BeforeEach
    void open() {
        pool = NativeEngine.poolCreate("test", -1, null);
    }

    @AfterEach
    void close() {
        assertThat(NativeEngine.poolUsed(pool)).isZero();
        NativeEngine.poolRelease(pool);
    }

    @Test
    void everyTypeSurvivesInBothDirections() {
        List<RowData> rows = randomRows(RandomRows.ALL_TYPES, 700, 7);
        assertThat(viewed(RandomRows.ALL_TYPES, rows)).isEqualTo(serialized(RandomRows.ALL_TYPES, rows));
        assertThat(emitted(RandomRows.ALL_TYPES, rows)).isEqualTo(serialized(RandomRows.ALL_TYPES, rows));
    }

    @Test
    void rowsOfFlinkBinaryFormAreReadToo() {
        RowDataSerializer serializer = new RowDataSerializer(RandomRows.ALL_TYPES);
        List<RowData> rows = new ArrayList<>();
        for (RowData row : randomRows(RandomRows.ALL_TYPES, 300, 11)) {
            rows.add(serializer.toBinaryRow(row).copy());
        }
        assertThat(viewed(RandomRows.ALL_TYPES, rows)).isEqualTo(serialized(RandomRows.ALL_TYPES, rows));
        assertThat(emitted(RandomRows.ALL_TYPES, rows)).isEqualTo(serialized(RandomRows.ALL_TYPES, rows));
    }

    @Test
    void rowsOfBothKindsMayMix() {
        RowDataSerializer serializer = new RowDataSerializer(RandomRows.ALL_TYPES);
        for (int first = 0; first < 2; first++) {
            List<RowData> rows = new ArrayList<>();
            for (RowData row : randomRows(RandomRows.ALL_TYPES, 100, 13)) {
                rows.add(rows.size() % 2 == first ? serializer.toBinaryRow(row).copy() : row);
            }
            assertThat(viewed(RandomRows.ALL_TYPES, rows)).isEqualTo(serialized(RandomRows.ALL_TYPES, rows));
        }
    }

    @Test
    void aBinaryRowOverSeveralSegmentsIsReadToo() {
        RowType type = RowType.of(VarCharType.STRING_TYPE, new IntType());
        BinaryRowData whole =
                new RowDataSerializer(type)
                        .toBinaryRow(GenericRowData.of(StringData.fromString("a string that is split"), 7))
                        .copy();
        byte[] bytes = BinarySegmentUtils.copyToBytes(whole.getSegments(), whole.getOffset(), whole.getSizeInBytes());
        MemorySegment[] segments = {
            MemorySegmentFactory.wrap(Arrays.copyOfRange(bytes, 0, 32)),
            MemorySegmentFactory.wrap(Arrays.copyOfRange(bytes, 32, 64))
        };
        BinaryRowData split = new BinaryRowData(2);
        split.pointTo(segments, 0, bytes.length);
        assertThat(viewed(type, List.of(split))).containsExactly(whole);
    }

    @Test
    void aWriterIsReusedFromBatchToBatch() {
        RowType type = RowType.of(new IntType(), VarCharType.STRING_TYPE);
        long handle = NativeEngine.typeCreate(PlanBytes.type(type));
        try (BatchWriter writer = new BatchWriter(type, handle, pool, 16)) {
            BatchReader reader = new BatchReader(2);
            for (int round = 0; round < 5; round++) {
                for (int i = 0; i < 10 + round * 100; i++) {
                    writer.write(GenericRowData.of(i, i % 3 == round % 3 ? null : StringData.fromString("x" + i)));
                }
                NativeBatch batch = writer.finish();
                assertThat(writer.isEmpty()).isTrue();
                assertThat(batch.rowCount()).isEqualTo(10 + round * 100);
                reader.bind(batch);
                for (int i = 0; i < batch.rowCount(); i++) {
                    RowData row = reader.row(i);
                    assertThat(row.getInt(0)).isEqualTo(i);
                    assertThat(row.isNullAt(1)).isEqualTo(i % 3 == round % 3);
                    assertThat(row.getRowKind()).isEqualTo(RowKind.INSERT);
                }
                reader.unbind();
                batch.release();
            }
        } finally {
            NativeEngine.typeRelease(handle);
        }
    }

    @Test
    void aWriterWithUnfinishedRowsFreesThem() {
        long handle = NativeEngine.typeCreate(PlanBytes.type(RandomRows.ALL_TYPES));
        try (BatchWriter writer = new BatchWriter(RandomRows.ALL_TYPES, handle, pool, 16)) {
            randomRows(RandomRows.ALL_TYPES, 50, 3).forEach(writer::write);
        }
        NativeEngine.typeRelease(handle);
    }

    @Test
    void anEmptyBatchIsABatch() {
        assertThat(viewed(RandomRows.ALL_TYPES, List.of())).isEmpty();
        assertThat(emitted(RandomRows.ALL_TYPES, List.of())).isEmpty();
    }

    @Test
    void theNullTypeIsAllNull() {
        RowType type = RowType.of(new NullType(), new IntType());
        long handle = NativeEngine.typeCreate(PlanBytes.type(type));
        NativeBatch batch = batch(type, handle, List.of(GenericRowData.of(null, 1), GenericRowData.of(null, 2)));
        BatchReader reader = new BatchReader(2);
        reader.bind(batch);
        assertThat(reader.row(1).isNullAt(0)).isTrue();
        assertThat(reader.row(1).getInt(1)).isEqualTo(2);
        batch.release();
        NativeEngine.typeRelease(handle);
    }

    @Test
    void aBatchIsFullAtItsRowsOrItsBytes() {
        RowType type = RowType.of(VarCharType.STRING_TYPE);
        long handle = NativeEngine.typeCreate(PlanBytes.type(type));
        try (BatchWriter writer = new BatchWriter(type, handle, pool, 1000)) {
            GenericRowData large = GenericRowData.of(StringData.fromString("x".repeat(1 << 20)));
            int rows = 0;
            while (!writer.isFull()) {
                writer.write(large);
                rows++;
            }
            assertThat(rows).isLessThan(100);
        } finally {
            NativeEngine.typeRelease(handle);
        }
    }

    @Test
    void nestedViewsRefuseToOutliveTheirBatch() {
        RowType type = RowType.of(new ArrayType(new IntType()));
        long handle = NativeEngine.typeCreate(PlanBytes.type(type));
        try (BatchWriter writer = new BatchWriter(type, handle, pool, 4)) {
            writer.write(GenericRowData.of(new GenericArrayData(new int[] {1, 2})));
            writer.write(GenericRowData.of(new GenericArrayData(new Integer[] {1, null})));
            NativeBatch batch = writer.finish();
            BatchReader reader = new BatchReader(1);
            reader.bind(batch);
            ArrayData withNull = reader.row(1).getArray(0);
            assertThatThrownBy(withNull::toIntArray).hasMessageContaining("must not contain a null value");
            ArrayData array = reader.row(0).getArray(0);
            assertThat(array.toIntArray()).containsExactly(1, 2);
            reader.unbind();
            batch.release();
            assertThatThrownBy(() -> array.getInt(0)).isInstanceOf(IllegalStateException.class);
        } finally {
            NativeEngine.typeRelease(handle);
        }
    }

    private static List<RowData> randomRows(RowType type, int n, long seed) {
        RandomRows random = new RandomRows(seed);
        List<RowData> rows = new ArrayList<>();
        for (int i = 0; i < n; i++) {
            rows.add(random.row(type));
        }
        return rows;
    }

    private static List<BinaryRowData> serialized(RowType type, List<RowData> rows) {
        RowDataSerializer serializer = new RowDataSerializer(type);
        List<BinaryRowData> result = new ArrayList<>();
        rows.forEach(row -> result.add(serializer.toBinaryRow(row).copy()));
        return result;
    }

    private NativeBatch batch(RowType type, long handle, List<RowData> rows) {
        try (BatchWriter writer = new BatchWriter(type, handle, pool, 4096)) {
            rows.forEach(writer::write);
            return writer.finish();
        }
    }

    /** Through {@link BatchReader}. */
    private List<BinaryRowData> viewed(RowType type, List<RowData> rows) {
        long handle = NativeEngine.typeCreate(PlanBytes.type(type));
        NativeBatch batch = batch(type, handle, rows);
        BatchReader reader = new BatchReader(type.getFieldCount());
        reader.bind(batch);
        List<RowData> views = new ArrayList<>();
        RowDataSerializer serializer = new RowDataSerializer(type);
        for (int i = 0; i < batch.rowCount(); i++) {
            views.add(serializer.copy(reader.row(i)));
        }
        List<BinaryRowData> result = serialized(type, views);
        reader.unbind();
        batch.release();
        NativeEngine.typeRelease(handle);
        return result;
    }

    /** Through {@link RowEmitter}, byte for byte. */
    private List<BinaryRowData> emitted(RowType type, List<RowData> rows) {
        long handle = NativeEngine.typeCreate(PlanBytes.type(type));
        NativeBatch batch = batch(type, handle, rows);
        List<BinaryRowData> result = new ArrayList<>();
        try (RowEmitter emitter = new RowEmitter(pool, handle, type.getFieldCount())) {
            emitter.emit(batch, row -> result.add((BinaryRowData) row), mark -> {});
        }
        batch.release();
        NativeEngine.typeRelease(handle);
        return result;
    }
}
