package tech.streamfusion.random;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import org.junit.jupiter.api.Test;
import tech.streamfusion.testing.Outcome;
import tech.streamfusion.testing.Trial;

/** Errors that are planted in the accelerated side come to light, as differences of what reaches the sinks. */
class PlantedFaultsTest {

    private static final long SEED = 4L;
    private static final int SCRIPTS = 60;
    private static final int QUERIES = 8;

    @Test
    void eachIsFound() {
        List<Fault> hidden = new ArrayList<>(Fault.all());
        assertThat(hidden).hasSizeGreaterThanOrEqualTo(10);
        ScriptGenerator generator = new ScriptGenerator(SEED, QUERIES);
        for (int i = 0; i < SCRIPTS && !hidden.isEmpty(); i++) {
            Trial trial = generator.next().parity().trial();
            if (trial.stockFailure() != null || trial.accelerated().isDifference()) {
                continue;
            }
            for (Iterator<Fault> faults = hidden.iterator(); faults.hasNext(); ) {
                Fault fault = faults.next();
                if (isFound(trial, fault)) {
                    System.out.println("script " + i + " finds: " + fault.name);
                    faults.remove();
                }
            }
        }
        assertThat(hidden).extracting(fault -> fault.name).isEmpty();
    }

    @Test
    void aScriptShrinksToWhatShowsTheFault() {
        Fault fault =
                Fault.all().stream().filter(f -> f.name.startsWith("SUBSTRING")).findFirst().orElseThrow();
        ScriptGenerator generator = new ScriptGenerator(SEED, QUERIES);
        Script script = generator.next();
        for (int i = 0; i < SCRIPTS && !isFound(script.parity().trial(), fault); i++) {
            script = generator.next();
        }
        Script small = new Shrinker(candidate -> isFound(candidate.parity().trial(), fault), 120).shrink(script);
        assertThat(small.queries()).hasSize(1);
        assertThat(small.queriesSql()).contains("SUBSTRING");
        assertThat(small.queriesSql().length()).isLessThan(200);
        assertThat(small.tables()).hasSize(1);
        assertThat(small.tables().get(0).rows().size()).isLessThanOrEqualTo(2);
        assertThat(small.test("found")).contains("void found()", "Parity.test()", ".source(", "SUBSTRING");
    }

    private static boolean isFound(Trial trial, Fault fault) {
        Outcome outcome = trial.accelerated(fault);
        return fault.isPlanted() && outcome.kind() == Outcome.Kind.DIFFERENT_CHANGES;
    }
}
