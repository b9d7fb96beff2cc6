package org.apache.flink.table.planner.delegation;

import java.util.Collections;
import java.util.Set;
import org.apache.flink.api.common.RuntimeExecutionMode;
import org.apache.flink.configuration.ConfigOption;
import org.apache.flink.configuration.ExecutionOptions;
import org.apache.flink.table.api.TableException;
import org.apache.flink.table.delegation.Planner;
import org.apache.flink.table.delegation.PlannerFactory;
import tech.streamfusion.planner.StreamFusionPlanner;

/**
 * Takes the place of Flink's class of this name, which Flink finds through its own service entry: for streaming jobs it
 * makes the accelerating planner. This jar must come before flink-table-planner on the class path, or in the planner's own
 * class loader.
 */
public final class DefaultPlannerFactory implements PlannerFactory {

    @Override
    public String factoryIdentifier() {
        return PlannerFactory.DEFAULT_IDENTIFIER;
    }

    @Override
    public Set<ConfigOption<?>> requiredOptions() {
        return Collections.emptySet();
    }

    @Override
    public Set<ConfigOption<?>> optionalOptions() {
        return Collections.emptySet();
    }

    @Override
    public Planner create(Context context) {
        RuntimeExecutionMode mode = context.getTableConfig().get(ExecutionOptions.RUNTIME_MODE);
        if (mode == RuntimeExecutionMode.STREAMING) {
            return new StreamFusionPlanner(
                    context.getExecutor(),
                    context.getTableConfig(),
                    context.getModuleManager(),
                    context.getFunctionCatalog(),
                    context.getCatalogManager(),
                    context.getClassLoader());
        }
        if (mode == RuntimeExecutionMode.BATCH) {
            return new BatchPlanner(
                    context.getExecutor(),
                    context.getTableConfig(),
                    context.getModuleManager(),
                    context.getFunctionCatalog(),
                    context.getCatalogManager(),
                    context.getClassLoader());
        }
        throw new TableException(
                "Unsupported mode '"
                        + mode
                        + "' for '"
                        + ExecutionOptions.RUNTIME_MODE.key()
                        + "'. Only an explicit BATCH or STREAMING mode is supported in Table API.");
    }
}
