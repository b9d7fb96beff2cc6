package tech.streamfusion.planner.nodes;

import java.util.Map;
import javax.annotation.Nullable;
import org.apache.flink.table.types.logical.LogicalType;
import org.apache.flink.table.types.logical.RowType;
import tech.streamfusion.plan.Format;
import tech.streamfusion.plan.ReadPath;
import tech.streamfusion.plan.SessionSettings;
import tech.streamfusion.planner.expr.PlanTypes;
import tech.streamfusion.runtime.spi.PlanEncoder;

/** Plan messages for connector modules. */
final class PlanMessages implements PlanEncoder {

    private final SessionSettings session;

    PlanMessages(SessionSettings session) {
        this.session = session;
    }

    @Override
    public byte[] type(LogicalType type) {
        return PlanTypes.encode(type).toByteArray();
    }

    @Override
    public byte[] format(
            String name,
            RowType rowType,
            @Nullable boolean[] read,
            @Nullable int[][] paths,
            Map<String, String> options) {
        Format.Builder out =
                Format.newBuilder()
                        .setName(name)
                        .setRowType(PlanTypes.encode(rowType))
                        .putAllOptions(options)
                        .setSession(session);
        if (read != null) {
            for (boolean field : read) {
                out.addRead(field);
            }
        }
        if (paths != null) {
            for (int[] path : paths) {
                ReadPath.Builder message = ReadPath.newBuilder();
                for (int index : path) {
                    message.addIndices(index);
                }
                out.addPaths(message);
            }
        }
        return out.build().toByteArray();
    }

    @Override
    public byte[] session() {
        return session.toByteArray();
    }
}
