package tech.streamfusion.runtime.spi;

import java.util.Map;
import javax.annotation.Nullable;
import org.apache.flink.table.types.logical.LogicalType;
import org.apache.flink.table.types.logical.RowType;

/** Serializes plan messages for providers, which do not see protobuf; implemented by the planner. */
public interface PlanEncoder {

    /** A {@code streamfusion.plan.Type}; throws {@link UnsupportedOperationException} for types without columnar form. */
    byte[] type(LogicalType type);

    /**
     * A {@code streamfusion.plan.Format}.
     *
     * @param read per top-level field whether it is produced; null: all
     * @param paths nested narrowing (field indices from the top); null: whole fields
     * @param options the format's own options, prefix stripped, defaults resolved
     */
    byte[] format(
            String name,
            RowType rowType,
            @Nullable boolean[] read,
            @Nullable int[][] paths,
            Map<String, String> options);

    /** A {@code streamfusion.plan.SessionSettings} of this job. */
    byte[] session();
}
