package tech.streamfusion.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static tech.streamfusion.kafka.RunningCopies.SIDES;
import static tech.streamfusion.kafka.RunningCopies.await;
import static tech.streamfusion.kafka.RunningCopies.copies;
import static tech.streamfusion.kafka.RunningCopies.whileRunning;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** What only shows while a job runs: discovery, where it starts at the end, commits, metrics, a broker that goes away. */
class RunningJobTest extends KafkaTestBase {

    private static final long FIRST_MARKER = 7_000_000;

    private static void createOutputs(String topic) {
        for (String side : SIDES) {
            topics.create(topic + '-' + side, 1);
        }
    }

    private static void awaitOutputs(String topic, List<String> expected) throws Exception {
        for (String side : SIDES) {
            await(
                    expected.size() + " records of " + side,
                    () -> topics.values(topic + '-' + side).size() >= expected.size());
            assertThat(topics.values(topic + '-' + side)).as(side).containsExactlyInAnyOrderElementsOf(expected);
        }
    }

    @Test
    void findsNewTopicsAndPartitions() throws Exception {
        topics.create("found-a", 1);
        createOutputs("finds");
        List<String> expected = new ArrayList<>(List.of(items(0, 50)));
        topics.send("found-a", items(0, 50));
        KafkaTable from =
                items("found")
                        .without("topic")
                        .option("topic-pattern", "found-.*")
                        .option("scan.startup.mode", "earliest-offset")
                        .option("scan.topic-partition-discovery.interval", "300 ms");
        whileRunning(copies(from, items("to be set"), "finds"), () -> {
            awaitOutputs("finds", expected);
            topics.create("found-b", 2);
            topics.grow("found-a", 3);
            topics.create("not-found", 1);
            topics.send("not-found", item(7));
            for (int partition = 0; partition < 2; partition++) {
                String[] more = items(1000 + 100 * partition, 1000 + 100 * partition + 50);
                topics.sendTo("found-b", partition, more);
                expected.addAll(List.of(more));
            }
            topics.sendTo("found-a", 2, items(2000, 2050));
            expected.addAll(List.of(items(2000, 2050)));
            awaitOutputs("finds", expected);
        });
    }

    /** latest-offset; then offsets and metrics after the same input, across a restart of the broker. */
    @Test
    void startsAtTheEndCommitsCountsAndOutlivesTheBroker() throws Exception {
        topics.create("running", 2);
        createOutputs("ran");
        topics.send("running", items(0, 100));
        KafkaTable from = items("running").option("scan.startup.mode", "latest-offset");
        whileRunning(copies(from, items("to be set"), "ran"), () -> {
            awaitReaders();
            Map<String, Map<String, Long>> before = Map.of("stock", counts("stock"), "native", counts("native"));
            List<String> expected = new ArrayList<>();
            send(expected, 1000, 2500);
            awaitAfterMarkers(expected);
            broker.stop();
            broker.restart();
            send(expected, 3000, 3200);
            awaitAfterMarkers(expected);
            await("commits of both", () -> committed("stock").equals(ends()) && committed("native").equals(ends()));
            await("equal metrics", () -> since(before, "native").equals(since(before, "stock")));
            assertThat(since(before, "native"))
                    .containsEntry("source numRecordsIn", (long) expected.size())
                    .containsEntry("sink numRecordsSend", (long) expected.size())
                    .containsEntry("source topic.running.partition.0.currentOffset", ends().get(0) - 1);
            assertThat(pending("native")).isEqualTo(0L).isEqualTo(pending("stock"));
            for (String side : SIDES) {
                assertThat(CollectedMetrics.value(side, "ource", "numBytesIn").longValue()).isPositive();
                assertThat(CollectedMetrics.value(side, "Writer", "numBytesSend").longValue()).isPositive();
            }
        });
    }

    private static void send(List<String> expected, int from, int to) {
        for (int partition = 0; partition < 2; partition++) {
            String[] items = items(from + 10_000 * partition, to + 10_000 * partition);
            topics.sendTo("running", partition, items);
            expected.addAll(List.of(items));
        }
    }

    /**
     * A reader that starts at the end finds the end when it first polls. Sends markers until both sides have written the
     * latest of both partitions.
     */
    private static void awaitReaders() throws Exception {
        long[] marker = {FIRST_MARKER};
        await(
                "readers",
                () -> {
                    marker[0] += 2;
                    for (int partition = 0; partition < 2; partition++) {
                        topics.sendTo("running", partition, item(marker[0] + partition));
                    }
                    Thread.sleep(1000);
                    List<String> last = List.of(item(marker[0]), item(marker[0] + 1));
                    return topics.values("ran-stock").containsAll(last) && topics.values("ran-native").containsAll(last);
                });
    }

    private static void awaitAfterMarkers(List<String> expected) throws Exception {
        for (String side : SIDES) {
            await(expected.size() + " records of " + side, () -> withoutMarkers(side).size() >= expected.size());
            assertThat(withoutMarkers(side)).as(side).containsExactlyInAnyOrderElementsOf(expected);
        }
    }

    private static List<String> withoutMarkers(String side) {
        return topics.values("ran-" + side).stream()
                .filter(value -> !value.startsWith("{\"id\":" + FIRST_MARKER / 1000))
                .collect(Collectors.toList());
    }

    private static Number pending(String side) {
        return CollectedMetrics.value(side, "ource", "pendingRecords");
    }

    private static Map<Integer, Long> committed(String side) {
        return topics.committed("ran-" + side, "running");
    }

    private static Map<Integer, Long> ends() {
        return topics.ends("running");
    }

    private static Map<String, Long> counts(String side) {
        Map<String, Long> counts = new HashMap<>();
        for (String name :
                List.of(
                        "numRecordsIn",
                        "numRecordsOut",
                        "numRecordsInErrors",
                        "topic.running.partition.0.currentOffset",
                        "topic.running.partition.1.currentOffset",
                        "topic.running.partition.1.committedOffset")) {
            counts.put("source " + name, CollectedMetrics.value(side, "ource", name).longValue());
        }
        for (String name : List.of("numRecordsIn", "numRecordsSend", "numRecordsSendErrors")) {
            counts.put("sink " + name, CollectedMetrics.value(side, "Writer", name).longValue());
        }
        return counts;
    }

    private static Map<String, Long> since(Map<String, Map<String, Long>> before, String side) {
        Map<String, Long> since = counts(side);
        since.replaceAll((name, count) -> name.endsWith("Offset") ? count : count - before.get(side).get(name));
        return since;
    }
}
