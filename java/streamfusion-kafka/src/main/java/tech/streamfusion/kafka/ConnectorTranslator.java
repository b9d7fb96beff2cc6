package tech.streamfusion.kafka;

import org.apache.flink.api.connector.sink2.Sink;
import tech.streamfusion.runtime.NativeBatch;
import tech.streamfusion.runtime.spi.NativeScanProvider;
import tech.streamfusion.runtime.spi.NativeSinkProvider;
import tech.streamfusion.runtime.spi.Translation;

/** The way from the providers to the classes that link to the connector; implemented once per variant. */
public interface ConnectorTranslator {

    Translation<NativeScanProvider.NativeScan> scan(NativeScanProvider.Context context);

    Translation<Sink<NativeBatch>> sink(NativeSinkProvider.Context context);
}
