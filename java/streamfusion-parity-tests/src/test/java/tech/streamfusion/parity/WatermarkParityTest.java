package tech.streamfusion.parity;

import static tech.streamfusion.testing.Parity.row;

import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import org.apache.flink.types.Row;
import org.junit.jupiter.api.Test;
import tech.streamfusion.testing.Parity;

/** Watermarks and event time: marks in the same places between rows, windows that fire over the same rows. */
class WatermarkParityTest {

    private static List<Row> rows() {
        List<Row> rows = new ArrayList<>();
        for (int i = 0; i < 3000; i++) {
            long millis = i * 37L + (i % 11 == 0 ? -900 : 0) + (i % 101 == 0 ? 5000 : 0);
            rows.add(row(i % 5, LocalDateTime.ofInstant(Instant.ofEpochMilli(millis), ZoneOffset.UTC), (long) i));
        }
        return rows;
    }

    private static Parity test() {
        return Parity.test()
                .source(
                        "t",
                        "k INT, ts TIMESTAMP(3), n BIGINT, late AS n + 1, WATERMARK FOR ts AS ts - INTERVAL '1' SECOND",
                        rows());
    }

    @Test
    void marksStayBetweenTheSameRows() {
        test().recordWatermarks()
                .recordTimestamps()
                .query("SELECT k, ts, late * 2 FROM t WHERE k <> 3")
                .run(Parity.NodesCheck.ALL_CALCS);
    }

    @Test
    void castsOfAnEventTimeCutNoMilliseconds() {
        test().query(
                        "SELECT CAST(ts AS TIMESTAMP(0)), CAST(ts AS TIMESTAMP(1)), CAST(ts AS TIMESTAMP(3)),"
                                + " CAST(ts AS TIMESTAMP(6)), CAST(ts AS TIMESTAMP_LTZ(0)), CAST(CAST(ts AS TIMESTAMP(1)) AS STRING),"
                                + " CAST(ts + INTERVAL '0' SECOND AS TIMESTAMP(0)) FROM t WHERE n < 50")
                .run(Parity.NodesCheck.ALL_CALCS);
    }

    @Test
    void aFailingWatermarkFailsAsOnStock() {
        List<Row> rows = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            rows.add(row(LocalDateTime.of(2024, 1, 1, 0, i % 60), i == 70 ? "no time" : "2024-01-01 00:00:0" + i % 10));
        }
        Parity.test()
                .source("t", "ts TIMESTAMP(3), v STRING, WATERMARK FOR ts AS CAST(v AS TIMESTAMP(3))", rows)
                .recordWatermarks()
                .query("SELECT v || '!', ts FROM t")
                .expectNative("Calc", "WatermarkAssigner")
                .runFailing();
    }

    @Test
    void anIntervalDropsMarks() {
        test().recordWatermarks()
                .option("pipeline.auto-watermark-interval", "1 h")
                .query("SELECT k, ts FROM t WHERE n > 5")
                .run(Parity.NodesCheck.ALL_CALCS);
    }

    @Test
    void windowsOverANativeIsland() {
        test().query(
                        "SELECT k2, window_start, COUNT(*), SUM(n2) FROM TABLE(TUMBLE("
                                + "(SELECT k + 1 AS k2, ts, n * 2 AS n2 FROM t WHERE k <> 4), DESCRIPTOR(ts), INTERVAL '2' SECOND))"
                                + " GROUP BY k2, window_start, window_end")
                .compare(Parity.Comparison.MATERIALIZED)
                .run(Parity.NodesCheck.ALL_CALCS);
    }

    @Test
    void aNullRowtimeFailsAsOnStock() {
        Parity.test()
                .source(
                        "t",
                        "k INT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts - INTERVAL '1' SECOND",
                        row(1, LocalDateTime.of(2024, 1, 1, 0, 0)),
                        row(2, null))
                .query("SELECT k + 1, ts FROM t")
                .expectNative("Calc", "WatermarkAssigner")
                .runFailing();
    }

    @Test
    void rowtimeFromEpochMilliseconds() {
        List<Row> rows = new ArrayList<>();
        for (int i = 0; i < 500; i++) {
            rows.add(row((long) i * 100, "v" + i));
        }
        Parity.test()
                .source(
                        "t",
                        "ms BIGINT, v STRING, ts AS TO_TIMESTAMP_LTZ(ms, 3), WATERMARK FOR ts AS ts - INTERVAL '4' SECOND",
                        rows)
                .recordWatermarks()
                .query("SELECT v, ts, UPPER(v) FROM t WHERE MOD(ms, 300) = 0")
                .run(Parity.NodesCheck.ALL_CALCS);
    }
}
