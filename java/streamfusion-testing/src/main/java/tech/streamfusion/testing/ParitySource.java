package tech.streamfusion.testing;

import java.util.List;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.connector.source.SourceReaderContext;
import org.apache.flink.connector.datagen.source.DataGeneratorSource;
import org.apache.flink.connector.datagen.source.GeneratorFunction;
import org.apache.flink.table.connector.ChangelogMode;
import org.apache.flink.table.connector.RuntimeConverter;
import org.apache.flink.table.connector.source.DynamicTableSource;
import org.apache.flink.table.connector.source.ScanTableSource;
import org.apache.flink.table.connector.source.SourceProvider;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.types.DataType;
import org.apache.flink.types.Row;

/** Emits the given rows one by one, in order at parallelism 1, each time as new objects. */
final class ParitySource implements ScanTableSource {

    private final String data;
    private final DataType rowType;

    ParitySource(String data, DataType rowType) {
        this.data = data;
        this.rowType = rowType;
    }

    /** The kinds that occur in the rows. */
    @Override
    public ChangelogMode getChangelogMode() {
        ChangelogMode.Builder mode = ChangelogMode.newBuilder();
        List<Row> rows = TestData.rows(data);
        rows.forEach(row -> mode.addContainedKind(row.getKind()));
        return mode.build();
    }

    @Override
    public ScanRuntimeProvider getScanRuntimeProvider(ScanContext context) {
        TypeInformation<RowData> typeInfo = context.createTypeInformation(rowType);
        return SourceProvider.of(
                new DataGeneratorSource<>(
                        new Generator(data, context.createDataStructureConverter(rowType)),
                        TestData.rows(data).size(),
                        typeInfo));
    }

    @Override
    public DynamicTableSource copy() {
        return new ParitySource(data, rowType);
    }

    @Override
    public String asSummaryString() {
        return "parity source";
    }

    private static final class Generator implements GeneratorFunction<Long, RowData> {

        private static final long serialVersionUID = 1L;

        private final String data;
        private final DataStructureConverter converter;
        private transient List<Row> rows;

        Generator(String data, DataStructureConverter converter) {
            this.data = data;
            this.converter = converter;
        }

        @Override
        public void open(SourceReaderContext context) {
            rows = TestData.rows(data);
            converter.open(RuntimeConverter.Context.create(Generator.class.getClassLoader()));
        }

        @Override
        public RowData map(Long index) {
            return (RowData) converter.toInternal(rows.get(index.intValue()));
        }
    }
}
