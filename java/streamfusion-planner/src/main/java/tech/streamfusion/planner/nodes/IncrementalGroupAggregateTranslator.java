package tech.streamfusion.planner.nodes;

import java.util.Arrays;
import org.apache.flink.table.planner.plan.nodes.exec.ExecNode;
import org.apache.flink.table.planner.plan.nodes.exec.stream.StreamExecIncrementalGroupAggregate;
import org.apache.flink.table.planner.plan.utils.AggregateInfoList;
import org.apache.flink.table.planner.plan.utils.AggregateUtil;
import org.apache.flink.table.planner.utils.JavaScalaConversionUtil;
import org.apache.flink.table.types.logical.RowType;
import tech.streamfusion.plan.AggregatePhase;
import tech.streamfusion.plan.GroupAggregate;
import tech.streamfusion.planner.FallbackReason.Rule;
import tech.streamfusion.planner.expr.PlanTypes;
import tech.streamfusion.planner.graph.GraphView;
import tech.streamfusion.planner.graph.StockFields;

/** Between the phases of a GROUP BY in mini-batches, where DISTINCT is split. */
final class IncrementalGroupAggregateTranslator implements NodeTranslator {

    @Override
    public String operator() {
        return "incremental-group-aggregate";
    }

    @Override
    public Class<StreamExecIncrementalGroupAggregate> stockClass() {
        return StreamExecIncrementalGroupAggregate.class;
    }

    @Override
    public String coverage() {
        return "As GlobalGroupAggregate.";
    }

    @Override
    public Candidate translate(ExecNode<?> node, GraphView graph, PlanningContext context) throws Fallback {
        StreamExecIncrementalGroupAggregate stock = (StreamExecIncrementalGroupAggregate) node;
        RowType callInput = StockFields.callInput(stock);
        StateBackends.requireSupported(stock, context);
        try {
            AggregatePlans aggregates = AggregatePlans.of(infos(stock, callInput, context), callInput);
            aggregates.requireAnyOrder();
            GroupAggregate.Builder plan =
                    aggregates
                            .plan(StockFields.grouping(stock), StockFields.consumesRetraction(stock))
                            .setPhase(AggregatePhase.INCREMENTAL_PHASE)
                            .setBundleSize(AggregateCandidate.bundleSize(stock, context))
                            .setCallInputType(PlanTypes.encode(callInput))
                            .setTtlMillis(AggregateCandidate.ttlMillis(stock, context));
            for (int field : StockFields.finalGrouping(stock)) {
                plan.addFinalGrouping(field);
            }
            return new AggregateCandidate(stock, context, plan.build(), aggregates.viewStateNames());
        } catch (UnsupportedOperationException e) {
            throw new Fallback(Rule.FEATURE, e.getMessage());
        }
    }

    /** What the stock node makes of its calls: views are in the state, nothing else is. */
    private static AggregateInfoList infos(
            StreamExecIncrementalGroupAggregate stock, RowType callInput, PlanningContext context) {
        return AggregateUtil.createIncrementalAggInfoList(
                context.planner().getTypeFactory(),
                callInput,
                JavaScalaConversionUtil.toScala(Arrays.asList(StockFields.calls(stock))),
                StockFields.callRetractions(stock),
                StockFields.consumesRetraction(stock));
    }
}
