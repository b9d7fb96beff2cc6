package tech.streamfusion.parity;

import static tech.streamfusion.testing.Parity.row;

import java.util.concurrent.atomic.AtomicInteger;
import org.apache.flink.table.annotation.DataTypeHint;
import org.apache.flink.table.annotation.InputGroup;
import org.apache.flink.table.functions.FunctionContext;
import org.apache.flink.table.functions.ScalarFunction;
import org.apache.flink.types.Row;
import org.junit.jupiter.api.Test;
import org.assertj.core.api.Assertions;
import tech.streamfusion.testing.Parity;

/** User-defined functions inside native Calcs: lifecycle, overloads, varargs, constants, state, failures. */
class UdfParityTest {

    /** Counts its open and close calls across all instances. */
    public static final class Lifecycle extends ScalarFunction {
        private static final long serialVersionUID = 1L;
        static final AtomicInteger OPENED = new AtomicInteger();
        static final AtomicInteger CLOSED = new AtomicInteger();
        private transient String prefix;

        @Override
        public void open(FunctionContext context) {
            OPENED.incrementAndGet();
            prefix = "opened:";
        }

        public String eval(String value) {
            return prefix + value;
        }

        @Override
        public void close() {
            CLOSED.incrementAndGet();
        }
    }

    /** Overloaded and with varargs. */
    public static final class Join extends ScalarFunction {
        private static final long serialVersionUID = 1L;

        public String eval(Integer number) {
            return "one " + number;
        }

        public String eval(String separator, String... parts) {
            return String.join(separator, parts);
        }
    }

    /** Keeps a count from row to row: neither deterministic nor to be called more or less often than on stock. */
    public static final class Counter extends ScalarFunction {
        private static final long serialVersionUID = 1L;
        private int calls;

        public Integer eval(Integer value) {
            return value * 1000 + ++calls;
        }

        @Override
        public boolean isDeterministic() {
            return false;
        }
    }

    /** Fails for one value. */
    public static final class Picky extends ScalarFunction {
        private static final long serialVersionUID = 1L;

        public Integer eval(Integer value) {
            if (value == 13) {
                throw new IllegalStateException("not 13");
            }
            return value;
        }
    }

    /** Takes and returns a row. */
    public static final class Nest extends ScalarFunction {
        private static final long serialVersionUID = 1L;

        @DataTypeHint("ROW<a INT, b STRING>")
        public Row eval(@DataTypeHint("ROW<x INT, y STRING>") Row in) {
            return in == null ? null : Row.of(in.getField(0), "nested " + in.getField(1));
        }
    }

    /** Accepts anything. */
    public static final class Describe extends ScalarFunction {
        private static final long serialVersionUID = 1L;

        public String eval(@DataTypeHint(inputGroup = InputGroup.ANY) Object value) {
            return value == null ? "null" : value.getClass().getSimpleName() + " " + value;
        }
    }

    private static Parity test() {
        return Parity.test()
                .source("t", "a INT, s STRING, r ROW<x INT, y STRING>", row(1, "x", row(1, "p")), row(null, null, null), row(3, "", row(null, null)))
                .statement("CREATE TEMPORARY SYSTEM FUNCTION lifecycle AS '" + Lifecycle.class.getName() + "'")
                .statement("CREATE TEMPORARY SYSTEM FUNCTION join_all AS '" + Join.class.getName() + "'")
                .statement("CREATE TEMPORARY SYSTEM FUNCTION counter AS '" + Counter.class.getName() + "'")
                .statement("CREATE TEMPORARY SYSTEM FUNCTION picky AS '" + Picky.class.getName() + "'")
                .statement("CREATE TEMPORARY SYSTEM FUNCTION nest AS '" + Nest.class.getName() + "'")
                .statement("CREATE TEMPORARY SYSTEM FUNCTION describe_it AS '" + Describe.class.getName() + "'")
                .expectNative("Calc");
    }

    @Test
    void isOpenedAndClosedOncePerSubtask() {
        int opened = Lifecycle.OPENED.get();
        int closed = Lifecycle.CLOSED.get();
        test().query("SELECT lifecycle(s), UPPER(lifecycle(s)) FROM t WHERE lifecycle(s) <> ''").run();
        Assertions.assertThat(Lifecycle.CLOSED.get() - closed).isEqualTo(Lifecycle.OPENED.get() - opened).isPositive();
    }

    @Test
    void overloadsVarargsAndConstants() {
        test().query("SELECT join_all(a), join_all('-', s, 'b', UPPER(s)), join_all('+'), join_all(7) FROM t WHERE s IS NOT NULL").run();
    }

    @Test
    void isCalledAsOftenAsOnStock() {
        test().query("SELECT counter(COALESCE(a, 0)) FROM t").run();
        test().query("SELECT CASE WHEN a > 1 THEN counter(a) ELSE 0 END, s FROM t").run();
        test().query("SELECT counter(a + 1) FROM t WHERE a IS NOT NULL AND s <> ''").run();
    }

    @Test
    void mixesWithNativeExpressionsOnBothSides() {
        test().query("SELECT CHAR_LENGTH(lifecycle(s || 'z')) + a, UPPER(describe_it(a * 2)), describe_it(r) FROM t").run();
    }

    @Test
    void rowsInAndOut() {
        test().query("SELECT nest(r), nest(r).b, nest(r).a + 1 FROM t").run();
    }

    @Test
    void failsAsOnStock() {
        Parity.test()
                .source("t", "a INT", row(1), row(13), row(2))
                .statement("CREATE TEMPORARY SYSTEM FUNCTION picky AS '" + Picky.class.getName() + "'")
                .query("SELECT picky(a + 0) FROM t")
                .expectNative("Calc")
                .runFailing();
    }
}
