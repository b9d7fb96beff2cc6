package tech.streamfusion.testing;

import java.util.Map;
import org.apache.flink.runtime.jobgraph.JobGraph;
import org.apache.flink.streaming.api.graph.StreamGraph;
import org.apache.flink.table.api.bridge.java.StreamStatementSet;
import org.apache.flink.table.catalog.ResolvedSchema;

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
        run.explained = inserts.explain();
        run.nodes = PlanNodes.of(run.explained);
        inserts.attachAsDataStream();
        StreamGraph graph = script.env.getStreamGraph();
        graph.setJobName("parity");
        run.streamGraph = GraphText.of(graph);
        JobGraph job = graph.getJobGraph();
        run.jobGraph = GraphText.of(job);
        return job;
    }
}
