package tech.streamfusion.kafka.connector.sink;

import java.io.DataOutputStream;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.invoke.VarHandle;
import java.lang.reflect.Field;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.clients.producer.Callback;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.internals.BufferPool;
import org.apache.kafka.clients.producer.internals.BuiltInPartitioner;
import org.apache.kafka.clients.producer.internals.FutureRecordMetadata;
import org.apache.kafka.clients.producer.internals.ProduceRequestResult;
import org.apache.kafka.clients.producer.internals.ProducerBatch;
import org.apache.kafka.clients.producer.internals.ProducerInterceptors;
import org.apache.kafka.clients.producer.internals.ProducerMetadata;
import org.apache.kafka.clients.producer.internals.RecordAccumulator;
import org.apache.kafka.clients.producer.internals.Sender;
import org.apache.kafka.clients.producer.internals.TransactionManager;
import org.apache.kafka.common.Cluster;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.record.MemoryRecordsBuilder;
import org.apache.kafka.common.utils.Time;

/**
 * The inside of the producer of kafka-clients 4.1 and 4.2: the fields and methods that appending a whole run takes, looked
 * up and checked for their types once. Whoever uses this class first gets an {@link ExceptionInInitializerError} when
 * anything is missing, and then has to do without.
 */
final class ProducerInternals {

    static final VarHandle ACCUMULATOR = field(KafkaProducer.class, "accumulator", RecordAccumulator.class);
    static final VarHandle SENDER = field(KafkaProducer.class, "sender", Sender.class);
    static final VarHandle TRANSACTIONS = field(KafkaProducer.class, "transactionManager", TransactionManager.class);
    static final VarHandle METADATA = field(KafkaProducer.class, "metadata", ProducerMetadata.class);
    static final VarHandle INTERCEPTORS = field(KafkaProducer.class, "interceptors", ProducerInterceptors.class);
    static final VarHandle MAX_BLOCK = field(KafkaProducer.class, "maxBlockTimeMs", long.class);
    static final VarHandle MAX_REQUEST_SIZE = field(KafkaProducer.class, "maxRequestSize", int.class);
    static final VarHandle IGNORE_KEYS = field(KafkaProducer.class, "partitionerIgnoreKeys", boolean.class);

    static final VarHandle CLOSED = field(RecordAccumulator.class, "closed", boolean.class);
    static final VarHandle APPENDS = field(RecordAccumulator.class, "appendsInProgress", AtomicInteger.class);
    static final VarHandle BATCH_SIZE = field(RecordAccumulator.class, "batchSize", int.class);
    static final VarHandle COMPRESSION = field(RecordAccumulator.class, "compression", Compression.class);
    static final VarHandle BUFFERS = field(RecordAccumulator.class, "free", BufferPool.class);
    static final VarHandle TOPICS = field(RecordAccumulator.class, "topicInfoMap", ConcurrentMap.class);

    private static final Class<?> INCOMPLETE_CLASS = type(RecordAccumulator.class, "incomplete");
    static final VarHandle INCOMPLETE = field(RecordAccumulator.class, "incomplete", INCOMPLETE_CLASS);
    static final MethodHandle INCOMPLETE_ADD = method(INCOMPLETE_CLASS, "add", void.class, ProducerBatch.class);

    private static final Class<?> TOPIC_CLASS = nested(RecordAccumulator.class, "TopicInfo");
    static final VarHandle TOPIC_BATCHES = field(TOPIC_CLASS, "batches", ConcurrentMap.class);
    static final VarHandle TOPIC_PARTITIONER = field(TOPIC_CLASS, "builtInPartitioner", BuiltInPartitioner.class);

    static final MethodHandle PEEK_PARTITION =
            method(
                    BuiltInPartitioner.class,
                    "peekCurrentPartitionInfo",
                    BuiltInPartitioner.StickyPartitionInfo.class,
                    Cluster.class);
    static final MethodHandle PARTITION_CHANGED =
            method(
                    BuiltInPartitioner.class,
                    "isPartitionChanged",
                    boolean.class,
                    BuiltInPartitioner.StickyPartitionInfo.class);
    static final MethodHandle UPDATE_PARTITION =
            method(
                    BuiltInPartitioner.class,
                    "updatePartitionInfo",
                    void.class,
                    BuiltInPartitioner.StickyPartitionInfo.class,
                    int.class,
                    Cluster.class,
                    boolean.class);
    static final VarHandle STICKY_BYTES =
            field(BuiltInPartitioner.StickyPartitionInfo.class, "producedBytes", AtomicInteger.class);
    static final VarHandle STICKY_LIMIT = field(BuiltInPartitioner.class, "stickyBatchSize", int.class);

    static final VarHandle BUILDER = field(ProducerBatch.class, "recordsBuilder", MemoryRecordsBuilder.class);
    static final VarHandle PRODUCE_RESULT = field(ProducerBatch.class, "produceFuture", ProduceRequestResult.class);
    static final VarHandle THUNKS = field(ProducerBatch.class, "thunks", List.class);
    static final MethodHandle SET_THUNKS = setter(ProducerBatch.class, "thunks", List.class);
    static final VarHandle RECORD_COUNT = field(ProducerBatch.class, "recordCount", int.class);
    static final VarHandle MAX_RECORD_SIZE = field(ProducerBatch.class, "maxRecordSize", int.class);
    static final VarHandle LAST_APPEND = field(ProducerBatch.class, "lastAppendTime", long.class);
    static final MethodHandle NEW_THUNK =
            constructor(nested(ProducerBatch.class, "Thunk"), Callback.class, FutureRecordMetadata.class);

    static final VarHandle APPEND_STREAM = field(MemoryRecordsBuilder.class, "appendStream", DataOutputStream.class);
    static final VarHandle NUM_RECORDS = field(MemoryRecordsBuilder.class, "numRecords", int.class);
    static final VarHandle UNCOMPRESSED_BYTES =
            field(MemoryRecordsBuilder.class, "uncompressedRecordsSizeInBytes", int.class);
    static final VarHandle LAST_OFFSET = field(MemoryRecordsBuilder.class, "lastOffset", Long.class);
    static final VarHandle BASE_TIMESTAMP = field(MemoryRecordsBuilder.class, "baseTimestamp", Long.class);
    static final VarHandle MAX_TIMESTAMP = field(MemoryRecordsBuilder.class, "maxTimestamp", long.class);
    static final VarHandle OFFSET_OF_MAX_TIMESTAMP =
            field(MemoryRecordsBuilder.class, "offsetOfMaxTimestamp", long.class);
    static final VarHandle WRITE_LIMIT = field(MemoryRecordsBuilder.class, "writeLimit", int.class);
    static final VarHandle HEADER_BYTES = field(MemoryRecordsBuilder.class, "batchHeaderSizeInBytes", int.class);
    static final VarHandle COMPRESSION_RATIO =
            field(MemoryRecordsBuilder.class, "estimatedCompressionRatio", float.class);

    static {
        // called by name in RunAppender: public, but no promise either
        method(BufferPool.class, "allocate", ByteBuffer.class, int.class, long.class);
        method(BufferPool.class, "deallocate", void.class, ByteBuffer.class);
        method(ProducerBatch.class, "estimatedSizeInBytes", int.class);
        method(ProducerBatch.class, "closeForRecordAppends", void.class);
        method(ProducerBatch.class, "isFull", boolean.class);
        method(MemoryRecordsBuilder.class, "isFull", boolean.class);
        method(MemoryRecordsBuilder.class, "closeForRecordAppends", void.class);
        method(MemoryRecordsBuilder.class, "buffer", ByteBuffer.class);
        method(ProducerMetadata.class, "fetch", Cluster.class);
        method(Sender.class, "wakeup", void.class);
        method(TransactionManager.class, "maybeAddPartition", void.class, TopicPartition.class);
        method(TransactionManager.class, "maybeTransitionToErrorState", void.class, RuntimeException.class);
        constructor(ProducerBatch.class, TopicPartition.class, MemoryRecordsBuilder.class, long.class);
        constructor(
                FutureRecordMetadata.class,
                ProduceRequestResult.class,
                int.class,
                long.class,
                int.class,
                int.class,
                Time.class);
    }

    private ProducerInternals() {}

    private static MethodHandles.Lookup in(Class<?> type) throws IllegalAccessException {
        return MethodHandles.privateLookupIn(type, MethodHandles.lookup());
    }

    private static VarHandle field(Class<?> declaring, String name, Class<?> type) {
        try {
            return in(declaring).findVarHandle(declaring, name, type);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Also for a final field, which a lookup alone does not set. */
    private static MethodHandle setter(Class<?> declaring, String name, Class<?> type) {
        try {
            Field field = declaring.getDeclaredField(name);
            field.setAccessible(true);
            return in(declaring).unreflectSetter(field).asType(MethodType.methodType(void.class, declaring, type));
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
    }

    private static MethodHandle method(Class<?> declaring, String name, Class<?> result, Class<?>... arguments) {
        try {
            return in(declaring).findVirtual(declaring, name, MethodType.methodType(result, arguments));
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
    }

    private static MethodHandle constructor(Class<?> declaring, Class<?>... arguments) {
        try {
            return in(declaring)
                    .findConstructor(declaring, MethodType.methodType(void.class, arguments))
                    .asType(MethodType.methodType(Object.class, arguments));
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
    }

    private static Class<?> nested(Class<?> outer, String name) {
        for (Class<?> candidate : outer.getDeclaredClasses()) {
            if (candidate.getSimpleName().equals(name)) {
                return candidate;
            }
        }
        throw new IllegalStateException("no " + name + " in " + outer);
    }

    private static Class<?> type(Class<?> declaring, String field) {
        try {
            return declaring.getDeclaredField(field).getType();
        } catch (NoSuchFieldException e) {
            throw new IllegalStateException(e);
        }
    }
}
