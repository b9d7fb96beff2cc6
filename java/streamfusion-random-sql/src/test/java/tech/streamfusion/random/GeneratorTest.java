package tech.streamfusion.random;

import static org.assertj.core.api.Assertions.assertThat;

import java.math.BigDecimal;
import java.util.Collections;
import java.util.List;
import org.apache.flink.types.Row;
import org.apache.flink.types.RowKind;
import org.junit.jupiter.api.Test;

class GeneratorTest {

    @Test
    void theSameSeedMakesTheSameScripts() {
        ScriptGenerator one = new ScriptGenerator(5, 10);
        ScriptGenerator two = new ScriptGenerator(5, 10);
        for (int i = 0; i < 40; i++) {
            assertThat(one.next().test("a")).isEqualTo(two.next().test("a"));
        }
    }

    @Test
    void noGapOfATemplateStaysOpen() {
        ScriptGenerator generator = new ScriptGenerator(7, 10);
        for (int i = 0; i < 100; i++) {
            assertThat(generator.next().queriesSql()).doesNotContain("$RESULT", "%small", "%text", "%like", "%count", "{", "}", " | ");
        }
    }

    @Test
    void valuesAreWrittenAsJava() {
        Row row = Row.ofKind(RowKind.DELETE, 1L, "a\"é", new BigDecimal("1.50"), Float.NaN, new byte[] {-1}, null);
        assertThat(JavaText.row(row))
                .isEqualTo("change(DELETE, 1L, \"a\\\"\\u00e9\", new BigDecimal(\"1.50\"), Float.NaN, new byte[] {-1}, null)");
        assertThat(JavaText.row(Row.of((Object) null))).isEqualTo("row((Object) null)");
        assertThat(JavaText.of(Collections.singletonMap("a", null))).isEqualTo("Collections.singletonMap(\"a\", null)");
    }

    @Test
    void fragmentsShrinkToTheirPartsAndToLiterals() {
        Fragment inner = new Fragment(Kind.INT, List.of("ABS(", ")"), List.of(Fragment.leaf(Kind.INT, "i")));
        Fragment outer = new Fragment(Kind.INT, List.of("", " + 1"), List.of(inner));
        assertThat(outer.sql()).isEqualTo("ABS(i) + 1");
        assertThat(outer.simpler()).extracting(Fragment::sql).contains("ABS(i)", "i", "1", "i + 1", "CAST(NULL AS INT)");
        assertThat(Fragment.leaf(Kind.INT, "i").simpler()).isEmpty();
    }

    @Test
    void scriptsShrinkToWhatIsInteresting() {
        ScriptGenerator generator = new ScriptGenerator(3, 4, Focus.on("SUBSTRING"));
        Script script = generator.next();
        while (!isAboutSubstring(script)) {
            script = generator.next();
        }
        Script small = new Shrinker(GeneratorTest::isAboutSubstring, 2000).shrink(script);
        assertThat(small.queries()).hasSize(1);
        assertThat(small.queriesSql().length()).isLessThan(200);
        assertThat(small.tables()).hasSize(1);
        assertThat(small.tables().get(0).rows()).hasSize(1);
        assertThat(small.tables().get(0).columns().size()).isLessThan(4);
        assertThat(small.test("found")).contains("void found()", "Parity.test()", ".source(", "SUBSTRING(");
    }

    private static boolean isAboutSubstring(Script script) {
        return script.queriesSql().contains("SUBSTRING(");
    }
}
