package tech.streamfusion.runtime.spi;

import java.util.Map;
import org.apache.flink.configuration.ReadableConfig;
import org.apache.flink.table.types.logical.RowType;

/** A format's Java half: what it covers and where its library is. Found with ServiceLoader. */
public interface NativeFormat {

    /** Flink's format identifier, e.g. {@code json}. */
    String identifier();

    /** @param formatOptions the format's options, prefix stripped; returns the resolved options for the native decoder */
    Translation<Map<String, String>> decoderOptions(RowType rowType, ReadableConfig formatOptions);

    Translation<Map<String, String>> encoderOptions(RowType rowType, ReadableConfig formatOptions);

    /** Handle of the opened native library (see {@code NativeEngine.formatOpen}); opened once. */
    long open();
}
