package tech.streamfusion.testing;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.table.api.Schema;
import org.apache.flink.table.api.TableDescriptor;
import org.apache.flink.table.api.bridge.java.StreamTableEnvironment;
import org.apache.flink.table.catalog.ResolvedSchema;

/** The environment of a script with its tables; the data behind them lives until it is closed. */
final class ScriptTables implements AutoCloseable {

    final StreamExecutionEnvironment env;
    final StreamTableEnvironment tables;
    private final Parity test;
    private final Map<String, String> sideOptions;
    private final List<String> dataIds = new ArrayList<>();
    private final List<String> sinkIds = new ArrayList<>();

    ScriptTables(Parity test, Map<String, String> sideOptions) {
        this.test = test;
        this.sideOptions = sideOptions;
        Configuration config = new Configuration();
        config.setString("pipeline.object-reuse", Boolean.toString(test.objectReuse));
        config.setString("restart-strategy.type", "none");
        test.options.forEach(config::setString);
        sideOptions.forEach(config::setString);
        env = StreamExecutionEnvironment.getExecutionEnvironment(config);
        env.setParallelism(test.parallelism);
        tables = StreamTableEnvironment.create(env);
        test.options.forEach(tables.getConfig()::set);
        sideOptions.forEach(tables.getConfig()::set);
    }

    /** Creates what the script reads and runs its statements. */
    void createSources() {
        test.columns.forEach(
                (name, columns) -> {
                    String id = TestData.addRows(test.rows.get(name));
                    dataIds.add(id);
                    tables.executeSql(createTable(name, columns, Map.of(ParityTableFactory.DATA.key(), id)));
                });
        test.statements.forEach(statement -> tables.executeSql(Parity.ofSide(statement, sideOptions)));
    }

    /**
     * Creates the sink of the query and returns its name.
     *
     * @param schema of the query, which the sink takes over unless the script says what its columns are
     */
    String createSink(Parity.Query query, ResolvedSchema schema) {
        String sinkId = TestData.addSink();
        sinkIds.add(sinkId);
        String sink = "parity_sink_" + sinkIds.size();
        Map<String, String> options = new LinkedHashMap<>();
        options.put(ParityTableFactory.DATA.key(), sinkId);
        options.put(ParityTableFactory.WATERMARKS.key(), Boolean.toString(test.recordWatermarks));
        options.put(ParityTableFactory.TIMESTAMPS.key(), Boolean.toString(test.recordTimestamps));
        options.put(ParityTableFactory.UPSERT.key(), Boolean.toString(test.upsertSinks));
        if (query.sinkColumns != null) {
            tables.executeSql(createTable(sink, query.sinkColumns, options));
            return sink;
        }
        TableDescriptor.Builder descriptor =
                TableDescriptor.forConnector(ParityTableFactory.IDENTIFIER)
                        .schema(Schema.newBuilder().fromRowDataType(schema.toSinkRowDataType()).build());
        options.forEach(descriptor::option);
        tables.createTemporaryTable(sink, descriptor.build());
        return sink;
    }

    /** What has reached the sinks since the last call, in the order of the queries. */
    List<List<Change>> takeChanges() {
        List<List<Change>> out = new ArrayList<>();
        for (String id : sinkIds) {
            out.add(new ArrayList<>(TestData.changes(id)));
            TestData.changes(id).clear();
        }
        return out;
    }

    @Override
    public void close() {
        dataIds.forEach(TestData::remove);
        sinkIds.forEach(TestData::remove);
    }

    private static String createTable(String name, String columns, Map<String, String> options) {
        StringBuilder sql = new StringBuilder("CREATE TABLE " + name + " (" + columns + ") WITH (");
        sql.append("'connector' = '").append(ParityTableFactory.IDENTIFIER).append('\'');
        options.forEach((key, value) -> sql.append(", '").append(key).append("' = '").append(value).append('\''));
        return sql.append(')').toString();
    }
}
