package tech.streamfusion.upstream;

import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.platform.engine.FilterResult;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.TestSource;
import org.junit.platform.engine.support.descriptor.MethodSource;
import org.junit.platform.launcher.Launcher;
import org.junit.platform.launcher.LauncherDiscoveryRequest;
import org.junit.platform.launcher.PostDiscoveryFilter;
import org.junit.platform.launcher.TagFilter;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.TestPlan;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;

/** The process that runs test classes, one after the other, with JUnit's launcher. */
final class Fork {

    /** Flink's own build leaves these out on this JDK. */
    private static final String[] EXCLUDED_TAGS = {
        "org.apache.flink.testutils.junit.FailsOnJava11", "org.apache.flink.testutils.junit.FailsOnJava17"
    };

    private final TestEvents events;

    private Fork(TestEvents events) {
        this.events = events;
    }

    /** Arguments: a file with one class a line, {@code class#method} for a single method; the file that events go to. */
    public static void main(String[] arguments) throws IOException {
        List<String> classes = Files.readAllLines(Path.of(arguments[0]), StandardCharsets.UTF_8);
        try (TestEvents events = new TestEvents(Path.of(arguments[1]))) {
            new Fork(events).run(classes);
        }
        System.exit(0); // tests leave threads behind
    }

    private void run(List<String> classes) {
        Launcher launcher = LauncherFactory.create();
        for (String selected : classes) {
            String[] parts = selected.split("#", 2);
            events.start(parts[0]);
            long start = System.nanoTime();
            launcher.execute(request(parts[0], parts.length == 2 ? parts[1] : null), new Listener());
            events.end((System.nanoTime() - start) / 1_000_000);
        }
    }

    private static LauncherDiscoveryRequest request(String className, String method) {
        LauncherDiscoveryRequestBuilder builder =
                LauncherDiscoveryRequestBuilder.request()
                        .selectors(selectClass(className))
                        .filters(TagFilter.excludeTags(EXCLUDED_TAGS))
                        .configurationParameter("junit.jupiter.extensions.autodetection.enabled", "true");
        if (method != null) {
            PostDiscoveryFilter one =
                    descriptor -> {
                        Optional<TestSource> source = descriptor.getSource();
                        boolean other =
                                source.isPresent()
                                        && source.get() instanceof MethodSource
                                        && !((MethodSource) source.get()).getMethodName().equals(method);
                        return FilterResult.includedIf(!other);
                    };
            builder.filters(one);
        }
        return builder.build();
    }

    /** Writes an event for each test, and one for each container that fails or is skipped as a whole. */
    private final class Listener implements TestExecutionListener {

        private final Map<String, Long> starts = new HashMap<>();
        private TestPlan plan;

        @Override
        public synchronized void testPlanExecutionStarted(TestPlan testPlan) {
            plan = testPlan;
        }

        @Override
        public synchronized void executionStarted(TestIdentifier test) {
            starts.put(test.getUniqueId(), System.nanoTime());
        }

        @Override
        public synchronized void executionSkipped(TestIdentifier test, String reason) {
            events.test(name(test), Outcome.SKIPPED, 0, null);
        }

        @Override
        public synchronized void executionFinished(TestIdentifier test, TestExecutionResult result) {
            Outcome outcome = outcome(result);
            if (test.isContainer() && !test.isTest() && outcome == Outcome.PASSED) {
                return;
            }
            long start = starts.getOrDefault(test.getUniqueId(), System.nanoTime());
            events.test(
                    name(test),
                    outcome,
                    (System.nanoTime() - start) / 1_000_000,
                    outcome == Outcome.FAILED ? result.getThrowable().orElse(null) : null);
        }

        private Outcome outcome(TestExecutionResult result) {
            switch (result.getStatus()) {
                case SUCCESSFUL:
                    return Outcome.PASSED;
                case ABORTED:
                    return Outcome.SKIPPED;
                default:
                    return Outcome.FAILED;
            }
        }

        /** Display names from the class down, e.g. {@code testGroupBy() / [1] StateBackend=HEAP}. */
        private String name(TestIdentifier test) {
            Deque<String> names = new ArrayDeque<>();
            Optional<TestIdentifier> at = Optional.of(test);
            while (at.isPresent() && plan.getParent(at.get()).isPresent()) {
                Optional<TestIdentifier> parent = plan.getParent(at.get());
                if (plan.getParent(parent.get()).isPresent()) {
                    names.addFirst(at.get().getDisplayName().replaceAll("\\s+", " "));
                }
                at = parent;
            }
            return names.isEmpty() ? "(class)" : String.join(" / ", names);
        }
    }
}
