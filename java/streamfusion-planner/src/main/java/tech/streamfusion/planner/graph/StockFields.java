package tech.streamfusion.planner.graph;

import java.lang.reflect.Field;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import javax.annotation.Nullable;
import org.apache.calcite.rel.core.AggregateCall;
import org.apache.calcite.rex.RexNode;
import org.apache.flink.table.connector.ChangelogMode;
import org.apache.flink.table.planner.plan.abilities.source.WatermarkPushDownSpec;
import org.apache.flink.table.planner.plan.nodes.exec.ExecNode;
import org.apache.flink.table.planner.plan.nodes.exec.ExecNodeBase;
import org.apache.flink.table.planner.plan.nodes.exec.StateMetadata;
import org.apache.flink.table.planner.plan.nodes.exec.common.CommonExecCalc;
import org.apache.flink.table.planner.plan.nodes.exec.common.CommonExecExpand;
import org.apache.flink.table.planner.plan.nodes.exec.stream.StreamExecAggregateBase;
import org.apache.flink.table.planner.plan.nodes.exec.stream.StreamExecGlobalGroupAggregate;
import org.apache.flink.table.planner.plan.nodes.exec.stream.StreamExecGroupAggregate;
import org.apache.flink.table.planner.plan.nodes.exec.stream.StreamExecIncrementalGroupAggregate;
import org.apache.flink.table.planner.plan.nodes.exec.stream.StreamExecLocalGroupAggregate;
import org.apache.flink.table.planner.plan.nodes.exec.stream.StreamExecMiniBatchAssigner;
import org.apache.flink.table.planner.plan.nodes.exec.stream.StreamExecSink;
import org.apache.flink.table.planner.plan.nodes.exec.stream.StreamExecWatermarkAssigner;
import org.apache.flink.table.planner.plan.trait.MiniBatchInterval;
import org.apache.flink.table.runtime.operators.bundle.AbstractMapBundleOperator;
import org.apache.flink.table.runtime.operators.bundle.MapBundleFunction;
import org.apache.flink.table.types.logical.RowType;
import org.apache.flink.table.watermark.WatermarkParams;

/** The private fields of Flink's exec nodes that have no getter: the only reflection here, checked as a whole. */
public final class StockFields {

    private static final List<String> MISSING = new ArrayList<>();

    private static final Field PROJECTION = find(CommonExecCalc.class, "projection", List.class);
    private static final Field CONDITION = find(CommonExecCalc.class, "condition", RexNode.class);
    private static final Field WATERMARK = find(StreamExecWatermarkAssigner.class, "watermarkExpr", RexNode.class);
    private static final Field ROWTIME = find(StreamExecWatermarkAssigner.class, "rowtimeFieldIndex", int.class);
    private static final Field SINK_MODE = find(StreamExecSink.class, "inputChangelogMode", ChangelogMode.class);
    private static final Field SINK_MATERIALIZE = find(StreamExecSink.class, "upsertMaterialize", boolean.class);
    private static final Map<Class<?>, AggregateFields> AGGREGATES =
            Map.of(
                    StreamExecGroupAggregate.class, new AggregateFields(StreamExecGroupAggregate.class),
                    StreamExecLocalGroupAggregate.class, new AggregateFields(StreamExecLocalGroupAggregate.class),
                    StreamExecGlobalGroupAggregate.class, new AggregateFields(StreamExecGlobalGroupAggregate.class),
                    StreamExecIncrementalGroupAggregate.class,
                            new AggregateFields(StreamExecIncrementalGroupAggregate.class));
    private static final Field GLOBAL_CALL_INPUT =
            find(StreamExecGlobalGroupAggregate.class, "localAggInputRowType", RowType.class);
    private static final Field GLOBAL_COUNT_STAR =
            find(StreamExecGlobalGroupAggregate.class, "indexOfCountStar", Integer.class);
    private static final Field INCREMENTAL_CALL_INPUT =
            find(StreamExecIncrementalGroupAggregate.class, "partialLocalAggInputType", RowType.class);
    private static final Field INCREMENTAL_FINAL_GROUPING =
            find(StreamExecIncrementalGroupAggregate.class, "finalAggGrouping", int[].class);
    private static final Field EXPAND_PROJECTS = find(CommonExecExpand.class, "projects", List.class);
    private static final Field BUNDLE_FUNCTION =
            find(AbstractMapBundleOperator.class, "function", MapBundleFunction.class);
    private static final Field MINI_BATCH_INTERVAL =
            find(StreamExecMiniBatchAssigner.class, "miniBatchInterval", MiniBatchInterval.class);
    private static final Field IDLE_TIMEOUT =
            find(WatermarkPushDownSpec.class, "globalIdleTimeoutMillis", long.class);
    private static final Field WATERMARK_PARAMS =
            find(WatermarkPushDownSpec.class, "watermarkParams", WatermarkParams.class);
    private static final Field TRANSFORMATION =
            find(ExecNodeBase.class, "transformation", org.apache.flink.api.dag.Transformation.class);

    private StockFields() {}

    /** What this Flink lacks; empty when all is as expected. */
    public static Optional<String> problem() {
        return MISSING.isEmpty()
                ? Optional.empty()
                : Optional.of("this Flink's planner lacks expected fields: " + String.join(", ", MISSING));
    }

    @SuppressWarnings("unchecked")
    public static List<RexNode> projection(CommonExecCalc calc) {
        return (List<RexNode>) get(PROJECTION, calc);
    }

    @Nullable
    public static RexNode condition(CommonExecCalc calc) {
        return (RexNode) get(CONDITION, calc);
    }

    public static RexNode watermark(StreamExecWatermarkAssigner assigner) {
        return (RexNode) get(WATERMARK, assigner);
    }

    public static int rowtimeField(StreamExecWatermarkAssigner assigner) {
        return (int) get(ROWTIME, assigner);
    }

    public static ChangelogMode inputChangelogMode(StreamExecSink sink) {
        return (ChangelogMode) get(SINK_MODE, sink);
    }

    public static boolean upsertMaterialize(StreamExecSink sink) {
        return (boolean) get(SINK_MATERIALIZE, sink);
    }

    public static int[] grouping(StreamExecAggregateBase aggregate) {
        return (int[]) get(AGGREGATES.get(aggregate.getClass()).grouping, aggregate);
    }

    public static AggregateCall[] calls(StreamExecAggregateBase aggregate) {
        return (AggregateCall[]) get(AGGREGATES.get(aggregate.getClass()).calls, aggregate);
    }

    /** Which calls must be able to retract. */
    public static boolean[] callRetractions(StreamExecAggregateBase aggregate) {
        return (boolean[]) get(AGGREGATES.get(aggregate.getClass()).callRetractions, aggregate);
    }

    public static boolean consumesRetraction(StreamExecAggregateBase aggregate) {
        return (boolean) get(AGGREGATES.get(aggregate.getClass()).retraction, aggregate);
    }

    /** Of an aggregate that emits results. */
    public static boolean generatesUpdateBefore(StreamExecAggregateBase aggregate) {
        return (boolean) get(AGGREGATES.get(aggregate.getClass()).updateBefore, aggregate);
    }

    /** Not of a local aggregate. */
    @Nullable
    @SuppressWarnings("unchecked")
    public static List<StateMetadata> stateMetadata(StreamExecAggregateBase aggregate) {
        return (List<StateMetadata>) get(AGGREGATES.get(aggregate.getClass()).state, aggregate);
    }

    /** The row type that the calls refer to: the input of the local aggregate. */
    public static RowType callInput(StreamExecGlobalGroupAggregate aggregate) {
        return (RowType) get(GLOBAL_CALL_INPUT, aggregate);
    }

    public static RowType callInput(StreamExecIncrementalGroupAggregate aggregate) {
        return (RowType) get(INCREMENTAL_CALL_INPUT, aggregate);
    }

    /** Fields of the partial key that make the final one. */
    public static int[] finalGrouping(StreamExecIncrementalGroupAggregate aggregate) {
        return (int[]) get(INCREMENTAL_FINAL_GROUPING, aggregate);
    }

    @SuppressWarnings("unchecked")
    public static List<List<RexNode>> projects(CommonExecExpand expand) {
        return (List<List<RexNode>>) get(EXPAND_PROJECTS, expand);
    }

    @Nullable
    public static Integer indexOfCountStar(StreamExecGlobalGroupAggregate aggregate) {
        return (Integer) get(GLOBAL_COUNT_STAR, aggregate);
    }

    public static MiniBatchInterval interval(StreamExecMiniBatchAssigner assigner) {
        return (MiniBatchInterval) get(MINI_BATCH_INTERVAL, assigner);
    }

    public static MapBundleFunction<?, ?, ?, ?> function(AbstractMapBundleOperator<?, ?, ?, ?> operator) {
        return (MapBundleFunction<?, ?, ?, ?>) get(BUNDLE_FUNCTION, operator);
    }

    /** Effective idle timeout of a pushed-down watermark: the table's own, else the job's; 0 or less: never idle. */
    public static long idleTimeoutMillis(WatermarkPushDownSpec spec) {
        WatermarkParams params = (WatermarkParams) get(WATERMARK_PARAMS, spec);
        long ofTable = params == null ? -1 : params.getSourceIdleTimeout();
        return ofTable >= 0 ? ofTable : (long) get(IDLE_TIMEOUT, spec);
    }

    @Nullable
    public static WatermarkParams watermarkParams(WatermarkPushDownSpec spec) {
        return (WatermarkParams) get(WATERMARK_PARAMS, spec);
    }

    /** Makes the node translate itself again when asked next. */
    public static void forgetTransformation(ExecNode<?> node) {
        try {
            TRANSFORMATION.set(node, null);
        } catch (IllegalAccessException e) {
            throw new IllegalStateException("cannot reset " + TRANSFORMATION, e);
        }
    }

    private static Object get(Field field, Object owner) {
        try {
            return field.get(owner);
        } catch (IllegalAccessException e) {
            throw new IllegalStateException("cannot read " + field, e);
        }
    }

    private static Field find(Class<?> owner, String name, Class<?> type) {
        try {
            Field field = owner.getDeclaredField(name);
            if (field.getType() == type) {
                field.setAccessible(true);
                return field;
            }
        } catch (NoSuchFieldException e) {
            // reported below
        }
        MISSING.add(owner.getSimpleName() + "." + name);
        return null;
    }

    /** What the nodes of aggregates have in common; only those that emit results have changes, and a local one has no state. */
    private static final class AggregateFields {

        final Field grouping;
        final Field calls;
        final Field callRetractions;
        final Field retraction;
        @Nullable final Field updateBefore;
        @Nullable final Field state;

        AggregateFields(Class<? extends StreamExecAggregateBase> owner) {
            boolean local = owner == StreamExecLocalGroupAggregate.class;
            boolean incremental = owner == StreamExecIncrementalGroupAggregate.class;
            grouping = find(owner, incremental ? "partialAggGrouping" : "grouping", int[].class);
            calls = find(owner, incremental ? "partialOriginalAggCalls" : "aggCalls", AggregateCall[].class);
            callRetractions =
                    find(
                            owner,
                            incremental ? "partialAggCallNeedRetractions" : "aggCallNeedRetractions",
                            boolean[].class);
            retraction = find(owner, incremental ? "partialAggNeedRetraction" : "needRetraction", boolean.class);
            updateBefore = local || incremental ? null : find(owner, "generateUpdateBefore", boolean.class);
            state = local ? null : find(owner, "stateMetadataList", List.class);
        }
    }
}
