package tech.streamfusion.runtime.operators;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.apache.flink.streaming.api.operators.OneInputStreamOperator;
import org.apache.flink.streaming.api.watermark.Watermark;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.streaming.util.OneInputStreamOperatorTestHarness;
import org.apache.flink.table.data.GenericRowData;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.runtime.operators.wmassigners.ProcTimeMiniBatchAssignerOperator;
import org.apache.flink.table.runtime.operators.wmassigners.RowTimeMiniBatchAssginerOperator;
import org.apache.flink.table.types.logical.BigIntType;
import org.apache.flink.table.types.logical.RowType;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tech.streamfusion.runtime.LeakCheck;
import tech.streamfusion.runtime.PlanBytes;

/** Against Flink's own operators, fed the same elements at the same times. */
@ExtendWith(LeakCheck.class)
class MiniBatchAssignerTest {

    private static final RowType TYPE = RowType.of(new BigIntType());
    private static final long INTERVAL = 50;

    private static Harness assigner(boolean rowTime) throws Exception {
        byte[] plan = PlanBytes.miniBatchAssigner(TYPE, INTERVAL, rowTime);
        return new Harness(
                        NativeOperatorFactory.miniBatchAssigner(
                                Harness.spec(plan, TYPE, TYPE, false, false), INTERVAL, rowTime))
                .open();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void asFlink(boolean rowTime) throws Exception {
        for (int seed = 0; seed < 40; seed++) {
            OneInputStreamOperator<RowData, RowData> operator =
                    rowTime
                            ? new RowTimeMiniBatchAssginerOperator(INTERVAL)
                            : new ProcTimeMiniBatchAssignerOperator(INTERVAL);
            OneInputStreamOperatorTestHarness<RowData, RowData> stock = new OneInputStreamOperatorTestHarness<>(operator);
            stock.open();
            try (Harness accelerated = assigner(rowTime)) {
                play(stock, accelerated, new Random(seed));
                assertThat(accelerated.output()).isEqualTo(output(stock)).isNotEmpty();
            } finally {
                stock.close();
            }
        }
    }

    private static void play(
            OneInputStreamOperatorTestHarness<RowData, RowData> stock, Harness accelerated, Random random) throws Exception {
        long time = 0;
        long watermark = random.nextInt(3) * -70L;
        for (int i = 0; i < 200; i++) {
            int what = random.nextInt(4);
            if (what < 2) {
                stock.processElement(new StreamRecord<>(GenericRowData.of((long) i)));
                accelerated.row((long) i);
            } else if (what == 2) {
                watermark = i == 199 ? Long.MAX_VALUE : watermark + random.nextInt(80);
                stock.processWatermark(new Watermark(watermark));
                accelerated.flink.processWatermark(new Watermark(watermark));
            } else {
                time += random.nextInt(30);
                stock.setProcessingTime(time);
                accelerated.flink.setProcessingTime(time);
            }
        }
        stock.getOperator().finish();
        accelerated.flink.getOperator().finish();
    }

    private static List<String> output(OneInputStreamOperatorTestHarness<RowData, RowData> stock) {
        List<String> texts = new ArrayList<>();
        for (Object element : stock.getOutput()) {
            texts.add(
                    element instanceof Watermark
                            ? "WM" + ((Watermark) element).getTimestamp()
                            : "+I(" + ((RowData) ((StreamRecord<?>) element).getValue()).getLong(0) + ")");
        }
        return texts;
    }
}
