package tech.streamfusion.planner.expr;

import static org.apache.flink.table.types.logical.utils.LogicalTypeChecks.getLength;
import static org.apache.flink.table.types.logical.utils.LogicalTypeChecks.getPrecision;
import static org.apache.flink.table.types.logical.utils.LogicalTypeChecks.getScale;
import static org.apache.flink.table.types.logical.utils.LogicalTypeChecks.isTimeAttribute;

import org.apache.flink.table.data.StringData;
import org.apache.flink.table.runtime.typeutils.TypeCheckUtils;
import org.apache.flink.table.types.logical.DecimalType;
import org.apache.flink.table.types.logical.LogicalType;
import org.apache.flink.table.types.logical.LogicalTypeFamily;
import org.apache.flink.table.types.logical.LogicalTypeRoot;
import org.apache.flink.table.types.logical.VarCharType;

/** The conversions that Flink's generated code makes, spelled out. A null result means that the host must do it. */
final class Conversions {

    private final RexTranslator translator;

    Conversions(RexTranslator translator) {
        this.translator = translator;
    }

    /** Equal up to nullability and time attributes: the same bytes mean the same value. */
    static boolean isSame(LogicalType left, LogicalType right) {
        return PlanTypes.isColumnar(left)
                && PlanTypes.isColumnar(right)
                && PlanTypes.encode(left.copy(true)).equals(PlanTypes.encode(right.copy(true)));
    }

    static boolean isFloating(LogicalType type) {
        return type.is(LogicalTypeFamily.APPROXIMATE_NUMERIC);
    }

    Node string(String value) {
        return new Node.Constant(StringData.fromString(value), new VarCharType(false, VarCharType.MAX_LENGTH));
    }

    /** A CAST that fails where Flink's fails. */
    Node cast(Node node, LogicalType target) {
        return convert("CAST", node, target);
    }

    /** A CAST that yields NULL where Flink's fails. */
    Node tryCast(Node node, LogicalType target) {
        return convert("TRY_CAST", node, target);
    }

    private Node convert(String name, Node node, LogicalType target) {
        if (isSame(node.type(), target)) {
            return node.retyped(target);
        }
        if (node instanceof Node.Constant && ((Node.Constant) node).value == null) {
            return new Node.Constant(null, target.copy(true));
        }
        if (changesNothing(node.type(), target) && !translator.isLegacyCast()) {
            return longer(node, target.copy(target.isNullable() || node.type().isNullable()));
        }
        if (node instanceof Node.Constant && isInteger(node.type()) && isInteger(target)) {
            return widened((Node.Constant) node, target, name);
        }
        // the old behaviour converts text and failures differently; Flink's own code knows how
        if (translator.isLegacyCast() || keepsMillis(node.type(), target)) {
            return null;
        }
        boolean nullable = target.isNullable() || node.type().isNullable() || name.equals("TRY_CAST");
        return translator.function(name, target.copy(nullable), node);
    }

    /** TimestampToTimestampCastRule: where an event time is involved nothing finer than milliseconds is cut. */
    private static boolean keepsMillis(LogicalType from, LogicalType target) {
        return isPlainTimestamp(from)
                && isPlainTimestamp(target)
                && getPrecision(target) < Math.min(getPrecision(from), 3)
                && (isTimeAttribute(from) || isTimeAttribute(target));
    }

    private static boolean isPlainTimestamp(LogicalType type) {
        return type.getTypeRoot() == LogicalTypeRoot.TIMESTAMP_WITHOUT_TIME_ZONE;
    }

    /** The node as a value of the type if no conversion is needed for that, otherwise null. */
    Node unchanged(Node node, LogicalType target) {
        LogicalType typed = target.copy(node.type().isNullable());
        if (isSame(node.type(), target)) {
            return node.retyped(typed);
        }
        return changesNothing(node.type(), target) ? longer(node, typed) : null;
    }

    /** Text as longer VARCHAR. The length of a CAST's result is what it cuts to, so it stays and another goes around it. */
    private Node longer(Node node, LogicalType target) {
        boolean isCast = node instanceof Node.Function && ((Node.Function) node).name.endsWith("CAST");
        return isCast ? translator.function("CAST", target, node) : node.retyped(target);
    }

    /** CharVarCharTrimPadCastRule: text goes into a VARCHAR that is at least as long unchanged. */
    private static boolean changesNothing(LogicalType from, LogicalType target) {
        return from.is(LogicalTypeFamily.CHARACTER_STRING)
                && target.getTypeRoot() == LogicalTypeRoot.VARCHAR
                && getLength(from) <= getLength(target);
    }

    private static boolean isInteger(LogicalType type) {
        return type.is(LogicalTypeFamily.INTEGER_NUMERIC);
    }

    /** A constant that the target holds as it is needs no cast; Java's narrowing of others is left to the engine. */
    private Node widened(Node.Constant constant, LogicalType target, String name) {
        LogicalType typed = target.copy(name.equals("TRY_CAST") || target.isNullable());
        return rank(constant.type()) <= rank(target)
                ? new Node.Constant(((Number) constant.value).longValue(), typed)
                : translator.function(name, typed, constant);
    }

    /** numericCasting between primitives: Java's conversion, which is what CAST of these types does. */
    Node primitive(Node node, LogicalType target) {
        if (node.type().getTypeRoot() == target.getTypeRoot()) {
            return node;
        }
        boolean decimalToInteger = node.type() instanceof DecimalType && !isFloating(target);
        if (decimalToInteger || target instanceof DecimalType) {
            return null;
        }
        boolean constant = node instanceof Node.Constant && ((Node.Constant) node).value != null;
        if (constant && isInteger(node.type()) && isInteger(target)) {
            return widened((Node.Constant) node, target.copy(false), "CAST");
        }
        return translator.function("CAST", target.copy(node.type().isNullable()), node);
    }

    /** Java's binary numeric promotion, without the step to int that changes no comparison and no remainder. */
    static LogicalType promoted(LogicalType left, LogicalType right) {
        int leftRank = rank(left);
        int rightRank = rank(right);
        return leftRank < 0 || rightRank < 0 ? null : leftRank >= rightRank ? left : right;
    }

    private static int rank(LogicalType type) {
        switch (type.getTypeRoot()) {
            case TINYINT:
                return 0;
            case SMALLINT:
                return 1;
            case INTEGER:
                return 2;
            case BIGINT:
                return 3;
            case FLOAT:
                return 4;
            case DOUBLE:
                return 5;
            default:
                return -1;
        }
    }

    /**
     * The type in which generated code compares values of the two types; null when it is the host's affair. Decimals and
     * text of different declared sizes compare as they are.
     */
    static LogicalType comparisonType(LogicalType left, LogicalType right) {
        if (TypeCheckUtils.isNumeric(left) && TypeCheckUtils.isNumeric(right)) {
            return numericComparisonType(left, right);
        }
        boolean sameRoot = left.getTypeRoot() == right.getTypeRoot();
        if (left.is(LogicalTypeFamily.TIMESTAMP) && right.is(LogicalTypeFamily.TIMESTAMP) && !sameRoot) {
            return getPrecision(left) > getPrecision(right) ? left : right;
        }
        boolean text = left.is(LogicalTypeFamily.CHARACTER_STRING) && right.is(LogicalTypeFamily.CHARACTER_STRING);
        boolean bytes = left.is(LogicalTypeFamily.BINARY_STRING) && right.is(LogicalTypeFamily.BINARY_STRING);
        return sameRoot || text || bytes ? left : null;
    }

    private static LogicalType numericComparisonType(LogicalType left, LogicalType right) {
        boolean leftDecimal = left instanceof DecimalType;
        boolean rightDecimal = right instanceof DecimalType;
        if (!leftDecimal && !rightDecimal) {
            return promoted(left, right);
        }
        if (isFloating(left) || isFloating(right)) {
            return null;
        }
        return leftDecimal ? left : right;
    }

    /** An operand of a comparison in the type found by {@link #comparisonType}. */
    Node comparand(Node node, LogicalType common) {
        if (common instanceof DecimalType) {
            return node.type() instanceof DecimalType
                    ? node
                    : cast(node, new DecimalType(node.type().isNullable(), integerDigits(node.type()), 0));
        }
        if (TypeCheckUtils.isNumeric(common)) {
            return primitive(node, common);
        }
        boolean timestamps = common.is(LogicalTypeFamily.TIMESTAMP);
        if (timestamps && node.type().getTypeRoot() != common.getTypeRoot()) {
            return cast(node, common.copy(node.type().isNullable()));
        }
        return node;
    }

    private static int integerDigits(LogicalType type) {
        return type.getTypeRoot() == LogicalTypeRoot.DECIMAL ? getPrecision(type) - getScale(type) : getPrecision(type);
    }
}
