package tech.streamfusion.planner.expr;

import org.apache.flink.table.types.logical.LogicalType;
import org.apache.flink.table.types.logical.LogicalTypeFamily;
import org.apache.flink.table.types.logical.RowType;

/**
 * Rough nanoseconds per row, to tell islands that pay for their conversions from those that do not. Only the order of
 * magnitude matters: text and decimals cost an allocation each in generated code, numbers next to nothing.
 */
public final class WorkEstimate {

    private static final double NUMERIC_CALL = 1.5;
    private static final double TEXT_CALL = 45;
    private static final double DECIMAL_CALL = 25;
    private static final double TIME_CALL = 30;
    /** Arguments out of columns, the result into one. */
    private static final double HOST_CALL = 80;
    private static final double ROW_TO_BATCH = 25;
    private static final double BATCH_TO_ROW = 20;
    /** Serializing a row and reading it back, one by one. */
    private static final double NETWORK_ROW = 60;
    /** Looking up and writing back state of a key. */
    private static final double KEYED_STATE = 150;
    private static final double AGGREGATE_CALL = 5;
    private static final double FIXED_FIELD = 4;
    private static final double VARIABLE_FIELD = 20;

    private WorkEstimate() {}

    static double savedNanos(Node node) {
        if (node instanceof Node.Function) {
            Node.Function function = (Node.Function) node;
            double saved = callNanos(function);
            for (Node arg : function.args) {
                saved += savedNanos(arg);
            }
            return saved;
        }
        if (node instanceof Node.Search) {
            Node operand = ((Node.Search) node).operand;
            return valueNanos(operand.type()) + savedNanos(operand);
        }
        if (node instanceof Node.Field) {
            return NUMERIC_CALL + savedNanos(((Node.Field) node).row);
        }
        return 0; // columns and constants cost nothing on either side, the host's work stays the host's
    }

    /** Whether so much of a native expression is the host's that one call of generated code for all of it costs less. */
    static boolean isCheaperOnHost(Node node) {
        int calls = hostCalls(node);
        return calls > 1 && savedNanos(node) < (calls - 1) * HOST_CALL;
    }

    /** Places in the expression where the engine would call the host. */
    static int hostCalls(Node node) {
        if (node instanceof Node.Host) {
            return 1;
        }
        if (node instanceof Node.Function) {
            return ((Node.Function) node).args.stream().mapToInt(WorkEstimate::hostCalls).sum();
        }
        if (node instanceof Node.Search) {
            return hostCalls(((Node.Search) node).operand);
        }
        return node instanceof Node.Field ? hostCalls(((Node.Field) node).row) : 0;
    }

    private static double callNanos(Node.Function function) {
        if (function.name.startsWith("IS_") || function.name.equals("CASE") || function.name.equals("COALESCE")) {
            return NUMERIC_CALL; // looks at no bytes of its operands
        }
        double nanos = valueNanos(function.type());
        for (Node arg : function.args) {
            nanos = Math.max(nanos, valueNanos(arg.type()));
        }
        return nanos;
    }

    private static double valueNanos(LogicalType type) {
        if (type.is(LogicalTypeFamily.CHARACTER_STRING) || type.is(LogicalTypeFamily.BINARY_STRING)) {
            return TEXT_CALL;
        }
        if (type.is(LogicalTypeFamily.EXACT_NUMERIC) && !type.is(LogicalTypeFamily.INTEGER_NUMERIC)) {
            return DECIMAL_CALL;
        }
        return type.is(LogicalTypeFamily.TIMESTAMP) ? TIME_CALL : NUMERIC_CALL;
    }

    /** Nanoseconds that a row saves in a keyed aggregate with state in memory. */
    public static double aggregateNanos(int calls, int distinctViews) {
        return KEYED_STATE * (1 + distinctViews) + AGGREGATE_CALL * calls;
    }

    /** Nanoseconds to gather a row into columns. */
    public static double rowToBatchNanos(RowType type) {
        return ROW_TO_BATCH + fieldNanos(type);
    }

    /** Nanoseconds to hand a row out of columns. */
    public static double batchToRowNanos(RowType type) {
        return BATCH_TO_ROW + fieldNanos(type);
    }

    /** Nanoseconds that a row saves by crossing the network in a batch. */
    public static double networkNanos(RowType type) {
        return NETWORK_ROW + fieldNanos(type);
    }

    private static double fieldNanos(RowType type) {
        double nanos = 0;
        for (LogicalType field : type.getChildren()) {
            boolean variable =
                    !field.is(LogicalTypeFamily.NUMERIC)
                            && !field.is(LogicalTypeFamily.DATETIME)
                            && !field.is(LogicalTypeFamily.INTERVAL);
            nanos += variable ? VARIABLE_FIELD : FIXED_FIELD;
        }
        return nanos;
    }
}
