package tech.streamfusion.kafka;

import org.apache.flink.api.connector.sink2.Sink;
import org.apache.flink.table.connector.sink.DynamicTableSink;
import tech.streamfusion.runtime.NativeBatch;
import tech.streamfusion.runtime.spi.NativeSinkProvider;
import tech.streamfusion.runtime.spi.Translation;

/** Native sinks of {@code kafka} tables. Touches no class of the connector until a Kafka table sink is at hand. */
public final class KafkaSinkProvider implements NativeSinkProvider {

    private static final String SINK_CLASS = "org.apache.flink.streaming.connectors.kafka.table.KafkaDynamicSink";

    @Override
    public boolean accepts(DynamicTableSink sink) {
        return sink.getClass().getName().equals(SINK_CLASS);
    }

    @Override
    public Translation<Sink<NativeBatch>> translate(Context context) {
        Translation<ConnectorTranslator> connector = ConnectorVariant.of(context.sink().getClass());
        return connector.isNative() ? connector.get().sink(context) : Translation.fallback(connector.reason());
    }
}
