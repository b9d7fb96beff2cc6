package tech.streamfusion.kafka.connector.source;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import javax.annotation.Nullable;
import org.apache.flink.connector.base.source.reader.RecordsWithSplitIds;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/** One fetch, decoded: the runs of each split, in order. */
final class BatchRecords implements RecordsWithSplitIds<ConsumerRecord<byte[], byte[]>> {

    private final Map<String, Deque<BatchRecord>> runs = new LinkedHashMap<>();
    private final Set<String> finishedSplits;
    private Iterator<Map.Entry<String, Deque<BatchRecord>>> splits;
    private Deque<BatchRecord> current;

    BatchRecords(Set<String> finishedSplits) {
        this.finishedSplits = finishedSplits;
    }

    void add(String split, BatchRecord run) {
        runs.computeIfAbsent(split, unused -> new ArrayDeque<>()).add(run);
    }

    @Nullable
    @Override
    public String nextSplit() {
        if (splits == null) {
            splits = runs.entrySet().iterator();
        }
        if (!splits.hasNext()) {
            current = null;
            return null;
        }
        Map.Entry<String, Deque<BatchRecord>> next = splits.next();
        current = next.getValue();
        return next.getKey();
    }

    @Nullable
    @Override
    public ConsumerRecord<byte[], byte[]> nextRecordFromSplit() {
        return current.poll();
    }

    @Override
    public Set<String> finishedSplits() {
        return finishedSplits;
    }
}
