package tech.streamfusion.planner.nodes;

import static org.apache.flink.table.api.config.ExecutionConfigOptions.TABLE_EXEC_SINK_KEYED_SHUFFLE;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.connector.sink2.Sink;
import org.apache.flink.api.dag.Transformation;
import org.apache.flink.table.api.config.ExecutionConfigOptions.SinkKeyedShuffle;
import org.apache.flink.table.catalog.ContextResolvedTable;
import org.apache.flink.table.connector.sink.DynamicTableSink;
import org.apache.flink.table.planner.delegation.PlannerBase;
import org.apache.flink.table.planner.plan.nodes.exec.ExecNode;
import org.apache.flink.table.planner.plan.nodes.exec.ExecNodeConfig;
import org.apache.flink.table.planner.plan.nodes.exec.ExecNodeContext;
import org.apache.flink.table.planner.plan.nodes.exec.stream.StreamExecSink;
import org.apache.flink.table.runtime.typeutils.TypeCheckUtils;
import org.apache.flink.table.types.logical.RowType;
import org.apache.flink.types.RowKind;
import tech.streamfusion.plan.Calc;
import tech.streamfusion.plan.ConstraintEnforcer;
import tech.streamfusion.plan.Expr;
import tech.streamfusion.plan.Operator;
import tech.streamfusion.planner.FallbackReason.Rule;
import tech.streamfusion.planner.expr.PlanTypes;
import tech.streamfusion.planner.graph.GraphView;
import tech.streamfusion.planner.graph.StockFields;
import tech.streamfusion.planner.graph.StockTranslation;
import tech.streamfusion.planner.graph.Transformations;
import tech.streamfusion.runtime.HostKernelSpec;
import tech.streamfusion.runtime.NativeBatch;
import tech.streamfusion.runtime.operators.NativeBatchTypeInfo;
import tech.streamfusion.runtime.spi.NativeSinkProvider;
import tech.streamfusion.runtime.spi.PlanEncoder;
import tech.streamfusion.runtime.spi.Translation;

/** Sinks of tables whose connector has a native module. */
final class SinkTranslator implements NodeTranslator {

    private static final double SAVED_NANOS = 1000;

    @Override
    public String operator() {
        return "sink";
    }

    @Override
    public Class<StreamExecSink> stockClass() {
        return StreamExecSink.class;
    }

    @Override
    public String coverage() {
        return "Insert-only input into tables of the connectors that have a native module, and changelogs into those whose "
                + "module takes them (upsert-kafka), with NOT NULL and length enforcement and the record timestamp. Not "
                + "covered: SinkUpsertMaterializer, primary key shuffles, sink.parallelism of tables with a primary key, "
                + "constraints on nested fields.";
    }

    @Override
    public Candidate translate(ExecNode<?> node, GraphView graph, PlanningContext context) throws Fallback {
        StreamExecSink stock = (StreamExecSink) node;
        ContextResolvedTable table = stock.getTableSinkSpec().getContextResolvedTable();
        DynamicTableSink sink = stock.getTableSinkSpec().getTableSink(context.planner().getFlinkContext());
        NativeSinkProvider provider =
                Providers.find(NativeSinkProvider.class, sink, context.classLoader(), p -> p.accepts(sink))
                        .orElseThrow(() -> noModule(table, sink));
        RowType inputType = (RowType) stock.getInputEdges().get(0).getOutputType();
        checkCovered(stock, inputType);
        SinkChain chain = stockChain(stock, inputType, context);
        ConstraintEnforcer constraints =
                SinkConstraints.plan(
                        stock,
                        (RowType) table.getResolvedSchema().toPhysicalRowDataType().getLogicalType(),
                        context);
        RowType consumed = consumedType(table, inputType);
        Translation<Sink<NativeBatch>> translation =
                provider.translate(
                        new SinkContext(stock, sink, chain.sink().getSink(), consumed, rowtimeIndex(chain, inputType), context));
        if (!translation.isNative()) {
            throw new Fallback(Rule.CONNECTOR, translation.reason());
        }
        return new SinkCandidate(stock, context, constraints, consumed, translation.get());
    }

    private static Fallback noModule(ContextResolvedTable table, DynamicTableSink sink) {
        return new Fallback(
                Rule.CONNECTOR,
                "no native module takes " + sink.asSummaryString() + " of table " + table.getIdentifier().asSummaryString());
    }

    private static void checkCovered(StreamExecSink stock, RowType inputType) throws Fallback {
        if (!insertOnly(stock) && StockFields.upsertMaterialize(stock)) {
            throw new Fallback(
                    Rule.FEATURE, "a SinkUpsertMaterializer, which brings the changes of a key into order, stands before the sink");
        }
        String problem = PlanTypes.whyNotColumnar(inputType).orElse(null);
        if (problem != null) {
            throw new Fallback(Rule.FEATURE, problem);
        }
    }

    private static boolean insertOnly(StreamExecSink stock) {
        return StockFields.inputChangelogMode(stock).containsOnly(RowKind.INSERT);
    }

    private static SinkChain stockChain(StreamExecSink stock, RowType inputType, PlanningContext context)
            throws Fallback {
        // whether Flink shuffles by the key depends on the input's parallelism, which is not known yet
        boolean mayShuffle = hasPrimaryKey(stock);
        if (mayShuffle && context.option(stock, TABLE_EXEC_SINK_KEYED_SHUFFLE) == SinkKeyedShuffle.FORCE) {
            throw new Fallback(
                    Rule.FEATURE, TABLE_EXEC_SINK_KEYED_SHUFFLE.key() + " asks for a shuffle by the primary key");
        }
        PlannerBase scratch = context.scratchPlanner();
        Transformation<?> like = new StockTranslation.Input(inputType, PlanningContext.environment(scratch).getParallelism());
        SinkChain chain = new SinkChain(StockTranslation.of(stock, like, scratch));
        if (mayShuffle && chain.sink().isParallelismConfigured()) {
            throw new Fallback(Rule.FEATURE, "sink.parallelism is set on a table with a primary key");
        }
        return chain;
    }

    private static boolean hasPrimaryKey(StreamExecSink stock) {
        return stock.getTableSinkSpec().getContextResolvedTable().getResolvedSchema().getPrimaryKey().isPresent();
    }

    /** The chain has an inserter exactly when Flink takes the record timestamp from the rowtime column. */
    private static int rowtimeIndex(SinkChain chain, RowType inputType) {
        if (chain.timestampInserter() == null) {
            return -1;
        }
        for (int i = 0; i < inputType.getFieldCount(); i++) {
            if (TypeCheckUtils.isRowTime(inputType.getTypeAt(i))) {
                return i;
            }
        }
        throw new IllegalStateException("a timestamp inserter without a rowtime column");
    }

    /** The input under the sink's own column names and types: physical columns, then whatever metadata follows. */
    private static RowType consumedType(ContextResolvedTable table, RowType inputType) {
        RowType physical = (RowType) table.getResolvedSchema().toPhysicalRowDataType().getLogicalType();
        List<RowType.RowField> fields = new ArrayList<>();
        for (int i = 0; i < inputType.getFieldCount(); i++) {
            fields.add(i < physical.getFieldCount() ? physical.getFields().get(i) : inputType.getFields().get(i));
        }
        return new RowType(false, fields);
    }

    private static final class SinkCandidate extends Candidate {

        private final StreamExecSink stock;
        private final PlanningContext context;
        private final ConstraintEnforcer constraints;
        private final RowType consumedType;
        private final Sink<NativeBatch> replacement;

        SinkCandidate(
                StreamExecSink stock,
                PlanningContext context,
                ConstraintEnforcer constraints,
                RowType consumedType,
                Sink<NativeBatch> replacement) {
            super(stock);
            this.stock = stock;
            this.context = context;
            this.constraints = constraints;
            this.consumedType = consumedType;
            this.replacement = replacement;
        }

        @Override
        public boolean acceptsRows() {
            return false;
        }

        @Override
        public double savedNanos() {
            return SAVED_NANOS;
        }

        @Override
        public ExecNode<?> build(boolean batchInput, boolean batchOutput) {
            return new NativeSink(stock, context, constraints, consumedType, replacement);
        }
    }

    /** In place of {@link StreamExecSink}; a subclass, because Flink prints plans of several sinks by that class. */
    private static final class NativeSink extends StreamExecSink {

        private final StreamExecSink stock;
        private final PlanningContext context;
        private final ConstraintEnforcer constraints;
        private final RowType consumedType;
        private final Sink<NativeBatch> replacement;

        NativeSink(
                StreamExecSink stock,
                PlanningContext context,
                ConstraintEnforcer constraints,
                RowType consumedType,
                Sink<NativeBatch> replacement) {
            super(
                    stock.getId(),
                    new ExecNodeContext("native-sink_1"),
                    stock.getPersistedConfig(),
                    stock.getTableSinkSpec(),
                    StockFields.inputChangelogMode(stock),
                    false,
                    null,
                    null,
                    null,
                    stock.getInputProperties(),
                    stock.getOutputType(),
                    "Native" + stock.getDescription());
            this.stock = stock;
            this.context = context;
            this.constraints = constraints;
            this.consumedType = consumedType;
            this.replacement = replacement;
        }

        @Override
        @SuppressWarnings("unchecked")
        protected Transformation<Object> translateToPlanInternal(PlannerBase planner, ExecNodeConfig config) {
            Transformation<?> input = getInputEdges().get(0).translateToPlan(planner);
            RowType inputType = (RowType) getInputEdges().get(0).getOutputType();
            SinkChain chain = chain(input, planner);
            Transformation<?> last = input;
            if (chain.constraintEnforcer() != null) {
                last =
                        Transformations.oneInput(
                                chain.constraintEnforcer(),
                                last,
                                edges(inputType).operator(plan(inputType).setConstraintEnforcer(constraints).build()),
                                batches(),
                                0);
            }
            if (chain.timestampInserter() != null) {
                last =
                        Transformations.oneInput(
                                chain.timestampInserter(),
                                last,
                                edges(consumedType).operator(plan(consumedType).setCalc(identity()).build()),
                                batches(),
                                0);
            }
            Transformation<?> sink =
                    Transformations.sink(
                            chain.sink(), (Transformation<NativeBatch>) last, PlanningContext.environment(planner), replacement);
            return (Transformation<Object>) sink;
        }

        private SinkChain chain(Transformation<?> input, PlannerBase planner) {
            try {
                return new SinkChain(StockTranslation.of(stock, input, planner));
            } catch (Fallback e) {
                throw new IllegalStateException("the sink changed while it was being planned: " + e.getMessage(), e);
            }
        }

        private Operator.Builder plan(RowType inputType) {
            return Operator.newBuilder()
                    .setName(stock.getDescription())
                    .setInputType(PlanTypes.encode(inputType))
                    .setOutputType(PlanTypes.encode(consumedType))
                    .setSession(context.session());
        }

        /** The inserter's place: the sink finds the timestamps in the rowtime column itself. */
        private Calc identity() {
            Calc.Builder out = Calc.newBuilder();
            for (int i = 0; i < consumedType.getFieldCount(); i++) {
                out.addProjection(Expr.newBuilder().setInput(i).setType(PlanTypes.encode(consumedType.getTypeAt(i))));
            }
            return out.build();
        }

        private OperatorEdges edges(RowType inputType) {
            return new OperatorEdges(
                    new HostKernelSpec[0],
                    inputType,
                    consumedType,
                    true,
                    true,
                    context.options().isMemoryAccounted());
        }

        @SuppressWarnings({"unchecked", "rawtypes"})
        private TypeInformation<Object> batches() {
            return (TypeInformation) new NativeBatchTypeInfo(consumedType);
        }
    }

    /** What the connector module gets to see. */
    private static final class SinkContext implements NativeSinkProvider.Context {

        private final StreamExecSink stock;
        private final DynamicTableSink sink;
        private final Sink<?> stockSink;
        private final RowType consumedType;
        private final int rowtimeIndex;
        private final PlanningContext context;

        SinkContext(
                StreamExecSink stock,
                DynamicTableSink sink,
                Sink<?> stockSink,
                RowType consumedType,
                int rowtimeIndex,
                PlanningContext context) {
            this.stock = stock;
            this.sink = sink;
            this.stockSink = stockSink;
            this.consumedType = consumedType;
            this.rowtimeIndex = rowtimeIndex;
            this.context = context;
        }

        @Override
        public DynamicTableSink sink() {
            return sink;
        }

        @Override
        public String tableName() {
            return stock.getTableSinkSpec().getContextResolvedTable().getIdentifier().asSummaryString();
        }

        @Override
        public Map<String, String> options() {
            return stock.getTableSinkSpec().getContextResolvedTable().getResolvedTable().getOptions();
        }

        @Override
        public Sink<?> stockSink() {
            return stockSink;
        }

        @Override
        public RowType consumedType() {
            return consumedType;
        }

        @Override
        public int rowtimeIndex() {
            return rowtimeIndex;
        }

        @Override
        public boolean insertOnly() {
            return SinkTranslator.insertOnly(stock);
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
