package tech.streamfusion.planner.nodes;

import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import java.util.Arrays;
import javax.annotation.Nullable;
import org.apache.calcite.rex.RexFieldAccess;
import org.apache.calcite.rex.RexInputRef;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.rex.RexVisitorImpl;
import org.apache.flink.table.planner.plan.nodes.exec.ExecNode;
import org.apache.flink.table.planner.plan.nodes.exec.stream.StreamExecCalc;
import org.apache.flink.table.planner.plan.nodes.exec.stream.StreamExecDropUpdateBefore;
import org.apache.flink.table.planner.plan.nodes.exec.stream.StreamExecWatermarkAssigner;
import org.apache.flink.table.types.logical.RowType;
import tech.streamfusion.planner.graph.GraphView;
import tech.streamfusion.planner.graph.StockFields;

/** Which fields of a node's output, and which fields inside them, anything downstream reads. */
final class ReadSet {

    private final int fieldCount;
    /** Paths of field indices; whatever is below a path is read as well. */
    private final TreeSet<int[]> paths = new TreeSet<>(Arrays::compare);

    private ReadSet(int fieldCount) {
        this.fieldCount = fieldCount;
    }

    static ReadSet of(ExecNode<?> node, GraphView graph) {
        ReadSet reads = new ReadSet(((RowType) node.getOutputType()).getFieldCount());
        reads.addConsumers(node, graph);
        return reads;
    }

    private void addConsumers(ExecNode<?> node, GraphView graph) {
        for (ExecNode<?> consumer : graph.consumers(node)) {
            if (consumer instanceof StreamExecCalc) {
                CalcTranslator.expressions((StreamExecCalc) consumer).forEach(this::add);
            } else if (consumer instanceof StreamExecWatermarkAssigner) {
                StreamExecWatermarkAssigner assigner = (StreamExecWatermarkAssigner) consumer;
                add(StockFields.watermark(assigner));
                paths.add(new int[] {StockFields.rowtimeField(assigner)});
                addConsumers(assigner, graph);
            } else if (consumer instanceof StreamExecDropUpdateBefore) {
                addConsumers(consumer, graph);
            } else {
                addAll();
            }
        }
    }

    private void addAll() {
        for (int i = 0; i < fieldCount; i++) {
            paths.add(new int[] {i});
        }
    }

    /** Adds what an expression over the row reads. */
    void add(RexNode expression) {
        expression.accept(
                new RexVisitorImpl<Void>(true) {
                    @Override
                    public Void visitInputRef(RexInputRef ref) {
                        paths.add(new int[] {ref.getIndex()});
                        return null;
                    }

                    @Override
                    public Void visitFieldAccess(RexFieldAccess access) {
                        int[] path = path(access);
                        if (path != null) {
                            paths.add(path);
                            return null;
                        }
                        return super.visitFieldAccess(access);
                    }
                });
    }

    @Nullable
    private static int[] path(RexNode expression) {
        if (expression instanceof RexInputRef) {
            return new int[] {((RexInputRef) expression).getIndex()};
        }
        if (!(expression instanceof RexFieldAccess)) {
            return null;
        }
        RexFieldAccess access = (RexFieldAccess) expression;
        int[] parent = path(access.getReferenceExpr());
        if (parent == null) {
            return null;
        }
        int[] path = Arrays.copyOf(parent, parent.length + 1);
        path[parent.length] = access.getField().getIndex();
        return path;
    }

    /** Per top-level field whether it is read. */
    boolean[] fields() {
        boolean[] read = new boolean[fieldCount];
        paths.forEach(path -> read[path[0]] = true);
        return read;
    }

    /** The shortest paths that cover all reads, or null when they are all whole top-level fields. */
    @Nullable
    int[][] narrowed() {
        List<int[]> out = new ArrayList<>();
        boolean nested = false;
        for (int[] path : paths) { // a prefix sorts before its extensions
            int[] last = out.isEmpty() ? null : out.get(out.size() - 1);
            if (last == null || !startsWith(path, last)) {
                out.add(path);
                nested |= path.length > 1;
            }
        }
        return nested ? out.toArray(new int[0][]) : null;
    }

    private static boolean startsWith(int[] path, int[] prefix) {
        return path.length >= prefix.length && Arrays.equals(path, 0, prefix.length, prefix, 0, prefix.length);
    }
}
