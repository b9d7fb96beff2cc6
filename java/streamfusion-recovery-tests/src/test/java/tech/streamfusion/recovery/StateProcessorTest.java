package tech.streamfusion.recovery;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.core.execution.SavepointFormatType;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.runtime.typeutils.InternalTypeInfo;
import org.apache.flink.table.types.logical.VarCharType;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import tech.streamfusion.recovery.SavepointStates.State;
import tech.streamfusion.testing.kafka.KafkaBroker;

/** Flink's State Processor API finds in a native operator's savepoint what it finds in stock Flink's. */
class StateProcessorTest {

    private static final int RECORDS = 1_000;

    private static KafkaBroker broker;
    private static Cluster cluster;

    @TempDir Path directory;

    @BeforeAll
    static void start() throws Exception {
        broker = KafkaBroker.start();
        cluster = new Cluster();
    }

    @AfterAll
    static void stop() {
        cluster.close();
        broker.close();
    }

    @ParameterizedTest
    @EnumSource(
            value = StatefulQuery.class,
            names = {"DISTINCT", "RETRACTING", "GLOBAL"})
    void readsTheSameKeysAndValues(StatefulQuery query) throws Exception {
        final TypeInformation<RowData> keys =
                query == StatefulQuery.GLOBAL ? InternalTypeInfo.ofFields() : InternalTypeInfo.ofFields(VarCharType.STRING_TYPE);
        final String stock = savepoint(query, false);
        final String accelerated = savepoint(query, true);
        final Map<String, List<State>> states = SavepointStates.registered(stock);
        assertThat(SavepointStates.registered(accelerated)).asString().isEqualTo(states.toString());
        assertThat(states).hasSize(query == StatefulQuery.RETRACTING ? 2 : 1);
        for (String operator : states.keySet()) {
            final TreeSet<String> expected = SavepointStates.read(stock, operator, keys, states.get(operator));
            assertThat(expected).isNotEmpty();
            assertThat(SavepointStates.read(accelerated, operator, keys, states.get(operator))).isEqualTo(expected);
        }
    }

    /** Of a job that has seen all records. */
    private String savepoint(StatefulQuery query, boolean accelerated) throws Exception {
        try (StatefulTopics topics =
                new StatefulTopics(broker.bootstrapServers(), "processor-" + query + "-" + accelerated)) {
            topics.produce(RECORDS);
            final StatefulJobs jobs = new StatefulJobs(query, "hashmap", directory, topics);
            final JobClient job = jobs.start(accelerated, 1, null);
            cluster.awaitRunning(job);
            topics.awaitAllRead(Duration.ofSeconds(60));
            final String savepoint =
                    job.stopWithSavepoint(false, directory.toUri().toString(), SavepointFormatType.CANONICAL).get();
            job.getJobExecutionResult().get();
            return savepoint;
        }
    }
}
