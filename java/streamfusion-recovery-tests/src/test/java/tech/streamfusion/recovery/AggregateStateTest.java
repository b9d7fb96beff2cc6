package tech.streamfusion.recovery;

import static org.assertj.core.api.Assertions.assertThat;

import java.math.BigDecimal;
import java.time.LocalDateTime;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.dag.Transformation;
import org.apache.flink.api.java.functions.KeySelector;
import org.apache.flink.core.execution.SavepointFormatType;
import org.apache.flink.runtime.checkpoint.CheckpointType;
import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;
import org.apache.flink.runtime.checkpoint.SavepointType;
import org.apache.flink.runtime.checkpoint.SnapshotType;
import org.apache.flink.runtime.state.KeyGroupRangeAssignment;
import org.apache.flink.runtime.state.StateBackend;
import org.apache.flink.runtime.state.hashmap.HashMapStateBackend;
import org.apache.flink.state.rocksdb.EmbeddedRocksDBStateBackend;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.operators.StreamOperatorFactory;
import org.apache.flink.streaming.api.transformations.OneInputTransformation;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.streaming.util.AbstractStreamOperatorTestHarness;
import org.apache.flink.streaming.util.KeyedOneInputStreamOperatorTestHarness;
import org.apache.flink.table.api.Schema;
import org.apache.flink.table.api.bridge.java.StreamTableEnvironment;
import org.apache.flink.table.connector.ChangelogMode;
import org.apache.flink.table.data.DecimalData;
import org.apache.flink.table.data.GenericRowData;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.StringData;
import org.apache.flink.table.data.TimestampData;
import org.apache.flink.table.runtime.typeutils.InternalTypeInfo;
import org.apache.flink.table.runtime.typeutils.RowDataSerializer;
import org.apache.flink.table.types.logical.LogicalTypeFamily;
import org.apache.flink.table.types.logical.RowType;
import org.apache.flink.types.Row;
import org.apache.flink.types.RowKind;
import org.apache.flink.util.InstantiationUtil;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import tech.streamfusion.runtime.NativeEngine;

/**
 * The state of an aggregate goes from stock Flink to the native operator and back, any number of times: what comes out is
 * what an uninterrupted stock operator emits. The operators are those of the planner, in Flink's own harness.
 */
class AggregateStateTest {

    private static final int MAX_PARALLELISM = 16;
    private static final StringData DELIMITER = StringData.fromString("; ");

    /** Over {@code t (k INT, s STRING, n BIGINT, f BOOLEAN NOT NULL, d DECIMAL(30, 3), y TIMESTAMP(9))}. */
    enum Shape {
        NUMBERS(false, "SELECT k, COUNT(*), COUNT(s), SUM(n), AVG(n), MIN(s), MAX(n) FROM t GROUP BY k"),
        TEXT_KEYS(false, "SELECT s, k, SUM(n), COUNT(n) FILTER (WHERE f) FROM t GROUP BY s, k"),
        RETRACTING(true, "SELECT k, COUNT(*), SUM(n), AVG(n), MIN(s), MAX(s), MIN(n), MAX(n) FROM t GROUP BY k"),
        DISTINCT(false, "SELECT k, COUNT(DISTINCT s), COUNT(DISTINCT s) FILTER (WHERE f), SUM(DISTINCT n) FROM t GROUP BY k"),
        RETRACTING_DISTINCT(
                true,
                "SELECT k, COUNT(DISTINCT s), COUNT(DISTINCT s) FILTER (WHERE f), SUM(DISTINCT n), COUNT(*), MAX(s) FROM t GROUP BY k"),
        FIRST_AND_LAST(false, "SELECT k, FIRST_VALUE(s), LAST_VALUE(d), COUNT(*), FIRST_VALUE(n) FROM t GROUP BY k"),
        RETRACTING_FIRST_AND_LAST(
                true, "SELECT k, FIRST_VALUE(s), LAST_VALUE(s), FIRST_VALUE(n), LAST_VALUE(d), FIRST_VALUE(y), LAST_VALUE(y), COUNT(*) FROM t GROUP BY k"),
        LISTS(false, "SELECT k, LISTAGG(s), LISTAGG(s, '; '), LISTAGG(DISTINCT s), MAX(n) FROM t GROUP BY k"),
        RETRACTING_LISTS(true, "SELECT k, LISTAGG(s), SUM(n), LISTAGG(s, '; '), LISTAGG(s) FILTER (WHERE f) FROM t GROUP BY k"),
        JSON(
                true,
                "SELECT k, JSON_OBJECTAGG(KEY CAST(y AS STRING) VALUE n), JSON_ARRAYAGG(n), JSON_ARRAYAGG(s NULL ON NULL), COUNT(*) FROM t GROUP BY k"),
        GLOBAL(true, "SELECT COUNT(*), SUM(n), MAX(s), COUNT(DISTINCT k) FROM t"),
        LARGE_TYPES(true, "SELECT k, SUM(d), AVG(d), MIN(d), MAX(y), COUNT(DISTINCT d), COUNT(DISTINCT y) FROM t GROUP BY k"),
        LARGE_KEYS(false, "SELECT d, y, s, COUNT(*), MAX(d), MIN(y) FROM t GROUP BY d, y, s");

        private final boolean retracts;
        private final String query;

        Shape(boolean retracts, String query) {
            this.retracts = retracts;
            this.query = query;
        }
    }

    /** Where Flink keeps the state, and what kind of snapshots the test takes. */
    enum Backend {
        HASHMAP("hashmap", CheckpointType.CHECKPOINT),
        ROCKSDB("rocksdb", CheckpointType.CHECKPOINT),
        /** The database's own files; sharing them needs a checkpoint coordinator. */
        ROCKSDB_INCREMENTAL("rocksdb", CheckpointType.FULL_CHECKPOINT),
        ROCKSDB_CANONICAL("rocksdb", SavepointType.savepoint(SavepointFormatType.CANONICAL));

        private final String option;
        private final SnapshotType snapshots;

        Backend(String option, SnapshotType snapshots) {
            this.option = option;
            this.snapshots = snapshots;
        }

        StateBackend make() {
            return this == HASHMAP ? new HashMapStateBackend() : new EmbeddedRocksDBStateBackend(this == ROCKSDB_INCREMENTAL);
        }
    }

    private static final List<Backend> BUNDLED = List.of(Backend.HASHMAP, Backend.ROCKSDB);

    static Stream<Arguments> everywhere() {
        return Stream.of(Shape.values())
                .flatMap(shape -> Stream.of(Backend.values()).map(backend -> Arguments.of(shape, backend)));
    }

    @ParameterizedTest
    @MethodSource("everywhere")
    void stateCrosses(Shape shape, Backend backend) throws Exception {
        stateCrosses(shape, backend, Map.of());
    }

    static Stream<Arguments> withTimeToLive() {
        final List<Shape> shapes = 
                List.of(Shape.NUMBERS, Shape.RETRACTING, Shape.RETRACTING_DISTINCT, Shape.RETRACTING_FIRST_AND_LAST, Shape.LISTS);
        return everywhere().filter(arguments -> shapes.contains(arguments.get()[0]));
    }

    @ParameterizedTest
    @MethodSource("withTimeToLive")
    void stateWithTimeToLiveCrosses(Shape shape, Backend backend) throws Exception {
        stateCrosses(shape, backend, Map.of("table.exec.state.ttl", "1 d"));
    }

    private static void stateCrosses(Shape shape, Backend backend, Map<String, String> options) throws Exception {
        final long live = NativeEngine.liveObjects();
        final Planned stock = new Planned(shape, backend, false, options);
        final Planned accelerated = new Planned(shape, backend, true, options);
        final List<Map<String, Object>> rows = rows(shape, 600);
        final List<String> expected = run(rows, stock);
        assertThat(expected).isNotEmpty();
        assertThat(run(rows, accelerated)).isEqualTo(expected);
        assertThat(run(rows, stock, accelerated, stock)).isEqualTo(expected);
        assertThat(run(rows, accelerated, stock, accelerated)).isEqualTo(expected);
        assertThat(run(rows, accelerated, accelerated)).isEqualTo(expected);
        assertThat(NativeEngine.liveObjects()).isEqualTo(live);
    }

    /** Native state goes from one backend to the other and back; on the hashmap backend all its snapshots are canonical. */
    @ParameterizedTest
    @EnumSource(Shape.class)
    void stateCrossesBackends(Shape shape) throws Exception {
        final Planned heap = new Planned(shape, Backend.HASHMAP, true, Map.of());
        final Planned rocks = new Planned(shape, Backend.ROCKSDB_CANONICAL, true, Map.of());
        final Planned stock = new Planned(shape, Backend.ROCKSDB_CANONICAL, false, Map.of());
        final List<Map<String, Object>> rows = rows(shape, 600);
        assertThat(run(rows, heap, rocks, heap, stock, rocks)).isEqualTo(run(rows, stock));
    }

    static Stream<Arguments> bundles() {
        return everywhere().filter(arguments -> BUNDLED.contains(arguments.get()[1]));
    }

    /** A snapshot ends a bundle, so all sides take theirs at the same places. */
    @ParameterizedTest
    @MethodSource("bundles")
    void stateOfMiniBatchesCrosses(Shape shape, Backend backend) throws Exception {
        final Map<String, String> options =
                Map.of(
                        "table.exec.mini-batch.enabled", "true",
                        "table.exec.mini-batch.allow-latency", "1 h",
                        "table.exec.mini-batch.size", "70",
                        "table.optimizer.agg-phase-strategy", "ONE_PHASE");
        final Planned stock = new Planned(shape, backend, false, options);
        final Planned accelerated = new Planned(shape, backend, true, options);
        final List<Map<String, Object>> rows = rows(shape, 600);
        final List<String> expected = run(rows, stock, stock, stock);
        assertThat(expected).isNotEmpty();
        assertThat(run(rows, stock, accelerated, stock)).isEqualTo(expected);
        assertThat(run(rows, accelerated, stock, accelerated)).isEqualTo(expected);
        assertThat(run(rows, accelerated, accelerated, accelerated)).isEqualTo(expected);
        final Planned rowByRow = new Planned(shape, backend, true, Map.of()); // mini-batch or not is no matter of the state
        assertThat(run(rows, accelerated, rowByRow, accelerated)).isEqualTo(run(rows, stock, new Planned(shape, backend, false, Map.of()), stock));
    }

    /** Two subtasks write, one goes on, and two again, on both sides in turn. */
    @ParameterizedTest
    @EnumSource(Backend.class)
    void parallelismChanges(Backend backend) throws Exception {
        final Planned stock = new Planned(Shape.RETRACTING_DISTINCT, backend, false, Map.of());
        final Planned accelerated = new Planned(Shape.RETRACTING_DISTINCT, backend, true, Map.of());
        final List<Map<String, Object>> rows = rows(Shape.RETRACTING_DISTINCT, 600);
        assertThat(rescaled(rows, accelerated, accelerated, accelerated)).isEqualTo(rescaled(rows, stock, stock, stock));
        assertThat(rescaled(rows, stock, accelerated, stock)).isEqualTo(rescaled(rows, stock, stock, stock));
        assertThat(rescaled(rows, accelerated, stock, accelerated)).isEqualTo(rescaled(rows, stock, stock, stock));
    }

    private static List<Map<String, Object>> rows(Shape shape, int n) {
        final List<Map<String, Object>> out = new ArrayList<>();
        for (int i = 0; i < n; i++) {
            out.add(row(RowKind.INSERT, i));
            if (shape.retracts && i % 4 == 3) {
                out.add(row(RowKind.DELETE, i / 2));
                out.add(row(RowKind.UPDATE_BEFORE, i - 1));
                out.add(row(RowKind.UPDATE_AFTER, i + 1000));
            }
        }
        if (shape == Shape.JSON) {
            out.forEach(AggregateStateTest::addJson);
        }
        return out;
    }

    /** What the Calc in front of JSON would compute. */
    private static void addJson(Map<String, Object> row) {
        final Object n = row.get("n");
        final Object s = row.get("s");
        row.put("$f1", StringData.fromString("name " + row.get("id")));
        row.put("$f2", n == null ? null : StringData.fromString(n.toString()));
        row.put("$f3", s == null ? null : StringData.fromString('"' + s.toString() + '"'));
    }

    /** A row of {@code t}, by the names of its columns. */
    private static Map<String, Object> row(RowKind kind, int i) {
        final Map<String, Object> row = new HashMap<>();
        row.put("", kind);
        row.put("id", i);
        row.put("k", i % 23);
        row.put("s", i % 9 == 0 ? null : StringData.fromString(i % 2 == 0 ? "s" + i % 7 : "some longer text " + i % 5));
        row.put("n", i % 8 == 0 ? null : (long) (i * 7 % 41));
        row.put("f", i % 3 == 0);
        row.put("d", i % 7 == 0 ? null : DecimalData.fromBigDecimal(new BigDecimal(i % 31).movePointLeft(1), 30, 3));
        row.put("y", i % 6 == 0 ? null : TimestampData.fromEpochMillis(i % 29 - 14, i % 3));
        return row;
    }

    /** Feeds the rows in as many parts as there are sides, with a snapshot between. */
    private static List<String> run(List<Map<String, Object>> rows, Planned... sides) throws Exception {
        final List<String> out = new ArrayList<>();
        OperatorSubtaskState state = null;
        for (int i = 0; i < sides.length; i++) {
            final List<Map<String, Object>> part = rows.subList(rows.size() * i / sides.length, rows.size() * (i + 1) / sides.length);
            state = sides[i].run(state, 1, 0, part, out);
        }
        return out;
    }

    /** With two subtasks, one, and two. */
    private static List<String> rescaled(List<Map<String, Object>> rows, Planned first, Planned second, Planned third) throws Exception {
        final int third1 = rows.size() / 3;
        final List<String> out = new ArrayList<>();
        final OperatorSubtaskState both =
                AbstractStreamOperatorTestHarness.repackageState(
                        first.run(null, 2, 0, rows.subList(0, third1), out), first.run(null, 2, 1, rows.subList(0, third1), out));
        final OperatorSubtaskState one =
                second.run(
                        AbstractStreamOperatorTestHarness.repartitionOperatorState(both, MAX_PARALLELISM, 2, 1, 0),
                        1,
                        0,
                        rows.subList(third1, 2 * third1),
                        out);
        for (int subtask = 0; subtask < 2; subtask++) {
            third.run(
                    AbstractStreamOperatorTestHarness.repartitionOperatorState(one, MAX_PARALLELISM, 1, 2, subtask),
                    2,
                    subtask,
                    rows.subList(2 * third1, rows.size()),
                    out);
        }
        return out;
    }

    /** One side's aggregate operator, as the planner makes it. */
    private static final class Planned {

        private final OneInputTransformation<RowData, RowData> transformation;
        private final Backend backend;

        Planned(Shape shape, Backend backend, boolean accelerated, Map<String, String> options) {
            this.backend = backend;
            final StreamExecutionEnvironment environment = StreamExecutionEnvironment.getExecutionEnvironment();
            final StreamTableEnvironment table = StreamTableEnvironment.create(environment);
            table.getConfig().set("streamfusion.native.enabled", String.valueOf(accelerated));
            options.forEach(table.getConfig()::set);
            table.getConfig().set("state.backend.type", backend.option);
            table.getConfig().set("streamfusion.planner.minimum-gain", "0");
            // the harness gives rows to the aggregate; what is in front of it must not turn them into batches
            table.getConfig().set("streamfusion.operator.exchange.enabled", "false");
            table.getConfig().set("streamfusion.memory.accounting.enabled", "false");
            final TypeInformation<Row> type =
                    Types.ROW_NAMED(
                            new String[] {"k", "s", "n", "f", "d", "y"},
                            Types.INT,
                            Types.STRING,
                            Types.LONG,
                            Types.BOOLEAN,
                            Types.BIG_DEC,
                            Types.LOCAL_DATE_TIME);
            final Schema schema =
                    Schema.newBuilder()
                            .column("k", "INT")
                            .column("s", "STRING")
                            .column("n", "BIGINT")
                            .column("f", "BOOLEAN NOT NULL")
                            .column("d", "DECIMAL(30, 3)")
                            .column("y", "TIMESTAMP(9)")
                            .build();
            table.createTemporaryView(
                    "t",
                    table.fromChangelogStream(
                            environment.fromData(type, Row.of(1, "", 1L, true, BigDecimal.ONE, LocalDateTime.MIN)),
                            schema,
                            shape.retracts ? ChangelogMode.all() : ChangelogMode.insertOnly()));
            transformation = find(table.toChangelogStream(table.sqlQuery(shape.query)).getTransformation());
            assertThat(transformation.getOperatorFactory().getClass().getName().contains("Native")).isEqualTo(accelerated);
        }

        @SuppressWarnings("unchecked")
        private static OneInputTransformation<RowData, RowData> find(Transformation<?> last) {
            final Deque<Transformation<?>> open = new ArrayDeque<>(List.of(last));
            while (!open.isEmpty()) {
                final Transformation<?> next = open.pop();
                if (next.getName().startsWith("GroupAggregate[")) {
                    return (OneInputTransformation<RowData, RowData>) next;
                }
                open.addAll(next.getInputs());
            }
            throw new AssertionError("the plan has no aggregate");
        }

        private int maxParallelism() {
            return transformation.getMaxParallelism() > 0 ? transformation.getMaxParallelism() : MAX_PARALLELISM;
        }

        /** The rows of the subtask, after the state; what is emitted is added to {@code out}. */
        @SuppressWarnings("unchecked")
        OperatorSubtaskState run(
                OperatorSubtaskState from, int parallelism, int subtask, List<Map<String, Object>> rows, List<String> out)
                throws Exception {
            final RowType input = ((InternalTypeInfo<RowData>) transformation.getInputType()).toRowType();
            final RowType output = ((InternalTypeInfo<RowData>) transformation.getOutputType()).toRowType();
            final KeySelector<RowData, RowData> keys = (KeySelector<RowData, RowData>) transformation.getStateKeySelector();
            final StreamOperatorFactory<RowData> factory = InstantiationUtil.clone(transformation.getOperatorFactory());
            final RowDataSerializer inputs = new RowDataSerializer(input);
            final KeyedOneInputStreamOperatorTestHarness<RowData, RowData, RowData> harness =
                    new KeyedOneInputStreamOperatorTestHarness<>(
                            factory,
                            keys,
                            (TypeInformation<RowData>) transformation.getStateKeyType(),
                            maxParallelism(),
                            parallelism,
                            subtask);
            try {
                harness.setStateBackend(backend.make());
                harness.getStreamConfig().setupNetworkInputs(inputs);
                harness.getStreamConfig().serializeAllConfigs();
                harness.setup(new RowDataSerializer(output));
                if (from != null) {
                    harness.initializeState(from);
                }
                harness.open();
                harness.setStateTtlProcessingTime(System.currentTimeMillis()); // the native operator has the real clock
                for (Map<String, Object> row : rows) {
                    final RowData data = inputs.toBinaryRow(internal(row, input)).copy();
                    final int group = KeyGroupRangeAssignment.assignToKeyGroup(keys.getKey(data), maxParallelism());
                    if (KeyGroupRangeAssignment.computeOperatorIndexForKeyGroup(maxParallelism(), parallelism, group) == subtask) {
                        harness.processElement(new StreamRecord<>(data));
                    }
                }
                harness.prepareSnapshotPreBarrier(1);
                final OperatorSubtaskState state =
                        harness.snapshotWithLocalState(1, 1, backend.snapshots).getJobManagerOwnedState();
                for (Object element : harness.getOutput()) {
                    out.add(text((RowData) ((StreamRecord<?>) element).getValue(), output));
                }
                return state;
            } finally {
                harness.close();
            }
        }

        /** The columns that the plan hands to the aggregate; conditions and literals have names of their own. */
        private static RowData internal(Map<String, Object> row, RowType type) {
            final GenericRowData out = new GenericRowData((RowKind) row.get(""), type.getFieldCount());
            for (int i = 0; i < type.getFieldCount(); i++) {
                final String name = type.getFieldNames().get(i);
                final boolean literal = name.startsWith("$") && type.getTypeAt(i).is(LogicalTypeFamily.CHARACTER_STRING);
                out.setField(i, row.containsKey(name) ? row.get(name) : literal ? DELIMITER : row.get("f"));
            }
            return out;
        }

        private static String text(RowData row, RowType type) {
            final StringBuilder out = new StringBuilder(row.getRowKind().shortString());
            for (int i = 0; i < type.getFieldCount(); i++) {
                out.append(' ').append(RowData.createFieldGetter(type.getTypeAt(i), i).getFieldOrNull(row));
            }
            return out.toString();
        }
    }
}
