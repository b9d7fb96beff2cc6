package tech.streamfusion.planner.nodes;

import java.util.Locale;
import java.util.Set;
import org.apache.flink.configuration.StateBackendOptions;
import org.apache.flink.configuration.StateChangelogOptions;
import org.apache.flink.table.api.TableConfig;
import org.apache.flink.table.api.config.ExecutionConfigOptions;
import org.apache.flink.table.planner.plan.nodes.exec.ExecNode;
import tech.streamfusion.planner.FallbackReason.Rule;

/** Which state backends native operators keep their state for. */
final class StateBackends {

    private static final Set<String> SUPPORTED = Set.of("hashmap", "rocksdb");

    private StateBackends() {}

    /** @throws Fallback when the job's state is not in a backend that is covered */
    static void requireSupported(ExecNode<?> node, PlanningContext context) throws Fallback {
        TableConfig config = context.planner().getTableConfig();
        String backend = config.get(StateBackendOptions.STATE_BACKEND);
        if (!SUPPORTED.contains(backend.toLowerCase(Locale.ROOT))) {
            throw new Fallback(
                    Rule.FEATURE, "keyed state in the backend " + backend + "; only hashmap and rocksdb are covered");
        }
        if (config.get(StateChangelogOptions.ENABLE_STATE_CHANGE_LOG)) {
            throw new Fallback(Rule.FEATURE, StateChangelogOptions.ENABLE_STATE_CHANGE_LOG.key() + " is on");
        }
        if (context.option(node, ExecutionConfigOptions.TABLE_EXEC_ASYNC_STATE_ENABLED)) {
            throw new Fallback(Rule.FEATURE, ExecutionConfigOptions.TABLE_EXEC_ASYNC_STATE_ENABLED.key() + " is on");
        }
    }
}
