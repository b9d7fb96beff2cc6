package tech.streamfusion.upstream;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Disabled;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Test classes for {@link SuiteTest} to run in processes of their own. */
final class Samples {

    private Samples() {}

    static class Mixed {
        @Test
        void passes() {}

        @ParameterizedTest
        @ValueSource(ints = {1, 2})
        void failsOnce(int value) {
            Assertions.assertEquals(1, value);
        }

        @Test
        @Disabled
        void isSkipped() {}

        @Test
        void assumesTooMuch() {
            Assumptions.assumeTrue(false);
        }
    }

    static class Passing {
        @Test
        void passes() {}

        /** Its name holds half of a character. */
        @ParameterizedTest
        @ValueSource(strings = "\ud83d")
        void passesToo(String text) {}
    }

    static class NotStarting {
        @BeforeAll
        static void start() {
            throw new IllegalStateException("no cluster");
        }

        @Test
        void neverRuns() {}
    }

    static class Crashing {
        @Test
        void crashes() {
            Runtime.getRuntime().halt(3);
        }
    }

    static class Hanging {
        @Test
        void hangs() throws InterruptedException {
            Thread.sleep(Long.MAX_VALUE);
        }
    }

    /** Fails as by a race, but once for all processes. */
    static class Racing {

        @Test
        void wins() throws IOException {
            Path lost = Path.of("lost");
            if (Files.notExists(lost)) {
                Files.createFile(lost);
                throw new IllegalStateException("An OperatorEvent from an OperatorCoordinator to a task was lost.");
            }
        }
    }
}
