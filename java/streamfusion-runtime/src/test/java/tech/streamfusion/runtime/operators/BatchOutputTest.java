package tech.streamfusion.runtime.operators;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.table.data.GenericRowData;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.StringData;
import org.apache.flink.table.types.logical.BigIntType;
import org.apache.flink.table.types.logical.RowType;
import org.apache.flink.table.types.logical.VarCharType;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import tech.streamfusion.runtime.LeakCheck;
import tech.streamfusion.runtime.NativeBatch;
import tech.streamfusion.runtime.PlanBytes;

/** What leaves a task over edges that do not look at it. */
@ExtendWith(LeakCheck.class)
class BatchOutputTest {

    private static final RowType TYPE = RowType.of(new BigIntType(), VarCharType.STRING_TYPE);

    @Test
    void longBatchesLeaveInPieces() throws Exception {
        String text = "x".repeat(1000);
        RowData[] rows =
                LongStream.range(0, 2000)
                        .mapToObj(i -> GenericRowData.of(i, StringData.fromString(text)))
                        .toArray(RowData[]::new);
        NativeOperatorFactory identity =
                NativeOperatorFactory.of(Harness.spec(PlanBytes.identity(TYPE), TYPE, TYPE, true, true));
        try (Harness h = new Harness(identity).leavingTheTask().open()) {
            h.batch(rows);
            List<Integer> sizes =
                    h.flink.getOutput().stream()
                            .map(element -> (NativeBatch) ((StreamRecord<?>) element).getValue())
                            .map(record -> record.toRecord().length)
                            .collect(Collectors.toList());
            assertThat(sizes).hasSizeGreaterThan(5).allMatch(size -> size < 2 * BatchOutput.RECORD_BYTES);
            List<String> expected = new ArrayList<>();
            for (long i = 0; i < 2000; i++) {
                expected.add("+I(" + i + "," + text + ")");
            }
            assertThat(String.join(", ", h.output()).replace("], [", ", ")).isEqualTo(expected.toString());
        }
    }
}
