package tech.streamfusion.planner.expr;

import java.util.List;
import org.apache.calcite.rex.RexNode;
import org.apache.flink.table.types.logical.LogicalType;
import tech.streamfusion.plan.Call;
import tech.streamfusion.plan.Expr;
import tech.streamfusion.plan.FieldAccess;
import tech.streamfusion.plan.HostCall;
import tech.streamfusion.plan.Literal;
import tech.streamfusion.plan.NullAs;
import tech.streamfusion.plan.SearchArg;
import tech.streamfusion.plan.SearchRange;

/** A typed expression on its way from Calcite to the plan: decided, but host kernels have no numbers yet. */
abstract class Node {

    private final LogicalType type;

    Node(LogicalType type) {
        this.type = type;
    }

    final LogicalType type() {
        return type;
    }

    /** @param kernels gives each host node the plan's host call */
    final Expr toProto(Kernels kernels) {
        Expr.Builder out = Expr.newBuilder().setType(PlanTypes.encode(type));
        fill(out, kernels);
        return out.build();
    }

    abstract void fill(Expr.Builder out, Kernels kernels);

    /** The same value under another type of equal representation (nullability, time attribute). */
    abstract Node retyped(LogicalType newType);

    /** Whether evaluating it cannot fail and costs next to nothing. */
    boolean isTrivial() {
        return false;
    }

    /** Numbers host kernels. */
    interface Kernels {
        HostCall call(Host node);
    }

    /** Stands in while only types are asked for. */
    static final Kernels TYPES_ONLY = node -> HostCall.getDefaultInstance();

    /** A column of the input row. */
    static final class Input extends Node {
        final int index;

        Input(int index, LogicalType type) {
            super(type);
            this.index = index;
        }

        @Override
        void fill(Expr.Builder out, Kernels kernels) {
            out.setInput(index);
        }

        @Override
        Node retyped(LogicalType newType) {
            return new Input(index, newType);
        }

        @Override
        boolean isTrivial() {
            return true;
        }
    }

    /** A constant. */
    static final class Constant extends Node {
        /** Internal representation. */
        final Object value;

        Constant(Object value, LogicalType type) {
            super(type);
            this.value = value;
        }

        @Override
        void fill(Expr.Builder out, Kernels kernels) {
            out.setLiteral(PlanLiterals.encode(value, type()));
        }

        @Override
        Node retyped(LogicalType newType) {
            return new Constant(value, newType);
        }

        @Override
        boolean isTrivial() {
            return true;
        }
    }

    /** A field of a row. */
    static final class Field extends Node {
        final Node row;
        final int index;

        Field(Node row, int index, LogicalType type) {
            super(type);
            this.row = row;
            this.index = index;
        }

        @Override
        void fill(Expr.Builder out, Kernels kernels) {
            out.setField(FieldAccess.newBuilder().setRow(row.toProto(kernels)).setIndex(index));
        }

        @Override
        Node retyped(LogicalType newType) {
            return new Field(row, index, newType);
        }

        @Override
        boolean isTrivial() {
            return row.isTrivial();
        }
    }

    /** A function that the engine has. */
    static final class Function extends Node {
        final String name;
        final List<Node> args;
        final boolean allowIncompatible;

        Function(String name, List<Node> args, LogicalType type, boolean allowIncompatible) {
            super(type);
            this.name = name;
            this.args = List.copyOf(args);
            this.allowIncompatible = allowIncompatible;
        }

        @Override
        void fill(Expr.Builder out, Kernels kernels) {
            Call.Builder call = Call.newBuilder().setFunction(name).setAllowIncompatible(allowIncompatible);
            args.forEach(arg -> call.addArgs(arg.toProto(kernels)));
            out.setCall(call);
        }

        @Override
        Node retyped(LogicalType newType) {
            return new Function(name, args, newType, allowIncompatible);
        }
    }

    /** Membership in constant ranges. */
    static final class Search extends Node {
        final Node operand;
        final List<Range> ranges;
        final NullAs nullAs;

        Search(Node operand, List<Range> ranges, NullAs nullAs, LogicalType type) {
            super(type);
            this.operand = operand;
            this.ranges = List.copyOf(ranges);
            this.nullAs = nullAs;
        }

        @Override
        void fill(Expr.Builder out, Kernels kernels) {
            SearchArg.Builder search =
                    SearchArg.newBuilder().setOperand(operand.toProto(kernels)).setNullAs(nullAs);
            ranges.forEach(range -> search.addRanges(range.toProto(operand.type())));
            out.setSearch(search);
        }

        @Override
        Node retyped(LogicalType newType) {
            return new Search(operand, ranges, nullAs, newType);
        }
    }

    /** Bounds in internal representation; null: unbounded. */
    static final class Range {
        private final Object lower;
        private final Object upper;
        private final boolean lowerOpen;
        private final boolean upperOpen;

        Range(Object lower, boolean lowerOpen, Object upper, boolean upperOpen) {
            this.lower = lower;
            this.upper = upper;
            this.lowerOpen = lowerOpen;
            this.upperOpen = upperOpen;
        }

        SearchRange toProto(LogicalType type) {
            SearchRange.Builder out = SearchRange.newBuilder();
            if (lower != null) {
                out.setLower(literal(lower, type)).setLowerOpen(lowerOpen);
            }
            if (upper != null) {
                out.setUpper(literal(upper, type)).setUpperOpen(upperOpen);
            }
            return out.build();
        }

        private static Literal literal(Object value, LogicalType type) {
            return PlanLiterals.encode(value, type);
        }
    }

    /** A sub-expression that Flink's generated code evaluates. */
    static final class Host extends Node {
        final RexNode rex;

        Host(RexNode rex, LogicalType type) {
            super(type);
            this.rex = rex;
        }

        @Override
        void fill(Expr.Builder out, Kernels kernels) {
            out.setHost(kernels.call(this));
        }

        @Override
        Node retyped(LogicalType newType) {
            return new Host(rex, newType);
        }
    }
}
