package tech.streamfusion.planner.expr;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import org.apache.flink.api.common.functions.DefaultOpenContext;
import org.apache.flink.api.common.functions.RuntimeContext;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.streaming.api.functions.ProcessFunction;
import org.apache.flink.table.data.GenericRowData;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.StringData;
import org.apache.flink.table.functions.FunctionContext;
import org.apache.flink.table.functions.ScalarFunction;
import org.apache.flink.util.Collector;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import tech.streamfusion.plan.Expr;
import tech.streamfusion.runtime.HostKernelSpec;

/** Code for host kernels: generated here, sent through serialization, compiled and called as a task manager does. */
class HostKernelTest {

    private static Expressions expressions;

    /** Notes its life and takes any number of arguments. */
    public static class Joined extends ScalarFunction {
        static final List<String> LIFE = new ArrayList<>();
        private String separator;

        @Override
        public void open(FunctionContext context) {
            separator = "-";
            LIFE.add("open");
        }

        @Override
        public void close() {
            LIFE.add("close");
        }

        public String eval(String... values) {
            return String.join(separator, values);
        }
    }

    @BeforeAll
    static void setUp() {
        expressions = new Expressions();
        expressions.env.createTemporarySystemFunction("joined", Joined.class);
    }

    @Test
    void callsTheUsersFunctionWithArgumentsAndConstants() throws Exception {
        Joined.LIFE.clear();
        HostKernelSpec kernel = kernel("joined(s, 'x', c)");
        assertThat(kernel.argumentType().getFieldCount()).isEqualTo(2);
        assertThat(call(kernel, row("a", "b"), row("c", "d"))).containsExactly("a-x-b", "c-x-d");
        assertThat(Joined.LIFE).containsExactly("open", "close");
    }

    @Test
    void passesNullsInAndOut() throws Exception {
        HostKernelSpec kernel = kernel("LPAD(s, CHAR_LENGTH(c), 'xy')");
        assertThat(call(kernel, row(null, 4), row("a", null), row("a", 4))).containsExactly(null, null, "xyxa");
    }

    @Test
    void keepsBranchesLazy() throws Exception {
        // SUBSTRING itself would do for any argument; the division must not run for 0
        HostKernelSpec kernel = kernel("CASE WHEN a = 0 THEN 'none' ELSE LPAD('', 10 / a, 'z') END", "CASE");
        assertThat(call(kernel, GenericRowData.of(true, 0), GenericRowData.of(false, 5)))
                .containsExactly("none", "zz");
    }

    /** The only kernel of an expression, with an engine that lacks these functions besides LPAD. */
    private static HostKernelSpec kernel(String sql, String... lacking) throws Exception {
        ExprSupport support =
                call -> {
                    String function = call.getCall().getFunction();
                    return !function.equals("LPAD") && !List.of(lacking).contains(function);
                };
        ExpressionPlan plan = expressions.plan(support);
        Expr expr = plan.add(expressions.text(sql));
        assertThat(expr.hasHost()).isTrue();
        HostKernelSpec[] kernels =
                plan.compileKernels(new Configuration(), Thread.currentThread().getContextClassLoader());
        assertThat(kernels).hasSize(1);
        return copy(kernels[0]);
    }

    private static HostKernelSpec copy(HostKernelSpec spec) throws Exception {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
            out.writeObject(spec);
        }
        try (ObjectInputStream in = new ObjectInputStream(new ByteArrayInputStream(bytes.toByteArray()))) {
            return (HostKernelSpec) in.readObject();
        }
    }

    private static GenericRowData row(String first, Object second) {
        return GenericRowData.of(
                StringData.fromString(first),
                second instanceof String ? StringData.fromString((String) second) : second);
    }

    private static List<String> call(HostKernelSpec kernel, RowData... rows) throws Exception {
        ClassLoader loader = Thread.currentThread().getContextClassLoader();
        ProcessFunction<RowData, RowData> function = kernel.function().newInstance(loader);
        function.setRuntimeContext(runtimeContext(loader));
        function.open(DefaultOpenContext.INSTANCE);
        List<String> results = new ArrayList<>();
        Collector<RowData> collector =
                new Collector<>() {
                    @Override
                    public void collect(RowData row) {
                        results.add(row.isNullAt(0) ? null : row.getString(0).toString());
                    }

                    @Override
                    public void close() {}
                };
        for (RowData row : rows) {
            function.processElement(row, null, collector);
        }
        function.close();
        return results;
    }

    private static RuntimeContext runtimeContext(ClassLoader loader) {
        return (RuntimeContext)
                Proxy.newProxyInstance(
                        loader,
                        new Class<?>[] {RuntimeContext.class},
                        (proxy, method, args) ->
                                method.getName().equals("getUserCodeClassLoader") ? loader : null);
    }
}
