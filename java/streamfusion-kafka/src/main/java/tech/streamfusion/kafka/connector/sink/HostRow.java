package tech.streamfusion.kafka.connector.sink;

import org.apache.flink.table.data.RowData;
import tech.streamfusion.runtime.NativeBatch;
import tech.streamfusion.runtime.data.BatchReader;

/** Rows of the batch that is being written, for Flink's own serializer. */
final class HostRow implements AutoCloseable {

    private final BatchReader reader;
    private NativeBatch bound;

    HostRow(int columnCount) {
        this.reader = new BatchReader(columnCount);
    }

    /** A row of a batch that the caller keeps until {@link #close}; the object is reused. */
    RowData at(NativeBatch batch, int row) {
        if (bound != batch) {
            reader.bind(batch);
            bound = batch;
        }
        return reader.row(row);
    }

    /** Lets go of the batch. */
    @Override
    public void close() {
        if (bound != null) {
            reader.unbind();
            bound = null;
        }
    }
}
