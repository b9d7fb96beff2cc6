package tech.streamfusion.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.apache.flink.streaming.api.functions.ProcessFunction;
import org.apache.flink.streaming.api.functions.sink.v2.DiscardingSink;
import org.apache.flink.table.api.DataTypes;
import org.apache.flink.util.Collector;
import org.junit.jupiter.api.Test;
import tech.streamfusion.runtime.NativeBatch;
import tech.streamfusion.runtime.operators.NativeBatchTypeInfo;
import tech.streamfusion.runtime.spi.NativeScanProvider;

/** Watermarks pushed into the source, and the record counts of its metrics. */
class WatermarkTest extends KafkaTestBase {

    private static final List<Long> TIMESTAMPS = Collections.synchronizedList(new ArrayList<>());
    private static final List<Long> WATERMARKS = Collections.synchronizedList(new ArrayList<>());
    private static final List<Integer> ROWS = Collections.synchronizedList(new ArrayList<>());

    @Test
    void hasTheLargestValueOfABatchBecomeTheWatermark() throws Exception {
        topics.create("rowtimes", 1);
        for (long start : new long[] {1000, 3000, 2000}) {
            topics.send("rowtimes", row(start + 5), row(start + 9), "{\"ts\":null}", row(start + 1));
        }
        KafkaTable from =
                table("rowtimes")
                        .column("ts", DataTypes.BIGINT())
                        .bounded()
                        .option("properties.max.poll.records", "4")
                        .watermark("ts");
        Pipelines pipelines = new Pipelines("pipeline.auto-watermark-interval", "1 ms");
        NativeScanProvider.NativeScan scan = from.nativeScan().get();
        pipelines
                .environment()
                .fromSource(scan.source(), scan.watermarkStrategy(), "source", new NativeBatchTypeInfo(from.rowType()))
                .process(new Recorder())
                .sinkTo(new DiscardingSink<>());
        pipelines.run();
        assertThat(TIMESTAMPS).containsExactly(1009L, 3009L, 2009L);
        assertThat(ROWS).containsExactly(4, 4, 4);
        assertThat(WATERMARKS).containsExactly(Long.MIN_VALUE, 1009L, 3009L);
    }

    private static String row(long timestamp) {
        return "{\"ts\":" + timestamp + "}";
    }

    /** Notes what a batch arrives with; slow enough for the periodic emission in between. */
    private static final class Recorder extends ProcessFunction<NativeBatch, Integer> {
        private static final long serialVersionUID = 1L;

        @Override
        public void processElement(NativeBatch batch, Context context, Collector<Integer> out) throws Exception {
            TIMESTAMPS.add(context.timestamp());
            ROWS.add(batch.rowCount());
            WATERMARKS.add(context.timerService().currentWatermark());
            Thread.sleep(300);
        }
    }
}
