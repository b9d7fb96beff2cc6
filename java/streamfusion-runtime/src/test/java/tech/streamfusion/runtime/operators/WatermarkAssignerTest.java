package tech.streamfusion.runtime.operators;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.apache.flink.streaming.api.watermark.Watermark;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.streaming.runtime.watermarkstatus.WatermarkStatus;
import org.apache.flink.streaming.util.OneInputStreamOperatorTestHarness;
import org.apache.flink.table.data.GenericRowData;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.TimestampData;
import org.apache.flink.table.runtime.generated.GeneratedWatermarkGenerator;
import org.apache.flink.table.runtime.generated.WatermarkGenerator;
import org.apache.flink.table.runtime.operators.wmassigners.WatermarkAssignerOperatorFactory;
import org.apache.flink.table.types.logical.BigIntType;
import org.apache.flink.table.types.logical.LogicalType;
import org.apache.flink.table.types.logical.RowType;
import org.apache.flink.table.types.logical.TimestampType;
import org.apache.flink.types.RowKind;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import tech.streamfusion.runtime.LeakCheck;
import tech.streamfusion.runtime.PlanBytes;

/** Against Flink's own operator, fed the same elements at the same times. */
@ExtendWith(LeakCheck.class)
class WatermarkAssignerTest {

    private static final LogicalType ROWTIME = new TimestampType(3);
    private static final RowType TYPE = RowType.of(new BigIntType(), ROWTIME);
    private static final long INTERVAL = 100;

    private static Harness assigner(boolean batches, long idleTimeout) throws Exception {
        return closedAssigner(batches, idleTimeout).open();
    }

    private static Harness closedAssigner(boolean batches, long idleTimeout) throws Exception {
        byte[] plan = PlanBytes.watermarkAssigner(TYPE, 1, PlanBytes.input(ROWTIME, 1), INTERVAL);
        Harness h =
                new Harness(
                        NativeOperatorFactory.watermarkAssigner(
                                Harness.spec(plan, TYPE, TYPE, false, batches), 1, idleTimeout));
        h.flink.getExecutionConfig().setAutoWatermarkInterval(INTERVAL);
        return h;
    }

    private static Object[] fields(long id, long rowtime) {
        return new Object[] {id, TimestampData.fromEpochMillis(rowtime)};
    }

    @Test
    void watermarksStandBetweenTheRowsThatCauseThem() throws Exception {
        try (Harness h = assigner(true, -1)) {
            h.row(fields(1, 50));
            h.row(fields(2, 151));
            h.row(fields(3, 120));
            h.row(fields(4, 252));
            h.flink.prepareSnapshotPreBarrier(1);
            assertThat(h.output())
                    .containsExactly(
                            "[+I(1,1970-01-01T00:00:00.050), +I(2,1970-01-01T00:00:00.151), WM151,"
                                    + " +I(3,1970-01-01T00:00:00.120), +I(4,1970-01-01T00:00:00.252), WM252]");
            h.row(fields(5, 260));
            h.flink.prepareSnapshotPreBarrier(2);
            assertThat(h.output()).containsExactly("[+I(5,1970-01-01T00:00:00.260)]");
            h.flink.setProcessingTime(INTERVAL);
            assertThat(h.output()).containsExactly("WM260");
            h.flink.setProcessingTime(2 * INTERVAL);
            assertThat(h.output()).isEmpty();
            h.flink.getOperator().finish();
            assertThat(h.output()).containsExactly("WM" + Long.MAX_VALUE);
            h.flink.setProcessingTime(3 * INTERVAL);
            assertThat(h.output()).doesNotContain("WM260");
        }
    }

    /** A receiver of several channels must see them, so they are no part of what is sent. */
    @Test
    void marksLeaveTheTaskAsWatermarks() throws Exception {
        try (Harness h = closedAssigner(true, -1).leavingTheTask().open()) {
            h.row(fields(1, 50));
            h.row(fields(2, 151));
            h.row(fields(3, 120));
            h.row(fields(4, 252));
            h.row(fields(5, 260));
            h.flink.prepareSnapshotPreBarrier(1);
            assertThat(h.output())
                    .containsExactly(
                            "[+I(1,1970-01-01T00:00:00.050), +I(2,1970-01-01T00:00:00.151)]",
                            "WM151",
                            "[+I(3,1970-01-01T00:00:00.120), +I(4,1970-01-01T00:00:00.252)]",
                            "WM252",
                            "[+I(5,1970-01-01T00:00:00.260)]");
        }
    }

    @Test
    void anIdleInputIsMarkedAndWakesUp() throws Exception {
        try (Harness h = assigner(false, 1000)) {
            h.row(fields(1, 50));
            h.flink.setProcessingTime(100);
            assertThat(h.output()).containsExactly("+I(1,1970-01-01T00:00:00.050)", "WM50");
            for (int time = 200; time <= 2000; time += 100) {
                h.flink.setProcessingTime(time);
            }
            assertThat(h.output()).containsExactly(WatermarkStatus.IDLE.toString());
            h.row(fields(2, 60));
            assertThat(h.output()).containsExactly(WatermarkStatus.ACTIVE.toString());
            h.flink.setProcessingTime(2100);
            assertThat(h.output()).containsExactly("+I(2,1970-01-01T00:00:00.060)", "WM60");
        }
    }

    @Test
    void aNullRowtimeFailsAsInFlink() throws Exception {
        try (Harness h = assigner(false, -1)) {
            h.row(1L, null);
            assertThatThrownBy(() -> h.flink.prepareSnapshotPreBarrier(1))
                    .isExactlyInstanceOf(RuntimeException.class)
                    .hasMessage("RowTime field should not be null, please convert it to a non-null long value.");
        }
    }

    /** Random rows, times, watermarks and statuses: elements come out in Flink's order, watermark by watermark. */
    @Test
    @SuppressWarnings("try")
    void doesWhatFlinksOperatorDoes() throws Exception {
        for (int seed = 0; seed < 20; seed++) {
            long idleTimeout = seed % 2 == 0 ? -1 : 250;
            try (Harness ours = assigner(false, idleTimeout);
                    OneInputStreamOperatorTestHarness<RowData, RowData> stock = stock(idleTimeout)) {
                Random random = new Random(seed);
                long time = 0;
                for (int i = 0; i < 300; i++) {
                    step(random, ours, stock, i, time);
                    if (random.nextInt(5) == 0) {
                        time += random.nextInt(80);
                        ours.flink.prepareSnapshotPreBarrier(i); // the same rows on both sides before time moves on
                        ours.flink.setProcessingTime(time);
                        stock.setProcessingTime(time);
                    }
                }
                ours.flink.getOperator().finish();
                stock.getOperator().finish();
                assertThat(ours.output()).as("seed " + seed).isEqualTo(texts(stock));
            }
        }
    }

    private static void step(
            Random random, Harness ours, OneInputStreamOperatorTestHarness<RowData, RowData> stock, int i, long time)
            throws Exception {
        switch (random.nextInt(20)) {
            case 0:
                ours.flink.processWatermark(time);
                stock.processWatermark(time);
                break;
            case 1:
                WatermarkStatus status = random.nextBoolean() ? WatermarkStatus.IDLE : WatermarkStatus.ACTIVE;
                ours.flink.processWatermarkStatus(status);
                stock.processWatermarkStatus(status);
                break;
            default:
                Object[] fields = fields(i, 10L * i + random.nextInt(200));
                if (random.nextInt(4) == 0) { // an idle input wakes up with the row, before waiting rows have gone
                    ours.flink.prepareSnapshotPreBarrier(i);
                }
                ours.row(fields);
                stock.processElement(new StreamRecord<>(GenericRowData.ofKind(RowKind.INSERT, fields)));
        }
    }

    private static List<String> texts(OneInputStreamOperatorTestHarness<RowData, RowData> stock) {
        List<String> texts = new ArrayList<>();
        for (Object element : stock.getOutput()) {
            if (element instanceof Watermark) {
                texts.add("WM" + ((Watermark) element).getTimestamp());
            } else if (element instanceof StreamRecord) {
                GenericRowData row = (GenericRowData) ((StreamRecord<?>) element).getValue();
                texts.add("+I(" + row.getField(0) + "," + row.getField(1) + ")");
            } else {
                texts.add(element.toString());
            }
        }
        return texts;
    }

    private static OneInputStreamOperatorTestHarness<RowData, RowData> stock(long idleTimeout) throws Exception {
        GeneratedWatermarkGenerator generator =
                new GeneratedWatermarkGenerator("none", "", new Object[0]) {
                    private static final long serialVersionUID = 1L;

                    @Override
                    public WatermarkGenerator newInstance(ClassLoader classLoader) {
                        return new RowtimeItself();
                    }
                };
        OneInputStreamOperatorTestHarness<RowData, RowData> stock =
                new OneInputStreamOperatorTestHarness<>(
                        new WatermarkAssignerOperatorFactory(1, idleTimeout, generator));
        stock.getExecutionConfig().setAutoWatermarkInterval(INTERVAL);
        stock.open();
        return stock;
    }

    private static final class RowtimeItself extends WatermarkGenerator {
        private static final long serialVersionUID = 1L;

        @Override
        public long extractTimestamp(RowData row) {
            return row.getTimestamp(1, 3).getMillisecond();
        }

        @Override
        public Long currentWatermark(RowData row) {
            return row.getTimestamp(1, 3).getMillisecond();
        }
    }
}
