package tech.streamfusion.runtime.operators;

import java.util.ArrayList;
import java.util.List;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.runtime.io.network.partition.ResultPartitionType;
import org.apache.flink.runtime.jobgraph.IntermediateDataSetID;
import org.apache.flink.streaming.api.graph.NonChainedOutput;
import org.apache.flink.streaming.api.watermark.Watermark;
import org.apache.flink.streaming.runtime.partitioner.RebalancePartitioner;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.streaming.util.OneInputStreamOperatorTestHarness;
import org.apache.flink.table.data.GenericRowData;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.runtime.typeutils.RowDataSerializer;
import org.apache.flink.table.types.logical.RowType;
import org.apache.flink.types.RowKind;
import tech.streamfusion.runtime.HostKernelSpec;
import tech.streamfusion.runtime.NativeBatch;
import tech.streamfusion.runtime.NativeEngine;
import tech.streamfusion.runtime.OperatorSpec;
import tech.streamfusion.runtime.PlanBytes;
import tech.streamfusion.runtime.data.BatchReader;
import tech.streamfusion.runtime.data.BatchWriter;

/** An operator in Flink's test harness; output as text, in order, rows inside batches with the batch's marks. */
final class Harness implements AutoCloseable {

    final OneInputStreamOperatorTestHarness<Object, Object> flink;
    private final RowType inputType;
    private final RowType outputType;

    Harness(NativeOperatorFactory factory) throws Exception {
        this.inputType = factory.spec().inputType();
        this.outputType = factory.spec().outputType();
        this.flink = new OneInputStreamOperatorTestHarness<>(factory, serializer(factory.spec().batchInput(), inputType));
        this.flink.setup(serializer(factory.spec().batchOutput(), outputType));
    }

    static OperatorSpec spec(
            byte[] plan, RowType input, RowType output, boolean batchInput, boolean batchOutput, HostKernelSpec... kernels) {
        return new OperatorSpec(plan, kernels, input, output, batchInput, batchOutput, false);
    }

    @SuppressWarnings({"unchecked", "rawtypes"})
    private static TypeSerializer<Object> serializer(boolean batches, RowType type) {
        return (TypeSerializer) (batches ? new RetainingSerializer() : new RowDataSerializer(type));
    }

    Harness open() throws Exception {
        flink.open();
        return this;
    }

    void change(RowKind kind, Object... fields) throws Exception {
        flink.processElement(new StreamRecord<>(GenericRowData.ofKind(kind, fields)));
    }

    void row(Object... fields) throws Exception {
        change(RowKind.INSERT, fields);
    }

    /** Lends a batch of these rows. */
    void batch(RowData... rows) throws Exception {
        long pool = NativeEngine.poolCreate("input", -1, null);
        long type = NativeEngine.typeCreate(PlanBytes.type(inputType));
        NativeBatch batch;
        try (BatchWriter writer = new BatchWriter(inputType, type, pool, rows.length + 1)) {
            for (RowData row : rows) {
                writer.write(row);
            }
            batch = writer.finish();
        }
        NativeEngine.typeRelease(type);
        NativeEngine.poolRelease(pool);
        try {
            flink.processElement(new StreamRecord<>(batch));
        } finally {
            batch.release();
        }
    }

    /** What has come out since the last call; batches are in brackets. */
    List<String> output() {
        List<String> texts = new ArrayList<>();
        for (Object element = flink.getOutput().poll(); element != null; element = flink.getOutput().poll()) {
            if (!(element instanceof StreamRecord)) {
                texts.add(element instanceof Watermark ? mark(((Watermark) element).getTimestamp()) : element.toString());
                continue;
            }
            StreamRecord<?> record = (StreamRecord<?>) element;
            if (record.getValue() instanceof NativeBatch) {
                texts.add(text((NativeBatch) record.getValue()));
            } else {
                texts.add(text((RowData) record.getValue()) + (record.hasTimestamp() ? "@" + record.getTimestamp() : ""));
            }
        }
        return texts;
    }

    /** The operator is the last of its task. */
    Harness leavingTheTask() {
        flink.getStreamConfig()
                .setOperatorNonChainedOutputs(
                        List.of(
                                new NonChainedOutput(
                                        true,
                                        1,
                                        1,
                                        128,
                                        100,
                                        false,
                                        new IntermediateDataSetID(),
                                        null,
                                        new RebalancePartitioner<>(),
                                        ResultPartitionType.PIPELINED_BOUNDED)));
        flink.getStreamConfig().serializeAllConfigs();
        return this;
    }

    /** The batch that a record becomes where it arrives. */
    private NativeBatch received(NativeBatch record) {
        long pool = NativeEngine.poolCreate("receiver", -1, null);
        long type = NativeEngine.typeCreate(PlanBytes.type(outputType));
        try {
            return record.resident(pool, type);
        } finally {
            NativeEngine.typeRelease(type);
            NativeEngine.poolRelease(pool);
        }
    }

    private String text(NativeBatch element) {
        NativeBatch batch = element.isRecord() ? received(element) : element;
        List<String> parts = new ArrayList<>();
        long[] marks = NativeEngine.batchMarks(batch.handle());
        BatchReader reader = new BatchReader(outputType.getFieldCount());
        reader.bind(batch);
        int mark = 0;
        for (int row = 0; row <= batch.rowCount(); row++) {
            for (; marks != null && mark < marks.length && marks[mark] == row; mark += 2) {
                parts.add(mark(marks[mark + 1]));
            }
            if (row < batch.rowCount()) {
                parts.add(text(reader.row(row)));
            }
        }
        reader.unbind();
        batch.release(); // the reference that RetainingSerializer or the receiver has added
        return parts.toString();
    }

    private String text(RowData row) {
        StringBuilder text = new StringBuilder(row.getRowKind().shortString()).append('(');
        for (int i = 0; i < outputType.getFieldCount(); i++) {
            Object value = RowData.createFieldGetter(outputType.getTypeAt(i), i).getFieldOrNull(row);
            text.append(i == 0 ? "" : ",").append(value);
        }
        return text.append(')').toString();
    }

    private static String mark(long watermark) {
        return "WM" + watermark;
    }

    @Override
    public void close() {
        output();
        try {
            flink.close();
        } catch (Exception e) {
            throw new IllegalStateException("The operator does not close", e);
        }
    }
}
