package tech.streamfusion.planner.nodes;

import java.util.List;
import java.util.Map;
import javax.annotation.Nullable;
import org.apache.calcite.rex.RexNode;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.connector.source.Source;
import org.apache.flink.api.dag.Transformation;
import org.apache.flink.streaming.api.transformations.SourceTransformation;
import org.apache.flink.streaming.api.transformations.SourceTransformationWrapper;
import org.apache.flink.table.catalog.ContextResolvedTable;
import org.apache.flink.table.connector.source.DynamicTableSource;
import org.apache.flink.table.connector.source.ScanTableSource;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.planner.delegation.PlannerBase;
import org.apache.flink.table.planner.plan.abilities.source.SourceAbilitySpec;
import org.apache.flink.table.planner.plan.abilities.source.WatermarkPushDownSpec;
import org.apache.flink.table.planner.plan.nodes.exec.ExecNode;
import org.apache.flink.table.planner.plan.nodes.exec.ExecNodeBase;
import org.apache.flink.table.planner.plan.nodes.exec.ExecNodeConfig;
import org.apache.flink.table.planner.plan.nodes.exec.ExecNodeContext;
import org.apache.flink.table.planner.plan.nodes.exec.MultipleTransformationTranslator;
import org.apache.flink.table.planner.plan.nodes.exec.spec.DynamicTableSourceSpec;
import org.apache.flink.table.planner.plan.nodes.exec.stream.StreamExecNode;
import org.apache.flink.table.planner.plan.nodes.exec.stream.StreamExecTableSourceScan;
import org.apache.flink.table.types.logical.RowType;
import org.apache.flink.table.watermark.WatermarkEmitStrategy;
import org.apache.flink.table.watermark.WatermarkParams;
import tech.streamfusion.planner.FallbackReason.Rule;
import tech.streamfusion.planner.expr.ExpressionPlan;
import tech.streamfusion.planner.expr.PlanTypes;
import tech.streamfusion.planner.graph.GraphView;
import tech.streamfusion.planner.graph.StockFields;
import tech.streamfusion.planner.graph.StockTranslation;
import tech.streamfusion.planner.graph.Transformations;
import tech.streamfusion.runtime.HostKernelSpec;
import tech.streamfusion.runtime.operators.NativeBatchTypeInfo;
import tech.streamfusion.runtime.spi.NativeScanProvider;
import tech.streamfusion.runtime.spi.NativeScanProvider.NativeScan;
import tech.streamfusion.runtime.spi.NativeScanProvider.WatermarkSpec;
import tech.streamfusion.runtime.spi.PlanEncoder;
import tech.streamfusion.runtime.spi.Translation;

/** Scans of tables whose connector has a native module. */
final class TableSourceScanTranslator implements NodeTranslator {

    /** Decoding into columns instead of rows is what pays for everything else. */
    private static final double SAVED_NANOS = 1000;

    @Override
    public String operator() {
        return "scan";
    }

    @Override
    public Class<StreamExecTableSourceScan> stockClass() {
        return StreamExecTableSourceScan.class;
    }

    @Override
    public String coverage() {
        return "Tables of the connectors that have a native module, whose consumers are native as well. Not covered: "
                + "scan.parallelism of changelogs, watermarks emitted on event (each would end a batch), "
                + "user-defined functions in watermarks.";
    }

    @Override
    public Candidate translate(ExecNode<?> node, GraphView graph, PlanningContext context) throws Fallback {
        StreamExecTableSourceScan scan = (StreamExecTableSourceScan) node;
        PlannerBase planner = context.planner();
        DynamicTableSourceSpec spec = scan.getTableSourceSpec();
        ScanTableSource source = spec.getScanTableSource(planner.getFlinkContext(), planner.getTypeFactory());
        NativeScanProvider provider =
                Providers.find(NativeScanProvider.class, source, context.classLoader(), p -> p.accepts(source))
                        .orElseThrow(() -> noModule(spec.getContextResolvedTable(), source));
        String problem = PlanTypes.whyNotColumnar(scan.getOutputType()).orElse(null);
        if (problem != null) {
            throw new Fallback(Rule.FEATURE, problem);
        }
        SourceTransformation<?, ?, ?> stock = stockTransformation(scan, context);
        ReadSet reads = ReadSet.of(scan, graph);
        WatermarkSpec watermark = watermark(scan, context, reads);
        Translation<NativeScan> translation =
                provider.translate(new ScanContext(scan, source, stock, reads, watermark, context));
        if (!translation.isNative()) {
            throw new Fallback(Rule.CONNECTOR, translation.reason());
        }
        return new ScanCandidate(scan, translation.get());
    }

    private static Fallback noModule(ContextResolvedTable table, DynamicTableSource source) {
        return new Fallback(
                Rule.CONNECTOR,
                "no native module takes " + source.asSummaryString() + " of table " + table.getIdentifier().asSummaryString());
    }

    private static SourceTransformation<?, ?, ?> stockTransformation(
            StreamExecTableSourceScan scan, PlanningContext context) throws Fallback {
        Transformation<?> stock = unwrapped(StockTranslation.of(scan, context.scratchPlanner()));
        if (stock instanceof SourceTransformation) {
            return (SourceTransformation<?, ?, ?>) stock;
        }
        throw new Fallback(
                Rule.FEATURE,
                "the stock scan is a "
                        + stock.getClass().getSimpleName()
                        + ", which comes of scan.parallelism on a changelog or of an old source");
    }

    /** With scan.parallelism Flink puts something around the source that gives what follows the default parallelism. */
    private static Transformation<?> unwrapped(Transformation<?> stock) {
        return stock instanceof SourceTransformationWrapper
                ? ((SourceTransformationWrapper<?>) stock).getInput()
                : stock;
    }

    @Nullable
    private static WatermarkSpec watermark(StreamExecTableSourceScan scan, PlanningContext context, ReadSet reads)
            throws Fallback {
        List<SourceAbilitySpec> abilities = scan.getTableSourceSpec().getSourceAbilities();
        if (abilities == null) {
            return null;
        }
        for (SourceAbilitySpec ability : abilities) {
            if (ability instanceof WatermarkPushDownSpec) {
                return watermark((WatermarkPushDownSpec) ability, scan, context, reads);
            }
        }
        return null;
    }

    private static WatermarkSpec watermark(
            WatermarkPushDownSpec spec, StreamExecTableSourceScan scan, PlanningContext context, ReadSet reads)
            throws Fallback {
        WatermarkParams params = StockFields.watermarkParams(spec);
        if (params != null && params.getEmitStrategy() == WatermarkEmitStrategy.ON_EVENT) {
            throw new Fallback(Rule.FEATURE, "scan.watermark.emit.strategy is on-event");
        }
        ExpressionPlan expressions = context.expressionPlan(scan, (RowType) scan.getOutputType());
        RexNode expression = spec.getWatermarkExpr();
        byte[] bytes;
        try {
            bytes = expressions.add(expression).toByteArray();
        } catch (UnsupportedOperationException e) {
            throw new Fallback(Rule.FEATURE, "the watermark: " + e.getMessage());
        }
        HostKernelSpec[] kernels = expressions.compileKernels(context.planner().getTableConfig(), context.classLoader());
        for (HostKernelSpec kernel : kernels) {
            if (asksItsContext(kernel)) {
                throw new Fallback(
                        Rule.FEATURE,
                        "the watermark calls one of "
                                + String.join(", ", expressions.hostFunctions())
                                + " on the host, which needs a runtime context or the time");
            }
        }
        reads.add(expression);
        if (spec.getRowtimeExpr().isPresent()) {
            reads.add(spec.getRowtimeExpr().get());
        }
        long idleTimeout = StockFields.idleTimeoutMillis(spec);
        return new WatermarkSpec() {
            @Override
            public byte[] expression() {
                return bytes;
            }

            @Override
            public long idleTimeoutMillis() {
                return idleTimeout;
            }

            @Override
            public HostKernelSpec[] hostKernels() {
                return kernels;
            }
        };
    }

    /** User-defined functions are opened with the runtime context; functions of the current time ask for the time. */
    private static boolean asksItsContext(HostKernelSpec kernel) {
        String code = kernel.function().getCode();
        return code.contains("getRuntimeContext()") || code.contains("timerService()");
    }

    private static final class ScanCandidate extends Candidate {

        private final StreamExecTableSourceScan scan;
        private final NativeScan replacement;

        ScanCandidate(StreamExecTableSourceScan scan, NativeScan replacement) {
            super(scan);
            this.scan = scan;
            this.replacement = replacement;
        }

        @Override
        public boolean emitsRows() {
            return false;
        }

        @Override
        public double savedNanos() {
            return SAVED_NANOS;
        }

        @Override
        public ExecNode<?> build(boolean batchInput, boolean batchOutput) {
            return new NativeTableSourceScan(scan, replacement);
        }
    }

    /** In place of {@link StreamExecTableSourceScan}. */
    private static final class NativeTableSourceScan extends ExecNodeBase<RowData>
            implements StreamExecNode<RowData>, MultipleTransformationTranslator<RowData> {

        private final StreamExecTableSourceScan scan;
        private final NativeScan replacement;

        NativeTableSourceScan(StreamExecTableSourceScan scan, NativeScan replacement) {
            super(
                    scan.getId(),
                    new ExecNodeContext("native-table-source-scan_1"),
                    scan.getPersistedConfig(),
                    scan.getInputProperties(),
                    scan.getOutputType(),
                    "Native" + scan.getDescription());
            this.scan = scan;
            this.replacement = replacement;
        }

        @Override
        @SuppressWarnings("unchecked")
        protected Transformation<RowData> translateToPlanInternal(PlannerBase planner, ExecNodeConfig config) {
            Transformation<?> stock = StockTranslation.of(scan, planner);
            Transformation<?> copy =
                    Transformations.source(
                            (SourceTransformation<?, ?, ?>) unwrapped(stock),
                            replacement.source(),
                            replacement.watermarkStrategy(),
                            new NativeBatchTypeInfo((RowType) getOutputType()));
            if (stock instanceof SourceTransformationWrapper) {
                copy = new SourceTransformationWrapper<>(copy);
            }
            return (Transformation<RowData>) copy; // its consumers are native and know
        }
    }

    /** What the connector module gets to see. */
    private static final class ScanContext implements NativeScanProvider.Context {

        private final StreamExecTableSourceScan scan;
        private final DynamicTableSource source;
        private final SourceTransformation<?, ?, ?> stock;
        private final ReadSet reads;
        private final WatermarkSpec watermark;
        private final PlanningContext context;

        ScanContext(
                StreamExecTableSourceScan scan,
                DynamicTableSource source,
                SourceTransformation<?, ?, ?> stock,
                ReadSet reads,
                @Nullable WatermarkSpec watermark,
                PlanningContext context) {
            this.scan = scan;
            this.source = source;
            this.stock = stock;
            this.reads = reads;
            this.watermark = watermark;
            this.context = context;
        }

        @Override
        public DynamicTableSource source() {
            return source;
        }

        @Override
        public String tableName() {
            return scan.getTableSourceSpec().getContextResolvedTable().getIdentifier().asSummaryString();
        }

        @Override
        public Map<String, String> options() {
            return scan.getTableSourceSpec().getContextResolvedTable().getResolvedTable().getOptions();
        }

        @Override
        public Source<?, ?, ?> stockSource() {
            return stock.getSource();
        }

        @Override
        public WatermarkStrategy<?> stockWatermarkStrategy() {
            return stock.getWatermarkStrategy();
        }

        @Override
        public RowType producedType() {
            return (RowType) scan.getOutputType();
        }

        @Override
        public boolean[] read() {
            return reads.fields();
        }

        @Override
        public int[][] readPaths() {
            return reads.narrowed();
        }

        @Override
        public WatermarkSpec watermark() {
            return watermark;
        }

        @Override
        public PlanEncoder encoder() {
            return new PlanMessages(context.session());
        }

        @Override
        public ClassLoader classLoader() {
            return context.classLoader();
        }
    }
}
