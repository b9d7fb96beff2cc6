package tech.streamfusion.planner.expr;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.apache.calcite.rex.RexBuilder;
import org.apache.calcite.rex.RexCall;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.rex.RexUtil;
import org.apache.flink.configuration.ReadableConfig;
import org.apache.flink.table.types.logical.LogicalType;
import org.apache.flink.table.types.logical.RowType;
import tech.streamfusion.plan.Expr;
import tech.streamfusion.plan.HostCall;
import tech.streamfusion.runtime.HostKernelSpec;

/** The expressions of one operator as plan messages, with the host kernels that they call. */
public final class ExpressionPlan {

    /** What translation needs to know besides the expression. */
    public static final class Context {
        private final RexBuilder rexBuilder;
        private final ExprSupport support;
        private final Predicate<String> allowIncompatible;

        /** @param allowIncompatible whether the user accepts inexact kernels of the named function */
        public Context(RexBuilder rexBuilder, ExprSupport support, Predicate<String> allowIncompatible) {
            this.rexBuilder = rexBuilder;
            this.support = support;
            this.allowIncompatible = allowIncompatible;
        }
    }

    /** A host kernel before its code is generated. */
    private static final class Kernel {
        final RexNode rex;
        final HostRegion region;
        final LogicalType resultType;
        final boolean whole;

        Kernel(RexNode rex, HostRegion region, LogicalType resultType, boolean whole) {
            this.rex = rex;
            this.region = region;
            this.resultType = resultType;
            this.whole = whole;
        }
    }

    private final Context context;
    private final RexTranslator translator;
    private final List<Kernel> kernels = new ArrayList<>();
    private double savedNanos;

    /** @param legacyCast {@code table.exec.legacy-cast-behaviour} of the exec node */
    public ExpressionPlan(Context context, RowType inputType, boolean legacyCast) {
        this.context = context;
        this.translator = new RexTranslator(inputType, legacyCast, context.support, context.allowIncompatible);
    }

    /** {@code table.exec.legacy-cast-behaviour} of the exec node. */
    public boolean legacyCast() {
        return translator.isLegacyCast();
    }

    /**
     * Translates one expression; its host kernels are numbered after those of earlier ones.
     *
     * @throws UnsupportedOperationException saying why the operator must stay with Flink: a value without columnar form, or
     *     an expression whose result depends on its place in the stream
     */
    public Expr add(RexNode rex) {
        PositionDependence.check(rex);
        Node node = translator.translate(rex);
        PlanTypes.whyNotColumnar(node.type())
                .ifPresent(
                        reason -> {
                            throw new UnsupportedOperationException(reason);
                        });
        savedNanos += WorkEstimate.savedNanos(node);
        return node.toProto(host -> number(host, host == node));
    }

    /** Estimated nanoseconds per row that native evaluation saves over generated code. */
    public double savedNanos() {
        return savedNanos;
    }

    /** Names of the functions at the roots of the host kernels, for people. */
    public List<String> hostFunctions() {
        return kernels.stream()
                .map(k -> k.rex instanceof RexCall ? ((RexCall) k.rex).getOperator().getName() : k.rex.toString())
                .distinct()
                .collect(Collectors.toList());
    }

    /** Generates the kernels' code, as late as Flink generates its own. */
    public HostKernelSpec[] compileKernels(ReadableConfig config, ClassLoader classLoader) {
        HostKernelCompiler compiler = new HostKernelCompiler(config, classLoader);
        return kernels.stream()
                .map(k -> compiler.compile(k.region.body(), k.region.argumentType(), k.resultType, k.whole))
                .toArray(HostKernelSpec[]::new);
    }

    /** @param whole whether the region is the whole expression, whose value nobody but a row takes */
    private HostCall number(Node.Host host, boolean whole) {
        HostRegion region = null;
        int index = -1;
        if (RexUtil.isDeterministic(host.rex)) {
            for (int i = 0; i < kernels.size(); i++) {
                Kernel known = kernels.get(i);
                if (known.whole == whole && known.rex.equals(host.rex) && known.resultType.equals(host.type())) {
                    index = i;
                    region = known.region;
                }
            }
        }
        if (region == null) {
            region = new HostRegion(host.rex, translator, context.rexBuilder);
            index = kernels.size();
            kernels.add(new Kernel(host.rex, region, host.type(), whole));
        }
        HostCall.Builder call = HostCall.newBuilder().setKernel(index);
        region.arguments().forEach(argument -> call.addArgs(argument.toProto(inner -> number(inner, false))));
        return call.build();
    }
}
