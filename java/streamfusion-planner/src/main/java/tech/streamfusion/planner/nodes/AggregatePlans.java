package tech.streamfusion.planner.nodes;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.flink.table.planner.functions.aggfunctions.AvgAggFunction;
import org.apache.flink.table.planner.functions.aggfunctions.Count1AggFunction;
import org.apache.flink.table.planner.functions.aggfunctions.CountAggFunction;
import org.apache.flink.table.planner.functions.aggfunctions.MaxAggFunction;
import org.apache.flink.table.planner.functions.aggfunctions.MinAggFunction;
import org.apache.flink.table.planner.functions.aggfunctions.Sum0AggFunction;
import org.apache.flink.table.planner.functions.aggfunctions.SumAggFunction;
import org.apache.flink.table.planner.functions.aggfunctions.SumWithRetractAggFunction;
import org.apache.flink.table.planner.plan.utils.AggregateInfo;
import org.apache.flink.table.planner.plan.utils.AggregateInfoList;
import org.apache.flink.table.planner.plan.utils.DistinctInfo;
import org.apache.flink.table.runtime.dataview.DataViewSpec;
import org.apache.flink.table.runtime.functions.aggregate.MaxWithRetractAggFunction;
import org.apache.flink.table.runtime.functions.aggregate.MinWithRetractAggFunction;
import org.apache.flink.table.types.DataType;
import org.apache.flink.table.types.logical.BigIntType;
import org.apache.flink.table.types.logical.LogicalType;
import org.apache.flink.table.types.logical.RowType;
import tech.streamfusion.plan.AggregateCall;
import tech.streamfusion.plan.AggregateKind;
import tech.streamfusion.plan.DistinctView;
import tech.streamfusion.planner.FallbackReason.Rule;
import tech.streamfusion.planner.expr.PlanTypes;

/** Flink's aggregate functions as plan messages, and the names of the states that they have. */
final class AggregatePlans {

    private static final Map<Class<?>, AggregateKind> KINDS =
            Map.of(
                    Count1AggFunction.class, AggregateKind.COUNT_STAR,
                    CountAggFunction.class, AggregateKind.COUNT,
                    SumAggFunction.class, AggregateKind.SUM,
                    SumWithRetractAggFunction.class, AggregateKind.SUM_RETRACT,
                    Sum0AggFunction.class, AggregateKind.SUM0,
                    AvgAggFunction.class, AggregateKind.AVG,
                    MinAggFunction.class, AggregateKind.MIN,
                    MaxAggFunction.class, AggregateKind.MAX,
                    MinWithRetractAggFunction.class, AggregateKind.MIN_RETRACT,
                    MaxWithRetractAggFunction.class, AggregateKind.MAX_RETRACT);

    private static final String NULL_STATE = "_null_state"; // as in PerKeyStateDataViewStore

    private final AggregateInfoList infos;
    private final RowType inputType;
    private final List<AggregateCall.Builder> calls = new ArrayList<>();
    private final List<DistinctView> views = new ArrayList<>();
    private final List<String> stateNames = new ArrayList<>();

    private AggregatePlans(AggregateInfoList infos, RowType inputType) {
        this.infos = infos;
        this.inputType = inputType;
    }

    /** @throws Fallback when a function is not covered; whether it takes its types is the engine's to say */
    static AggregatePlans of(AggregateInfoList infos, RowType inputType) throws Fallback {
        AggregatePlans plans = new AggregatePlans(infos, inputType);
        for (AggregateInfo info : infos.aggInfos()) {
            plans.calls.add(plans.call(info));
        }
        plans.addStates();
        return plans;
    }

    List<AggregateCall> calls() {
        List<AggregateCall> out = new ArrayList<>();
        calls.forEach(call -> out.add(call.build()));
        return out;
    }

    List<DistinctView> distinctViews() {
        return views;
    }

    /** In the engine's order. */
    List<String> stateNames() {
        return stateNames;
    }

    /** 1 + the call that counts rows, 0: none. */
    int countStar() {
        return infos.indexOfCountStar().isDefined() ? 1 + (int) infos.indexOfCountStar().get() : 0;
    }

    private AggregateCall.Builder call(AggregateInfo info) throws Fallback {
        AggregateKind kind = kind(info.function().getClass());
        if (kind == null) {
            throw new Fallback(Rule.FEATURE, "aggregate function " + info.agg().getAggregation().getName());
        }
        boolean inserted = infos.countStarInserted() && (int) infos.indexOfCountStar().get() == info.aggIndex();
        AggregateCall.Builder out =
                AggregateCall.newBuilder()
                        .setKind(kind)
                        .setFilter(info.agg().filterArg + 1)
                        .setResult(PlanTypes.encode(info.externalResultType().getLogicalType()))
                        .setEmitted(!inserted);
        if (kind != AggregateKind.COUNT_STAR) {
            for (int arg : info.argIndexes()) {
                out.addArgs(arg);
            }
        }
        for (LogicalType type : accumulators(kind, info)) {
            out.addAccumulators(PlanTypes.encode(type));
        }
        return out;
    }

    /** Built-in functions are classes of their own, or nested subclasses of them, one for each type. */
    private static AggregateKind kind(Class<?> function) {
        AggregateKind kind = KINDS.get(function);
        return kind == null && function.getEnclosingClass() != null && function.getSuperclass() == function.getEnclosingClass()
                ? KINDS.get(function.getSuperclass())
                : kind;
    }

    private List<LogicalType> accumulators(AggregateKind kind, AggregateInfo info) {
        if (kind == AggregateKind.MIN_RETRACT || kind == AggregateKind.MAX_RETRACT) {
            return List.of(inputType.getTypeAt(info.argIndexes()[0]).copy(true), new BigIntType());
        }
        List<LogicalType> out = new ArrayList<>();
        for (DataType type : info.externalAccTypes()) {
            out.add(type.getLogicalType());
        }
        return out;
    }

    private void addStates() {
        stateNames.add("accState");
        DistinctInfo[] distinct = infos.distinctInfos();
        for (int view = 0; view < distinct.length; view++) {
            DistinctInfo info = distinct[view];
            DistinctView.Builder message = DistinctView.newBuilder();
            for (int arg : info.argIndexes()) {
                message.addArgs(arg);
            }
            for (int i = 0; i < info.aggIndexes().length(); i++) {
                calls.get((int) info.aggIndexes().apply(i))
                        .setDistinct(view + 1)
                        .setFilter((int) info.filterArgs().apply(i) + 1);
            }
            views.add(message.build());
            String name = info.dataViewSpec().get().getStateId();
            stateNames.add(name);
            stateNames.add(name + NULL_STATE);
        }
        for (AggregateInfo info : infos.aggInfos()) {
            for (DataViewSpec spec : info.viewSpecs()) {
                stateNames.add(spec.getStateId());
            }
        }
    }
}
