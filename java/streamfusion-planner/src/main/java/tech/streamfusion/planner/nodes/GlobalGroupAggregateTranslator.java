package tech.streamfusion.planner.nodes;

import java.util.Arrays;
import java.util.Optional;
import org.apache.flink.table.planner.plan.nodes.exec.ExecNode;
import org.apache.flink.table.planner.plan.nodes.exec.stream.StreamExecGlobalGroupAggregate;
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

/** The second phase of a GROUP BY without windows in mini-batches. */
final class GlobalGroupAggregateTranslator implements NodeTranslator {

    @Override
    public String operator() {
        return "global-group-aggregate";
    }

    @Override
    public Class<StreamExecGlobalGroupAggregate> stockClass() {
        return StreamExecGlobalGroupAggregate.class;
    }

    @Override
    public String coverage() {
        return "As GroupAggregate. Calls with DISTINCT, and MIN and MAX that retract, need all phases to be native, and FLOAT or"
                + " DOUBLE in SUM or AVG with DISTINCT is not covered.";
    }

    @Override
    public Candidate translate(ExecNode<?> node, GraphView graph, PlanningContext context) throws Fallback {
        StreamExecGlobalGroupAggregate stock = (StreamExecGlobalGroupAggregate) node;
        RowType callInput = StockFields.callInput(stock);
        StateBackends.requireSupported(stock, context);
        try {
            AggregatePlans aggregates = AggregatePlans.of(infos(stock, callInput, context), callInput);
            aggregates.requireAnyOrder();
            GroupAggregate plan =
                    aggregates
                            .plan(StockFields.grouping(stock), StockFields.consumesRetraction(stock))
                            .setPhase(AggregatePhase.GLOBAL_PHASE)
                            .setBundleSize(AggregateCandidate.bundleSize(stock, context))
                            .setCallInputType(PlanTypes.encode(callInput))
                            .setGenerateUpdateBefore(StockFields.generatesUpdateBefore(stock))
                            .setTtlMillis(AggregateCandidate.ttlMillis(stock, context))
                            .build();
            return new AggregateCandidate(stock, context, plan, aggregates.stateNames());
        } catch (UnsupportedOperationException e) {
            throw new Fallback(Rule.FEATURE, e.getMessage());
        }
    }

    /** What the stock node makes of its calls: views are in the state. */
    private static AggregateInfoList infos(
            StreamExecGlobalGroupAggregate stock, RowType callInput, PlanningContext context) {
        return AggregateUtil.transformToStreamAggregateInfoList(
                context.planner().getTypeFactory(),
                callInput,
                JavaScalaConversionUtil.toScala(Arrays.asList(StockFields.calls(stock))),
                StockFields.callRetractions(stock),
                StockFields.consumesRetraction(stock),
                JavaScalaConversionUtil.toScala(Optional.ofNullable(StockFields.indexOfCountStar(stock))),
                true,
                true);
    }
}
