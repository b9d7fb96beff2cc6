package tech.streamfusion.planner;

import static org.assertj.core.api.Assertions.assertThat;

import org.apache.flink.streaming.api.transformations.OneInputTransformation;
import org.apache.flink.table.api.PlanReference;
import org.apache.flink.table.api.bridge.java.StreamTableEnvironment;
import org.apache.flink.table.delegation.InternalPlan;
import org.apache.flink.table.delegation.Planner;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import tech.streamfusion.runtime.operators.NativeOperatorFactory;

/** Compiled plans hold stock nodes and run accelerated. */
class CompiledPlanTest {

    private static final String INSERT = "INSERT INTO target SELECT id + 1, UPPER(s) FROM src WHERE id > 3";

    private StreamTableEnvironment env;
    private Planner planner;

    @BeforeEach
    void setUp() {
        env = Planning.environment();
        env.executeSql("CREATE TABLE src (id BIGINT, s STRING) WITH ('connector' = 'planned')");
        env.executeSql("CREATE TABLE target (id BIGINT, s STRING) WITH ('connector' = 'planned')");
        planner = Planning.planner(env);
    }

    @Test
    void jsonIsStock() {
        String json = env.compilePlanSql(INSERT).asJsonString();
        assertThat(json).contains("stream-exec-calc_1").doesNotContainIgnoringCase("native");
    }

    @Test
    void loadedPlanIsAcceleratedEachTimeAndStaysStock() throws Exception {
        InternalPlan plan = planner.loadPlan(PlanReference.fromJsonString(env.compilePlanSql(INSERT).asJsonString()));
        String json = plan.asJsonString();
        for (int i = 0; i < 2; i++) {
            assertThat(operatorFactory(plan)).isEqualTo(NativeOperatorFactory.class);
            assertThat(planner.explainPlan(plan)).contains("NativeSink(", "NativeCalc(", "NativeTableSourceScan(");
            assertThat(plan.asJsonString()).isEqualTo(json);
        }
        env.getConfig().set(StreamFusionOptions.NATIVE_ENABLED, "false");
        assertThat(planner.explainPlan(plan)).doesNotContain("Native");
        assertThat(operatorFactory(plan)).isNotEqualTo(NativeOperatorFactory.class);
    }

    /** Class of the factory of the operator in front of the sink. */
    private Class<?> operatorFactory(InternalPlan plan) {
        var sink = planner.translatePlan(plan).get(0);
        var calc = (OneInputTransformation<?, ?>) sink.getInputs().get(0);
        return calc.getOperatorFactory().getClass();
    }
}
