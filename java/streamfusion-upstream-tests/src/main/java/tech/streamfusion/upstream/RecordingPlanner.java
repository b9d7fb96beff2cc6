package tech.streamfusion.upstream;

import java.util.List;
import org.apache.flink.api.dag.Transformation;
import org.apache.flink.table.delegation.PlannerFactory;
import org.apache.flink.table.planner.plan.nodes.exec.ExecNodeGraph;
import tech.streamfusion.planner.StreamFusionPlanner;

/** StreamFusion's planner, which tells {@link TestEvents} after each translation which nodes became native. */
@SuppressWarnings("overrides") // as in the superclass
public final class RecordingPlanner extends StreamFusionPlanner {

    public RecordingPlanner(PlannerFactory.Context context) {
        super(
                context.getExecutor(),
                context.getTableConfig(),
                context.getModuleManager(),
                context.getFunctionCatalog(),
                context.getCatalogManager(),
                context.getClassLoader());
    }

    @Override
    public List<Transformation<?>> translateToPlan(ExecNodeGraph graph) {
        List<Transformation<?>> transformations = super.translateToPlan(graph);
        TestEvents.plan(lastReport());
        return transformations;
    }
}
