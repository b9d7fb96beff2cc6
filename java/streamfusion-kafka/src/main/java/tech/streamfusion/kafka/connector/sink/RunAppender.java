package tech.streamfusion.kafka.connector.sink;

import static tech.streamfusion.kafka.connector.sink.ProducerInternals.*;

import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicInteger;
import javax.annotation.Nullable;
import org.apache.kafka.clients.producer.Callback;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.clients.producer.internals.BufferPool;
import org.apache.kafka.clients.producer.internals.BuiltInPartitioner;
import org.apache.kafka.clients.producer.internals.BuiltInPartitioner.StickyPartitionInfo;
import org.apache.kafka.clients.producer.internals.ProduceRequestResult;
import org.apache.kafka.clients.producer.internals.ProducerBatch;
import org.apache.kafka.clients.producer.internals.ProducerMetadata;
import org.apache.kafka.clients.producer.internals.RecordAccumulator;
import org.apache.kafka.clients.producer.internals.Sender;
import org.apache.kafka.clients.producer.internals.TransactionManager;
import org.apache.kafka.common.Cluster;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.errors.ApiException;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.record.CompressionType;
import org.apache.kafka.common.record.MemoryRecords;
import org.apache.kafka.common.record.MemoryRecordsBuilder;
import org.apache.kafka.common.record.RecordBatch;
import org.apache.kafka.common.record.TimestampType;
import org.apache.kafka.common.utils.Time;
import tech.streamfusion.kafka.KafkaNative;

/**
 * Appends runs of encoded records to a producer's accumulator, with the outcome of sending them one by one: the same
 * batches, the same partitions, the same waiting for buffers, the same callbacks. Source: RecordAccumulator.append and what
 * it calls, and the end of KafkaProducer.doSend. Made for one producer; used by one thread.
 */
final class RunAppender {

    private static final int SCRATCH_SIZE = 32 << 10;

    private final RecordAccumulator accumulator;
    private final BufferPool buffers;
    private final AtomicInteger appendsInProgress;
    private final Object incomplete;
    private final ConcurrentMap<?, ?> topics;
    private final Compression compression;
    private final int batchSize;
    private final int recordLimit;
    private final long maxBlockMillis;
    private final ProducerMetadata metadata;
    private final Sender sender;
    @Nullable private final TransactionManager transactions;
    private final boolean ignoreKeys;
    private final Callback callback;
    private final long[] state = new long[KafkaNative.STATE_SIZE];
    @Nullable private byte[] scratch;

    /** @throws LinkageError when the client is not one we know */
    RunAppender(KafkaProducer<?, ?> producer, Callback callback) {
        this.accumulator = (RecordAccumulator) ACCUMULATOR.get(producer);
        this.buffers = (BufferPool) BUFFERS.get(accumulator);
        this.appendsInProgress = (AtomicInteger) APPENDS.get(accumulator);
        this.incomplete = INCOMPLETE.get(accumulator);
        this.topics = (ConcurrentMap<?, ?>) TOPICS.get(accumulator);
        this.compression = (Compression) COMPRESSION.get(accumulator);
        this.batchSize = (int) BATCH_SIZE.get(accumulator);
        this.recordLimit = Math.min(batchSize, (int) MAX_REQUEST_SIZE.get(producer));
        this.maxBlockMillis = (long) MAX_BLOCK.get(producer);
        this.metadata = (ProducerMetadata) METADATA.get(producer);
        this.sender = (Sender) SENDER.get(producer);
        this.transactions = (TransactionManager) TRANSACTIONS.get(producer);
        this.ignoreKeys = (boolean) IGNORE_KEYS.get(producer);
        this.callback = callback;
    }

    boolean ignoresKeys() {
        return ignoreKeys;
    }

    /** Partitions of the topic, as in KafkaProducer.partition; 0 when its metadata is not known yet. */
    int partitions(String topic) {
        return metadata.fetch().partitionsForTopic(topic).size();
    }

    /**
     * Appends records of the order from position {@code from} while they can go in runs. The topic's first record must have
     * been sent before.
     *
     * @param partition the partition, or -1: the producer's sticky one
     * @return the position of the first record that was not appended: {@code to}, or one for the client's own send
     */
    int append(EncodedRows rows, String topic, int partition, int from, int to) {
        Object topicInfo = topics.get(topic);
        if (topicInfo == null) {
            return from;
        }
        Target target = new Target(topic, topicInfo, partition, metadata.fetch());
        // lets abortIncompleteBatches wait for us
        appendsInProgress.incrementAndGet();
        try {
            return appendAll(rows, target, from, to);
        } catch (InterruptedException e) {
            throw new InterruptException(e);
        } catch (ApiException e) {
            // as KafkaProducer.doSend: these are reported, not thrown
            TopicPartition where = new TopicPartition(topic, target.partition());
            callback.onCompletion(new RecordMetadata(where, -1, -1, RecordBatch.NO_TIMESTAMP, -1, -1), e);
            if (transactions != null) {
                transactions.maybeTransitionToErrorState(e);
            }
            return from;
        } finally {
            buffers.deallocate(target.buffer);
            appendsInProgress.decrementAndGet();
        }
    }

    private int appendAll(EncodedRows rows, Target target, int from, int to) throws InterruptedException {
        int position = from;
        rows.setNow(Time.SYSTEM.milliseconds());
        while (position < to) {
            target.choosePartition();
            int next = appendToLast(rows, target, position, to);
            if (next == position && target.stop != KafkaNative.STOP_SINGLE && !target.changed) {
                if (target.buffer == null) {
                    target.buffer = buffers.allocate(batchSize, maxBlockMillis);
                    rows.setNow(Time.SYSTEM.milliseconds());
                }
                next = appendNew(rows, target, position, to);
            }
            if (next > position) {
                if (transactions != null) {
                    transactions.maybeAddPartition(target.topicPartition());
                }
                if (target.wakeup) {
                    sender.wakeup();
                }
                position = next;
            } else if (target.stop == KafkaNative.STOP_SINGLE) {
                return position;
            }
        }
        return position;
    }

    /** RecordAccumulator.tryAppend. */
    private int appendToLast(EncodedRows rows, Target target, int from, int to) {
        Deque<ProducerBatch> queue = target.queue();
        synchronized (queue) {
            if (target.partitionChanged(queue)) {
                return from;
            }
            ProducerBatch last = checkOpen(queue).peekLast();
            if (last == null) {
                target.stop = KafkaNative.STOP_FULL;
                return from;
            }
            int before = last.estimatedSizeInBytes();
            int next = appendTo(last, rows, target, from, to);
            if (next == from) {
                if (target.stop == KafkaNative.STOP_FULL) {
                    last.closeForRecordAppends();
                }
                return from;
            }
            target.appended(queue, last, last.estimatedSizeInBytes() - before, false);
            return next;
        }
    }

    /** RecordAccumulator.appendNewBatch. */
    private int appendNew(EncodedRows rows, Target target, int from, int to) {
        Deque<ProducerBatch> queue = target.queue();
        synchronized (queue) {
            if (target.partitionChanged(queue)) {
                return from;
            }
            checkOpen(queue);
            MemoryRecordsBuilder builder =
                    MemoryRecords.builder(
                            target.buffer,
                            RecordBatch.CURRENT_MAGIC_VALUE,
                            compression,
                            TimestampType.CREATE_TIME,
                            0L);
            ProducerBatch batch = new ProducerBatch(target.topicPartition(), builder, Time.SYSTEM.milliseconds());
            int next = appendTo(batch, rows, target, from, to);
            if (next == from) {
                builder.closeForRecordAppends();
                target.buffer.clear();
                return from;
            }
            target.buffer = null; // the batch has it now
            queue.addLast(batch);
            addIncomplete(batch);
            target.appended(queue, batch, batch.estimatedSizeInBytes(), true);
            return next;
        }
    }

    private Deque<ProducerBatch> checkOpen(Deque<ProducerBatch> queue) {
        if ((boolean) CLOSED.getVolatile(accumulator)) {
            throw new KafkaException("Producer closed while send in progress");
        }
        return queue;
    }

    private void addIncomplete(ProducerBatch batch) {
        try {
            INCOMPLETE_ADD.invoke(incomplete, batch);
        } catch (Throwable e) {
            throw unexpected(e);
        }
    }

    // ---- one batch ----

    /** ProducerBatch.tryAppend for as many records as fit; sets the target's {@code stop}. */
    private int appendTo(ProducerBatch batch, EncodedRows rows, Target target, int from, int to) {
        MemoryRecordsBuilder builder = (MemoryRecordsBuilder) BUILDER.get(batch);
        if (builder.isFull()) { // also when it takes no more records
            target.stop = KafkaNative.STOP_FULL;
            return from;
        }
        readState(batch, builder, target);
        int next = compression.type() == CompressionType.NONE
                ? fillInPlace(builder, rows, from, to)
                : fillThroughStream(builder, rows, from, to);
        target.stop = (int) state[KafkaNative.STOP];
        if (next > from) {
            writeState(batch, builder);
            addThunks(batch, (int) state[KafkaNative.NUM_RECORDS] - (next - from), next - from);
        } else if (target.stop == KafkaNative.STOP_ROOM) {
            target.stop = KafkaNative.STOP_SINGLE; // larger than our scratch space
        }
        return next;
    }

    private int fillInPlace(MemoryRecordsBuilder builder, EncodedRows rows, int from, int to) {
        ByteBuffer buffer = builder.buffer();
        int at = buffer.position();
        int next = rows.fill(from, to, state, buffer.array(), buffer.arrayOffset() + at, buffer.remaining());
        buffer.position(at + (int) state[KafkaNative.WRITTEN]);
        return next;
    }

    private int fillThroughStream(MemoryRecordsBuilder builder, EncodedRows rows, int from, int to) {
        if (scratch == null) {
            scratch = new byte[Math.max(SCRATCH_SIZE, recordLimit)];
        }
        DataOutputStream stream = (DataOutputStream) APPEND_STREAM.get(builder);
        int position = from;
        int next;
        do {
            next = rows.fill(position, to, state, scratch, 0, scratch.length);
            if (next == position) {
                break;
            }
            position = next;
            try {
                stream.write(scratch, 0, (int) state[KafkaNative.WRITTEN]);
            } catch (IOException e) {
                throw new KafkaException("I/O exception when writing to the append stream, closing", e);
            }
        } while (state[KafkaNative.STOP] == KafkaNative.STOP_ROOM);
        return position;
    }

    private void readState(ProducerBatch batch, MemoryRecordsBuilder builder, Target target) {
        Long base = (Long) BASE_TIMESTAMP.get(builder);
        state[KafkaNative.NUM_RECORDS] = (int) NUM_RECORDS.get(builder);
        state[KafkaNative.UNCOMPRESSED_BYTES] = (int) UNCOMPRESSED_BYTES.get(builder);
        state[KafkaNative.BASE_TIMESTAMP] = base == null ? RecordBatch.NO_TIMESTAMP : base;
        state[KafkaNative.MAX_TIMESTAMP] = (long) MAX_TIMESTAMP.get(builder);
        state[KafkaNative.OFFSET_OF_MAX_TIMESTAMP] = (long) OFFSET_OF_MAX_TIMESTAMP.get(builder);
        state[KafkaNative.WRITE_LIMIT] = (int) WRITE_LIMIT.get(builder);
        state[KafkaNative.HEADER_BYTES] = (int) HEADER_BYTES.get(builder);
        state[KafkaNative.COMPRESSED] = compression.type() == CompressionType.NONE ? 0 : 1;
        state[KafkaNative.COMPRESSION_RATIO] = Float.floatToRawIntBits((float) COMPRESSION_RATIO.get(builder));
        state[KafkaNative.STICKY_BYTES] = target.stickyBytes();
        state[KafkaNative.STICKY_LIMIT] = target.stickyLimit();
        state[KafkaNative.RECORD_LIMIT] = recordLimit;
        state[KafkaNative.MAX_RECORD_BOUND] = (int) MAX_RECORD_SIZE.get(batch);
    }

    private void writeState(ProducerBatch batch, MemoryRecordsBuilder builder) {
        int records = (int) state[KafkaNative.NUM_RECORDS];
        NUM_RECORDS.set(builder, records);
        UNCOMPRESSED_BYTES.set(builder, (int) state[KafkaNative.UNCOMPRESSED_BYTES]);
        LAST_OFFSET.set(builder, (Long) (records - 1L)); // batches of the accumulator start at offset 0
        BASE_TIMESTAMP.set(builder, (Long) state[KafkaNative.BASE_TIMESTAMP]);
        MAX_TIMESTAMP.set(builder, state[KafkaNative.MAX_TIMESTAMP]);
        OFFSET_OF_MAX_TIMESTAMP.set(builder, state[KafkaNative.OFFSET_OF_MAX_TIMESTAMP]);
        RECORD_COUNT.set(batch, records);
        MAX_RECORD_SIZE.set(batch, (int) state[KafkaNative.MAX_RECORD_BOUND]);
        LAST_APPEND.set(batch, Time.SYSTEM.milliseconds());
    }

    /** Has the batch report the outcome of {@code count} records, the first of which is number {@code first}. */
    @SuppressWarnings("unchecked")
    private void addThunks(ProducerBatch batch, int first, int count) {
        List<Object> thunks = (List<Object>) THUNKS.get(batch);
        if (!(thunks instanceof RunThunks)) {
            RunThunks withRuns = new RunThunks(thunks, (ProduceRequestResult) PRODUCE_RESULT.get(batch), callback);
            try {
                SET_THUNKS.invokeExact(batch, (List<?>) withRuns);
            } catch (Throwable e) {
                throw unexpected(e);
            }
            thunks = withRuns;
        }
        ((RunThunks) thunks).addRun(first, count, state[KafkaNative.MAX_TIMESTAMP]);
    }

    private static RuntimeException unexpected(Throwable e) {
        if (e instanceof Error) {
            throw (Error) e;
        }
        return e instanceof RuntimeException ? (RuntimeException) e : new IllegalStateException(e);
    }

    // ---- where to ----

    /** The partition that records go to, fixed or sticky, and what came of the last attempt. */
    private static final class Target {
        private final String topic;
        private final ConcurrentMap<Integer, Deque<ProducerBatch>> queues;
        private final BuiltInPartitioner partitioner;
        private final int fixedPartition;
        private final Cluster cluster;
        @Nullable private StickyPartitionInfo sticky;
        @Nullable private TopicPartition topicPartition;

        @Nullable ByteBuffer buffer;
        int stop;
        boolean changed;
        boolean wakeup;

        @SuppressWarnings("unchecked")
        Target(String topic, Object topicInfo, int partition, Cluster cluster) {
            this.topic = topic;
            this.queues = (ConcurrentMap<Integer, Deque<ProducerBatch>>) TOPIC_BATCHES.get(topicInfo);
            this.partitioner = (BuiltInPartitioner) TOPIC_PARTITIONER.get(topicInfo);
            this.fixedPartition = partition;
            this.cluster = cluster;
        }

        void choosePartition() {
            changed = false;
            wakeup = false;
            if (fixedPartition >= 0) {
                return;
            }
            try {
                sticky = (StickyPartitionInfo) PEEK_PARTITION.invokeExact(partitioner, cluster);
            } catch (Throwable e) {
                throw unexpected(e);
            }
        }

        int partition() {
            return fixedPartition >= 0 || sticky == null ? fixedPartition : sticky.partition();
        }

        TopicPartition topicPartition() {
            int partition = partition();
            if (topicPartition == null || topicPartition.partition() != partition) {
                topicPartition = new TopicPartition(topic, partition);
            }
            return topicPartition;
        }

        Deque<ProducerBatch> queue() {
            return queues.computeIfAbsent(partition(), unused -> new ArrayDeque<>());
        }

        int stickyBytes() {
            return sticky == null ? 0 : ((AtomicInteger) STICKY_BYTES.get(sticky)).get();
        }

        int stickyLimit() {
            return sticky == null ? 0 : (int) STICKY_LIMIT.get(partitioner);
        }

        /** RecordAccumulator.partitionChanged; sets {@code changed}. */
        boolean partitionChanged(Deque<ProducerBatch> queue) {
            if (sticky == null) {
                return false;
            }
            changed = isChanged();
            if (!changed && allFull(queue)) {
                update(0, true);
                changed = isChanged();
            }
            return changed;
        }

        void appended(Deque<ProducerBatch> queue, ProducerBatch batch, int bytes, boolean isNew) {
            if (sticky != null) {
                update(bytes, allFull(queue));
            }
            wakeup = isNew || queue.size() > 1 || batch.isFull();
        }

        private boolean isChanged() {
            try {
                return (boolean) PARTITION_CHANGED.invokeExact(partitioner, sticky);
            } catch (Throwable e) {
                throw unexpected(e);
            }
        }

        private void update(int bytes, boolean enableSwitch) {
            try {
                UPDATE_PARTITION.invokeExact(partitioner, sticky, bytes, cluster, enableSwitch);
            } catch (Throwable e) {
                throw unexpected(e);
            }
        }

        private static boolean allFull(Deque<ProducerBatch> queue) {
            ProducerBatch last = queue.peekLast();
            return last == null || last.isFull();
        }
    }
}
