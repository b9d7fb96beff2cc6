package tech.streamfusion.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static tech.streamfusion.kafka.RunningCopies.SIDES;
import static tech.streamfusion.kafka.RunningCopies.await;
import static tech.streamfusion.kafka.RunningCopies.whileRunning;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.flink.streaming.api.functions.ProcessFunction;
import org.apache.flink.streaming.api.functions.sink.v2.DiscardingSink;
import org.apache.flink.table.api.DataTypes;
import org.apache.flink.util.Collector;
import org.junit.jupiter.api.Test;
import tech.streamfusion.runtime.NativeBatch;
import tech.streamfusion.runtime.operators.NativeBatchTypeInfo;
import tech.streamfusion.runtime.spi.NativeScanProvider;

/** Partitions of one source that have nothing to say, or that are ahead of the others: as in stock Flink. */
class IdlenessTest extends KafkaTestBase {

    private static final Map<String, AtomicInteger> ROWS = new ConcurrentHashMap<>();
    private static final Map<String, Long> WATERMARKS = new ConcurrentHashMap<>();

    /** Batches of one record, so that both sides may stop after each. */
    private static KafkaTable rowtimes(String topic) {
        return table(topic)
                .column("ts", DataTypes.BIGINT())
                .option("scan.startup.mode", "earliest-offset")
                .option("properties.max.poll.records", "1")
                .watermark("ts");
    }

    /** Records rows and watermarks of both sides; slow enough for an alignment to come in between. */
    private static RunningCopies.Side recorded(KafkaTable from) {
        SIDES.forEach(side -> ROWS.put(side, new AtomicInteger()));
        WATERMARKS.clear();
        return (pipelines, accelerated, side) -> {
            if (accelerated) {
                NativeScanProvider.NativeScan scan = from.nativeScan().get();
                pipelines
                        .environment()
                        .fromSource(
                                scan.source(), scan.watermarkStrategy(), "source", new NativeBatchTypeInfo(from.rowType()))
                        .process(new Recorder<>(side))
                        .sinkTo(new DiscardingSink<>());
            } else {
                from.stockStream(pipelines.environment(), "source")
                        .process(new Recorder<>(side))
                        .sinkTo(new DiscardingSink<>());
            }
        };
    }

    private static void send(String topic, int partition, long timestamp) {
        topics.sendTo(topic, partition, "{\"ts\":" + timestamp + "}");
    }

    @Test
    void anIdlePartitionHoldsNoWatermarkBack() throws Exception {
        topics.create("half-idle", 2);
        send("half-idle", 0, 1000);
        whileRunning(
                recorded(rowtimes("half-idle").idleAfter(Duration.ofMillis(300))),
                () -> {
                    for (String side : SIDES) {
                        await(
                                "a watermark of " + side,
                                () -> {
                                    send("half-idle", 0, 900);
                                    return WATERMARKS.getOrDefault(side, Long.MIN_VALUE) == 1000;
                                });
                    }
                });
    }

    @Test
    void anEmptyPartitionThatIsNotIdleDoes() throws Exception {
        topics.create("half-empty", 2);
        send("half-empty", 0, 1000);
        whileRunning(
                recorded(rowtimes("half-empty")),
                () -> {
                    for (int i = 0; i < 10; i++) {
                        send("half-empty", 0, 900);
                        Thread.sleep(100);
                    }
                    await("rows", () -> SIDES.stream().allMatch(side -> ROWS.get(side).get() == 11));
                    assertThat(WATERMARKS).containsOnlyKeys(SIDES).doesNotContainValue(1000L);
                    send("half-empty", 1, 950);
                    for (String side : SIDES) {
                        await(
                                "a watermark of " + side,
                                () -> {
                                    send("half-empty", 0, 900);
                                    return WATERMARKS.get(side) == 950;
                                });
                    }
                });
    }

    @Test
    void aPartitionThatIsAheadWaits() throws Exception {
        int ahead = 200;
        topics.create("apart", 2);
        send("apart", 0, 1000);
        String[] values = new String[ahead];
        for (int i = 0; i < ahead; i++) {
            values[i] = "{\"ts\":" + (1_000_000 + i) + "}";
        }
        topics.sendTo("apart", 1, values);
        whileRunning(
                recorded(rowtimes("apart").aligned(Duration.ofSeconds(10))),
                () -> {
                    for (String side : SIDES) {
                        await("rows of " + side, () -> ROWS.get(side).get() > 1);
                        assertThat(settled(side)).as("rows of %s while partitions are apart", side).isLessThan(ahead);
                    }
                    send("apart", 0, 1_000_000);
                    await("all rows", () -> SIDES.stream().allMatch(side -> ROWS.get(side).get() == ahead + 2));
                });
    }

    /** The number of rows when it has not changed for a second. */
    private static int settled(String side) throws InterruptedException {
        for (int last = -1; ; ) {
            int now = ROWS.get(side).get();
            if (now == last) {
                return now;
            }
            last = now;
            Thread.sleep(1000);
        }
    }

    private static final class Recorder<T> extends ProcessFunction<T, Integer> {
        private static final long serialVersionUID = 1L;

        private final String side;

        Recorder(String side) {
            this.side = side;
        }

        @Override
        public void processElement(T element, Context context, Collector<Integer> out) throws Exception {
            Thread.sleep(20);
            WATERMARKS.put(side, context.timerService().currentWatermark());
            ROWS.get(side).addAndGet(element instanceof NativeBatch ? ((NativeBatch) element).rowCount() : 1);
        }
    }
}
