package tech.streamfusion.planner.nodes;

import org.apache.flink.table.planner.plan.nodes.exec.ExecNode;
import org.apache.flink.table.planner.plan.nodes.exec.stream.StreamExecUnion;
import tech.streamfusion.planner.FallbackReason.Rule;
import tech.streamfusion.planner.graph.GraphView;

/** UNION ALL. Flink makes no operator of it, but the operator behind it gets several inputs. */
final class UnionTranslator implements NodeTranslator {

    @Override
    public String operator() {
        return "union";
    }

    @Override
    public Class<StreamExecUnion> stockClass() {
        return StreamExecUnion.class;
    }

    @Override
    public String coverage() {
        return "Always Flink's, which costs nothing by itself: the operator behind a union has several inputs and is never "
                + "chained, so rows cross the network there. Native operators in front of it emit rows, those behind take rows.";
    }

    @Override
    public Candidate translate(ExecNode<?> node, GraphView graph, PlanningContext context) throws Fallback {
        throw new Fallback(
                Rule.FEATURE, "the operator behind a union is not chained to its inputs, so rows cross the network here");
    }
}
