package tech.streamfusion.kafka.connector.source;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import javax.annotation.Nullable;
import org.apache.flink.connector.base.source.reader.RecordsWithSplitIds;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/**
 * One fetch on its way to the task thread, which decodes it: stock Flink deserializes there too, and the fetcher has enough to do
 * with polling. Each split's records become one batch.
 */
final class BatchRecords implements RecordsWithSplitIds<ConsumerRecord<byte[], byte[]>> {

    /** A batch ends here, so that a poll over big records does not need all of their bytes at once. */
    private static final long MAX_BATCH_BYTES = 32L << 20;

    private final RecordsWithSplitIds<ConsumerRecord<byte[], byte[]>> fetched;
    private final FetchedBytes bytes;
    private final RecordDecoder decoder;
    private final Consumer<FetchedBytes> recycler;
    private final Deque<BatchRecord> decoded = new ArrayDeque<>(2);

    /** Read from the split, belongs to the next batch. */
    @Nullable private ConsumerRecord<byte[], byte[]> next;

    /** @param recycler gets {@code bytes} back when all is emitted */
    BatchRecords(
            RecordsWithSplitIds<ConsumerRecord<byte[], byte[]>> fetched,
            FetchedBytes bytes,
            RecordDecoder decoder,
            Consumer<FetchedBytes> recycler) {
        this.fetched = fetched;
        this.bytes = bytes;
        this.decoder = decoder;
        this.recycler = recycler;
    }

    @Nullable
    @Override
    public String nextSplit() {
        return fetched.nextSplit();
    }

    /** The next run of the split, whose batch is the caller's; see {@link BatchRecord}. */
    @Nullable
    @Override
    public ConsumerRecord<byte[], byte[]> nextRecordFromSplit() {
        if (decoded.isEmpty()) {
            List<ConsumerRecord<byte[], byte[]>> run = nextRun();
            if (run.isEmpty()) {
                return null;
            }
            decoded.addAll(decoder.decode(run, bytes.keys, bytes.values));
        }
        return decoded.poll();
    }

    private List<ConsumerRecord<byte[], byte[]>> nextRun() {
        List<ConsumerRecord<byte[], byte[]>> run = new ArrayList<>(bytes.values.count());
        long size = 0;
        ConsumerRecord<byte[], byte[]> record = next != null ? next : fetched.nextRecordFromSplit();
        for (next = null; record != null; record = fetched.nextRecordFromSplit()) {
            size += Math.max(0, record.serializedValueSize()) + (long) Math.max(0, record.serializedKeySize());
            if (size > MAX_BATCH_BYTES && !run.isEmpty()) {
                next = record;
                break;
            }
            run.add(record);
        }
        return run;
    }

    @Override
    public Set<String> finishedSplits() {
        return fetched.finishedSplits();
    }

    @Override
    public void recycle() {
        fetched.recycle();
        recycler.accept(bytes);
    }
}
