package tech.streamfusion.json;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.apache.flink.table.types.logical.RowType;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import tech.streamfusion.runtime.LeakCheck;

/**
 * The native decoder against Flink's deserializers on random types and records: what is settled natively must be exactly the
 * one row that Flink emits. The system properties {@code json.differential.seed} and {@code json.differential.records} change
 * the run; failures name the seed.
 */
@ExtendWith(LeakCheck.class)
class JsonDecodeDifferentialTest {

    private static final int PER_TYPE = 400;
    private static final long SEED = Long.getLong("json.differential.seed", 20250101L);
    private static final int RECORDS = Integer.getInteger("json.differential.records", 200_000);

    @Test
    void settlesOnlyWhatFlinkSettlesTheSameWay() {
        Random seeds = new Random(SEED);
        long settled = 0;
        for (int done = 0; done < RECORDS; done += PER_TYPE) {
            settled += compare(seeds.nextLong(), false);
        }
        // Most records are odd, mutated, or lack a field that must be there.
        assertThat(settled).isGreaterThan(RECORDS / 4);
    }

    @Test
    void settlesEveryCanonicalRecord() {
        Random seeds = new Random(SEED + 1);
        long settled = 0;
        for (int done = 0; done < RECORDS / 10; done += PER_TYPE) {
            settled += compare(seeds.nextLong(), true);
        }
        assertThat(settled).isGreaterThanOrEqualTo(RECORDS / 10);
    }

    /** Records of one type that were settled natively. */
    private static long compare(long seed, boolean canonical) {
        Random random = new Random(seed);
        RandomJson json = new RandomJson(seed);
        RowType type = json.rowType();
        boolean iso = random.nextInt(4) == 0;
        List<byte[]> records = new ArrayList<>();
        for (int i = 0; i < PER_TYPE; i++) {
            records.add(canonical ? json.canonical(type, iso) : json.record(type, iso));
        }
        long settled = 0;
        try (JsonCase both = new JsonCase(type, read(type, random), options(random, iso))) {
            String[] rows = both.decode(records);
            for (int i = 0; i < rows.length; i++) {
                if (rows[i].equals(JsonCase.PUNT)) {
                    assertThat(canonical).as("punt of %s for %s, seed %d", text(records.get(i)), type, seed).isFalse();
                    continue;
                }
                settled++;
                assertThat(List.of(rows[i]))
                        .as("%s as %s, seed %d", text(records.get(i)), type, seed)
                        .isEqualTo(both.stockDecode(records.get(i)));
            }
        }
        return settled;
    }

    private static boolean[] read(RowType type, Random random) {
        if (random.nextInt(3) != 0) {
            return null;
        }
        boolean[] read = new boolean[type.getFieldCount()];
        for (int i = 0; i < read.length; i++) {
            read[i] = random.nextBoolean();
        }
        return read;
    }

    private static String[] options(Random random, boolean iso) {
        int missing = random.nextInt(4);
        return new String[] {
            "timestamp-format.standard", iso ? "ISO-8601" : "SQL",
            "fail-on-missing-field", Boolean.toString(missing == 0),
            "ignore-parse-errors", Boolean.toString(missing == 1),
            "decode.json-parser.enabled", Boolean.toString(random.nextInt(3) != 0)
        };
    }

    private static String text(byte[] record) {
        return new String(record, StandardCharsets.UTF_8);
    }
}
