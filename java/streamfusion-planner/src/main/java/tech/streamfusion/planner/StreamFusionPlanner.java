package tech.streamfusion.planner;

import java.util.List;
import org.apache.flink.api.dag.Transformation;
import org.apache.flink.table.api.ExplainDetail;
import org.apache.flink.table.api.ExplainFormat;
import org.apache.flink.table.api.TableConfig;
import org.apache.flink.table.catalog.CatalogManager;
import org.apache.flink.table.catalog.FunctionCatalog;
import org.apache.flink.table.delegation.Executor;
import org.apache.flink.table.delegation.InternalPlan;
import org.apache.flink.table.module.ModuleManager;
import org.apache.flink.table.operations.ModifyOperation;
import org.apache.flink.table.operations.Operation;
import org.apache.flink.table.planner.delegation.StreamPlanner;
import org.apache.flink.table.planner.plan.ExecNodeGraphInternalPlan;
import org.apache.flink.table.planner.plan.nodes.exec.ExecNodeGraph;
import org.apache.flink.table.planner.plan.nodes.exec.processor.ExecNodeGraphProcessor;
import org.apache.flink.table.planner.utils.JavaScalaConversionUtil;
import scala.collection.Seq;

/**
 * Flink's streaming planner with one step more: nodes of the optimized graph that the engine can run become native.
 *
 * <p>Compiled plans keep the stock nodes, so that stock Flink can load them; a compiled plan is accelerated whenever it is
 * translated, and is itself again afterwards.
 */
@SuppressWarnings("overrides") // Scala's arrays where Flink's Java interface has varargs
public class StreamFusionPlanner extends StreamPlanner {

    /** Flink's last section is JSON that tools read to the end. */
    private static final String PHYSICAL_SECTION = "== Physical Execution Plan ==";

    private final Acceleration acceleration;
    private boolean compiling;
    private ExecNodeGraph accelerated;

    public StreamFusionPlanner(
            Executor executor,
            TableConfig tableConfig,
            ModuleManager moduleManager,
            FunctionCatalog functionCatalog,
            CatalogManager catalogManager,
            ClassLoader classLoader) {
        super(executor, tableConfig, moduleManager, functionCatalog, catalogManager, classLoader);
        this.acceleration = new Acceleration(this);
    }

    /** What became of the nodes of the plan that was translated or explained last. */
    public PlanningReport lastReport() {
        return acceleration.lastReport();
    }

    @Override
    public Seq<ExecNodeGraphProcessor> getExecNodeGraphProcessors() {
        if (compiling) {
            return super.getExecNodeGraphProcessors();
        }
        ExecNodeGraphProcessor processor =
                (graph, context) -> {
                    accelerated = acceleration.accelerate(graph).graph();
                    return accelerated;
                };
        return JavaScalaConversionUtil.toScala(List.of(processor));
    }

    @Override
    public InternalPlan compilePlan(List<ModifyOperation> modifyOperations) {
        compiling = true;
        try {
            return super.compilePlan(modifyOperations);
        } finally {
            compiling = false;
        }
    }

    @Override
    public List<Transformation<?>> translateToPlan(ExecNodeGraph graph) {
        if (graph == accelerated) {
            accelerated = null;
            return super.translateToPlan(graph);
        }
        // a compiled plan, which stays as it is
        try (Acceleration.Result result = acceleration.accelerate(graph)) {
            return super.translateToPlan(result.graph());
        }
    }

    @Override
    public String explain(List<Operation> operations, ExplainFormat format, Seq<ExplainDetail> extraDetails) {
        return withFallbacks(super.explain(operations, format, extraDetails));
    }

    @Override
    public String explainPlan(InternalPlan plan, Seq<ExplainDetail> extraDetails) {
        beforeTranslation();
        ExecNodeGraph graph = ((ExecNodeGraphInternalPlan) plan).getExecNodeGraph();
        try (Acceleration.Result result = acceleration.accelerate(graph)) {
            accelerated = result.graph();
            InternalPlan shown =
                    new ExecNodeGraphInternalPlan(plan::asJsonString, plan::asSmileBytes, result.graph());
            return withFallbacks(super.explainPlan(shown, extraDetails));
        }
    }

    private String withFallbacks(String explanation) {
        String section = lastReport().explainSection();
        if (section.isEmpty()) {
            return explanation;
        }
        int rest = explanation.indexOf(PHYSICAL_SECTION);
        String plan = rest < 0 ? explanation : explanation.substring(0, rest);
        String separator = plan.endsWith(System.lineSeparator()) ? "" : System.lineSeparator();
        String result = plan + separator + System.lineSeparator() + section;
        return rest < 0 ? result : result + System.lineSeparator() + explanation.substring(rest);
    }
}
