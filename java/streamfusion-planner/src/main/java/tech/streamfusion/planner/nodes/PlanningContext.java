package tech.streamfusion.planner.nodes;

import org.apache.flink.configuration.ConfigOption;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.table.api.config.ExecutionConfigOptions;
import org.apache.flink.table.planner.calcite.FlinkRexBuilder;
import org.apache.flink.table.planner.delegation.DefaultExecutor;
import org.apache.flink.table.planner.delegation.PlannerBase;
import org.apache.flink.table.planner.delegation.StreamPlanner;
import org.apache.flink.table.planner.plan.nodes.exec.ExecNode;
import org.apache.flink.table.planner.plan.nodes.exec.ExecNodeBase;
import org.apache.flink.table.planner.utils.DummyStreamExecutionEnvironment;
import org.apache.flink.table.planner.utils.TableConfigUtils;
import org.apache.flink.table.types.logical.RowType;
import tech.streamfusion.plan.SessionSettings;
import tech.streamfusion.planner.StreamFusionOptions;
import tech.streamfusion.planner.expr.ExprSupport;
import tech.streamfusion.planner.expr.ExpressionPlan;

/** What node translators need to know about the job that is being planned. */
public final class PlanningContext {

    private final PlannerBase planner;
    private final StreamFusionOptions options;
    private final ExpressionPlan.Context expressions;
    private final SessionSettings session;
    private PlannerBase scratchPlanner;

    public PlanningContext(PlannerBase planner, StreamFusionOptions options, ExprSupport support) {
        this.planner = planner;
        this.options = options;
        this.expressions =
                new ExpressionPlan.Context(
                        new FlinkRexBuilder(planner.getTypeFactory()), support, options::allowsIncompatible);
        this.session = Session.settings(TableConfigUtils.getLocalTimeZone(planner.getTableConfig()));
    }

    /** Deprecated in Flink's planner without a replacement; its own nodes ask it as well. */
    @SuppressWarnings("deprecation")
    public static StreamExecutionEnvironment environment(PlannerBase planner) {
        return planner.getExecEnv();
    }

    public PlannerBase planner() {
        return planner;
    }

    public StreamFusionOptions options() {
        return options;
    }

    public SessionSettings session() {
        return session;
    }

    public ClassLoader classLoader() {
        return planner.getFlinkContext().getClassLoader();
    }

    /** An option as the stock node would read it: its own persisted value first. */
    public <T> T option(ExecNode<?> node, ConfigOption<T> option) {
        return ((ExecNodeBase<?>) node)
                .getPersistedConfig()
                .getOptional(option)
                .orElseGet(() -> planner.getTableConfig().get(option));
    }

    /** A plan for the expressions of one operator. */
    public ExpressionPlan expressionPlan(ExecNode<?> node, RowType inputType) {
        boolean legacyCast = option(node, ExecutionConfigOptions.TABLE_EXEC_LEGACY_CAST_BEHAVIOUR).isEnabled();
        return new ExpressionPlan(expressions, inputType, legacyCast);
    }

    /** A planner whose environment collects what stock nodes register while they are only being asked. */
    public PlannerBase scratchPlanner() {
        if (scratchPlanner == null) {
            scratchPlanner =
                    new StreamPlanner(
                            new DefaultExecutor(new DummyStreamExecutionEnvironment(environment(planner))),
                            planner.getTableConfig(),
                            planner.moduleManager(),
                            planner.functionCatalog(),
                            planner.catalogManager(),
                            classLoader());
        }
        return scratchPlanner;
    }
}
