package tech.streamfusion.runtime.operators;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import javax.annotation.Nullable;
import org.apache.flink.api.common.state.ListState;
import org.apache.flink.api.common.state.ListStateDescriptor;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.dag.Transformation;
import org.apache.flink.api.java.functions.KeySelector;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.StateRecoveryOptions;
import org.apache.flink.runtime.jobgraph.JobGraph;
import org.apache.flink.runtime.state.StateInitializationContext;
import org.apache.flink.runtime.state.StateSnapshotContext;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.operators.AbstractStreamOperator;
import org.apache.flink.streaming.api.operators.OneInputStreamOperator;
import org.apache.flink.streaming.api.transformations.OneInputTransformation;
import org.apache.flink.streaming.api.transformations.PartitionTransformation;
import org.apache.flink.streaming.api.watermark.Watermark;
import org.apache.flink.streaming.runtime.partitioner.KeyGroupStreamPartitioner;
import org.apache.flink.streaming.runtime.partitioner.StreamPartitioner;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.streaming.runtime.watermarkstatus.WatermarkStatus;
import org.apache.flink.table.data.GenericRowData;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.StringData;
import org.apache.flink.table.data.binary.BinaryRowData;
import org.apache.flink.table.data.writer.BinaryRowWriter;
import org.apache.flink.table.runtime.typeutils.InternalTypeInfo;
import org.apache.flink.table.types.logical.BigIntType;
import org.apache.flink.table.types.logical.IntType;
import org.apache.flink.table.types.logical.RowType;
import org.apache.flink.table.types.logical.VarCharType;
import org.apache.flink.types.RowKind;
import tech.streamfusion.runtime.OperatorSpec;
import tech.streamfusion.runtime.PlanBytes;

/** A job of rows, an exchange, and what has arrived behind it; natively or on Flink's own edge. */
final class ExchangeJob {

    static final RowType TYPE =
            RowType.of(
                    new BigIntType(), VarCharType.STRING_TYPE, new IntType(), new BigIntType(), new BigIntType());
    static final int[] KEY = {1, 0};

    private static final Map<String, List<Arrival>> ARRIVALS = new ConcurrentHashMap<>();
    private static final Map<String, Boolean> SLOW = new ConcurrentHashMap<>();

    final String id = UUID.randomUUID().toString();
    private final Configuration configuration = new Configuration();
    private boolean isNative = true;
    private int senders = 1;
    private int receivers = 1;
    private int maxParallelism = 128;
    private long rows = 10_000;
    private boolean idleSender;
    private boolean objectReuse;
    private long bufferTimeout = 100;
    private StreamPartitioner<?> partitioner;

    // ---- what the job is like ----

    ExchangeJob stock() {
        isNative = false;
        return this;
    }

    ExchangeJob parallelism(int ofSenders, int ofReceivers) {
        senders = ofSenders;
        receivers = ofReceivers;
        return this;
    }

    ExchangeJob maxParallelism(int value) {
        maxParallelism = value;
        return this;
    }

    ExchangeJob rows(long value) {
        rows = value;
        return this;
    }

    /** The second sender drops its rows and is idle. */
    ExchangeJob withIdleSender() {
        idleSender = true;
        return this;
    }

    ExchangeJob objectReuse(boolean value) {
        objectReuse = value;
        return this;
    }

    ExchangeJob bufferTimeout(long millis) {
        bufferTimeout = millis;
        return this;
    }

    /** Another edge than one by key. */
    ExchangeJob over(StreamPartitioner<?> value) {
        partitioner = value;
        return this;
    }

    ExchangeJob restoredFrom(String checkpoint) {
        configuration.set(StateRecoveryOptions.SAVEPOINT_PATH, checkpoint);
        return this;
    }

    Configuration configuration() {
        return configuration;
    }

    /** Receivers hardly get on. */
    void slow(boolean value) {
        SLOW.put(id, value);
    }

    // ---- the graph ----

    @SuppressWarnings({"unchecked", "rawtypes"})
    JobGraph graph() {
        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment(configuration);
        if (objectReuse) {
            env.getConfig().enableObjectReuse();
        }
        env.setBufferTimeout(bufferTimeout);
        env.setParallelism(senders);
        env.setMaxParallelism(maxParallelism);
        DataStream<RowData> feed =
                env.fromSequence(0, rows - 1)
                        .uid("source")
                        .transform("feed", InternalTypeInfo.of(TYPE), new Feed(idleSender))
                        .uid("feed");
        Transformation<?> sent = nativeOperator(env, feed.getTransformation(), "sender", false, isNative, senders);
        Transformation<?> exchanged = new PartitionTransformation(sent, partitioner());
        Transformation<?> received = nativeOperator(env, exchanged, "receiver", isNative, false, receivers);
        new DataStream<>(env, (Transformation<RowData>) received)
                .transform("arrivals", Types.VOID, new Arrivals(id))
                .uid("arrivals")
                .setParallelism(receivers);
        return env.getStreamGraph().getJobGraph();
    }

    private StreamPartitioner<?> partitioner() {
        if (partitioner != null) {
            return partitioner;
        }
        return isNative
                ? new BatchKeyGroupPartitioner(new Key(), 128, KEY, PlanBytes.type(TYPE))
                : new KeyGroupStreamPartitioner<>(new Key(), 128);
    }

    @SuppressWarnings({"unchecked", "rawtypes"})
    private static Transformation<?> nativeOperator(
            StreamExecutionEnvironment env,
            Transformation<?> input,
            String name,
            boolean batchInput,
            boolean batchOutput,
            int parallelism) {
        OperatorSpec spec = Harness.spec(PlanBytes.identity(TYPE), TYPE, TYPE, batchInput, batchOutput);
        TypeInformation<?> type = batchOutput ? new NativeBatchTypeInfo(TYPE) : InternalTypeInfo.of(TYPE);
        input.setOutputType((TypeInformation) (batchInput ? new NativeBatchTypeInfo(TYPE) : InternalTypeInfo.of(TYPE)));
        OneInputTransformation<?, ?> made =
                new OneInputTransformation(input, name, NativeOperatorFactory.of(spec), type, parallelism, true);
        made.setUid(name);
        env.addOperator(made);
        return made;
    }

    // ---- rows ----

    static StringData text(long id) {
        return id % 7 == 3 ? null : StringData.fromString("x".repeat((int) (id % 13)) + id % 101);
    }

    static RowData row(long id, int sender, long number) {
        return GenericRowData.ofKind(
                RowKind.fromByteValue((byte) (id % 4)), id % 5 == 2 ? null : (Long) (id % 997), text(id), sender, number, id);
    }

    /** The key that generated selectors take: {@link #KEY}. */
    static final class Key implements KeySelector<RowData, RowData> {

        private static final long serialVersionUID = 1L;

        @Override
        public RowData getKey(RowData row) {
            BinaryRowData key = new BinaryRowData(2);
            BinaryRowWriter writer = new BinaryRowWriter(key);
            if (row.isNullAt(1)) {
                writer.setNullAt(0);
            } else {
                writer.writeString(0, row.getString(1));
            }
            if (row.isNullAt(0)) {
                writer.setNullAt(1);
            } else {
                writer.writeLong(1, row.getLong(0));
            }
            writer.complete();
            return key;
        }

        @Override
        public boolean equals(Object other) {
            return other instanceof Key;
        }

        @Override
        public int hashCode() {
            return 1;
        }
    }

    /** Numbers the rows of a subtask; a watermark follows on each fiftieth, which all rows up to its number precede. */
    private static final class Feed extends AbstractStreamOperator<RowData>
            implements OneInputStreamOperator<Long, RowData> {

        private static final long serialVersionUID = 1L;

        private final boolean secondIsIdle;
        private transient long number;

        Feed(boolean secondIsIdle) {
            this.secondIsIdle = secondIsIdle;
        }

        @Override
        public void open() throws Exception {
            super.open();
            if (isIdle()) {
                output.emitWatermarkStatus(WatermarkStatus.IDLE);
            }
        }

        private boolean isIdle() {
            return secondIsIdle && subtask() == 1;
        }

        private int subtask() {
            return getRuntimeContext().getTaskInfo().getIndexOfThisSubtask();
        }

        @Override
        public void processElement(StreamRecord<Long> element) {
            if (isIdle()) {
                return;
            }
            number++;
            output.collect(new StreamRecord<>(row(element.getValue(), subtask(), number)));
            if (number % 50 == 0) {
                output.emitWatermark(new Watermark(number));
            }
        }

        @Override
        public void processWatermark(Watermark mark) {
            // its own at the end only, so that receivers see what the exchange does
        }
    }

    // ---- arrivals ----

    /** A row behind the exchange. */
    static final class Arrival {
        final int receiver;
        final RowKind kind;
        final RowData row;
        final long watermark;

        Arrival(int receiver, RowData row, long watermark) {
            this.receiver = receiver;
            this.kind = row.getRowKind();
            this.row =
                    row(row.getLong(4), row.getInt(2), row.getLong(3));
            this.watermark = watermark;
            boolean same =
                    row.getRowKind() == this.row.getRowKind()
                            && new Key().getKey(row).equals(new Key().getKey(this.row));
            if (!same) {
                throw new IllegalStateException("Row " + row.getLong(4) + " has arrived damaged");
            }
        }

        long id() {
            return row.getLong(4);
        }

        int sender() {
            return row.getInt(2);
        }

        long number() {
            return row.getLong(3);
        }
    }

    /** What has arrived when the job was over. */
    List<Arrival> arrivals() {
        return ARRIVALS.getOrDefault(id, List.of());
    }

    /** Keeps the rows of its subtask, across checkpoints. */
    private static final class Arrivals extends AbstractStreamOperator<Void>
            implements OneInputStreamOperator<RowData, Void> {

        private static final long serialVersionUID = 1L;

        private final String job;
        private transient List<Arrival> arrived;
        private transient long watermark;
        @Nullable private transient ListState<Long> state;

        Arrivals(String job) {
            this.job = job;
        }

        @Override
        public void initializeState(StateInitializationContext context) throws Exception {
            super.initializeState(context);
            arrived = new ArrayList<>();
            watermark = Long.MIN_VALUE;
            state = context.getOperatorStateStore().getListState(new ListStateDescriptor<>("ids", Types.LONG));
            for (long id : state.get()) {
                arrived.add(new Arrival(-1, row(id, -1, -1), watermark));
            }
        }

        @Override
        public void snapshotState(StateSnapshotContext context) throws Exception {
            super.snapshotState(context);
            List<Long> ids = new ArrayList<>();
            arrived.forEach(arrival -> ids.add(arrival.id()));
            state.update(ids);
        }

        @Override
        public void processElement(StreamRecord<RowData> element) throws Exception {
            if (SLOW.getOrDefault(job, false)) {
                Thread.sleep(1);
            }
            arrived.add(
                    new Arrival(
                            getRuntimeContext().getTaskInfo().getIndexOfThisSubtask(), element.getValue(), watermark));
        }

        @Override
        public void processWatermark(Watermark mark) {
            watermark = mark.getTimestamp();
        }

        @Override
        public void finish() throws Exception {
            super.finish();
            ARRIVALS.computeIfAbsent(job, key -> Collections.synchronizedList(new ArrayList<>())).addAll(arrived);
        }
    }
}
