package tech.streamfusion.planner.nodes;

import java.util.Arrays;
import org.apache.flink.table.planner.plan.nodes.exec.ExecNode;
import org.apache.flink.table.planner.plan.nodes.exec.stream.StreamExecLocalGroupAggregate;
import org.apache.flink.table.planner.plan.utils.AggregateInfoList;
import org.apache.flink.table.planner.plan.utils.AggregateUtil;
import org.apache.flink.table.planner.utils.JavaScalaConversionUtil;
import org.apache.flink.table.types.logical.RowType;
import tech.streamfusion.plan.AggregatePhase;
import tech.streamfusion.plan.GroupAggregate;
import tech.streamfusion.planner.FallbackReason.Rule;
import tech.streamfusion.planner.graph.GraphView;
import tech.streamfusion.planner.graph.StockFields;

/** The first phase of a GROUP BY without windows in mini-batches. */
final class LocalGroupAggregateTranslator implements NodeTranslator {

    @Override
    public String operator() {
        return "local-group-aggregate";
    }

    @Override
    public Class<StreamExecLocalGroupAggregate> stockClass() {
        return StreamExecLocalGroupAggregate.class;
    }

    @Override
    public String coverage() {
        return "As GroupAggregate, whatever the state backend. Calls with DISTINCT, and MIN and MAX that retract, need all phases to be"
                + " native, and FLOAT or DOUBLE in SUM or AVG with DISTINCT is not covered.";
    }

    @Override
    public Candidate translate(ExecNode<?> node, GraphView graph, PlanningContext context) throws Fallback {
        StreamExecLocalGroupAggregate stock = (StreamExecLocalGroupAggregate) node;
        RowType inputType = (RowType) stock.getInputEdges().get(0).getOutputType();
        try {
            AggregatePlans aggregates = AggregatePlans.of(infos(stock, inputType, context), inputType);
            aggregates.requireAnyOrder();
            GroupAggregate plan =
                    aggregates
                            .plan(StockFields.grouping(stock), StockFields.consumesRetraction(stock))
                            .setPhase(AggregatePhase.LOCAL_PHASE)
                            .setBundleSize(AggregateCandidate.bundleSize(stock, context))
                            .build();
            return new AggregateCandidate(stock, context, plan, aggregates.stateNames());
        } catch (UnsupportedOperationException e) {
            throw new Fallback(Rule.FEATURE, e.getMessage());
        }
    }

    /** What the stock node makes of its calls: views are on the heap. */
    private static AggregateInfoList infos(
            StreamExecLocalGroupAggregate stock, RowType inputType, PlanningContext context) {
        return AggregateUtil.transformToStreamAggregateInfoList(
                context.planner().getTypeFactory(),
                inputType,
                JavaScalaConversionUtil.toScala(Arrays.asList(StockFields.calls(stock))),
                StockFields.callRetractions(stock),
                StockFields.consumesRetraction(stock),
                false,
                true);
    }
}
