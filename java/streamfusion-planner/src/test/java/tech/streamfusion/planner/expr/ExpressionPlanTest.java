package tech.streamfusion.planner.expr;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Set;
import java.util.stream.Collectors;
import org.apache.calcite.rex.RexNode;
import org.apache.flink.table.functions.ScalarFunction;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tech.streamfusion.plan.Expr;
import tech.streamfusion.plan.Literal;
import tech.streamfusion.plan.SearchRange;
import tech.streamfusion.plan.Type;
import tech.streamfusion.plan.TypeKind;

/** What the plan says for an expression, against an engine that has everything or lacks certain functions. */
class ExpressionPlanTest {

    private static Expressions expressions;

    /** A function of the user's that has the name of a built-in one. */
    public static class Upper extends ScalarFunction {
        public String eval(String value) {
            return value + "!";
        }
    }

    @BeforeAll
    static void setUp() {
        expressions = new Expressions();
        expressions.env.createTemporarySystemFunction("shout", Upper.class);
        expressions.env.createTemporarySystemFunction("REVERSE", Upper.class);
    }

    @ParameterizedTest
    @CsvSource(
            delimiterString = "=>",
            value = {
                // implicit conversions of generated code are explicit here
                "a > b => GREATER_THAN(CAST($0):BIGINT, $1)",
                "a = i2 => EQUALS($0, CAST($12):INTEGER)",
                "f > b => GREATER_THAN($3, CAST($1):DOUBLE)",
                "fl < b => LESS_THAN($13, CAST($1):FLOAT)",
                "d > b => GREATER_THAN($2, CAST($1):DECIMAL(19,0))",
                "a + b > 7 => GREATER_THAN(PLUS(CAST($0):BIGINT, $1):BIGINT, 7:BIGINT)",
                "MOD(b, a) = 1 => EQUALS(CAST(MOD($1, CAST($0):BIGINT):BIGINT):INTEGER, 1:INTEGER)",
                "d * a > 1.5 => GREATER_THAN(TIMES($2, CAST($0):DECIMAL(10,0)):DECIMAL(21,2), 15:DECIMAL(2,1))",
                // decimals against floating point: Flink's own comparison
                "d > f => HOST0($2, $3)",
                "a IN (1, 2, 3) => SEARCH($0 in [1,1] [2,2] [3,3])",
                "a NOT IN (1, 2) => SEARCH($0 in (,1) (1,2) (2,))",
                "a BETWEEN 3 AND 7 => SEARCH($0 in [3,7])",
                "a > 3 AND a < 7 OR a IS NULL => SEARCH($0 in (3,7) or NULL)",
                "s IN ('x', 'yy') => SEARCH($4 in ['x','x'] ['yy','yy'])",
                // a set of doubles tells zeros apart
                "f IN (1.0E0, 2.0E0) => HOST0($3)",
                "flag IS NOT TRUE => IS_NOT_TRUE($9)",
                "s LIKE '%a_' => LIKE($4, '%a_':CHAR(3))",
                "s NOT LIKE '%a_' => NOT(LIKE($4, '%a_':CHAR(3)))",
                "ts + INTERVAL '1' DAY > TIMESTAMP '2020-01-01 00:00:00' => "
                        + "GREATER_THAN(TIMESTAMP_PLUS($6, 86400000:INTERVAL_DAY_TIME):TIMESTAMP(3), 1577836800000.0:TIMESTAMP(0))",
                "ts - INTERVAL '2' MONTH > ts => "
                        + "GREATER_THAN(TIMESTAMP_PLUS($6, -2:INTERVAL_YEAR_MONTH):TIMESTAMP(3), $6)",
                "EXTRACT(HOUR FROM ts) = 3 => EQUALS(EXTRACT('HOUR':VARCHAR, $6):BIGINT, 3:BIGINT)",
                "FLOOR(ts TO DAY) = ts => EQUALS(FLOOR_TIME($6, 'DAY':VARCHAR):TIMESTAMP(3), $6)",
                "r.y.z = 'q' => EQUALS($10.1.0, 'q':VARCHAR)",
                "arr[1] = 2 => EQUALS(ITEM($11, 1:INTEGER):INTEGER, 2:INTEGER)",
                "CAST(a AS BIGINT) = b => EQUALS(CAST($0):BIGINT, $1)",
            })
    void conditions(String sql, String expected) {
        assertThat(text(expressions.condition(sql), Set.of())).isEqualTo(expected);
    }

    @ParameterizedTest
    @CsvSource(
            delimiterString = "=>",
            value = {
                "CASE WHEN a > 1 THEN 'x' WHEN a > 0 THEN s ELSE c END => "
                        + "CASE(GREATER_THAN($0, 1:INTEGER), 'x':VARCHAR, GREATER_THAN($0, 0:INTEGER), $4, $5)",
                "TRIM(LEADING 'x' FROM s) => TRIM('LEADING':VARCHAR, 'x':CHAR(1), $4)",
                "s || c => CONCAT($4, $5)",
                "TRY_CAST(s AS STRING) => $4",
                "COALESCE(s, 'x') => COALESCE($4, 'x':VARCHAR)",
                "CAST(ts AS STRING) => CAST($6)",
                "IF(flag, s, c) => IF($9, $4, $5)",
                // case mapping outside ASCII is the JVM's affair
                "LOWER(s) => CASE(IS_NOT_FALSE(IS_ASCII($4)), LOWER_ASCII($4), HOST0($4))",
                "UPPER(s || c) => CASE(IS_NOT_FALSE(IS_ASCII(CONCAT($4, $5))), UPPER_ASCII(CONCAT($4, $5)), "
                        + "HOST0(CONCAT($4, $5)))",
            })
    void texts(String sql, String expected) {
        assertThat(text(expressions.text(sql), Set.of())).isEqualTo(expected);
    }

    @Test
    void usersFunctionsAreTheHosts() {
        assertThat(text(expressions.text("shout(s)"), Set.of())).isEqualTo("HOST0($4)");
        assertThat(text(expressions.text("REVERSE(s)"), Set.of())).isEqualTo("HOST0($4)");
    }

    @Test
    void hostTakesNativeOperandsAndKeepsConstants() {
        assertThat(text(expressions.text("LPAD(LTRIM(s), a + 1, 'xy')"), Set.of("LPAD")))
                .isEqualTo("HOST0(LTRIM($4), PLUS($0, 1:INTEGER):INTEGER)");
        assertThat(text(expressions.text("LPAD(LTRIM(s), a + 1, 'xy')"), Set.of("LPAD", "LTRIM")))
                .isEqualTo("HOST0($4, PLUS($0, 1:INTEGER):INTEGER)");
    }

    @Test
    void whatMayBeSkippedIsNotComputedBeforehand() {
        // 10 / a fails for 0: the branch must stay behind its condition, inside the host's code
        assertThat(text(expressions.condition("CASE WHEN a <> 0 THEN 10 / a > 2 ELSE flag END"), Set.of("CASE")))
                .isEqualTo("HOST0(NOT_EQUALS($0, 0:INTEGER), $0, $9)");
    }

    @Test
    void equalHostCallsShareOneKernelUnlessTheyAreRandom() {
        assertThat(text(expressions.condition("REPEAT(s, 2) = 'aa' OR REPEAT(s, 2) = c"), Set.of("REPEAT")))
                .isEqualTo("OR(EQUALS(HOST0($4), 'aa':VARCHAR), EQUALS(HOST0($4), $5))");
        assertThat(text(expressions.condition("UUID() = s OR UUID() = c"), Set.of("UUID")))
                .isEqualTo("OR(EQUALS(HOST0(), $4), EQUALS(HOST1(), $5))");
    }

    @Test
    void oneHostCallInsteadOfSeveralWhereLittleIsLeftForTheEngine() {
        assertThat(text(expressions.condition("RAND() < f OR RAND() > f"), Set.of("RAND"))).isEqualTo("HOST0($3)");
        assertThat(
                        text(
                                expressions.text("CASE INITCAP(s) WHEN 'A' THEN c WHEN 'B' THEN s ELSE REGEXP_REPLACE(c, s, s) END"),
                                Set.of("INITCAP", "REGEXP_REPLACE")))
                .isEqualTo("HOST0($4, $5, $5)");
        assertThat(text(expressions.condition("b = 2 AND (INITCAP(s) = 'x' OR INITCAP(c) IS NULL)"), Set.of("INITCAP")))
                .isEqualTo("AND(EQUALS($1, 2:BIGINT), HOST0($4, $5))");
    }

    @Test
    void legacyCastsAreTheHosts() {
        ExpressionPlan plan = expressions.plan(call -> true, true);
        assertThat(render(plan.add(expressions.text("CAST(ts AS STRING)")))).isEqualTo("HOST0($6)");
    }

    @Test
    void positionInTheStreamKeepsTheOperatorStock() {
        assertThatThrownBy(
                        () -> text(expressions.condition("CURRENT_WATERMARK(ts) IS NULL"), Set.of()))
                .isInstanceOf(UnsupportedOperationException.class)
                .hasMessageContaining("CURRENT_WATERMARK");
    }

    private static String text(RexNode rex, Set<String> lacking) {
        ExprSupport support = call -> !call.hasCall() || !lacking.contains(call.getCall().getFunction());
        return render(expressions.plan(support).add(rex));
    }

    /** Function notation; calls carry their type where it is not BOOLEAN or STRING. */
    private static String render(Expr expr) {
        switch (expr.getNodeCase()) {
            case INPUT:
                return "$" + expr.getInput();
            case LITERAL:
                return render(expr.getLiteral()) + ":" + render(expr.getType());
            case FIELD:
                return render(expr.getField().getRow()) + "." + expr.getField().getIndex();
            case HOST:
                return "HOST"
                        + expr.getHost().getKernel()
                        + expr.getHost().getArgsList().stream()
                                .map(ExpressionPlanTest::render)
                                .collect(Collectors.joining(", ", "(", ")"));
            case SEARCH:
                return "SEARCH("
                        + render(expr.getSearch().getOperand())
                        + " in "
                        + expr.getSearch().getRangesList().stream()
                                .map(ExpressionPlanTest::render)
                                .collect(Collectors.joining(" "))
                        + (expr.getSearch().getNullAsValue() == 1 ? " or NULL" : "")
                        + ")";
            default:
                String args =
                        expr.getCall().getArgsList().stream()
                                .map(ExpressionPlanTest::render)
                                .collect(Collectors.joining(", ", "(", ")"));
                return expr.getCall().getFunction() + args + suffix(expr.getType());
        }
    }

    private static String suffix(Type type) {
        boolean plain = type.getKind() == TypeKind.VARCHAR || type.getKind() == TypeKind.BOOLEAN;
        return plain ? "" : ":" + render(type);
    }

    private static String render(SearchRange range) {
        return (range.hasLower() && !range.getLowerOpen() ? "[" : "(")
                + (range.hasLower() ? render(range.getLower()) : "")
                + ","
                + (range.hasUpper() ? render(range.getUpper()) : "")
                + (range.hasUpper() && !range.getUpperOpen() ? "]" : ")");
    }

    private static String render(Literal literal) {
        switch (literal.getValueCase()) {
            case BYTES_VALUE:
                return "'" + literal.getBytesValue().toStringUtf8() + "'";
            case INT_VALUE:
                return String.valueOf(literal.getIntValue());
            case DOUBLE_VALUE:
                return String.valueOf(literal.getDoubleValue());
            case BOOL_VALUE:
                return String.valueOf(literal.getBoolValue());
            case INSTANT_VALUE:
                return literal.getInstantValue().getMillis() + "." + literal.getInstantValue().getNanosOfMilli();
            default:
                return "NULL";
        }
    }

    private static String render(Type type) {
        switch (type.getKind()) {
            case DECIMAL:
                return "DECIMAL(" + type.getPrecision() + "," + type.getScale() + ")";
            case CHAR:
                return "CHAR(" + type.getLength() + ")";
            case TIMESTAMP:
                return "TIMESTAMP(" + type.getPrecision() + ")";
            default:
                return type.getKind().name();
        }
    }
}
