package tech.streamfusion.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.core.execution.SavepointFormatType;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A running copy moves between stock and native and back, through savepoints, and neither loses nor repeats a record. */
class SavepointTest extends KafkaTestBase {

    private static final int STEP = 500;

    @TempDir Path savepoints;

    private KafkaTable from() {
        return items("moving").option("scan.startup.mode", "earliest-offset");
    }

    private KafkaTable to() {
        return exactlyOnce(items("moved"), "moving");
    }

    @Test
    void crossesBetweenStockAndNative() throws Exception {
        topics.create("moving", 1);
        topics.create("moved", 1);
        List<String> expected = new ArrayList<>();
        String savepoint = null;
        boolean[] phases = {false, true, false, true};
        for (int phase = 0; phase < phases.length; phase++) {
            String[] more = items(phase * STEP, (phase + 1) * STEP);
            topics.send("moving", more);
            expected.addAll(List.of(more));
            savepoint = runFrom(savepoint, phases[phase], expected.size());
            assertThat(topics.values("moved")).as("after phase %s", phase).isEqualTo(expected);
        }
    }

    /** Runs until the output has this many records, and stops with a savepoint. */
    private String runFrom(String savepoint, boolean accelerated, int records) throws Exception {
        Pipelines pipelines =
                savepoint == null ? new Pipelines() : new Pipelines("execution.state-recovery.path", savepoint);
        if (accelerated) {
            pipelines.addNative(from(), to());
        } else {
            pipelines.addStock(from(), to());
        }
        JobClient job = pipelines.environment().executeAsync();
        try {
            long deadline = System.nanoTime() + Duration.ofMinutes(3).toNanos();
            while (topics.values("moved").size() < records) {
                assertThat(System.nanoTime()).as("still %s of %s records", topics.values("moved").size(), records)
                        .isLessThan(deadline);
                Thread.sleep(200);
            }
            return job.stopWithSavepoint(false, savepoints.toString(), SavepointFormatType.CANONICAL)
                    .get(3, TimeUnit.MINUTES);
        } catch (Throwable e) {
            job.cancel();
            throw e;
        }
    }
}
