package tech.streamfusion.random;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import javax.annotation.Nullable;
import org.apache.flink.streaming.api.graph.StreamGraph;
import org.apache.flink.streaming.api.graph.StreamNode;
import org.apache.flink.streaming.api.operators.AbstractStreamOperatorFactory;
import tech.streamfusion.plan.Calc;
import tech.streamfusion.plan.Call;
import tech.streamfusion.plan.Expr;
import tech.streamfusion.plan.Literal;
import tech.streamfusion.plan.Operator;
import tech.streamfusion.plan.Type;
import tech.streamfusion.plan.TypeKind;
import tech.streamfusion.plan.Zone;
import tech.streamfusion.runtime.NativeEngine;
import tech.streamfusion.runtime.OperatorSpec;
import tech.streamfusion.runtime.operators.NativeOperatorFactory;

/** An error of the engine, planted by changing what it is told to do or what it has emitted. */
final class Fault implements Consumer<StreamGraph> {

    private static final int SECONDS_PER_HOUR = 3600;

    final String name;
    /** What scripts must be about for the fault to show soon. */
    final Focus focus;
    /** The factory with the fault, or null where it makes no difference. */
    private final Function<NativeOperatorFactory, AbstractStreamOperatorFactory<Object>> change;
    private boolean planted;

    private Fault(
            String name, Focus focus, Function<NativeOperatorFactory, AbstractStreamOperatorFactory<Object>> change) {
        this.name = name;
        this.focus = focus;
        this.change = change;
    }

    static List<Fault> all() {
        List<Fault> faults = new ArrayList<>();
        faults.add(expression("two NULLs are equal", "\\{= \\|", PlanRewriter.calls("EQUALS", Fault::nullsEqual)));
        faults.add(expression("SUBSTRING starts one late", "SUBSTRING", PlanRewriter.calls("SUBSTRING", Fault::oneLater)));
        faults.add(expression("INT addition saturates", "INT \\{\\+ ", PlanRewriter.calls("PLUS", Fault::saturating)));
        faults.add(expression("CASE tries its second branch first", "CASE.*WHEN.*WHEN", PlanRewriter.calls("CASE", Fault::swapBranches)));
        faults.add(plan("the session time zone is an hour off", Focus.on("LTZ"), Fault::shiftZone));
        faults.add(expression("ROUND cuts off", "ROUND", PlanRewriter.rename("ROUND", "TRUNCATE")));
        faults.add(expression("LIKE knows no wildcards", "LIKE", PlanRewriter.rename("LIKE", "EQUALS")));
        faults.add(plan("two columns of a type are swapped", Focus.NONE, Fault::swapColumns));
        faults.add(expression("< includes the bound", "<", PlanRewriter.rename("LESS_THAN", "LESS_THAN_OR_EQUAL")));
        faults.add(plan("a filter lets NULL pass", Focus.NONE.withFilters(), Fault::nullPasses));
        faults.add(expression("times are rounded up", "FLOOR.*TO", PlanRewriter.rename("FLOOR_TIME", "CEIL_TIME")));
        faults.add(expression("MOD has no sign", "MOD", PlanRewriter.calls("MOD", Fault::absolute)));
        faults.add(expression("UPPER makes lower case", "UPPER", PlanRewriter.rename("UPPER_ASCII", "LOWER_ASCII")));
        for (FaultyOutput.Fault fault : FaultyOutput.Fault.values()) {
            faults.add(output(fault));
        }
        return faults;
    }

    @Override
    public String toString() {
        return name;
    }

    void reset() {
        planted = false;
    }

    /** Whether the last job was changed. */
    boolean isPlanted() {
        return planted;
    }

    @Override
    public void accept(StreamGraph graph) {
        planted = false;
        for (StreamNode node : graph.getStreamNodes()) {
            Object current = node.getOperatorFactory();
            if (current instanceof NativeOperatorFactory) {
                NativeOperatorFactory factory = (NativeOperatorFactory) current;
                AbstractStreamOperatorFactory<Object> faulty = change.apply(factory);
                if (faulty != null) {
                    faulty.setChainingStrategy(factory.getChainingStrategy());
                    node.setOperatorFactory(faulty);
                    planted = true;
                }
            }
        }
    }

    private static Fault output(FaultyOutput.Fault fault) {
        return new Fault(
                fault.name(), Focus.on(fault.mode), factory -> factory.spec().batchOutput() ? null : new FaultyOutput.Factory(factory, fault));
    }

    /** Calls that the engine would refuse stay as they are: a fault must not show as a failure. */
    private static Fault expression(String name, String productions, UnaryOperator<Expr> change) {
        return plan(
                name,
                Focus.on(productions),
                PlanRewriter.expressions(
                        expr -> {
                            Expr faulty = change.apply(expr);
                            return faulty.hasCall() && !NativeEngine.exprSupports(faulty.toByteArray()) ? expr : faulty;
                        }));
    }

    private static Fault plan(String name, Focus focus, UnaryOperator<Operator> change) {
        return new Fault(name, focus, factory -> rewritten(factory.spec(), change));
    }

    @Nullable
    private static NativeOperatorFactory rewritten(OperatorSpec spec, UnaryOperator<Operator> change) {
        try {
            Operator plan = Operator.parseFrom(spec.plan());
            Operator changed = change.apply(plan);
            if (changed.equals(plan)) {
                return null;
            }
            OperatorSpec faulty =
                    new OperatorSpec(
                            changed.toByteArray(),
                            spec.hostKernels(),
                            spec.inputType(),
                            spec.outputType(),
                            spec.batchInput(),
                            spec.batchOutput(),
                            spec.memoryAccounting());
            return plan.hasWatermarkAssigner()
                    ? NativeOperatorFactory.watermarkAssigner(faulty, plan.getWatermarkAssigner().getRowtimeField(), 0)
                    : NativeOperatorFactory.of(faulty);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Expr call(String function, Type type, Expr... args) {
        Call.Builder call = Call.newBuilder().setFunction(function);
        for (Expr arg : args) {
            call.addArgs(arg);
        }
        return Expr.newBuilder().setType(type).setCall(call.build()).build();
    }

    private static Type type(TypeKind kind, boolean nullable) {
        return Type.newBuilder().setKind(kind).setNullable(nullable).build();
    }

    private static Expr nullsEqual(Expr expr) {
        return call("IS_NOT_DISTINCT_FROM", type(TypeKind.BOOLEAN, false), expr.getCall().getArgsList().toArray(new Expr[0]));
    }

    private static Expr oneLater(Expr expr) {
        Expr start = expr.getCall().getArgs(1);
        Expr one = Expr.newBuilder().setType(type(TypeKind.INTEGER, false)).setLiteral(Literal.newBuilder().setIntValue(1).build()).build();
        if (start.getType().getKind() != TypeKind.INTEGER) {
            return expr;
        }
        return PlanRewriter.withCall(expr, expr.getCall().toBuilder().setArgs(1, call("PLUS", start.getType(), start, one)));
    }

    private static Expr saturating(Expr expr) {
        if (expr.getType().getKind() != TypeKind.INTEGER) {
            return expr;
        }
        Type wide = type(TypeKind.DOUBLE, true);
        Expr left = call("CAST", wide, expr.getCall().getArgs(0));
        Expr right = call("CAST", wide, expr.getCall().getArgs(1));
        return call("CAST", expr.getType(), call("PLUS", wide, left, right));
    }

    private static Expr swapBranches(Expr expr) {
        Call call = expr.getCall();
        if (call.getArgsCount() < 5) {
            return expr;
        }
        Call.Builder out = call.toBuilder();
        for (int i = 0; i < 2; i++) {
            out.setArgs(i, call.getArgs(i + 2)).setArgs(i + 2, call.getArgs(i));
        }
        return PlanRewriter.withCall(expr, out);
    }

    private static Expr absolute(Expr expr) {
        return expr.getType().getKind() == TypeKind.DECIMAL ? expr : call("ABS", expr.getType(), expr);
    }

    private static Operator shiftZone(Operator plan) {
        Zone.Builder zone = plan.getSession().getZone().toBuilder();
        zone.setInitialOffset(zone.getInitialOffset() + SECONDS_PER_HOUR);
        for (int i = 0; i < zone.getOffsetAfterCount(); i++) {
            zone.setOffsetAfter(i, zone.getOffsetAfter(i) + SECONDS_PER_HOUR);
        }
        return plan.toBuilder().setSession(plan.getSession().toBuilder().setZone(zone.build()).build()).build();
    }

    private static Operator swapColumns(Operator plan) {
        if (!plan.hasCalc()) {
            return plan;
        }
        Calc.Builder calc = plan.getCalc().toBuilder();
        for (int i = 0; i < calc.getProjectionCount(); i++) {
            for (int j = i + 1; j < calc.getProjectionCount(); j++) {
                if (calc.getProjection(i).getType().equals(calc.getProjection(j).getType())) {
                    Expr left = calc.getProjection(i);
                    calc.setProjection(i, calc.getProjection(j)).setProjection(j, left);
                    return plan.toBuilder().setCalc(calc.build()).build();
                }
            }
        }
        return plan;
    }

    private static Operator nullPasses(Operator plan) {
        if (!plan.hasCalc() || !plan.getCalc().hasCondition()) {
            return plan;
        }
        Expr condition = call("IS_NOT_FALSE", type(TypeKind.BOOLEAN, false), plan.getCalc().getCondition());
        return plan.toBuilder().setCalc(plan.getCalc().toBuilder().setCondition(condition).build()).build();
    }
}
