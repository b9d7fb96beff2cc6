package tech.streamfusion.nexmark;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The state of many keys, in small: the probe fills it, and an operator's gauges tell of it. */
class StateProbeTest {

    @TempDir Path checkpoints;

    @Test
    void gaugesTellOfTheNativeState() throws Exception {
        Message answer;
        WorkerCluster cluster = WorkerCluster.start(2, checkpoints);
        try {
            answer =
                    new StateProbe(cluster)
                        .measure(
                                new Message()
                                        .with("sql", "SET 'streamfusion.planner.minimum-gain' = '0';\n" + StateProbe.script(1000))
                                        .with("parallelism", 1)
                                        .with("state", "hashmap")
                                        .with("miniBatch", false)
                                        .with("checkpointInterval", "1 h"));
        } finally {
            cluster.stop();
        }
        assertThat(answer.get("nativeNodes")).contains("NativeGroupAggregate");
        assertThat(answer.getLong("stateKeys")).isEqualTo(1000);
        assertThat(answer.getLong("nativeBytes")).isGreaterThan(1000 * 24);
        assertThat(answer.getLong("checkpointBytes")).isPositive();
        assertThat(StateProbe.line(Side.NATIVE, 1000, answer)).contains("bytes a key", "NativeGroupAggregate");
    }
}
