package tech.streamfusion.kafka.connector.sink;

import java.io.IOException;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Properties;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import javax.annotation.Nullable;
import org.apache.flink.api.common.eventtime.Watermark;
import org.apache.flink.api.connector.sink2.CommittingSinkWriter;
import org.apache.flink.api.connector.sink2.StatefulSinkWriter;
import org.apache.flink.api.connector.sink2.WriterInitContext;
import org.apache.flink.connector.kafka.sink.KafkaCommittable;
import org.apache.flink.connector.kafka.sink.KafkaRecordSerializationSchema;
import org.apache.flink.connector.kafka.sink.KafkaWriterState;
import org.apache.flink.connector.kafka.sink.internal.FlinkKafkaInternalProducer;
import org.apache.flink.metrics.Counter;
import org.apache.flink.table.data.RowData;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tech.streamfusion.runtime.NativeBatch;
import tech.streamfusion.runtime.NativeEngine;

/**
 * Writes batches through Flink's own Kafka writer, which owns producer, transactions, state and failures. The first record
 * of a batch goes through its {@code write}, and so meets everything that the client checks and waits for; the rest are
 * appended to the producer's accumulator in runs where the client allows it.
 */
@SuppressWarnings("try") // close() may throw InterruptedException, as the interface has it
final class NativeKafkaWriter
        implements StatefulSinkWriter<NativeBatch, KafkaWriterState>, CommittingSinkWriter<NativeBatch, KafkaCommittable> {

    private static final Logger LOG = LoggerFactory.getLogger(NativeKafkaWriter.class);
    private static final int[] NO_ROWS = new int[0];

    private final SinkPlan plan;
    private final SendSerializer serializer;
    private final StatefulSinkWriter<ProducerRecord<byte[], byte[]>, KafkaWriterState> stock;
    @Nullable private final KafkaWriterAccess access;
    private final Counter recordsIn;
    private final Counter recordsOut;
    private final long pool;
    private final long rowType;
    @Nullable private final FieldEncoder values;
    @Nullable private final FieldEncoder keys;
    private final int columns;
    @Nullable private final RowTopics topics;

    @Nullable private FlinkKafkaInternalProducer<?, ?> producer;
    @Nullable private RunAppender appender;

    /** Takes over {@code stock} when it succeeds. */
    NativeKafkaWriter(
            SinkPlan plan,
            Properties properties,
            SendSerializer serializer,
            StatefulSinkWriter<ProducerRecord<byte[], byte[]>, KafkaWriterState> stock,
            WriterInitContext context) {
        this.plan = plan;
        this.serializer = serializer;
        this.stock = stock;
        this.access = runsAllowed(properties) ? writerAccess(stock) : null;
        this.recordsIn = context.metricGroup().getIOMetricGroup().getNumRecordsInCounter();
        this.recordsOut = context.metricGroup().getIOMetricGroup().getNumRecordsOutCounter();
        this.columns = plan.consumedType.getFieldCount();
        this.topics = plan.topic == null ? new RowTopics(plan) : null;
        // one batch and its encoding; Flink gives a sink writer no managed memory
        this.pool = NativeEngine.poolCreate("Kafka sink " + plan.tableName, -1, null);
        this.rowType = NativeEngine.typeCreate(plan.consumedTypePlan);
        FieldEncoder openedValues = null;
        try {
            ClassLoader loader = context.getUserCodeClassLoader().asClassLoader();
            if (plan.partitioning == SinkPlan.Partitioning.ROW_BY_ROW) {
                this.values = null;
                this.keys = null;
                return;
            }
            openedValues = new FieldEncoder(pool, plan.value, loader);
            this.keys = plan.key == null ? null : new FieldEncoder(pool, plan.key, loader);
            this.values = openedValues;
        } catch (RuntimeException | Error e) {
            if (openedValues != null) {
                openedValues.close();
            }
            freeNative();
            throw e;
        }
    }

    /** Interceptors and partitioners of the client want to see every record. */
    private static boolean runsAllowed(Properties properties) {
        return !properties.containsKey(ProducerConfig.INTERCEPTOR_CLASSES_CONFIG)
                && !properties.containsKey(ProducerConfig.PARTITIONER_CLASS_CONFIG)
                && usesByteArrays(properties, ProducerConfig.KEY_SERIALIZER_CLASS_CONFIG)
                && usesByteArrays(properties, ProducerConfig.VALUE_SERIALIZER_CLASS_CONFIG);
    }

    private static boolean usesByteArrays(Properties properties, String key) {
        return org.apache.kafka.common.serialization.ByteArraySerializer.class.getName().equals(properties.get(key));
    }

    @Nullable
    private static KafkaWriterAccess writerAccess(Object writer) {
        try {
            return KafkaWriterAccess.of(writer);
        } catch (ReflectiveOperationException | RuntimeException e) {
            LOG.warn("Records are sent one by one: Flink's Kafka writer is not as expected", e);
            return null;
        }
    }

    // ---- writing ----

    /** The batch comes from an operator of the same task, or off the network. */
    @Override
    public void write(NativeBatch element, Context context) throws IOException, InterruptedException {
        NativeBatch batch = element.resident(pool, rowType);
        try {
            recordsIn.inc(batch.rowCount() - 1L); // the operator has counted one
            writeResident(batch, context);
        } finally {
            batch.release();
        }
    }

    /** Writes rows that are counted already. */
    void writeResident(NativeBatch batch, Context context) throws IOException, InterruptedException {
        int rows = batch.rowCount();
        if (rows == 0) {
            return;
        }
        checkFailures(context);
        try (HostRow hostRow = new HostRow(columns)) {
            if (values == null) {
                for (int row = 0; row < rows; row++) {
                    sendHostRow(hostRow.at(batch, row), context);
                }
            } else {
                writeEncoded(batch, hostRow, context);
            }
        }
    }

    private void writeEncoded(NativeBatch batch, HostRow hostRow, Context context)
            throws IOException, InterruptedException {
        FieldEncoder.Encoded value = values.encode(batch.handle());
        FieldEncoder.Encoded key;
        try {
            key = keys == null ? null : keys.encode(batch.handle());
        } catch (RuntimeException | Error e) {
            value.close();
            throw e;
        }
        try (EncodedRows encoded = new EncodedRows(plan, pool, batch, value, key)) {
            int[] topicOf = topics == null ? NO_ROWS : topics.of(batch, hostRow);
            int from = 0;
            for (int punt : punts(value, key, topicOf)) {
                writeRows(encoded, topicOf, from, punt, context);
                sendHostRow(hostRow.at(batch, punt), context);
                from = punt + 1;
            }
            writeRows(encoded, topicOf, from, batch.rowCount(), context);
        }
    }

    /** Throws when an earlier send has failed, as every write of the stock writer does. */
    private void checkFailures(Context context) throws IOException, InterruptedException {
        stock.write(null, context);
    }

    /** Ascending rows that are left to Flink's serializer: it encodes them, or says what is wrong with their topic. */
    private static int[] punts(
            FieldEncoder.Encoded value, @Nullable FieldEncoder.Encoded key, int[] topicOf) {
        int[] ofValue = value.puntRows();
        int[] ofKey = key == null ? null : key.puntRows();
        int[] ofTopic = IntStream.range(0, topicOf.length).filter(row -> topicOf[row] == RowTopics.NONE).toArray();
        if (ofValue == null && ofKey == null) {
            return ofTopic;
        }
        return Stream.of(ofValue == null ? NO_ROWS : ofValue, ofKey == null ? NO_ROWS : ofKey, ofTopic)
                .flatMapToInt(Arrays::stream)
                .sorted()
                .distinct()
                .toArray();
    }

    /** Serializes a row as stock Flink does, and sends it. */
    private void sendHostRow(RowData row, Context context) throws IOException, InterruptedException {
        ProducerRecord<byte[], byte[]> record = serializer.hostRecord(row, context.timestamp());
        if (record != null) {
            stock.write(record, context);
        }
    }

    /** Rows {@code from..to}, none of them the host's; positions are rows still. */
    private void writeRows(EncodedRows rows, int[] topicOf, int from, int to, Context context)
            throws IOException, InterruptedException {
        if (from == to) {
            return;
        }
        if (topics == null) {
            writeTopic(rows, plan.topic, from, to, context);
            return;
        }
        int[] counts = rows.group(from, to, Arrays.copyOfRange(topicOf, from, to), topics.count());
        int position = from;
        for (int topic = 0; topic < counts.length; topic++) {
            writeTopic(rows, topics.name(topic), position, position + counts[topic], context);
            position += counts[topic];
        }
    }

    private void writeTopic(EncodedRows rows, String topic, int from, int to, Context context)
            throws IOException, InterruptedException {
        if (from == to) {
            return;
        }
        RunAppender runs = runs();
        if (plan.partitioning == SinkPlan.Partitioning.FIXED) {
            int partition = fixedPartition(topic);
            sendAndAppend(rows, runs, topic, partition, partition, from, to, context);
        } else if (!rows.hasKeys() || runs != null && runs.ignoresKeys()) {
            sendAndAppend(rows, runs, topic, null, -1, from, to, context);
        } else {
            writeKeyed(rows, runs, topic, from, to, context);
        }
    }

    /** FlinkFixedPartitioner.partition. */
    private int fixedPartition(String topic) {
        KafkaRecordSerializationSchema.KafkaSinkContext sink = serializer.sinkContext();
        int[] partitions = sink.getPartitionsForTopic(topic);
        return partitions[sink.getParallelInstanceId() % partitions.length];
    }

    private void writeKeyed(
            EncodedRows rows, @Nullable RunAppender runs, String topic, int from, int to, Context context)
            throws IOException, InterruptedException {
        int next = from;
        int partitions = partitions(runs, topic);
        if (partitions == 0) {
            // not known before the first record is out
            stock.write(rows.record(topic, null, next++), context);
            partitions = partitions(runs, topic);
        }
        if (partitions > 0 && next < to) {
            writePartitions(rows, runs, topic, partitions, next, to, context);
            return;
        }
        for (; next < to; next++) {
            stock.write(rows.record(topic, null, next), context);
        }
    }

    private static int partitions(@Nullable RunAppender runs, String topic) {
        return runs == null ? 0 : runs.partitions(topic);
    }

    private void writePartitions(
            EncodedRows rows, RunAppender runs, String topic, int partitions, int from, int to, Context context)
            throws IOException, InterruptedException {
        int[] counts = rows.partition(from, to, partitions);
        int position = from;
        for (int partition = 0; partition < partitions; partition++) {
            if (counts[partition] > 0) {
                sendAndAppend(rows, runs, topic, null, partition, position, position + counts[partition], context);
                position += counts[partition];
            }
        }
    }

    /**
     * Sends the first record, appends the others in runs, and sends those that cannot be part of a run.
     *
     * @param sendPartition what a record is sent with; null leaves the choice to the client
     * @param runPartition the partition for runs, -1: the client's sticky one
     */
    private void sendAndAppend(
            EncodedRows rows,
            @Nullable RunAppender runs,
            String topic,
            @Nullable Integer sendPartition,
            int runPartition,
            int from,
            int to,
            Context context)
            throws IOException, InterruptedException {
        int position = from;
        while (position < to) {
            stock.write(rows.record(topic, sendPartition, position), context);
            position++;
            if (runs != null && position < to) {
                int next = runs.append(rows, topic, runPartition, position, to);
                recordsOut.inc(next - position);
                position = next;
            }
        }
    }

    /** For the current producer; null: records are to be sent one by one. */
    @Nullable
    private RunAppender runs() {
        if (access == null) {
            return null;
        }
        FlinkKafkaInternalProducer<?, ?> current = access.currentProducer();
        if (current != producer) {
            producer = current;
            try {
                appender = new RunAppender(current, access.deliveryCallback());
            } catch (LinkageError e) {
                LOG.warn("Records are sent one by one: this Kafka client is not as expected", e);
                appender = null;
            }
        }
        return appender;
    }

    // ---- the stock writer's ----

    @Override
    public void writeWatermark(Watermark watermark) throws IOException, InterruptedException {
        stock.writeWatermark(watermark);
    }

    @Override
    public void flush(boolean endOfInput) throws IOException, InterruptedException {
        stock.flush(endOfInput);
    }

    @Override
    @SuppressWarnings("unchecked") // Flink's Kafka writers are this; without transactions they commit nothing
    public Collection<KafkaCommittable> prepareCommit() throws IOException, InterruptedException {
        return ((CommittingSinkWriter<?, KafkaCommittable>) stock).prepareCommit();
    }

    @Override
    public List<KafkaWriterState> snapshotState(long checkpointId) throws IOException {
        return stock.snapshotState(checkpointId);
    }

    @Override
    public void close() throws Exception {
        try {
            stock.close();
        } finally {
            if (keys != null) {
                keys.close();
            }
            if (values != null) {
                values.close();
            }
            freeNative();
        }
    }

    private void freeNative() {
        NativeEngine.typeRelease(rowType);
        NativeEngine.poolRelease(pool);
    }
}
