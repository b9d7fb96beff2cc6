package tech.streamfusion.nexmark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

class OptionsTest {

    private static Options parse(String... args) {
        List<String> all = new ArrayList<>(Arrays.asList(args));
        all.addAll(List.of("--lib", "lib"));
        return Options.parse(all.toArray(new String[0]));
    }

    @Test
    void runsOneSetupUnlessToldOtherwise() {
        assertThat(parse().setups()).extracting(Setup::toString).containsExactly("");
    }

    @Test
    void runsAllCombinations() {
        List<Setup> setups =
                parse("--state", "memory,rocksdb", "--mini-batch", "off,on", "--parallelism", "1,2").setups();
        assertThat(setups)
                .extracting(Setup::toString)
                .containsExactly(
                        "", "p2", "mini-batch", "mini-batch p2", "rocksdb", "rocksdb p2", "rocksdb mini-batch", "rocksdb mini-batch p2");
        assertThat(setups.get(7).backend).isEqualTo("rocksdb");
        assertThat(setups.get(7).miniBatch).isTrue();
        assertThat(setups.get(7).parallelism).isEqualTo(2);
    }

    @Test
    void refusesWhatItDoesNotKnow() {
        assertThatThrownBy(() -> parse("--state", "heap")).hasMessageContaining("memory or rocksdb");
        assertThatThrownBy(() -> parse("--mini-batch", "yes")).hasMessageContaining("on or off");
        assertThatThrownBy(() -> parse("--checkpoints", "often")).hasMessageContaining("often");
    }

    @Test
    void knowsWhichResultsAreUpdatedAndWhatMustBeNative() throws Exception {
        Setup setup = parse().setups().get(0);
        for (String name : List.of("q4", "q15", "q16", "q17")) {
            Query query = Query.of(name, parse());
            assertThat(query.updating).as(name).isTrue();
            assertThat(setup.intendedNodes(query)).as(name).contains("NativeGroupAggregate", "NativeSink");
        }
        for (String name : parse().queries) {
            assertThat(Query.of(name, parse()).updating).as(name).isFalse();
        }
    }
}
