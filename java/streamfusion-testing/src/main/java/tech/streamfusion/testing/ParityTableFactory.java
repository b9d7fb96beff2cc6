package tech.streamfusion.testing;

import java.util.Set;
import org.apache.flink.configuration.ConfigOption;
import org.apache.flink.configuration.ConfigOptions;
import org.apache.flink.table.connector.sink.DynamicTableSink;
import org.apache.flink.table.connector.source.DynamicTableSource;
import org.apache.flink.table.factories.DynamicTableSinkFactory;
import org.apache.flink.table.factories.DynamicTableSourceFactory;
import org.apache.flink.table.factories.FactoryUtil;

/** Tables over {@link TestData}: a bounded source that emits rows in their order, a sink that records what it is given. */
public final class ParityTableFactory implements DynamicTableSourceFactory, DynamicTableSinkFactory {

    static final String IDENTIFIER = "parity";

    static final ConfigOption<String> DATA = ConfigOptions.key("data").stringType().noDefaultValue();
    static final ConfigOption<Boolean> WATERMARKS = ConfigOptions.key("watermarks").booleanType().defaultValue(false);
    static final ConfigOption<Boolean> TIMESTAMPS = ConfigOptions.key("timestamps").booleanType().defaultValue(false);
    static final ConfigOption<Boolean> UPSERT = ConfigOptions.key("upsert").booleanType().defaultValue(false);

    @Override
    public DynamicTableSource createDynamicTableSource(Context context) {
        FactoryUtil.TableFactoryHelper helper = FactoryUtil.createTableFactoryHelper(this, context);
        helper.validate();
        return new ParitySource(helper.getOptions().get(DATA), context.getPhysicalRowDataType());
    }

    @Override
    public DynamicTableSink createDynamicTableSink(Context context) {
        FactoryUtil.TableFactoryHelper helper = FactoryUtil.createTableFactoryHelper(this, context);
        helper.validate();
        return new ParitySink(
                helper.getOptions().get(DATA),
                context.getPhysicalRowDataType(),
                helper.getOptions().get(WATERMARKS),
                helper.getOptions().get(TIMESTAMPS),
                helper.getOptions().get(UPSERT));
    }

    @Override
    public String factoryIdentifier() {
        return IDENTIFIER;
    }

    @Override
    public Set<ConfigOption<?>> requiredOptions() {
        return Set.of(DATA);
    }

    @Override
    public Set<ConfigOption<?>> optionalOptions() {
        return Set.of(WATERMARKS, TIMESTAMPS, UPSERT);
    }
}
