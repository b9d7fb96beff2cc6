package tech.streamfusion.kafka;

import org.apache.flink.table.connector.source.DynamicTableSource;
import tech.streamfusion.runtime.spi.NativeScanProvider;
import tech.streamfusion.runtime.spi.Translation;

/** Native scans of {@code kafka} tables. Touches no class of the connector until a Kafka table source is at hand. */
public final class KafkaScanProvider implements NativeScanProvider {

    private static final String SOURCE_CLASS = "org.apache.flink.streaming.connectors.kafka.table.KafkaDynamicSource";

    @Override
    public boolean accepts(DynamicTableSource source) {
        return source.getClass().getName().equals(SOURCE_CLASS);
    }

    @Override
    public Translation<NativeScan> translate(Context context) {
        Translation<ConnectorTranslator> connector = ConnectorVariant.of(context.source().getClass());
        return connector.isNative() ? connector.get().scan(context) : Translation.fallback(connector.reason());
    }
}
