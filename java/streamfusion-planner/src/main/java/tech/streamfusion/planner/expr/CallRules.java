package tech.streamfusion.planner.expr;

import static org.apache.flink.table.types.logical.utils.LogicalTypeChecks.getPrecision;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.apache.calcite.rex.RexCall;
import org.apache.calcite.rex.RexLiteral;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.sql.SqlFunction;
import org.apache.calcite.sql.SqlFunctionCategory;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.SqlOperator;
import org.apache.flink.table.functions.BuiltInFunctionDefinition;
import org.apache.flink.table.functions.BuiltInFunctionDefinitions;
import org.apache.flink.table.functions.FunctionDefinition;
import org.apache.flink.table.planner.functions.bridging.BridgingSqlFunction;
import org.apache.flink.table.planner.functions.sql.FlinkSqlOperatorTable;
import org.apache.flink.table.runtime.typeutils.TypeCheckUtils;
import org.apache.flink.table.types.logical.BooleanType;
import org.apache.flink.table.types.logical.DecimalType;
import org.apache.flink.table.types.logical.LogicalType;
import org.apache.flink.table.types.logical.LogicalTypeFamily;
import org.apache.flink.table.types.logical.LogicalTypeRoot;
import org.apache.flink.table.types.logical.RowType;

/**
 * One rule per operator whose operands need more than translating one by one; every other built-in function goes to the
 * engine under its own name. A rule answers null when the host must evaluate the call.
 */
final class CallRules {

    private interface Rule {
        Node apply(RexCall call, LogicalType type);
    }

    private static final Map<String, String> NAMES =
            Map.ofEntries(
                    Map.entry("||", "CONCAT"),
                    Map.entry("SUBSTR", "SUBSTRING"),
                    Map.entry("CHARACTER_LENGTH", "CHAR_LENGTH"),
                    Map.entry("CEILING", "CEIL"),
                    Map.entry("STARTSWITH", "STARTS_WITH"),
                    Map.entry("ENDSWITH", "ENDS_WITH"));

    private static final Set<String> LOCALES_WITH_OWN_ASCII_CASES = Set.of("tr", "az", "lt");

    private final RexTranslator translator;
    private final Conversions conversions;
    private final SearchRule search;
    private final Map<SqlOperator, Rule> rules = new HashMap<>();

    CallRules(RexTranslator translator) {
        this.translator = translator;
        this.conversions = new Conversions(translator);
        this.search = new SearchRule(translator, conversions);
        rules.put(FlinkSqlOperatorTable.PLUS, (c, t) -> plusMinus("PLUS", c, t));
        rules.put(FlinkSqlOperatorTable.DATETIME_PLUS, (c, t) -> plusMinus("PLUS", c, t));
        rules.put(FlinkSqlOperatorTable.MINUS, (c, t) -> plusMinus("MINUS", c, t));
        rules.put(FlinkSqlOperatorTable.MINUS_DATE, (c, t) -> plusMinus("MINUS", c, t));
        rules.put(FlinkSqlOperatorTable.MULTIPLY, (c, t) -> arithmetic("TIMES", c, t));
        rules.put(FlinkSqlOperatorTable.DIVIDE, (c, t) -> arithmetic("DIVIDE", c, t));
        rules.put(FlinkSqlOperatorTable.DIVIDE_INTEGER, (c, t) -> arithmetic("DIVIDE", c, t));
        rules.put(FlinkSqlOperatorTable.MOD, this::mod);
        rules.put(FlinkSqlOperatorTable.PERCENT_REMAINDER, this::mod);
        rules.put(FlinkSqlOperatorTable.UNARY_MINUS, this::unaryMinus);
        rules.put(FlinkSqlOperatorTable.UNARY_PLUS, (c, t) -> sameRoot(translator.column(operand(c, 0)), t));
        rules.put(FlinkSqlOperatorTable.EQUALS, (c, t) -> comparison("EQUALS", c, t));
        rules.put(FlinkSqlOperatorTable.NOT_EQUALS, (c, t) -> comparison("NOT_EQUALS", c, t));
        rules.put(FlinkSqlOperatorTable.LESS_THAN, (c, t) -> comparison("LESS_THAN", c, t));
        rules.put(FlinkSqlOperatorTable.LESS_THAN_OR_EQUAL, (c, t) -> comparison("LESS_THAN_OR_EQUAL", c, t));
        rules.put(FlinkSqlOperatorTable.GREATER_THAN, (c, t) -> comparison("GREATER_THAN", c, t));
        rules.put(FlinkSqlOperatorTable.GREATER_THAN_OR_EQUAL, (c, t) -> comparison("GREATER_THAN_OR_EQUAL", c, t));
        rules.put(FlinkSqlOperatorTable.IS_DISTINCT_FROM, (c, t) -> comparison("IS_DISTINCT_FROM", c, t));
        rules.put(FlinkSqlOperatorTable.IS_NOT_DISTINCT_FROM, (c, t) -> comparison("IS_NOT_DISTINCT_FROM", c, t));
        rules.put(FlinkSqlOperatorTable.CASE, this::caseWhen);
        rules.put(FlinkSqlOperatorTable.IF, this::ifElse);
        rules.put(FlinkSqlOperatorTable.CAST, (c, t) -> cast("CAST", c, t));
        rules.put(FlinkSqlOperatorTable.TRY_CAST, (c, t) -> cast("TRY_CAST", c, t));
        rules.put(FlinkSqlOperatorTable.REINTERPRET, this::reinterpret);
        rules.put(FlinkSqlOperatorTable.AS, (c, t) -> translator.column(operand(c, 0)));
        rules.put(FlinkSqlOperatorTable.NOT_LIKE, this::notLike);
        rules.put(FlinkSqlOperatorTable.UPPER, (c, t) -> mapCase("UPPER_ASCII", c, t));
        rules.put(FlinkSqlOperatorTable.LOWER, (c, t) -> mapCase("LOWER_ASCII", c, t));
        rules.put(FlinkSqlOperatorTable.TO_TIMESTAMP, this::toTimestamp);
        rules.put(FlinkSqlOperatorTable.SEARCH, search::apply);
        rules.put(FlinkSqlOperatorTable.FLOOR, (c, t) -> floorCeil("FLOOR", c, t));
        rules.put(FlinkSqlOperatorTable.CEIL, (c, t) -> floorCeil("CEIL", c, t));
        rules.put(FlinkSqlOperatorTable.TIMESTAMP_DIFF, (c, t) -> named("TIMESTAMP_DIFF", c, t));
        rules.put(FlinkSqlOperatorTable.ITEM, this::item);
        rules.put(FlinkSqlOperatorTable.DOT, this::item);
        rules.put(FlinkSqlOperatorTable.CONCAT, this::concat);
    }

    /** The engine's expression for the call, or null for the host. */
    Node apply(RexCall call, LogicalType type) {
        SqlOperator operator = call.getOperator();
        boolean oldStyleUserFunction =
                operator instanceof SqlFunction
                        && ((SqlFunction) operator).getFunctionType() == SqlFunctionCategory.USER_DEFINED_FUNCTION
                        && !(operator instanceof BridgingSqlFunction);
        if (oldStyleUserFunction) {
            return null;
        }
        if (operator instanceof BridgingSqlFunction) {
            return bridged((BridgingSqlFunction) operator, call, type);
        }
        Rule rule = rules.get(operator);
        if (rule != null) {
            return rule.apply(call, type);
        }
        return named(engineName(operator.getName(), operator.getKind()), call, type);
    }

    private Node bridged(BridgingSqlFunction function, RexCall call, LogicalType type) {
        FunctionDefinition definition = function.getDefinition();
        if (!(definition instanceof BuiltInFunctionDefinition)) {
            return null; // a user's function, whatever its name
        }
        if (definition == BuiltInFunctionDefinitions.COALESCE) {
            return coalesce(call, type);
        }
        return named(engineName(function.getName(), SqlKind.OTHER_FUNCTION), call, type);
    }

    private static String engineName(String name, SqlKind kind) {
        switch (kind) {
            case IS_NULL:
            case IS_NOT_NULL:
            case IS_TRUE:
            case IS_NOT_TRUE:
            case IS_FALSE:
            case IS_NOT_FALSE:
                return kind.name();
            default:
                String upper = name.toUpperCase(Locale.ROOT).replace(' ', '_');
                return NAMES.getOrDefault(upper, upper);
        }
    }

    private Node named(String name, RexCall call, LogicalType type) {
        List<Node> args = new ArrayList<>();
        for (RexNode operand : call.getOperands()) {
            args.add(argument(operand));
        }
        return translator.function(name, type, args);
    }

    /** An operand; symbols (units, trim sides) become strings. Null: not expressible. */
    private Node argument(RexNode operand) {
        if (operand instanceof RexLiteral) {
            Object value = ((RexLiteral) operand).getValue();
            if (value instanceof Enum) {
                return conversions.string(((Enum<?>) value).name());
            }
        }
        return translator.column(operand);
    }

    private static RexNode operand(RexCall call, int i) {
        return call.getOperands().get(i);
    }

    // ---- arithmetic: ScalarOperatorGens.generateBinaryArithmeticOperator ----

    private Node arithmetic(String name, RexCall call, LogicalType type) {
        Node left = translator.column(operand(call, 0));
        Node right = translator.column(operand(call, 1));
        if (left == null || right == null || !TypeCheckUtils.isNumeric(type)) {
            return null;
        }
        return arithmetic(name, type, left, right);
    }

    private Node arithmetic(String name, LogicalType type, Node left, Node right) {
        if (!TypeCheckUtils.isNumeric(left.type()) || !TypeCheckUtils.isNumeric(right.type())) {
            return null;
        }
        if (type instanceof DecimalType) {
            return translator.function(name, type, decimalOperand(left), decimalOperand(right));
        }
        return translator.function(
                name, type, conversions.primitive(left, type), conversions.primitive(right, type));
    }

    /** Decimals enter as they are, integers as decimals of their own width; floating point is the host's. */
    private Node decimalOperand(Node node) {
        if (node.type() instanceof DecimalType) {
            return node;
        }
        if (!TypeCheckUtils.isNumeric(node.type()) || Conversions.isFloating(node.type())) {
            return null;
        }
        return conversions.cast(node, new DecimalType(node.type().isNullable(), getPrecision(node.type()), 0));
    }

    private Node mod(RexCall call, LogicalType type) {
        Node left = translator.column(operand(call, 0));
        Node right = translator.column(operand(call, 1));
        if (left == null || right == null || !TypeCheckUtils.isNumeric(type)) {
            return null;
        }
        boolean decimals = left.type() instanceof DecimalType || right.type() instanceof DecimalType;
        if (type instanceof DecimalType || (!decimals && left.type().getTypeRoot() == right.type().getTypeRoot())) {
            return arithmetic("MOD", type, left, right);
        }
        if (decimals) {
            return null;
        }
        // Java promotes both sides, takes the remainder and narrows it to the result type
        Node divisor = conversions.primitive(right, type);
        LogicalType wide = Conversions.promoted(left.type(), type);
        if (divisor == null || wide == null) {
            return null;
        }
        Node remainder =
                translator.function(
                        "MOD",
                        wide.copy(type.isNullable()),
                        conversions.primitive(left, wide),
                        conversions.primitive(divisor, wide));
        return remainder == null ? null : conversions.primitive(remainder, type);
    }

    private Node unaryMinus(RexCall call, LogicalType type) {
        Node value = translator.column(operand(call, 0));
        return value == null || value.type().getTypeRoot() != type.getTypeRoot()
                ? null
                : translator.function("UNARY_MINUS", type, value);
    }

    private Node sameRoot(Node node, LogicalType type) {
        return node != null && node.type().getTypeRoot() == type.getTypeRoot() ? node : null;
    }

    private Node plusMinus(String name, RexCall call, LogicalType type) {
        Node left = translator.column(operand(call, 0));
        Node right = translator.column(operand(call, 1));
        if (left == null || right == null) {
            return null;
        }
        if (TypeCheckUtils.isNumeric(type)) {
            return arithmetic(name, type, left, right);
        }
        if (!TypeCheckUtils.isTimeInterval(right.type()) || TypeCheckUtils.isTimeInterval(left.type())) {
            return translator.function(name, type, left, right); // interval arithmetic, differences of time points
        }
        // generateTemporalPlusMinus yields the left operand's type, except for DATE
        if (left.type().getTypeRoot() != LogicalTypeRoot.DATE && !left.type().copy(true).equals(type.copy(true))) {
            return null;
        }
        Node interval = name.equals("PLUS") ? right : negated(right);
        return translator.function("TIMESTAMP_PLUS", type, left, interval);
    }

    private Node negated(Node interval) {
        if (interval instanceof Node.Constant) {
            Object value = ((Node.Constant) interval).value;
            if (value instanceof Integer && (Integer) value != Integer.MIN_VALUE) {
                return new Node.Constant(-(Integer) value, interval.type());
            }
            if (value instanceof Long && (Long) value != Long.MIN_VALUE) {
                return new Node.Constant(-(Long) value, interval.type());
            }
        }
        return translator.function("UNARY_MINUS", interval.type(), interval);
    }

    // ---- comparison: generateComparison, generateEqualAndNonEqual ----

    private Node comparison(String name, RexCall call, LogicalType type) {
        Node left = translator.column(operand(call, 0));
        Node right = translator.column(operand(call, 1));
        if (left == null || right == null) {
            return null;
        }
        LogicalType common = Conversions.comparisonType(left.type(), right.type());
        return common == null
                ? null
                : translator.function(
                        name, type, conversions.comparand(left, common), conversions.comparand(right, common));
    }

    // ---- conditionals ----

    /** generateIfElse: branches are cast with NULL on failure. */
    private Node caseWhen(RexCall call, LogicalType type) {
        List<Node> args = new ArrayList<>();
        int n = call.getOperands().size();
        for (int i = 0; i < n; i++) {
            Node arg = translator.column(operand(call, i));
            boolean condition = i % 2 == 0 && i < n - 1;
            args.add(condition || arg == null ? arg : conversions.tryCast(arg, type));
        }
        return translator.function("CASE", type, args);
    }

    /** IfCallGen: branches are cast, failures fail. */
    private Node ifElse(RexCall call, LogicalType type) {
        Node condition = translator.column(operand(call, 0));
        Node whenTrue = translator.column(operand(call, 1));
        Node whenFalse = translator.column(operand(call, 2));
        if (condition == null || whenTrue == null || whenFalse == null) {
            return null;
        }
        return translator.function(
                "IF", type, condition, conversions.cast(whenTrue, type), conversions.cast(whenFalse, type));
    }

    private Node coalesce(RexCall call, LogicalType type) {
        List<Node> args = new ArrayList<>();
        for (RexNode operand : call.getOperands()) {
            Node arg = translator.column(operand);
            args.add(arg == null ? null : conversions.unchanged(arg, type));
        }
        return translator.function("COALESCE", type, args);
    }

    // ---- conversions ----

    private Node cast(String name, RexCall call, LogicalType type) {
        Node value = translator.column(operand(call, 0));
        if (value == null) {
            return null;
        }
        return name.equals("CAST") ? conversions.cast(value, type) : conversions.tryCast(value, type);
    }

    private Node reinterpret(RexCall call, LogicalType type) {
        Node value = translator.column(operand(call, 0));
        if (value == null) {
            return null;
        }
        return Conversions.isSame(value.type(), type)
                ? value.retyped(type)
                : translator.function("REINTERPRET", type, value);
    }

    // ---- the rest ----

    private Node notLike(RexCall call, LogicalType type) {
        Node like = named("LIKE", call, type);
        return like == null ? null : translator.function("NOT", type, like);
    }

    /**
     * What lies outside ASCII is mapped by the JVM's version of Unicode and its default locale, so rows with such text are
     * the host's. In Turkish and its like even ASCII maps differently.
     */
    private Node mapCase(String name, RexCall call, LogicalType type) {
        Node text = translator.column(operand(call, 0));
        if (text == null || LOCALES_WITH_OWN_ASCII_CASES.contains(Locale.getDefault().getLanguage())) {
            return null;
        }
        Node ascii = translator.function("IS_ASCII", new BooleanType(text.type().isNullable()), text);
        Node settled = ascii == null ? null : translator.function("IS_NOT_FALSE", new BooleanType(false), ascii);
        return translator.function(
                "CASE", type, settled, translator.function(name, type, text), new Node.Host(call, type));
    }

    /** With a pattern: the engine knows text that has exactly the pattern's shape, the host settles the rest. */
    private Node toTimestamp(RexCall call, LogicalType type) {
        Node parsed = named(call.getOperands().size() == 1 ? "TO_TIMESTAMP" : "TO_TIMESTAMP_SHAPED", call, type);
        return parsed == null || call.getOperands().size() == 1
                ? parsed
                : translator.function("COALESCE", type, parsed, new Node.Host(call, type));
    }

    /** generateArithmeticConcat turns anything on the right into text its own way; only strings are the engine's. */
    private Node concat(RexCall call, LogicalType type) {
        Node left = translator.column(operand(call, 0));
        Node right = translator.column(operand(call, 1));
        return left == null
                        || right == null
                        || !left.type().is(LogicalTypeFamily.CHARACTER_STRING)
                        || !right.type().is(LogicalTypeFamily.CHARACTER_STRING)
                ? null
                : translator.function("CONCAT", type, left, right);
    }

    private Node floorCeil(String name, RexCall call, LogicalType type) {
        boolean ofTime = call.getOperands().size() == 2;
        return named(ofTime ? name + "_TIME" : name, call, type);
    }

    private Node item(RexCall call, LogicalType type) {
        Node container = translator.column(operand(call, 0));
        if (container != null && container.type() instanceof RowType && operand(call, 1) instanceof RexLiteral) {
            String field = ((RexLiteral) operand(call, 1)).getValueAs(String.class);
            int index = field == null ? -1 : ((RowType) container.type()).getFieldIndex(field);
            return index < 0 ? null : new Node.Field(container, index, type);
        }
        return named("ITEM", call, type);
    }
}
