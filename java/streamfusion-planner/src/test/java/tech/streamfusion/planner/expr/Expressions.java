package tech.streamfusion.planner.expr;

import java.util.List;
import org.apache.calcite.rex.RexNode;
import org.apache.flink.table.api.bridge.java.StreamTableEnvironment;
import org.apache.flink.table.planner.calcite.FlinkRexBuilder;
import org.apache.flink.table.planner.plan.nodes.exec.ExecNode;
import org.apache.flink.table.planner.plan.nodes.exec.stream.StreamExecCalc;
import org.apache.flink.table.types.logical.RowType;
import tech.streamfusion.planner.Planning;
import tech.streamfusion.planner.graph.StockFields;

/** Optimized expressions of SQL text, over one table with a column of every kind. */
final class Expressions {

    static final String TABLE =
            "CREATE TABLE t (a INT, b BIGINT NOT NULL, d DECIMAL(10, 2), f DOUBLE, s STRING, c CHAR(3), ts TIMESTAMP(3), "
                    + "ltz TIMESTAMP_LTZ(3), dt DATE, flag BOOLEAN, r ROW<x INT, y ROW<z STRING>>, arr ARRAY<INT>, "
                    + "i2 SMALLINT, fl FLOAT, WATERMARK FOR ts AS ts) WITH ('connector' = 'planned')";

    final StreamTableEnvironment env = Planning.environment();

    Expressions() {
        env.executeSql(TABLE);
        env.executeSql("CREATE TABLE sink (v STRING) WITH ('connector' = 'planned')");
    }

    /** The Calc that computes the expression; it is compared with NULL when it is no text. */
    private StreamExecCalc calc(String select) {
        for (ExecNode<?> node : Planning.stockNodes(env, "INSERT INTO sink " + select)) {
            if (node instanceof StreamExecCalc) {
                return (StreamExecCalc) node;
            }
        }
        throw new IllegalArgumentException("no Calc in " + select);
    }

    RexNode condition(String sql) {
        return StockFields.condition(calc("SELECT s FROM t WHERE " + sql));
    }

    /** @param sql an expression of type STRING */
    RexNode text(String sql) {
        List<RexNode> projection = StockFields.projection(calc("SELECT " + sql + " FROM t"));
        return projection.get(0);
    }

    RowType inputType() {
        return (RowType) calc("SELECT s || s FROM t").getInputEdges().get(0).getOutputType();
    }

    ExpressionPlan plan(ExprSupport support) {
        return plan(support, false);
    }

    ExpressionPlan plan(ExprSupport support, boolean legacyCast) {
        FlinkRexBuilder rexBuilder = new FlinkRexBuilder(Planning.planner(env).getTypeFactory());
        return new ExpressionPlan(
                new ExpressionPlan.Context(rexBuilder, support, name -> false), inputType(), legacyCast);
    }
}
