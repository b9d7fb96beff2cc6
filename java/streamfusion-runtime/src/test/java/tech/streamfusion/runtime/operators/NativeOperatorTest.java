package tech.streamfusion.runtime.operators;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.apache.flink.api.common.ExecutionConfig;
import org.apache.flink.core.memory.ManagedMemoryUseCase;
import org.apache.flink.metrics.groups.OperatorIOMetricGroup;
import org.apache.flink.runtime.jobgraph.OperatorID;
import org.apache.flink.runtime.memory.MemoryManager;
import org.apache.flink.streaming.runtime.streamrecord.LatencyMarker;
import org.apache.flink.streaming.runtime.streamrecord.RecordAttributesBuilder;
import org.apache.flink.streaming.runtime.tasks.TestProcessingTimeService;
import org.apache.flink.streaming.runtime.watermarkstatus.WatermarkStatus;
import org.apache.flink.table.data.GenericRowData;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.StringData;
import org.apache.flink.table.types.logical.BigIntType;
import org.apache.flink.table.types.logical.BooleanType;
import org.apache.flink.table.types.logical.LogicalType;
import org.apache.flink.table.types.logical.RowType;
import org.apache.flink.table.types.logical.VarCharType;
import org.apache.flink.types.RowKind;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import tech.streamfusion.runtime.HostKernelSpec;
import tech.streamfusion.runtime.LeakCheck;
import tech.streamfusion.runtime.NativeEngine;
import tech.streamfusion.runtime.OperatorSpec;
import tech.streamfusion.runtime.PlanBytes;
import tech.streamfusion.runtime.data.BatchWriter;

/** Edges of a native operator and everything that flows between records, in Flink's own harness. */
@ExtendWith(LeakCheck.class)
class NativeOperatorTest {

    private static final LogicalType BIGINT = new BigIntType();
    private static final RowType TYPE = RowType.of(BIGINT, VarCharType.STRING_TYPE);
    private static final RowType SWAPPED = RowType.of(VarCharType.STRING_TYPE, BIGINT);

    /** SELECT f1, f0 WHERE f0 > 10. */
    private static byte[] swapWhereGreaterThan10() {
        byte[] condition =
                PlanBytes.call(
                        new BooleanType(),
                        "GREATER_THAN",
                        PlanBytes.input(BIGINT, 0),
                        PlanBytes.longLiteral(new BigIntType(false), 10));
        return PlanBytes.calc(
                TYPE,
                SWAPPED,
                condition,
                PlanBytes.input(VarCharType.STRING_TYPE, 1),
                PlanBytes.input(BIGINT, 0));
    }

    private static Harness calc(boolean batchInput, boolean batchOutput) throws Exception {
        return new Harness(
                NativeOperatorFactory.of(
                        Harness.spec(swapWhereGreaterThan10(), TYPE, SWAPPED, batchInput, batchOutput)));
    }

    private static StringData text(String value) {
        return StringData.fromString(value);
    }

    private static RowData row(RowKind kind, Object... fields) {
        return GenericRowData.ofKind(kind, fields);
    }

    @Test
    void rowsToRowsKeepOrderKindsAndNulls() throws Exception {
        try (Harness h = calc(false, false).open()) {
            h.row(11L, text("a"));
            h.change(RowKind.UPDATE_BEFORE, 12L, text("b"));
            h.row(9L, text("c"));
            h.row(null, text("d"));
            h.change(RowKind.UPDATE_AFTER, 13L, null);
            assertThat(h.output()).isEmpty();
            h.flink.processWatermark(5);
            assertThat(h.output()).containsExactly("+I(a,11)", "-U(b,12)", "+U(null,13)", "WM5");
            h.change(RowKind.DELETE, 14L, text("e"));
            h.flink.endInput();
            assertThat(h.output()).isEmpty();
            h.flink.getOperator().finish();
            assertThat(h.output()).containsExactly("-D(e,14)");
        }
    }

    @Test
    void batchesToBatchesAndTheTwoMixedEdges() throws Exception {
        RowData[] rows = {row(RowKind.INSERT, 11L, text("a")), row(RowKind.DELETE, 1L, null), row(RowKind.DELETE, 12L, text("b"))};
        try (Harness h = calc(true, true).open()) {
            h.batch(rows);
            assertThat(h.output()).containsExactly("[+I(a,11), -D(b,12)]");
            h.batch(row(RowKind.INSERT, 1L, text("filtered")));
            assertThat(h.output()).isEmpty();
        }
        try (Harness h = calc(true, false).open()) {
            h.batch(rows);
            assertThat(h.output()).containsExactly("+I(a,11)", "-D(b,12)");
        }
        try (Harness h = calc(false, true).open()) {
            h.row(11L, text("a"));
            h.row(12L, text("b"));
            h.flink.prepareSnapshotPreBarrier(1);
            assertThat(h.output()).containsExactly("[+I(a,11), +I(b,12)]");
        }
    }

    @Test
    void aFullBatchGoesOn() throws Exception {
        try (Harness h = calc(false, false).open()) {
            for (long i = 0; i < NativeOneInputOperator.BATCH_SIZE; i++) {
                assertThat(h.flink.getOutput()).isEmpty();
                h.row(i, text("x"));
            }
            assertThat(h.output()).hasSize(NativeOneInputOperator.BATCH_SIZE - 11).startsWith("+I(x,11)", "+I(x,12)");
        }
    }

    @Test
    void noRowWaitsLong() throws Exception {
        try (Harness h = calc(false, false).open()) {
            h.flink.setProcessingTime(1000);
            h.row(11L, text("a"));
            h.flink.setProcessingTime(1007);
            h.row(12L, text("b"));
            h.flink.setProcessingTime(1009);
            assertThat(h.output()).isEmpty();
            h.flink.setProcessingTime(1010);
            assertThat(h.output()).containsExactly("+I(a,11)", "+I(b,12)");
            h.flink.setProcessingTime(1015);
            h.row(13L, text("c"));
            h.flink.setProcessingTime(1024);
            assertThat(h.output()).isEmpty();
            h.flink.setProcessingTime(1025);
            assertThat(h.output()).containsExactly("+I(c,13)");
        }
    }

    @Test
    void theBufferTimeoutBoundsTheWait() throws Exception {
        assertThat(waits(0)).isZero();
        assertThat(waits(3)).isEqualTo(3);
        assertThat(waits(100)).isEqualTo(FlushTimer.MAX_WAIT_MILLIS);
        assertThat(waits(-1)).isEqualTo(FlushTimer.MAX_WAIT_MILLIS);
    }

    /** Milliseconds that a single row waits at an edge. */
    private static long waits(long timeout) throws Exception {
        long pool = NativeEngine.poolCreate("test", -1, null);
        long type = NativeEngine.typeCreate(PlanBytes.type(TYPE));
        List<Integer> batches = new ArrayList<>();
        TestProcessingTimeService time = new TestProcessingTimeService();
        time.setCurrentTime(0);
        long waited = 0;
        try (InputEdge edge = edge(pool, type, timeout, time, batches)) {
            edge.add(GenericRowData.of(1L, null));
            while (batches.isEmpty()) {
                time.setCurrentTime(++waited);
            }
        }
        NativeEngine.typeRelease(type);
        NativeEngine.poolRelease(pool);
        return waited;
    }

    private static InputEdge edge(
            long pool, long type, long timeout, TestProcessingTimeService time, List<Integer> batches) {
        return new InputEdge(
                new BatchWriter(TYPE, type, pool, 10), timeout, time, batch -> batches.add(batch.rowCount()));
    }

    @Test
    void statusesMarkersAndAttributesStayBehindTheRowsBeforeThem() throws Exception {
        try (Harness h = calc(false, false).open()) {
            h.row(11L, text("a"));
            h.flink.processWatermarkStatus(WatermarkStatus.IDLE);
            assertThat(h.output()).containsExactly("+I(a,11)", WatermarkStatus.IDLE.toString());
            h.row(12L, text("b"));
            h.flink.getOneInputOperator().processLatencyMarker(new LatencyMarker(1, new OperatorID(), 0));
            assertThat(h.output()).hasSize(2).first().isEqualTo("+I(b,12)");
            h.row(13L, text("c"));
            h.flink.processRecordAttributes(new RecordAttributesBuilder(Collections.emptyList()).setBacklog(true).build());
            assertThat(h.output()).hasSize(2).first().isEqualTo("+I(c,13)");
        }
    }

    @Test
    void metricsCountRows() throws Exception {
        try (Harness h = calc(true, true).open()) {
            OperatorIOMetricGroup io = h.flink.getOperator().getMetricGroup().getIOMetricGroup();
            long in = io.getNumRecordsInCounter().getCount();
            long out = io.getNumRecordsOutCounter().getCount();
            h.batch(row(RowKind.INSERT, 11L, null), row(RowKind.INSERT, 1L, null), row(RowKind.INSERT, 12L, null));
            // The harness does not count elements, Flink's tasks count one for each.
            assertThat(io.getNumRecordsInCounter().getCount() - in + 1).isEqualTo(3);
            assertThat(io.getNumRecordsOutCounter().getCount() - out + 1).isEqualTo(2);
        }
    }

    @Test
    void unfinishedRowsOfAFailedTaskAreFreed() throws Exception {
        try (Harness h = calc(false, false).open()) {
            h.row(11L, text("never seen"));
        }
    }

    @Test
    void objectReuseHandsOutRowsThatMayBeKept() throws Exception {
        try (Harness h = calc(false, false)) {
            ExecutionConfig config = h.flink.getExecutionConfig();
            config.enableObjectReuse();
            h.open();
            h.row(11L, text("a"));
            h.row(12L, text("b"));
            h.flink.processWatermark(1);
            h.row(13L, text("c"));
            h.flink.processWatermark(2);
            assertThat(h.output()).containsExactly("+I(a,11)", "+I(b,12)", "WM1", "+I(c,13)", "WM2");
        }
    }

    @Test
    void dropUpdateBefore() throws Exception {
        try (Harness h =
                new Harness(
                                NativeOperatorFactory.of(
                                        Harness.spec(PlanBytes.dropUpdateBefore(TYPE), TYPE, TYPE, false, false)))
                        .open()) {
            h.change(RowKind.INSERT, 1L, text("a"));
            h.change(RowKind.UPDATE_BEFORE, 1L, text("a"));
            h.change(RowKind.UPDATE_AFTER, 1L, text("b"));
            h.flink.processWatermark(0);
            assertThat(h.output()).containsExactly("+I(1,a)", "+U(1,b)", "WM0");
        }
    }

    @Test
    void aBrokenConstraintIsFlinksOwnException() throws Exception {
        try (Harness h =
                new Harness(
                                NativeOperatorFactory.of(
                                        Harness.spec(PlanBytes.notNullEnforcer(TYPE, 1), TYPE, TYPE, false, false)))
                        .open()) {
            h.row(1L, text("a"));
            h.row(2L, null);
            assertThatThrownBy(() -> h.flink.processWatermark(0))
                    .isInstanceOf(
                            org.apache.flink.table.runtime.operators.sink.constraint.EnforcerException.class)
                    .hasMessageContaining("f1");
        }
    }

    @Test
    void nativeMemoryComesOutOfManagedMemoryAndGoesBack() throws Exception {
        OperatorSpec spec =
                new OperatorSpec(
                        swapWhereGreaterThan10(), new HostKernelSpec[0], TYPE, SWAPPED, false, false, true);
        MemoryManager memory;
        try (Harness h = new Harness(NativeOperatorFactory.of(spec))) {
            h.flink.getStreamConfig().setManagedMemoryFractionOperatorOfUseCase(ManagedMemoryUseCase.OPERATOR, 0.5);
            h.open();
            memory = h.flink.getEnvironment().getMemoryManager();
            h.row(11L, text("a"));
            assertThat(memory.availableMemory()).isLessThan(memory.getMemorySize());
            h.flink.processWatermark(0);
        }
        assertThat(memory.verifyEmpty()).isTrue();
    }

    @Test
    void aPlanThatDoesNotParseFailsAtOpenAndLeaksNothing() throws Exception {
        Harness h = new Harness(NativeOperatorFactory.of(Harness.spec(new byte[] {1, 2, 3}, TYPE, TYPE, false, false)));
        assertThatThrownBy(h::open).isInstanceOf(java.io.IOException.class);
        h.flink.getOperator().close();
        assertThatThrownBy(() -> h.flink.getOperator().finish()).isInstanceOf(IllegalStateException.class);
    }
}
