package tech.streamfusion.runtime.spi;

import java.util.Map;
import org.apache.flink.api.connector.sink2.Sink;
import org.apache.flink.table.connector.sink.DynamicTableSink;
import org.apache.flink.table.types.logical.RowType;
import tech.streamfusion.runtime.NativeBatch;

/** Replaces the runtime of a table sink by one that takes {@link NativeBatch}es; found with ServiceLoader. */
public interface NativeSinkProvider {

    boolean accepts(DynamicTableSink sink);

    /** The result serves as drop-in for the stock {@code Sink}: same committables, same writer state, same uid hashes. */
    Translation<Sink<NativeBatch>> translate(Context context);

    /** What the planner knows about the sink. */
    interface Context {
        DynamicTableSink sink();

        String tableName();

        Map<String, String> options();

        /** The stock sink from the table sink's own runtime provider. */
        Sink<?> stockSink();

        /** Consumed row, physical then writable metadata columns. */
        RowType consumedType();

        /** Column whose value becomes the record timestamp (table.exec.sink.rowtime-inserter), or -1. */
        int rowtimeIndex();

        boolean insertOnly();

        PlanEncoder encoder();

        ClassLoader classLoader();
    }
}
