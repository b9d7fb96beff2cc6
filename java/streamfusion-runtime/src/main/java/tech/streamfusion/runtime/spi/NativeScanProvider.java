package tech.streamfusion.runtime.spi;

import java.util.Map;
import javax.annotation.Nullable;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.connector.source.Source;
import org.apache.flink.table.connector.source.DynamicTableSource;
import org.apache.flink.table.types.logical.RowType;
import tech.streamfusion.runtime.HostKernelSpec;
import tech.streamfusion.runtime.NativeBatch;

/**
 * Replaces the runtime of a table source by one that emits {@link NativeBatch}es; found with {@link
 * java.util.ServiceLoader} on the class loader that holds the connector.
 */
public interface NativeScanProvider {

    /** Whether this provider knows the (possibly copied and push-down-applied) source. */
    boolean accepts(DynamicTableSource source);

    Translation<NativeScan> translate(Context context);

    /** What the planner knows about the scan. */
    interface Context {
        DynamicTableSource source();

        /** Fully qualified, for names and messages. */
        String tableName();

        /** The table's options as declared, hints merged. */
        Map<String, String> options();

        /**
         * The stock source with watermark push-down applied, obtained from the source's own runtime provider; its
         * watermark strategy carries idleness and alignment.
         */
        Source<?, ?, ?> stockSource();

        WatermarkStrategy<?> stockWatermarkStrategy();

        /** Produced row, physical then metadata columns. */
        RowType producedType();

        /** Per produced field whether anything downstream or the watermark reads it. Unread fields may come out NULL. */
        boolean[] read();

        /** Nested narrowing of the read fields, as paths of field indices from the top; null: whole fields. */
        @Nullable
        int[][] readPaths();

        /** Watermark pushed into the source; null: none. */
        @Nullable
        WatermarkSpec watermark();

        PlanEncoder encoder();

        ClassLoader classLoader();
    }

    /** A watermark pushed into the source. */
    interface WatermarkSpec {
        /** Serialized {@code Expr} over the produced row, BIGINT millis or TIMESTAMP(3); only its maximum matters. */
        byte[] expression();

        /**
         * In the order of the expression's {@code HostCall.kernel}; they ask neither for a runtime context nor for the time,
         * which sources have not.
         */
        default HostKernelSpec[] hostKernels() {
            return new HostKernelSpec[0];
        }

        /** Milliseconds without rows after which a split is idle; 0 or less: never. */
        long idleTimeoutMillis();
    }

    /** The replacement; the planner builds the same transformation around it as for the stock source. */
    interface NativeScan {
        Source<NativeBatch, ?, ?> source();

        WatermarkStrategy<NativeBatch> watermarkStrategy();
    }
}
