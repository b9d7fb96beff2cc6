package tech.streamfusion.planner.expr;

import java.util.List;
import org.apache.calcite.rex.RexNode;
import org.apache.flink.configuration.ReadableConfig;
import org.apache.flink.streaming.api.functions.ProcessFunction;
import org.apache.flink.table.data.GenericRowData;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.planner.codegen.CodeGenUtils;
import org.apache.flink.table.planner.codegen.CodeGeneratorContext;
import org.apache.flink.table.planner.codegen.ExprCodeGenerator;
import org.apache.flink.table.planner.codegen.FunctionCodeGenerator;
import org.apache.flink.table.planner.codegen.GeneratedExpression;
import org.apache.flink.table.planner.utils.JavaScalaConversionUtil;
import org.apache.flink.table.runtime.generated.GeneratedFunction;
import org.apache.flink.table.types.logical.LogicalType;
import org.apache.flink.table.types.logical.RowType;
import scala.Option;
import tech.streamfusion.runtime.HostKernelSpec;

/** Has Flink's code generator write a function for one host region. */
final class HostKernelCompiler {

    private final ReadableConfig config;
    private final ClassLoader classLoader;

    /** @param config the exec node's configuration, as the stock operator's code would be generated with */
    HostKernelCompiler(ReadableConfig config, ClassLoader classLoader) {
        this.config = config;
        this.classLoader = classLoader;
    }

    /**
     * @param body refers to the fields of {@code argumentType}
     * @param whole whether this is all of a projection or condition, and not a part of it
     */
    HostKernelSpec compile(RexNode body, RowType argumentType, LogicalType resultType, boolean whole) {
        CodeGeneratorContext context = new CodeGeneratorContext(config, classLoader);
        ExprCodeGenerator generator =
                new ExprCodeGenerator(context, false)
                        .bindInput(argumentType, CodeGenUtils.DEFAULT_INPUT1_TERM(), Option.empty());
        GeneratedExpression value = generator.generateExpression(body);
        if (!whole) {
            value = nullable(value);
        }
        LogicalType nullableType = resultType.copy(true);
        RowType resultRow = RowType.of(nullableType);
        GeneratedExpression row =
                generator.generateResultExpression(
                        JavaScalaConversionUtil.toScala(List.of(value)),
                        resultRow,
                        GenericRowData.class,
                        CodeGenUtils.DEFAULT_OUT_RECORD_TERM(),
                        Option.empty(),
                        true,
                        false);
        String collect = CodeGenUtils.DEFAULT_COLLECTOR_TERM() + ".collect(" + row.resultTerm() + ");";
        return new HostKernelSpec(
                function(context, row.code() + "\n" + collect, resultRow, argumentType), argumentType, nullableType);
    }

    /**
     * A NULL whose type is NOT NULL is one to the code around it; only what writes rows does not look. Here the code around it
     * is the engine.
     */
    private static GeneratedExpression nullable(GeneratedExpression value) {
        return new GeneratedExpression(
                value.resultTerm(), value.nullTerm(), value.code(), value.resultType().copy(true), value.literalValue());
    }

    @SuppressWarnings({"unchecked", "rawtypes"})
    private static GeneratedFunction<ProcessFunction<RowData, RowData>> function(
            CodeGeneratorContext context, String body, RowType resultRow, RowType argumentType) {
        return (GeneratedFunction)
                FunctionCodeGenerator.generateFunction(
                        context,
                        "HostKernel",
                        ProcessFunction.class,
                        body,
                        resultRow,
                        argumentType,
                        CodeGenUtils.DEFAULT_INPUT1_TERM(),
                        Option.empty(),
                        Option.apply(CodeGenUtils.DEFAULT_INPUT2_TERM()),
                        CodeGenUtils.DEFAULT_COLLECTOR_TERM(),
                        CodeGenUtils.DEFAULT_CONTEXT_TERM());
    }
}
