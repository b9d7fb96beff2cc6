package tech.streamfusion.testing;

import java.io.IOException;
import java.util.Map;
import org.apache.flink.runtime.jobgraph.JobGraph;
import org.apache.flink.streaming.api.graph.StreamGraph;
import org.apache.flink.table.api.PlanReference;
import org.apache.flink.table.api.bridge.java.StreamStatementSet;
import org.apache.flink.table.api.internal.TableEnvironmentImpl;
import org.apache.flink.table.catalog.ResolvedSchema;
import org.apache.flink.table.delegation.InternalPlan;
import org.apache.flink.table.delegation.Planner;

/** Runs a test's script once, with the options of one side, through what users call. */
final class ScriptRunner {

    private final Parity test;
    private final Map<String, String> sideOptions;

    ScriptRunner(Parity test, Map<String, String> sideOptions) {
        this.test = test;
        this.sideOptions = sideOptions;
    }

    SideRun run() {
        SideRun run = new SideRun();
        try (ScriptTables script = new ScriptTables(test, sideOptions)) {
            try {
                SharedCluster.run(plan(run, script));
            } catch (Exception | LinkageError | AssertionError e) {
                run.failure = e;
            }
            run.sinks.addAll(script.takeChanges());
        }
        return run;
    }

    private JobGraph plan(SideRun run, ScriptTables script) {
        script.createSources();
        StreamStatementSet inserts = script.tables.createStatementSet();
        for (Parity.Query query : test.queries) {
            ResolvedSchema schema =
                    query.sinkColumns == null ? script.tables.sqlQuery(query.sql).getResolvedSchema() : null;
            inserts.addInsertSql("INSERT INTO " + script.createSink(query, schema) + " " + query.sql);
        }
        test.inserts.forEach(insert -> inserts.addInsertSql(Parity.ofSide(insert, sideOptions)));
        if (test.planChange != null) {
            attachCompiled(run, script);
        } else {
            run.explained = inserts.explain();
            inserts.attachAsDataStream();
        }
        run.nodes = PlanNodes.of(run.explained);
        StreamGraph graph = script.env.getStreamGraph();
        graph.setJobName("parity");
        run.streamGraph = GraphText.of(graph);
        JobGraph job = graph.getJobGraph();
        run.jobGraph = GraphText.of(job);
        return job;
    }

    private void attachCompiled(SideRun run, ScriptTables script) {
        String insert = "INSERT INTO parity_sink_1 " + test.queries.get(0).sql;
        String json = test.planChange.apply(script.tables.compilePlanSql(insert).asJsonString());
        Planner planner = ((TableEnvironmentImpl) script.tables).getPlanner();
        try {
            InternalPlan plan = planner.loadPlan(PlanReference.fromJsonString(json));
            run.explained = planner.explainPlan(plan);
            planner.translatePlan(plan).forEach(script.env::addOperator);
        } catch (IOException e) {
            throw new IllegalStateException("The changed plan does not load: " + json, e);
        }
    }
}
