package tech.streamfusion.planner.nodes;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.calcite.sql.SqlAggFunction;
import org.apache.calcite.sql.SqlJsonConstructorNullClause;
import org.apache.calcite.sql.fun.SqlJsonArrayAggAggFunction;
import org.apache.calcite.sql.fun.SqlJsonObjectAggAggFunction;
import org.apache.flink.table.planner.functions.aggfunctions.AvgAggFunction;
import org.apache.flink.table.planner.functions.aggfunctions.Count1AggFunction;
import org.apache.flink.table.planner.functions.aggfunctions.CountAggFunction;
import org.apache.flink.table.planner.functions.aggfunctions.ListAggFunction;
import org.apache.flink.table.planner.functions.aggfunctions.MaxAggFunction;
import org.apache.flink.table.planner.functions.aggfunctions.MinAggFunction;
import org.apache.flink.table.planner.functions.aggfunctions.SingleValueAggFunction;
import org.apache.flink.table.planner.functions.aggfunctions.Sum0AggFunction;
import org.apache.flink.table.planner.functions.aggfunctions.SumAggFunction;
import org.apache.flink.table.planner.functions.aggfunctions.SumWithRetractAggFunction;
import org.apache.flink.table.planner.plan.utils.AggregateInfo;
import org.apache.flink.table.planner.plan.utils.AggregateInfoList;
import org.apache.flink.table.planner.plan.utils.DistinctInfo;
import org.apache.flink.table.runtime.dataview.DataViewSpec;
import org.apache.flink.table.runtime.functions.aggregate.FirstValueAggFunction;
import org.apache.flink.table.runtime.functions.aggregate.FirstValueWithRetractAggFunction;
import org.apache.flink.table.runtime.functions.aggregate.LastValueAggFunction;
import org.apache.flink.table.runtime.functions.aggregate.LastValueWithRetractAggFunction;
import org.apache.flink.table.runtime.functions.aggregate.ListAggWithRetractAggFunction;
import org.apache.flink.table.runtime.functions.aggregate.ListAggWsWithRetractAggFunction;
import org.apache.flink.table.runtime.functions.aggregate.MaxWithRetractAggFunction;
import org.apache.flink.table.runtime.functions.aggregate.MinWithRetractAggFunction;
import org.apache.flink.table.types.DataType;
import org.apache.flink.table.types.logical.BigIntType;
import org.apache.flink.table.types.logical.LogicalType;
import org.apache.flink.table.types.logical.LogicalTypeFamily;
import org.apache.flink.table.types.logical.RowType;
import org.apache.flink.table.types.logical.VarCharType;
import tech.streamfusion.plan.AggregateCall;
import tech.streamfusion.plan.AggregateKind;
import tech.streamfusion.plan.DistinctView;
import tech.streamfusion.plan.GroupAggregate;
import tech.streamfusion.planner.FallbackReason.Rule;
import tech.streamfusion.planner.expr.PlanTypes;
import tech.streamfusion.runtime.operators.KeyedStateSpec;

/** Flink's aggregate functions as plan messages, and the names of the states that they have. */
final class AggregatePlans {

    private static final Map<Class<?>, AggregateKind> KINDS =
            Map.ofEntries(
                    Map.entry(Count1AggFunction.class, AggregateKind.COUNT_STAR),
                    Map.entry(CountAggFunction.class, AggregateKind.COUNT),
                    Map.entry(SumAggFunction.class, AggregateKind.SUM),
                    Map.entry(SumWithRetractAggFunction.class, AggregateKind.SUM_RETRACT),
                    Map.entry(Sum0AggFunction.class, AggregateKind.SUM0),
                    Map.entry(AvgAggFunction.class, AggregateKind.AVG),
                    Map.entry(MinAggFunction.class, AggregateKind.MIN),
                    Map.entry(MaxAggFunction.class, AggregateKind.MAX),
                    Map.entry(MinWithRetractAggFunction.class, AggregateKind.MIN_RETRACT),
                    Map.entry(MaxWithRetractAggFunction.class, AggregateKind.MAX_RETRACT),
                    Map.entry(FirstValueAggFunction.class, AggregateKind.FIRST_VALUE),
                    Map.entry(LastValueAggFunction.class, AggregateKind.LAST_VALUE),
                    Map.entry(SingleValueAggFunction.class, AggregateKind.SINGLE_VALUE),
                    Map.entry(ListAggFunction.class, AggregateKind.LISTAGG),
                    Map.entry(FirstValueWithRetractAggFunction.class, AggregateKind.FIRST_VALUE_RETRACT),
                    Map.entry(LastValueWithRetractAggFunction.class, AggregateKind.LAST_VALUE_RETRACT),
                    Map.entry(ListAggWithRetractAggFunction.class, AggregateKind.LISTAGG_RETRACT),
                    Map.entry(ListAggWsWithRetractAggFunction.class, AggregateKind.LISTAGG_RETRACT));

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

    /**
     * @param infos what the stock node makes of its calls
     * @param inputType that the calls refer to
     * @throws Fallback when a function is not covered; whether it takes its types is the engine's to say
     */
    static AggregatePlans of(AggregateInfoList infos, RowType inputType) throws Fallback {
        AggregatePlans plans = new AggregatePlans(infos, inputType);
        for (AggregateInfo info : infos.aggInfos()) {
            plans.calls.add(plans.call(info));
        }
        plans.addViews();
        plans.addStates();
        return plans;
    }

    /** What all phases have to know. */
    GroupAggregate.Builder plan(int[] grouping, boolean retracts) {
        GroupAggregate.Builder out =
                GroupAggregate.newBuilder().addAllDistinctViews(views).setRetracts(retracts).setCountStar(countStar());
        calls.forEach(out::addCalls);
        for (int field : grouping) {
            out.addGrouping(field);
        }
        return out;
    }

    /**
     * Between phases, the values of a DISTINCT are added in the order of a Java map from values, which is another here: not the
     * same for numbers whose sum depends on it, or for lists.
     */
    void requireAnyOrder() throws Fallback {
        for (DistinctInfo info : infos.distinctInfos()) {
            LogicalType type = inputType.getTypeAt(info.argIndexes()[0]);
            for (int i = 0; i < info.aggIndexes().length(); i++) {
                AggregateKind kind = calls.get((int) info.aggIndexes().apply(i)).getKind();
                boolean inexact = kind != AggregateKind.COUNT && type.isAnyOf(LogicalTypeFamily.APPROXIMATE_NUMERIC);
                if (inexact || kind == AggregateKind.LISTAGG) {
                    throw new Fallback(Rule.FEATURE, kind + "(DISTINCT) of " + type + " in two phases");
                }
            }
        }
    }

    /** In the engine's order. */
    List<String> stateNames() {
        return stateNames;
    }

    /** The same of an aggregate that keeps views alone. */
    List<String> viewStateNames() {
        List<String> out = new ArrayList<>(stateNames);
        out.set(0, KeyedStateSpec.NO_STATE);
        return out;
    }

    /** 1 + the call that counts rows, 0: none. */
    private int countStar() {
        return infos.indexOfCountStar().isDefined() ? 1 + (int) infos.indexOfCountStar().get() : 0;
    }

    private AggregateCall.Builder call(AggregateInfo info) throws Fallback {
        AggregateKind kind = kind(info);
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
    private static AggregateKind kind(AggregateInfo info) {
        SqlAggFunction called = info.agg().getAggregation();
        if (called instanceof SqlJsonArrayAggAggFunction) {
            boolean absent = ((SqlJsonArrayAggAggFunction) called).getNullClause() == SqlJsonConstructorNullClause.ABSENT_ON_NULL;
            return absent ? AggregateKind.JSON_ARRAY_ABSENT : AggregateKind.JSON_ARRAY_NULL;
        }
        if (called instanceof SqlJsonObjectAggAggFunction) {
            boolean absent = ((SqlJsonObjectAggAggFunction) called).getNullClause() == SqlJsonConstructorNullClause.ABSENT_ON_NULL;
            return absent ? AggregateKind.JSON_OBJECT_ABSENT : AggregateKind.JSON_OBJECT_NULL;
        }
        Class<?> function = info.function().getClass();
        AggregateKind kind = KINDS.get(function);
        return kind == null && function.getEnclosingClass() != null && function.getSuperclass() == function.getEnclosingClass()
                ? KINDS.get(function.getSuperclass())
                : kind;
    }

    /** Where they are fields of a structured value, all but its views. */
    private List<LogicalType> accumulators(AggregateKind kind, AggregateInfo info) {
        switch (kind) {
            case MIN_RETRACT:
            case MAX_RETRACT:
            case FIRST_VALUE:
            case LAST_VALUE:
            case FIRST_VALUE_RETRACT:
            case LAST_VALUE_RETRACT:
                return List.of(inputType.getTypeAt(info.argIndexes()[0]).copy(true), new BigIntType());
            case LISTAGG_RETRACT:
                return info.argIndexes().length > 1 ? List.of(VarCharType.STRING_TYPE) : List.of();
            case JSON_ARRAY_ABSENT:
            case JSON_ARRAY_NULL:
            case JSON_OBJECT_ABSENT:
            case JSON_OBJECT_NULL:
                return List.of();
            default:
                List<LogicalType> out = new ArrayList<>();
                for (DataType type : info.externalAccTypes()) {
                    out.add(type.getLogicalType());
                }
                return out;
        }
    }

    private void addViews() {
        for (DistinctInfo info : infos.distinctInfos()) {
            DistinctView.Builder message = DistinctView.newBuilder();
            for (int arg : info.argIndexes()) {
                message.addArgs(arg);
            }
            views.add(message.build());
            for (int i = 0; i < info.aggIndexes().length(); i++) {
                calls.get((int) info.aggIndexes().apply(i))
                        .setDistinct(views.size())
                        .setFilter((int) info.filterArgs().apply(i) + 1);
            }
        }
    }

    /** Views have none when they are on the heap, which is where stock Flink has those of a local aggregate. */
    private void addStates() {
        stateNames.add("accState");
        for (DistinctInfo info : infos.distinctInfos()) {
            if (info.dataViewSpec().isDefined()) {
                String name = info.dataViewSpec().get().getStateId();
                stateNames.add(name);
                stateNames.add(name + NULL_STATE);
            }
        }
        for (AggregateInfo info : infos.aggInfos()) {
            for (DataViewSpec spec : info.viewSpecs()) {
                stateNames.add(spec.getStateId());
            }
        }
    }
}
