package tech.streamfusion.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.apache.flink.core.execution.JobClient;

/** Two jobs, named stock and native, that run for as long as a test needs them. */
final class RunningCopies {

    static final List<String> SIDES = List.of("stock", "native");
    private static final Duration LIMIT = Duration.ofSeconds(120);

    /** What a job of one side is made of. */
    interface Side {
        void addTo(Pipelines pipelines, boolean accelerated, String side) throws Exception;
    }

    /** What is done while they run. */
    interface Body {
        void run() throws Exception;
    }

    private RunningCopies() {}

    static void whileRunning(Side side, Body body) throws Exception {
        List<JobClient> jobs = new ArrayList<>();
        try {
            for (String name : SIDES) {
                List<Object> settings = new ArrayList<>(List.of(CollectedMetrics.SETTINGS));
                settings.addAll(List.of("pipeline.name", name, "pipeline.auto-watermark-interval", "50 ms"));
                Pipelines pipelines = new Pipelines(settings.toArray());
                side.addTo(pipelines, name.equals("native"), name);
                jobs.add(pipelines.environment().executeAsync());
            }
            body.run();
        } finally {
            jobs.forEach(job -> job.cancel().handle((done, failure) -> null).join());
            jobs.forEach(job -> job.getJobExecutionResult().handle((result, failure) -> null).join());
        }
    }

    /** Copies of a table into one topic per side, {@code to-stock} and {@code to-native}. */
    static Side copies(KafkaTable from, KafkaTable to, String topic) {
        return (pipelines, accelerated, side) -> {
            KafkaTable source = from.copy().option("properties.group.id", topic + '-' + side);
            KafkaTable target = to.copy().option("topic", topic + '-' + side);
            if (accelerated) {
                pipelines.addNative(source, target);
            } else {
                pipelines.addStock(source, target);
            }
        };
    }

    /** Waits until this is true. */
    static void await(String what, Callable<Boolean> condition) throws Exception {
        long deadline = System.nanoTime() + LIMIT.toNanos();
        while (!condition.call()) {
            assertThat(System.nanoTime()).as("waiting for: %s", what).isLessThan(deadline);
            Thread.sleep(100);
        }
    }
}
