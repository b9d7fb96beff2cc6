package tech.streamfusion.planner.nodes;

import java.util.Arrays;
import org.apache.flink.table.planner.plan.nodes.exec.ExecNode;
import org.apache.flink.table.planner.plan.nodes.exec.stream.StreamExecGroupAggregate;
import org.apache.flink.table.planner.plan.utils.AggregateInfoList;
import org.apache.flink.table.planner.plan.utils.AggregateUtil;
import org.apache.flink.table.planner.utils.JavaScalaConversionUtil;
import org.apache.flink.table.types.logical.RowType;
import tech.streamfusion.plan.GroupAggregate;
import tech.streamfusion.planner.FallbackReason.Rule;
import tech.streamfusion.planner.graph.GraphView;
import tech.streamfusion.planner.graph.StockFields;

/** GROUP BY without windows in one phase, row by row or in mini-batches. */
final class GroupAggregateTranslator implements NodeTranslator {

    @Override
    public String operator() {
        return "group-aggregate";
    }

    @Override
    public Class<StreamExecGroupAggregate> stockClass() {
        return StreamExecGroupAggregate.class;
    }

    @Override
    public String coverage() {
        return "COUNT, SUM, AVG, MIN and MAX of all types that they take, with FILTER and DISTINCT, on any changelog;"
                + " FIRST_VALUE and LAST_VALUE of values that are not nested (with retraction: nor binary strings), SINGLE_VALUE,"
                + " LISTAGG, JSON_ARRAYAGG and JSON_OBJECTAGG; with or without time to live and mini-batches, state in the hashmap or the rocksdb backend. Not"
                + " covered: other aggregate functions, LISTAGG with retraction or JSON with time to live, DISTINCT over nested values"
                + " or with a delimiter, other state backends, changelog state, asynchronous state.";
    }

    @Override
    public Candidate translate(ExecNode<?> node, GraphView graph, PlanningContext context) throws Fallback {
        StreamExecGroupAggregate stock = (StreamExecGroupAggregate) node;
        RowType inputType = (RowType) stock.getInputEdges().get(0).getOutputType();
        StateBackends.requireSupported(stock, context);
        try {
            AggregatePlans aggregates = AggregatePlans.of(infos(stock, inputType, context), inputType);
            GroupAggregate.Builder plan =
                    aggregates
                            .plan(StockFields.grouping(stock), StockFields.consumesRetraction(stock))
                            .setGenerateUpdateBefore(StockFields.generatesUpdateBefore(stock))
                            .setTtlMillis(AggregateCandidate.ttlMillis(stock, context));
            if (AggregateCandidate.isMiniBatch(stock, context)) {
                plan.setBundleSize(AggregateCandidate.bundleSize(stock, context));
            }
            return new AggregateCandidate(stock, context, plan.build(), aggregates.stateNames());
        } catch (UnsupportedOperationException e) {
            throw new Fallback(Rule.FEATURE, e.getMessage());
        }
    }

    /** What the stock node makes of its calls. */
    private static AggregateInfoList infos(
            StreamExecGroupAggregate stock, RowType inputType, PlanningContext context) {
        return AggregateUtil.transformToStreamAggregateInfoList(
                context.planner().getTypeFactory(),
                inputType,
                JavaScalaConversionUtil.toScala(Arrays.asList(StockFields.calls(stock))),
                StockFields.callRetractions(stock),
                StockFields.consumesRetraction(stock),
                true,
                true);
    }
}
