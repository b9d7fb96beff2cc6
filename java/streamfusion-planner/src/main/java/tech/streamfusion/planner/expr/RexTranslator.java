package tech.streamfusion.planner.expr;

import java.util.Arrays;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.rex.RexCall;
import org.apache.calcite.rex.RexFieldAccess;
import org.apache.calcite.rex.RexInputRef;
import org.apache.calcite.rex.RexLiteral;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.sql.SqlKind;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.table.planner.calcite.FlinkTypeFactory;
import org.apache.flink.table.planner.functions.sql.FlinkSqlOperatorTable;
import org.apache.flink.table.planner.plan.utils.RexLiteralUtil;
import org.apache.flink.table.types.logical.LocalZonedTimestampType;
import org.apache.flink.table.types.logical.LogicalType;
import org.apache.flink.table.types.logical.RowType;
import org.apache.flink.table.types.logical.TimestampKind;

/**
 * Decides per sub-expression whether the engine or Flink's generated code evaluates it. Follows {@code
 * org.apache.flink.table.planner.codegen.ExprCodeGenerator}: what its generated code converts implicitly becomes an
 * explicit CAST here.
 */
final class RexTranslator {

    private final RowType inputType;
    private final ExprSupport support;
    private final Predicate<String> allowIncompatible;
    private final boolean legacyCast;
    private final CallRules rules = new CallRules(this);
    private final Map<RexNode, Node> decided = new IdentityHashMap<>();

    /**
     * @param legacyCast {@code table.exec.legacy-cast-behaviour} of the exec node
     * @param allowIncompatible whether the user accepts inexact kernels of the named function
     */
    RexTranslator(RowType inputType, boolean legacyCast, ExprSupport support, Predicate<String> allowIncompatible) {
        this.inputType = inputType;
        this.legacyCast = legacyCast;
        this.support = support;
        this.allowIncompatible = allowIncompatible;
    }

    boolean isLegacyCast() {
        return legacyCast;
    }

    /** The decision for an expression; a {@link Node.Host} may have a type without columnar form. */
    Node translate(RexNode rex) {
        Node known = decided.get(rex);
        if (known == null) {
            known = decide(rex);
            decided.put(rex, known);
        }
        return known;
    }

    /** An operand as a column, or null when its type has no columnar form. */
    Node column(RexNode rex) {
        Node node = translate(rex);
        return PlanTypes.isColumnar(node.type()) ? node : null;
    }

    private Node decide(RexNode rex) {
        LogicalType type = FlinkTypeFactory.toLogicalType(rex.getType());
        if (!PlanTypes.isColumnar(type)) {
            return new Node.Host(rex, type);
        }
        if (rex instanceof RexInputRef) {
            int index = ((RexInputRef) rex).getIndex();
            return new Node.Input(index, inputType.getTypeAt(index));
        }
        if (rex instanceof RexLiteral) {
            return literal((RexLiteral) rex, type);
        }
        Node node = null;
        if (rex instanceof RexFieldAccess) {
            node = fieldAccess((RexFieldAccess) rex, type);
        } else if (rex instanceof RexCall) {
            node = takesElements((RexCall) rex) ? null : call((RexCall) rex, type);
        }
        return node == null || WorkEstimate.isCheaperOnHost(node) ? new Node.Host(rex, type) : node;
    }

    /**
     * Whether an operand is an element of a collection whose elements are NOT NULL. Such an element may be NULL, but Flink's
     * generator gives it the type of the elements; what the code around it makes of that is its own business.
     */
    private static boolean takesElements(RexCall call) {
        return call.getOperands().stream().anyMatch(RexTranslator::isNotNullElement);
    }

    private static boolean isNotNullElement(RexNode rex) {
        if (rex.getKind() != SqlKind.ITEM) {
            return false;
        }
        RelDataType collection = ((RexCall) rex).getOperands().get(0).getType();
        RelDataType element =
                collection.getComponentType() != null ? collection.getComponentType() : collection.getValueType();
        return element != null && !element.isNullable();
    }

    private Node literal(RexLiteral literal, LogicalType type) {
        if (literal.isNull()) {
            return new Node.Constant(null, type);
        }
        switch (type.getTypeRoot()) {
            case ROW:
            case ARRAY:
            case MAP:
            case MULTISET:
            case NULL:
                return new Node.Host(literal, type);
            default:
                Tuple2<Object, LogicalType> value = RexLiteralUtil.toFlinkInternalValue(literal);
                return new Node.Constant(value.f0, value.f1);
        }
    }

    private Node fieldAccess(RexFieldAccess access, LogicalType type) {
        Node row = column(access.getReferenceExpr());
        if (row == null || !(row.type() instanceof RowType)) {
            return null;
        }
        int index = access.getField().getIndex();
        LogicalType fieldType = ((RowType) row.type()).getTypeAt(index);
        // NULL where the row is NULL, whatever the declaration of the field says
        return new Node.Field(row, index, row.type().isNullable() ? fieldType.copy(true) : fieldType);
    }

    private Node call(RexCall call, LogicalType type) {
        if (call.getOperator() == FlinkSqlOperatorTable.PROCTIME) {
            // generated code carries NULL until the attribute is materialized
            return new Node.Constant(null, new LocalZonedTimestampType(true, TimestampKind.PROCTIME, 3));
        }
        return rules.apply(call, type);
    }

    // ---- building blocks for the rules ----

    /** The call if the engine has it, otherwise null. Null arguments make it null. */
    Node function(String name, LogicalType type, List<Node> args) {
        for (Node arg : args) {
            if (arg == null) {
                return null;
            }
        }
        return supportedOrNull(new Node.Function(name, args, type, allowIncompatible.test(name)));
    }

    Node function(String name, LogicalType type, Node... args) {
        return function(name, type, Arrays.asList(args));
    }

    /** The node if the engine has it, otherwise null. */
    <T extends Node> T supportedOrNull(T node) {
        return supported(node) ? node : null;
    }

    private boolean supported(Node node) {
        try {
            return support.supports(node.toProto(Node.TYPES_ONLY));
        } catch (UnsupportedOperationException e) {
            return false; // a constant or type without plan form
        }
    }
}
