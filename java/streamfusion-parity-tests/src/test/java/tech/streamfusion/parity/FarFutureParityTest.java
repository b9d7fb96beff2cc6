package tech.streamfusion.parity;

import static tech.streamfusion.testing.Parity.row;

import java.time.LocalDateTime;
import java.util.ArrayList;
import java.util.List;
import org.apache.flink.types.Row;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tech.streamfusion.testing.Parity;

/** Literals end with the year 9999, but arithmetic goes on, and so does summer time. */
class FarFutureParityTest {

    private static final String LATER = "TIMESTAMPADD(MONTH, n, c)";

    private static Row[] rows() {
        final List<Row> out = new ArrayList<>();
        for (String time : new String[] {"9999-12-30T23:59:59.999", "9999-06-15T12:00:00", "9998-04-04T02:15:00"}) {
            for (int months : new int[] {0, 1, 6, 7, 30, 4800, 9606, 12000}) {
                out.add(row(LocalDateTime.parse(time), months));
            }
        }
        return out.toArray(new Row[0]);
    }

    @ParameterizedTest
    @ValueSource(strings = {"Australia/Lord_Howe", "Europe/Berlin", "America/New_York", "Asia/Kolkata", "UTC"})
    void timesAfterTheYear9999(String zone) {
        Parity.test()
                .source("t", "c TIMESTAMP(3), n INT", rows())
                .option("table.local-time-zone", zone)
                .query(
                        "SELECT CAST(" + LATER + " AS TIMESTAMP_LTZ(3)), CAST(CAST(" + LATER + " AS TIMESTAMP_LTZ(3)) AS TIMESTAMP(3)),"
                                + " EXTRACT(HOUR FROM CAST(" + LATER + " AS TIMESTAMP_LTZ(3))),"
                                + " FLOOR(CAST(" + LATER + " AS TIMESTAMP_LTZ(3)) TO DAY) FROM t")
                .expectNative("Calc")
                .run();
    }
}
