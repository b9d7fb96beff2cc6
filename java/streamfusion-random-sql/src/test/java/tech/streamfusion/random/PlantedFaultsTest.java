package tech.streamfusion.random;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import tech.streamfusion.testing.Outcome;
import tech.streamfusion.testing.Trial;

/**
 * Errors that are planted in the accelerated side come to light, as differences of what reaches the sinks: in a few random
 * scripts about what the error is about.
 */
class PlantedFaultsTest {

    private static final long SEED = 4L;
    private static final int SCRIPTS = 10;
    private static final int QUERIES = 4;

    static List<Fault> faults() {
        return Fault.all();
    }

    @Test
    void theyDiffer() {
        List<String> names = faults().stream().map(fault -> fault.name).collect(Collectors.toList());
        assertThat(names).doesNotHaveDuplicates().hasSizeGreaterThanOrEqualTo(10);
    }

    @ParameterizedTest
    @MethodSource("faults")
    void eachIsFound(Fault fault) {
        find(fault);
    }

    @Test
    void aScriptShrinksToWhatShowsTheFault() {
        Fault fault = faults().stream().filter(f -> f.name.startsWith("SUBSTRING")).findFirst().orElseThrow();
        Script small = new Shrinker(candidate -> shows(candidate, fault), 120).shrink(find(fault));
        assertThat(small.queries()).hasSize(1);
        assertThat(small.queriesSql()).contains("SUBSTRING");
        assertThat(small.queriesSql().length()).isLessThan(200);
        assertThat(small.tables()).hasSize(1);
        assertThat(small.tables().get(0).rows().size()).isLessThanOrEqualTo(2);
        assertThat(small.test("found")).contains("void found()", "Parity.test()", ".source(", "SUBSTRING");
    }

    private static Script find(Fault fault) {
        ScriptGenerator generator = new ScriptGenerator(SEED, QUERIES, fault.focus);
        int planted = 0;
        for (int i = 0; i < SCRIPTS; i++) {
            Script script = generator.next();
            if (shows(script, fault)) {
                return script;
            }
            planted += fault.isPlanted() ? 1 : 0;
        }
        throw new AssertionError("not found in " + SCRIPTS + " scripts, " + planted + " of which it changes: " + fault);
    }

    /** Whether the fault makes a difference where there is none without it. */
    private static boolean shows(Script script, Fault fault) {
        fault.reset();
        try (Trial trial = script.parity().trial()) {
            if (trial.stockFailure() != null) {
                return false;
            }
            Outcome outcome = trial.accelerated(fault);
            return fault.isPlanted()
                    && outcome.kind() == Outcome.Kind.DIFFERENT_CHANGES
                    && trial.accelerated().kind() == Outcome.Kind.SAME;
        }
    }
}
