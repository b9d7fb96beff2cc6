package tech.streamfusion.json;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.flink.api.common.serialization.DeserializationSchema;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.formats.common.TimestampFormat;
import org.apache.flink.formats.json.JsonFormatOptions.MapNullKeyMode;
import org.apache.flink.formats.json.JsonParserRowDataDeserializationSchema;
import org.apache.flink.formats.json.JsonRowDataDeserializationSchema;
import org.apache.flink.formats.json.JsonRowDataSerializationSchema;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.types.logical.RowType;
import org.apache.flink.util.Collector;
import tech.streamfusion.runtime.NativeBatch;
import tech.streamfusion.runtime.NativeEngine;
import tech.streamfusion.runtime.PlanBytes;
import tech.streamfusion.runtime.data.BatchReader;
import tech.streamfusion.runtime.data.BatchWriter;

/** One row type with options: decodes and encodes natively and with Flink's own classes. */
final class JsonCase implements AutoCloseable {

    /** A native result that is left to the host. */
    static final String PUNT = "punt";

    private final RowType rowType;
    private final Configuration options;
    private final long pool = NativeEngine.poolCreate("json test", -1, null);
    private final long typeHandle;
    private final boolean[] read;
    private long decoder;
    private long encoder;
    private DeserializationSchema<RowData> stockDecoder;
    private JsonRowDataSerializationSchema stockEncoder;

    JsonCase(RowType rowType, String... options) {
        this(rowType, null, options);
    }

    /** @param read fields that the native decoder produces; null: all */
    JsonCase(RowType rowType, boolean[] read, String... options) {
        this.rowType = rowType;
        this.read = read;
        Map<String, String> map = new HashMap<>();
        for (int i = 0; i < options.length; i += 2) {
            map.put(options[i], options[i + 1]);
        }
        this.options = Configuration.fromMap(map);
        this.typeHandle = NativeEngine.typeCreate(PlanBytes.type(rowType));
    }

    private byte[] plan(Map<String, String> resolved) {
        PlanBytes plan = new PlanBytes().text(1, "json").bytes(2, PlanBytes.type(rowType));
        if (read != null) {
            for (boolean field : read) {
                plan.number(3, field ? 1 : 0);
            }
        }
        resolved.forEach(
                (key, value) -> plan.bytes(4, new PlanBytes().text(1, key).text(2, value).done()));
        boolean legacy = Runtime.version().feature() < 19;
        return plan.bytes(6, new PlanBytes().number(2, legacy ? 1 : 0).done()).done();
    }

    // ---- decoding ----

    /** The text of each record's row, or {@link #PUNT}. */
    String[] decode(List<byte[]> records) {
        JsonNativeFormat format = new JsonNativeFormat();
        if (decoder == 0) {
            decoder = NativeEngine.decoderCreate(format.open(), pool, plan(format.decoderOptions(rowType, options).get()));
        }
        int n = records.size();
        int[] offsets = new int[n];
        int[] sizes = new int[n];
        int size = 0;
        for (int i = 0; i < n; i++) {
            offsets[i] = size;
            sizes[i] = records.get(i) == null ? -1 : records.get(i).length;
            size += Math.max(0, sizes[i]);
        }
        long buffer = NativeEngine.bufferCreate(pool, size);
        for (int i = 0; i < n; i++) {
            if (sizes[i] > 0) {
                NativeEngine.copyIn(records.get(i), 0, NativeEngine.bufferAddress(buffer) + offsets[i], sizes[i]);
            }
        }
        long decoded = NativeEngine.decode(decoder, buffer, offsets, sizes, n);
        NativeEngine.bufferRelease(buffer);
        int[] kept = new int[n];
        NativeBatch batch =
                new NativeBatch(NativeEngine.decodedToBatch(decoded, pool, typeHandle, kept));
        String[] rows = new String[n];
        Arrays.fill(rows, PUNT);
        BatchReader reader = new BatchReader(rowType.getFieldCount());
        reader.bind(batch);
        for (int i = 0; i < batch.rowCount(); i++) {
            rows[kept[i]] = RowText.of(reader.row(i), rowType, read);
        }
        reader.unbind();
        batch.release();
        return rows;
    }

    /** What Flink's deserializer emits: the rows' texts, then the failure when it throws. */
    List<String> stockDecode(byte[] record) {
        List<RowData> rows = new ArrayList<>();
        Collector<RowData> collector =
                new Collector<RowData>() {
                    @Override
                    public void collect(RowData row) {
                        rows.add(row);
                    }

                    @Override
                    public void close() {}
                };
        String failure = null;
        try {
            stockDecoder().deserialize(record, collector);
        } catch (IOException e) {
            failure = "error: " + e.getCause();
        }
        List<String> texts = new ArrayList<>();
        rows.forEach(row -> texts.add(row == null ? "null" : RowText.of(row, rowType, read)));
        if (failure != null) {
            texts.add(failure);
        }
        return texts;
    }

    private DeserializationSchema<RowData> stockDecoder() {
        if (stockDecoder == null) {
            boolean strict = options.get(JsonNativeFormat.FAIL_ON_MISSING_FIELD);
            boolean lenient = options.get(JsonNativeFormat.IGNORE_PARSE_ERRORS);
            stockDecoder =
                    options.get(JsonNativeFormat.DECODE_JSON_PARSER_ENABLED)
                            ? new JsonParserRowDataDeserializationSchema(
                                    rowType, TypeInformation.of(RowData.class), strict, lenient, timestamps())
                            : new JsonRowDataDeserializationSchema(
                                    rowType, TypeInformation.of(RowData.class), strict, lenient, timestamps());
            try {
                stockDecoder.open(null);
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
        }
        return stockDecoder;
    }

    private TimestampFormat timestamps() {
        return options.get(JsonNativeFormat.TIMESTAMP_FORMAT).equals("SQL")
                ? TimestampFormat.SQL
                : TimestampFormat.ISO_8601;
    }

    // ---- encoding ----

    /** Each row's JSON; null where it is left to the host. */
    List<byte[]> encode(List<RowData> rows) {
        JsonNativeFormat format = new JsonNativeFormat();
        if (encoder == 0) {
            encoder = NativeEngine.encoderCreate(format.open(), pool, plan(format.encoderOptions(rowType, options).get()));
        }
        NativeBatch batch;
        try (BatchWriter writer = new BatchWriter(rowType, typeHandle, pool, rows.size())) {
            rows.forEach(writer::write);
            batch = writer.finish();
        }
        long encoded = NativeEngine.encode(encoder, batch.handle(), null);
        byte[] offsetBytes = new byte[(rows.size() + 1) * Long.BYTES];
        NativeEngine.copyOut(NativeEngine.encodedOffsets(encoded), offsetBytes, 0, offsetBytes.length);
        ByteBuffer offsets = ByteBuffer.wrap(offsetBytes).order(ByteOrder.nativeOrder());
        List<byte[]> texts = new ArrayList<>();
        for (int i = 0; i < rows.size(); i++) {
            long from = offsets.getLong(i * Long.BYTES);
            byte[] text = new byte[(int) (offsets.getLong((i + 1) * Long.BYTES) - from)];
            NativeEngine.copyOut(NativeEngine.encodedData(encoded) + from, text, 0, text.length);
            texts.add(text);
        }
        int[] punts = NativeEngine.encodedPuntRows(encoded);
        for (int i = 0; punts != null && i < punts.length; i++) {
            texts.set(punts[i], null);
        }
        NativeEngine.encodedRelease(encoded);
        batch.release();
        return texts;
    }

    /** Flink's text of a row; null when it throws. */
    byte[] stockEncode(RowData row) throws Exception {
        if (stockEncoder == null) {
            stockEncoder =
                    new JsonRowDataSerializationSchema(
                            rowType,
                            timestamps(),
                            MapNullKeyMode.valueOf(options.get(JsonNativeFormat.MAP_NULL_KEY_MODE)),
                            options.get(JsonNativeFormat.MAP_NULL_KEY_LITERAL),
                            options.get(JsonNativeFormat.ENCODE_DECIMAL_AS_PLAIN_NUMBER),
                            options.get(JsonNativeFormat.ENCODE_IGNORE_NULL_FIELDS));
            stockEncoder.open(null);
        }
        try {
            return stockEncoder.serialize(row);
        } catch (RuntimeException e) {
            return null;
        }
    }

    @Override
    public void close() {
        if (decoder != 0) {
            NativeEngine.decoderClose(decoder);
        }
        if (encoder != 0) {
            NativeEngine.encoderClose(encoder);
        }
        NativeEngine.typeRelease(typeHandle);
        NativeEngine.poolRelease(pool);
    }
}
