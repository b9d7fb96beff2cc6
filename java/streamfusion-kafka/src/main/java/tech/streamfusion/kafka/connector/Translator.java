package tech.streamfusion.kafka.connector;

import org.apache.flink.api.connector.sink2.Sink;
import tech.streamfusion.kafka.ConnectorTranslator;
import tech.streamfusion.kafka.connector.sink.SinkTranslation;
import tech.streamfusion.kafka.connector.source.ScanTranslation;
import tech.streamfusion.runtime.NativeBatch;
import tech.streamfusion.runtime.spi.NativeScanProvider;
import tech.streamfusion.runtime.spi.NativeSinkProvider;
import tech.streamfusion.runtime.spi.Translation;

/** Entry from the providers into the classes that link to the connector. */
public final class Translator implements ConnectorTranslator {

    @Override
    public Translation<NativeScanProvider.NativeScan> scan(NativeScanProvider.Context context) {
        try {
            return ScanTranslation.translate(context);
        } catch (UnexpectedConnectorException e) {
            return Translation.fallback(e.getMessage());
        }
    }

    @Override
    public Translation<Sink<NativeBatch>> sink(NativeSinkProvider.Context context) {
        try {
            return SinkTranslation.translate(context);
        } catch (UnexpectedConnectorException e) {
            return Translation.fallback(e.getMessage());
        }
    }
}
