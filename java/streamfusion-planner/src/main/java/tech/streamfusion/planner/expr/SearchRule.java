package tech.streamfusion.planner.expr;

import static org.apache.flink.table.types.logical.utils.LogicalTypeChecks.getLength;

import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.apache.calcite.rex.RexCall;
import org.apache.calcite.rex.RexLiteral;
import org.apache.calcite.rex.RexUnknownAs;
import org.apache.calcite.util.Sarg;
import org.apache.flink.calcite.shaded.com.google.common.collect.BoundType;
import org.apache.flink.table.data.DecimalData;
import org.apache.flink.table.planner.calcite.FlinkTypeFactory;
import org.apache.flink.table.planner.plan.utils.RexLiteralUtil;
import org.apache.flink.table.runtime.typeutils.TypeCheckUtils;
import org.apache.flink.table.types.logical.DecimalType;
import org.apache.flink.table.types.logical.LogicalType;
import org.apache.flink.table.types.logical.LogicalTypeFamily;
import org.apache.flink.table.types.logical.LogicalTypeRoot;
import org.apache.flink.table.types.logical.utils.LogicalTypeMerging;
import tech.streamfusion.plan.NullAs;

/**
 * IN, BETWEEN and comparisons with constants, which Calcite folds into SEARCH. Follows {@code SearchOperatorGen}: a set of
 * points is looked up in the common type, ranges are compared in the types that the sides have.
 */
final class SearchRule {

    private final RexTranslator translator;
    private final Conversions conversions;

    SearchRule(RexTranslator translator, Conversions conversions) {
        this.translator = translator;
        this.conversions = conversions;
    }

    Node apply(RexCall call, LogicalType type) {
        Node needle = translator.column(call.getOperands().get(0));
        if (needle == null) {
            return null;
        }
        RexLiteral literal = (RexLiteral) call.getOperands().get(1);
        Sarg<?> sarg = literal.getValueAs(Sarg.class);
        LogicalType sargType = FlinkTypeFactory.toLogicalType(literal.getType());
        boolean points = sarg.isPoints() || sarg.isComplementedPoints();
        Node operand = points ? pointOperand(needle, sargType) : rangeOperand(needle, sargType);
        if (operand == null) {
            return null;
        }
        List<Node.Range> ranges = ranges(sarg, sargType, operand.type());
        return ranges == null
                ? null
                : translator.supportedOrNull(new Node.Search(operand, ranges, nullAs(sarg.nullAs), type));
    }

    private static NullAs nullAs(RexUnknownAs nullAs) {
        switch (nullAs) {
            case TRUE:
                return NullAs.NULL_AS_TRUE;
            case FALSE:
                return NullAs.NULL_AS_FALSE;
            default:
                return NullAs.NULL_AS_UNKNOWN;
        }
    }

    private Node pointOperand(Node needle, LogicalType sargType) {
        Optional<LogicalType> found = LogicalTypeMerging.findCommonType(Arrays.asList(needle.type(), sargType));
        if (found.isEmpty()) {
            return null;
        }
        LogicalType common = found.get();
        if (Conversions.isFloating(common)) {
            return null; // a hash set of boxed values tells -0.0 from 0.0 and finds NaN
        }
        if (common.is(LogicalTypeFamily.CHARACTER_STRING)) {
            return textOperand(needle, sargType, common);
        }
        return conversions.cast(needle, common.copy(needle.type().isNullable()));
    }

    /** Only the casts that change nothing: to a VARCHAR that is wide enough. */
    private static Node textOperand(Node needle, LogicalType sargType, LogicalType common) {
        if (common.getTypeRoot() == LogicalTypeRoot.VARCHAR) {
            boolean fits = getLength(common) >= getLength(needle.type()) && getLength(common) >= getLength(sargType);
            return fits ? needle : null;
        }
        return Conversions.isSame(needle.type(), common) && Conversions.isSame(sargType, common) ? needle : null;
    }

    private Node rangeOperand(Node needle, LogicalType sargType) {
        LogicalType common = Conversions.comparisonType(needle.type(), sargType);
        boolean mixedTimestamps =
                needle.type().is(LogicalTypeFamily.TIMESTAMP)
                        && needle.type().getTypeRoot() != sargType.getTypeRoot();
        return common == null || mixedTimestamps ? null : conversions.comparand(needle, common);
    }

    private static List<Node.Range> ranges(Sarg<?> sarg, LogicalType sargType, LogicalType operandType) {
        List<Node.Range> out = new ArrayList<>();
        for (Object element : sarg.rangeSet.asRanges()) {
            var range = (org.apache.flink.calcite.shaded.com.google.common.collect.Range<?>) element;
            Object lower = null;
            Object upper = null;
            boolean lowerOpen = false;
            boolean upperOpen = false;
            if (range.hasLowerBound()) {
                lower = bound(range.lowerEndpoint(), sargType, operandType);
                lowerOpen = range.lowerBoundType() == BoundType.OPEN;
                if (lower == null) {
                    return null;
                }
            }
            if (range.hasUpperBound()) {
                upper = bound(range.upperEndpoint(), sargType, operandType);
                upperOpen = range.upperBoundType() == BoundType.OPEN;
                if (upper == null) {
                    return null;
                }
            }
            out.add(new Node.Range(lower, lowerOpen, upper, upperOpen));
        }
        return out;
    }

    /** A bound in the operand's type; null when it has no exact value there. */
    private static Object bound(Comparable<?> endpoint, LogicalType sargType, LogicalType operandType) {
        Object value = RexLiteralUtil.toFlinkInternalValue(endpoint, sargType);
        if (!TypeCheckUtils.isNumeric(operandType)) {
            return value;
        }
        if (operandType instanceof DecimalType) {
            return decimal(value, (DecimalType) operandType);
        }
        if (!(value instanceof Number)) {
            return null;
        }
        Number number = (Number) value;
        switch (operandType.getTypeRoot()) {
            case FLOAT:
                return number.floatValue();
            case DOUBLE:
                return number.doubleValue();
            default:
                return number.longValue();
        }
    }

    private static Object decimal(Object value, DecimalType type) {
        BigDecimal exact =
                value instanceof DecimalData
                        ? ((DecimalData) value).toBigDecimal()
                        : BigDecimal.valueOf(((Number) value).longValue());
        if (exact.stripTrailingZeros().scale() > type.getScale()) {
            return null;
        }
        return DecimalData.fromBigDecimal(exact, type.getPrecision(), type.getScale());
    }
}
