package tech.streamfusion.runtime.operators;

import org.apache.flink.streaming.api.graph.StreamConfig;
import org.apache.flink.streaming.api.operators.OneInputStreamOperator;
import org.apache.flink.streaming.api.operators.Output;
import org.apache.flink.streaming.api.operators.StreamOperatorFactory;
import org.apache.flink.streaming.api.operators.StreamOperatorFactoryUtil;
import org.apache.flink.streaming.api.watermark.Watermark;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.streaming.runtime.tasks.StreamTask;
import org.apache.flink.table.data.RowData;
import tech.streamfusion.runtime.NativeBatch;
import tech.streamfusion.runtime.NativeEngine;
import tech.streamfusion.runtime.data.BatchReader;

/**
 * Lets stock Flink have its say about a batch on which a native operator has failed: its own operator takes the rows one
 * by one. So the rows before the failing one are emitted first, and the exception is Flink's own, with its class and
 * message, whichever of several causes comes first.
 */
final class StockReplay {

    private final OneInputStreamOperator<RowData, RowData> operator;

    private StockReplay(OneInputStreamOperator<RowData, RowData> operator) {
        this.operator = operator;
    }

    /**
     * Returns when stock Flink does not fail on the batch.
     *
     * @param task whose operator has failed; {@code config} is that operator's
     * @param batch borrowed
     * @throws Exception what the stock operator throws
     */
    @SuppressWarnings("unchecked")
    static void run(
            StreamOperatorFactory<RowData> stock,
            StreamTask<?, ?> task,
            StreamConfig config,
            NativeBatch batch,
            int columns,
            Output<StreamRecord<RowData>> output)
            throws Exception {
        OneInputStreamOperator<RowData, RowData> operator =
                (OneInputStreamOperator<RowData, RowData>)
                        StreamOperatorFactoryUtil.createOperator(
                                        stock, (StreamTask<RowData, ?>) task, config, output, null)
                                .f0;
        try {
            operator.open();
            new StockReplay(operator).processAll(batch, new BatchReader(columns));
        } catch (Throwable failure) {
            closeAfter(operator, failure);
            throw failure;
        }
        operator.close();
    }

    private static void closeAfter(OneInputStreamOperator<?, ?> operator, Throwable failure) {
        try {
            operator.close();
        } catch (Exception e) {
            failure.addSuppressed(e);
        }
    }

    private void processAll(NativeBatch batch, BatchReader reader) throws Exception {
        long[] marks = NativeEngine.batchMarks(batch.handle());
        int rows = batch.rowCount();
        int mark = 0;
        reader.bind(batch);
        try {
            for (int row = 0; row < rows; row++) {
                mark = processMarks(marks, mark, row);
                operator.processElement(new StreamRecord<>(reader.row(row)));
            }
            processMarks(marks, mark, rows);
        } finally {
            reader.unbind();
        }
    }

    private int processMarks(long[] marks, int from, int row) throws Exception {
        int mark = from;
        while (marks != null && 2 * mark < marks.length && marks[2 * mark] <= row) {
            operator.processWatermark(new Watermark(marks[2 * mark + 1]));
            mark++;
        }
        return mark;
    }
}
