package tech.streamfusion.planner;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.HashMap;
import java.util.Map;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.table.api.ExplainDetail;
import org.apache.flink.table.api.bridge.java.StreamTableEnvironment;
import org.junit.jupiter.api.Test;

class StreamFusionOptionsTest {

    private final Map<String, String> properties = new HashMap<>();
    private final Map<String, String> table = new HashMap<>();

    @Test
    void defaults() {
        assertThat(options().isEnabled()).isTrue();
        assertThat(options().isOperatorEnabled("calc")).isTrue();
        assertThat(options().isMemoryAccounted()).isTrue();
        assertThat(options().logsFallbackReasons()).isFalse();
        assertThat(options().allowsIncompatible("UPPER")).isFalse();
        assertThat(options().minimumGain()).isEqualTo(20);
    }

    @Test
    void tableOptionsWinOverSystemProperties() {
        properties.put(StreamFusionOptions.NATIVE_ENABLED, "false");
        properties.put(StreamFusionOptions.MINIMUM_GAIN, "3.5");
        properties.put("streamfusion.operator.calc.enabled", "false");
        assertThat(options().isEnabled()).isFalse();
        assertThat(options().minimumGain()).isEqualTo(3.5);
        assertThat(options().isOperatorEnabled("calc")).isFalse();
        assertThat(options().isOperatorEnabled("sink")).isTrue();
        table.put(StreamFusionOptions.NATIVE_ENABLED, "TRUE");
        table.put(StreamFusionOptions.MINIMUM_GAIN, "0");
        table.put("streamfusion.operator.calc.enabled", "true");
        assertThat(options().isEnabled()).isTrue();
        assertThat(options().minimumGain()).isZero();
        assertThat(options().isOperatorEnabled("calc")).isTrue();
    }

    @Test
    void nonsenseIsAnErrorThatNamesTheOption() {
        table.put(StreamFusionOptions.NATIVE_ENABLED, "yes");
        assertThatThrownBy(() -> options().isEnabled()).hasMessageContaining(StreamFusionOptions.NATIVE_ENABLED);
        table.put(StreamFusionOptions.MINIMUM_GAIN, "much");
        assertThatThrownBy(() -> options().minimumGain()).hasMessageContaining(StreamFusionOptions.MINIMUM_GAIN);
    }

    @Test
    void switchedOffOperatorsSayWhy() {
        StreamTableEnvironment env = Planning.environment();
        env.executeSql("CREATE TABLE src (id BIGINT) WITH ('connector' = 'planned')");
        env.getConfig().set("streamfusion.operator.calc.enabled", "false");
        String plan = env.explainSql("SELECT id + 1 FROM src");
        assertThat(plan)
                .doesNotContain("NativeCalc")
                .contains("== StreamFusion Fallbacks ==", "switched off: streamfusion.operator.calc.enabled is false");
        env.getConfig().set("streamfusion.operator.calc.enabled", "true");
        assertThat(env.explainSql("SELECT id + 1 FROM src")).contains("NativeCalc(select=[(id + 1) AS EXPR$0])");
    }

    @Test
    void fallbacksComeBeforeTheJsonThatToolsReadToTheEnd() {
        StreamTableEnvironment env = Planning.environment();
        env.executeSql("CREATE TABLE src (id BIGINT) WITH ('connector' = 'planned')");
        env.getConfig().set("streamfusion.operator.calc.enabled", "false");
        String plan = env.explainSql("SELECT id + 1 FROM src", ExplainDetail.JSON_EXECUTION_PLAN);
        assertThat(plan.indexOf("== StreamFusion Fallbacks ==")).isPositive().isLessThan(plan.indexOf("== Physical"));
        assertThat(plan.trim()).endsWith("}");
    }

    private StreamFusionOptions options() {
        return new StreamFusionOptions(Configuration.fromMap(table), properties::get);
    }
}
