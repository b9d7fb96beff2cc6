package tech.streamfusion.json;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.apache.flink.table.data.GenericMapData;
import org.apache.flink.table.data.GenericRowData;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.StringData;
import org.apache.flink.table.data.TimestampData;
import org.apache.flink.table.types.logical.BigIntType;
import org.apache.flink.table.types.logical.DateType;
import org.apache.flink.table.types.logical.DoubleType;
import org.apache.flink.table.types.logical.FloatType;
import org.apache.flink.table.types.logical.IntType;
import org.apache.flink.table.types.logical.MapType;
import org.apache.flink.table.types.logical.RowType;
import org.apache.flink.table.types.logical.TimeType;
import org.apache.flink.table.types.logical.TimestampType;
import org.apache.flink.table.types.logical.VarCharType;
import org.apache.flink.types.RowKind;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tech.streamfusion.runtime.LeakCheck;
import tech.streamfusion.runtime.data.RandomRows;

/**
 * The native encoder's bytes against those of Flink's serializer. The system properties {@code json.differential.seed} and
 * {@code json.differential.rows} change the run of random rows.
 */
@ExtendWith(LeakCheck.class)
class JsonEncodeParityTest {

    private static final int SEED = Integer.getInteger("json.differential.seed", 7);
    private static final int ROWS = Integer.getInteger("json.differential.rows", 5_000);

    /** All types but maps whose keys JSON refuses. */
    private static final RowType TYPES =
            new RowType(
                    RandomRows.ALL_TYPES.getFields().stream()
                            .filter(field -> JsonTypes.unsupported(field.getType()) == null)
                            .collect(Collectors.toList()));

    @ParameterizedTest
    @CsvSource({
        "SQL,false,false", "ISO-8601,false,false", "SQL,true,false", "SQL,false,true", "ISO-8601,true,true",
    })
    void randomRows(String timestamps, String plainDecimals, String ignoreNulls) throws Exception {
        RandomRows random = new RandomRows(SEED);
        List<RowData> rows = new ArrayList<>();
        for (int i = 0; i < ROWS; i++) {
            rows.add(random.row(TYPES));
        }
        long settled =
                compare(
                        TYPES,
                        rows,
                        "timestamp-format.standard", timestamps,
                        "encode.decimal-as-plain-number", plainDecimals,
                        "encode.ignore-null-fields", ignoreNulls);
        assertThat(settled).isEqualTo(rows.size());
    }

    @Test
    void strings() throws Exception {
        List<RowData> rows = new ArrayList<>();
        for (int c = 0; c < 0x3000; c++) {
            if (c < 0xD800 || c > 0xDFFF) {
                rows.add(GenericRowData.of(StringData.fromString("x" + (char) c + "y"), StringData.fromString("" + (char) c)));
            }
        }
        for (int length = 0; length < 200; length++) {
            StringData text = StringData.fromString("a".repeat(length) + "\"\u0001\n" + "b".repeat(length));
            rows.add(GenericRowData.of(text, StringData.fromString("é".repeat(length) + "\uD83D\uDE00")));
        }
        rows.add(GenericRowData.of(StringData.fromBytes(new byte[] {'a', (byte) 0xff, 'b'}), null));
        rows.add(GenericRowData.of(StringData.fromBytes(new byte[] {(byte) 0xed, (byte) 0xa0, (byte) 0x80}), null));
        RowType type =
                RowType.of(
                        new org.apache.flink.table.types.logical.LogicalType[] {
                            VarCharType.STRING_TYPE, VarCharType.STRING_TYPE
                        },
                        new String[] {"plain", "na\"me\\\u0001é"});
        assertThat(compare(type, rows)).isEqualTo(rows.size() - 2);
    }

    @Test
    void numbersAndTimesAtTheEdges() throws Exception {
        RowType type =
                RowType.of(
                        new BigIntType(),
                        new DoubleType(),
                        new FloatType(),
                        new DateType(),
                        new TimeType(3),
                        new TimestampType(9));
        List<RowData> rows = new ArrayList<>();
        double[] doubles = {
            0, -0.0, 1, 100, 1e7, 1e-3, 9.999e-4, 1e21, 0.1, 1.0 / 3, Double.MIN_VALUE, Double.MAX_VALUE, 2e-3, 1.0E23,
            Double.NaN, Double.POSITIVE_INFINITY, Double.NEGATIVE_INFINITY, 123456789.125, 2.2250738585072014E-308
        };
        long[] longs = {0, -1, 9, 10, 99, 100, 101, Long.MIN_VALUE, Long.MAX_VALUE, 1234567890123456789L};
        int[] days = {0, -1, 18262, -719528, -719529, 2932896, 2932897, 11016, -700000, 59, 60};
        int[] times = {0, 1, 999, 1000, 86_399_999, 3_723_004};
        int[] nanos = {0, 1, 10, 100_000, 999_999, 500_000, 120_000};
        for (int i = 0; i < 400; i++) {
            double value = doubles[i % doubles.length];
            rows.add(
                    GenericRowData.of(
                            longs[i % longs.length],
                            value,
                            (float) value,
                            days[i % days.length],
                            times[i % times.length],
                            TimestampData.fromEpochMillis(
                                    days[i % days.length] * 86_400_000L + i % 1001, nanos[i % nanos.length])));
        }
        assertThat(compare(type, rows)).isGreaterThan(300);
    }

    @ParameterizedTest
    @CsvSource({"FAIL,null,1", "DROP,null,2", "LITERAL,none,2", "LITERAL,b,1"})
    void nullKeysOfMaps(String mode, String literal, int settled) throws Exception {
        RowType type = RowType.of(new MapType(VarCharType.STRING_TYPE, new IntType()));
        Map<Object, Object> plain = new LinkedHashMap<>();
        plain.put(StringData.fromString("a"), 1);
        plain.put(StringData.fromString("b"), null);
        Map<Object, Object> withNull = new LinkedHashMap<>(plain);
        withNull.put(null, 3);
        List<RowData> rows =
                List.of(GenericRowData.of(new GenericMapData(plain)), GenericRowData.of(new GenericMapData(withNull)));
        assertThat(compare(type, rows, "map-null-key.mode", mode, "map-null-key.literal", literal)).isEqualTo(settled);
    }

    /** Rows that were settled natively, all of them equal to Flink's. */
    private static long compare(RowType type, List<RowData> rows, String... options) throws Exception {
        long settled = 0;
        try (JsonCase both = new JsonCase(type, options)) {
            List<byte[]> texts = both.encode(rows);
            for (int i = 0; i < rows.size(); i++) {
                rows.get(i).setRowKind(RowKind.INSERT);
                if (texts.get(i) == null) {
                    continue;
                }
                byte[] stock = both.stockEncode(rows.get(i));
                assertThat(stock).as("row %d: Flink fails on %s", i, rows.get(i)).isNotNull();
                assertThat(text(texts.get(i))).isEqualTo(text(stock));
                assertThat(texts.get(i)).isEqualTo(stock);
                settled++;
            }
        }
        return settled;
    }

    private static String text(byte[] bytes) {
        return new String(bytes, StandardCharsets.UTF_8);
    }
}
