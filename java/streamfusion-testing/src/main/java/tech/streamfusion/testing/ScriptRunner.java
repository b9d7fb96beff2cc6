package tech.streamfusion.testing;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.runtime.jobgraph.JobGraph;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.graph.StreamGraph;
import org.apache.flink.table.api.Schema;
import org.apache.flink.table.api.Table;
import org.apache.flink.table.api.TableDescriptor;
import org.apache.flink.table.api.bridge.java.StreamStatementSet;
import org.apache.flink.table.api.bridge.java.StreamTableEnvironment;

/** Runs a test's script once, with the options of one side. */
final class ScriptRunner {

    private final Parity test;
    private final Map<String, String> sideOptions;
    private final Consumer<StreamGraph> change;

    ScriptRunner(Parity test, Map<String, String> sideOptions) {
        this(test, sideOptions, graph -> {});
    }

    /** @param change made to the stream graph after it has been described and before it becomes a job graph */
    ScriptRunner(Parity test, Map<String, String> sideOptions, Consumer<StreamGraph> change) {
        this.test = test;
        this.sideOptions = sideOptions;
        this.change = change;
    }

    SideRun run() {
        SideRun run = new SideRun();
        List<String> dataIds = new ArrayList<>();
        List<String> sinkIds = new ArrayList<>();
        try {
            JobGraph job = plan(run, dataIds, sinkIds);
            SharedCluster.run(job);
        } catch (Exception | LinkageError | AssertionError e) {
            run.failure = e;
        }
        for (String id : sinkIds) {
            run.sinks.add(new ArrayList<>(TestData.changes(id)));
        }
        dataIds.forEach(TestData::remove);
        sinkIds.forEach(TestData::remove);
        return run;
    }

    private JobGraph plan(SideRun run, List<String> dataIds, List<String> sinkIds) {
        Configuration config = new Configuration();
        config.setString("pipeline.object-reuse", Boolean.toString(test.objectReuse));
        config.setString("restart-strategy.type", "none");
        test.options.forEach(config::setString);
        sideOptions.forEach(config::setString);
        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment(config);
        env.setParallelism(test.parallelism);
        StreamTableEnvironment tables = StreamTableEnvironment.create(env);
        test.options.forEach(tables.getConfig()::set);
        sideOptions.forEach(tables.getConfig()::set);
        test.columns.forEach(
                (name, columns) -> {
                    String id = TestData.addRows(test.rows.get(name));
                    dataIds.add(id);
                    tables.executeSql(createTable(name, columns, Map.of(ParityTableFactory.DATA.key(), id)));
                });
        test.statements.forEach(tables::executeSql);
        StreamStatementSet inserts = tables.createStatementSet();
        for (Parity.Query query : test.queries) {
            String sinkId = TestData.addSink();
            sinkIds.add(sinkId);
            String sink = "parity_sink_" + sinkIds.size();
            createSink(tables, sink, sinkId, query);
            inserts.addInsertSql("INSERT INTO " + sink + " " + query.sql);
        }
        run.explained = inserts.explain();
        run.nodes = PlanNodes.of(run.explained);
        inserts.attachAsDataStream();
        StreamGraph graph = env.getStreamGraph();
        graph.setJobName("parity");
        run.streamGraph = GraphText.of(graph);
        change.accept(graph);
        JobGraph job = graph.getJobGraph();
        run.jobGraph = GraphText.of(job);
        return job;
    }

    private void createSink(StreamTableEnvironment tables, String sink, String sinkId, Parity.Query query) {
        Map<String, String> options = new LinkedHashMap<>();
        options.put(ParityTableFactory.DATA.key(), sinkId);
        options.put(ParityTableFactory.WATERMARKS.key(), Boolean.toString(test.recordWatermarks));
        options.put(ParityTableFactory.TIMESTAMPS.key(), Boolean.toString(test.recordTimestamps));
        if (query.sinkColumns != null) {
            tables.executeSql(createTable(sink, query.sinkColumns, options));
            return;
        }
        Table result = tables.sqlQuery(query.sql);
        TableDescriptor.Builder descriptor =
                TableDescriptor.forConnector(ParityTableFactory.IDENTIFIER)
                        .schema(
                                Schema.newBuilder()
                                        .fromRowDataType(result.getResolvedSchema().toSinkRowDataType())
                                        .build());
        options.forEach(descriptor::option);
        tables.createTemporaryTable(sink, descriptor.build());
    }

    private static String createTable(String name, String columns, Map<String, String> options) {
        StringBuilder sql = new StringBuilder("CREATE TABLE " + name + " (" + columns + ") WITH (");
        sql.append("'connector' = '").append(ParityTableFactory.IDENTIFIER).append('\'');
        options.forEach((key, value) -> sql.append(", '").append(key).append("' = '").append(value).append('\''));
        return sql.append(')').toString();
    }
}
