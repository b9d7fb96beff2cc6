package org.apache.flink.table.planner.delegation;

import java.util.Set;
import org.apache.flink.api.common.RuntimeExecutionMode;
import org.apache.flink.configuration.ConfigOption;
import org.apache.flink.configuration.ExecutionOptions;
import org.apache.flink.table.delegation.Planner;
import org.apache.flink.table.delegation.PlannerFactory;
import tech.streamfusion.upstream.RecordingPlanner;

/**
 * What Flink's tests find as their planner factory, in place of StreamFusion's class of this name: the same planner, which
 * in addition notes down what became of each plan. With the system property {@value #STOCK} the streaming planner is
 * Flink's own, for measuring the baseline with the same machinery.
 */
public final class DefaultPlannerFactory implements PlannerFactory {

    public static final String STOCK = "streamfusion.upstream.stock";

    @Override
    public String factoryIdentifier() {
        return PlannerFactory.DEFAULT_IDENTIFIER;
    }

    @Override
    public Set<ConfigOption<?>> requiredOptions() {
        return Set.of();
    }

    @Override
    public Set<ConfigOption<?>> optionalOptions() {
        return Set.of();
    }

    @Override
    public Planner create(Context context) {
        if (context.getTableConfig().get(ExecutionOptions.RUNTIME_MODE) == RuntimeExecutionMode.BATCH) {
            return new BatchPlanner(
                    context.getExecutor(),
                    context.getTableConfig(),
                    context.getModuleManager(),
                    context.getFunctionCatalog(),
                    context.getCatalogManager(),
                    context.getClassLoader());
        }
        if (Boolean.getBoolean(STOCK)) {
            return new StreamPlanner(
                    context.getExecutor(),
                    context.getTableConfig(),
                    context.getModuleManager(),
                    context.getFunctionCatalog(),
                    context.getCatalogManager(),
                    context.getClassLoader());
        }
        return new RecordingPlanner(context);
    }
}
