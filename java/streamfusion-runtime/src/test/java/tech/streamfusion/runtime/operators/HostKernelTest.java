package tech.streamfusion.runtime.operators;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.FileNotFoundException;
import java.util.ArrayList;
import java.util.List;
import org.apache.flink.streaming.api.functions.ProcessFunction;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.table.data.GenericRowData;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.StringData;
import org.apache.flink.table.runtime.generated.GeneratedFunction;
import org.apache.flink.table.runtime.typeutils.RowDataSerializer;
import org.apache.flink.table.types.logical.BigIntType;
import org.apache.flink.table.types.logical.BooleanType;
import org.apache.flink.table.types.logical.LogicalType;
import org.apache.flink.table.types.logical.RowType;
import org.apache.flink.table.types.logical.VarCharType;
import org.apache.flink.util.Collector;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import tech.streamfusion.runtime.HostKernelSpec;
import tech.streamfusion.runtime.LeakCheck;
import tech.streamfusion.runtime.PlanBytes;
import tech.streamfusion.runtime.data.RandomRows;

/** Generated functions called by the engine: values, laziness, failures, life cycle. */
@ExtendWith(LeakCheck.class)
public class HostKernelTest {

    private static final LogicalType BIGINT = new BigIntType();
    private static final LogicalType STRING = VarCharType.STRING_TYPE;
    private static final RowType TYPE = RowType.of(BIGINT, STRING);

    /** What the generated code reports. */
    public static final List<String> EVENTS = new ArrayList<>();

    public static void event(String event) {
        EVENTS.add(event);
    }

    public static void fail() throws Exception {
        throw new FileNotFoundException("checked, and unchanged");
    }

    @BeforeEach
    void forget() {
        EVENTS.clear();
    }

    /** @param body sets {@code out}, a GenericRowData of one field, from {@code in} */
    private static HostKernelSpec kernel(RowType arguments, LogicalType result, String body) {
        String test = HostKernelTest.class.getName();
        String code =
                "public class Kernel extends org.apache.flink.streaming.api.functions.ProcessFunction {\n"
                        + "  private org.apache.flink.table.data.GenericRowData out =\n"
                        + "      new org.apache.flink.table.data.GenericRowData(1);\n"
                        + "  public Kernel(Object[] references) {}\n"
                        + "  public void open(org.apache.flink.api.common.functions.OpenContext c) throws Exception {\n"
                        + "    " + test + ".event(\"open \" + getRuntimeContext().getTaskInfo().getIndexOfThisSubtask());\n"
                        + "  }\n"
                        + "  public void close() throws Exception { " + test + ".event(\"close\"); }\n"
                        + "  public void processElement(Object in1,\n"
                        + "      org.apache.flink.streaming.api.functions.ProcessFunction.Context ctx,\n"
                        + "      org.apache.flink.util.Collector c) throws Exception {\n"
                        + "    org.apache.flink.table.data.RowData in = (org.apache.flink.table.data.RowData) in1;\n"
                        + body
                        + "    c.collect(out);\n"
                        + "  }\n"
                        + "}\n";
        GeneratedFunction<ProcessFunction<RowData, RowData>> function =
                new GeneratedFunction<>("Kernel", code, new Object[0]);
        return new HostKernelSpec(function, arguments, result);
    }

    private static Harness harness(byte[] plan, RowType output, HostKernelSpec... kernels) throws Exception {
        return new Harness(NativeOperatorFactory.of(Harness.spec(plan, TYPE, output, false, false, kernels)));
    }

    private static final String TIMES_TWO =
            "    out.setField(0, in.isNullAt(0) ? null : Long.valueOf(in.getLong(0) * 2));\n";

    @Test
    void valuesGoThereAndBack() throws Exception {
        HostKernelSpec twice = kernel(RowType.of(BIGINT), BIGINT, TIMES_TWO);
        HostKernelSpec shout =
                kernel(
                        RowType.of(STRING, BIGINT),
                        STRING,
                        "    out.setField(0, null);\n"
                                + "    if (!in.isNullAt(0)) {\n"
                                + "      out.setField(0, org.apache.flink.table.data.binary.BinaryStringData.fromString(\n"
                                + "          in.getString(0).toString() + \"!\" + in.getLong(1)));\n"
                                + "    }\n");
        RowType output = RowType.of(BIGINT, STRING);
        byte[] plan =
                PlanBytes.calc(
                        TYPE,
                        output,
                        null,
                        PlanBytes.hostCall(BIGINT, 0, PlanBytes.input(BIGINT, 0)),
                        PlanBytes.hostCall(
                                STRING, 1, PlanBytes.input(STRING, 1), PlanBytes.longLiteral(new BigIntType(false), 7)));
        try (Harness h = harness(plan, output, twice, shout).open()) {
            h.row(1L, StringData.fromString("a"));
            h.row(null, StringData.fromString("\u00fc"));
            h.row(3L, null);
            h.flink.processWatermark(0);
            assertThat(h.output()).containsExactly("+I(2,a!7)", "+I(null,\u00fc!7)", "+I(6,null)", "WM0");
        }
        assertThat(EVENTS).containsExactly("open 0", "open 0", "close", "close");
    }

    @Test
    void everyTypeSurvives() throws Exception {
        RowType all = RandomRows.ALL_TYPES;
        List<HostKernelSpec> kernels = new ArrayList<>();
        byte[][] projection = new byte[all.getFieldCount()][];
        for (int i = 0; i < projection.length; i++) {
            LogicalType type = all.getTypeAt(i);
            kernels.add(new HostKernelSpec(copying(type), RowType.of(type), type));
            projection[i] = PlanBytes.hostCall(type, i, PlanBytes.input(type, i));
        }
        byte[] plan = PlanBytes.calc(all, all, null, projection);
        RowDataSerializer serializer = new RowDataSerializer(all);
        List<Object> expected = new ArrayList<>();
        try (Harness h =
                new Harness(
                                NativeOperatorFactory.of(
                                        Harness.spec(
                                                plan, all, all, false, false, kernels.toArray(new HostKernelSpec[0]))))
                        .open()) {
            RandomRows random = new RandomRows(42);
            for (int i = 0; i < 200; i++) {
                RowData row = random.row(all);
                expected.add(serializer.toBinaryRow(row).copy());
                h.flink.processElement(new StreamRecord<>(row));
            }
            h.flink.getOperator().prepareSnapshotPreBarrier(1);
            assertThat(h.flink.extractOutputValues()).isEqualTo(expected);
        }
    }

    private static GeneratedFunction<ProcessFunction<RowData, RowData>> copying(LogicalType type) {
        return new GeneratedFunction<>("none", "", new Object[0]) {
            private static final long serialVersionUID = 1L;

            @Override
            public ProcessFunction<RowData, RowData> newInstance(ClassLoader classLoader) {
                return new CopyFieldFunction(type);
            }
        };
    }

    /** Hands its argument on as it got it. */
    private static final class CopyFieldFunction extends ProcessFunction<RowData, RowData> {
        private static final long serialVersionUID = 1L;
        private final RowData.FieldGetter getter;

        CopyFieldFunction(LogicalType type) {
            getter = RowData.createFieldGetter(type, 0);
        }

        @Override
        public void processElement(
                RowData row, ProcessFunction<RowData, RowData>.Context context, Collector<RowData> out) {
            out.collect(GenericRowData.of(getter.getFieldOrNull(row)));
        }
    }

    @Test
    void onlySelectedRowsAreEvaluated() throws Exception {
        HostKernelSpec noisy =
                kernel(
                        RowType.of(BIGINT),
                        BIGINT,
                        "    " + HostKernelTest.class.getName() + ".event(\"row \" + in.getLong(0));\n" + TIMES_TWO);
        RowType output = RowType.of(BIGINT);
        byte[] plan =
                PlanBytes.calc(
                        TYPE,
                        output,
                        null,
                        PlanBytes.call(
                                BIGINT,
                                "CASE",
                                PlanBytes.call(
                                        new BooleanType(false),
                                        "IS_NOT_NULL",
                                        PlanBytes.input(STRING, 1)),
                                PlanBytes.hostCall(BIGINT, 0, PlanBytes.input(BIGINT, 0)),
                                PlanBytes.input(BIGINT, 0)));
        try (Harness h = harness(plan, output, noisy).open()) {
            h.row(1L, StringData.fromString("x"));
            h.row(2L, null);
            h.row(3L, StringData.fromString("x"));
            h.flink.processWatermark(0);
            assertThat(h.output()).containsExactly("+I(2)", "+I(2)", "+I(6)", "WM0");
        }
        assertThat(EVENTS).containsExactly("open 0", "row 1", "row 3", "close");
    }

    @Test
    void processingTimeIsTheTasks() throws Exception {
        HostKernelSpec now =
                kernel(RowType.of(), BIGINT, "    out.setField(0, ctx.timerService().currentProcessingTime());\n");
        RowType output = RowType.of(BIGINT);
        try (Harness h = harness(PlanBytes.calc(TYPE, output, null, PlanBytes.hostCall(BIGINT, 0)), output, now)) {
            h.open();
            h.flink.setProcessingTime(1234);
            h.row(1L, null);
            h.flink.processWatermark(0);
            assertThat(h.output()).containsExactly("+I(1234)", "WM0");
        }
    }

    @Test
    void anExceptionComesOutUnchanged() throws Exception {
        HostKernelSpec failing =
                kernel(
                        RowType.of(BIGINT),
                        BIGINT,
                        "    if (in.getLong(0) == 3) { " + HostKernelTest.class.getName() + ".fail(); }\n" + TIMES_TWO);
        RowType output = RowType.of(BIGINT);
        byte[] plan =
                PlanBytes.calc(TYPE, output, null, PlanBytes.hostCall(BIGINT, 0, PlanBytes.input(BIGINT, 0)));
        try (Harness h = harness(plan, output, failing).open()) {
            h.row(1L, null);
            h.flink.processWatermark(0);
            assertThat(h.output()).hasSize(2);
            h.row(2L, null);
            h.row(3L, null);
            assertThatThrownBy(() -> h.flink.processWatermark(1))
                    .isExactlyInstanceOf(FileNotFoundException.class)
                    .hasMessage("checked, and unchanged");
        }
        assertThat(EVENTS).containsExactly("open 0", "close");
    }

    @Test
    void codeThatDoesNotCompileFailsAtOpen() throws Exception {
        HostKernelSpec broken = kernel(RowType.of(BIGINT), BIGINT, "    this is not Java;\n");
        RowType output = RowType.of(BIGINT);
        byte[] plan =
                PlanBytes.calc(TYPE, output, null, PlanBytes.hostCall(BIGINT, 0, PlanBytes.input(BIGINT, 0)));
        Harness h = harness(plan, output, broken);
        assertThatThrownBy(h::open).hasMessageContaining("Could not instantiate generated class 'Kernel'");
        h.flink.getOperator().close();
    }
}
