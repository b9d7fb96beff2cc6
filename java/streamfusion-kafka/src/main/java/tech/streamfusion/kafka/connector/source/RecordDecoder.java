package tech.streamfusion.kafka.connector.source;

import java.util.ArrayList;
import java.util.List;
import javax.annotation.Nullable;
import org.apache.flink.table.api.TableRuntimeException;
import org.apache.flink.table.data.GenericRowData;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import tech.streamfusion.kafka.KafkaNative;
import tech.streamfusion.kafka.TableFormats;
import tech.streamfusion.runtime.NativeBatch;
import tech.streamfusion.runtime.NativeEngine;
import tech.streamfusion.runtime.operators.HostKernelRunner;

/**
 * Decodes runs of records into batches of produced rows. Source of the semantics: DynamicKafkaDeserializationSchema. Belongs
 * to the task thread.
 */
final class RecordDecoder implements AutoCloseable {

    private final ScanPlan plan;
    private final HostRows hostRows;
    private final BinaryRows metadataRows;
    private final long pool;
    private long producedType;
    private long metadataType;
    private long watermark;
    @Nullable private HostKernelRunner watermarkKernels;
    @Nullable private FieldDecoder values;
    @Nullable private FieldDecoder keys;
    private boolean closed;

    private RecordDecoder(ScanPlan plan, HostRows hostRows) {
        this.plan = plan;
        this.hostRows = hostRows;
        this.metadataRows = new BinaryRows(plan.metadataType);
        // one batch at a time, see BatchRecords; Flink gives a source reader no managed memory
        this.pool = NativeEngine.poolCreate("Kafka source " + plan.tableName, -1, null);
    }

    static RecordDecoder open(ScanPlan plan, HostRows hostRows, ClassLoader loader) {
        RecordDecoder decoder = new RecordDecoder(plan, hostRows);
        try {
            decoder.open(loader);
        } catch (RuntimeException | Error e) {
            decoder.close();
            throw e;
        }
        return decoder;
    }

    private void open(ClassLoader loader) {
        producedType = NativeEngine.typeCreate(plan.producedTypePlan);
        metadataType = NativeEngine.typeCreate(plan.metadataTypePlan);
        values =
                new FieldDecoder(
                        pool, TableFormats.get(plan.valueFormat, loader), plan.valueFormatPlan, plan.valueTypePlan);
        if (plan.hasKey()) {
            keys =
                    new FieldDecoder(
                            pool, TableFormats.get(plan.keyFormat, loader), plan.keyFormatPlan, plan.keyTypePlan);
        }
        if (plan.watermark != null) {
            if (plan.watermarkKernels.length > 0) {
                watermarkKernels = openKernels(loader);
            }
            watermark = NativeEngine.exprCreate(pool, plan.session, producedType, plan.watermark, watermarkKernels);
        }
    }

    /** As GeneratedWatermarkGeneratorSupplier, whose generator knows no runtime context either. */
    private HostKernelRunner openKernels(ClassLoader loader) {
        try {
            return HostKernelRunner.open(plan.watermarkKernels, loader, null, null, pool);
        } catch (Exception e) {
            throw new RuntimeException("Fail to instantiate generated watermark generator.", e);
        }
    }

    private void closeKernels() {
        if (watermarkKernels != null) {
            try {
                watermarkKernels.close();
            } catch (Exception e) {
                throw new RuntimeException("A function of the watermark failed to close", e);
            }
        }
    }

    /** Decodes records of one partition, in order; the batches in the result are the caller's. */
    List<BatchRecord> decode(
            List<ConsumerRecord<byte[], byte[]>> records, Slices keySlices, Slices valueSlices) {
        return new Run(records, keySlices, valueSlices).decode();
    }

    @Override
    public void close() {
        if (closed) {
            return;
        }
        closed = true;
        if (watermark != 0) {
            NativeEngine.exprClose(watermark);
        }
        if (keys != null) {
            keys.close();
        }
        if (values != null) {
            values.close();
        }
        if (metadataType != 0) {
            NativeEngine.typeRelease(metadataType);
        }
        if (producedType != 0) {
            NativeEngine.typeRelease(producedType);
        }
        try {
            closeKernels();
        } finally {
            NativeEngine.poolRelease(pool);
        }
    }

    /** One call of {@link #decode}. */
    private final class Run {
        private final List<ConsumerRecord<byte[], byte[]>> records;
        private final Slices keySlices;
        private final Slices valueSlices;

        /** The record whose deserialization failed, and how; the records before it are emitted. */
        private int end;

        @Nullable private Exception failure;

        Run(List<ConsumerRecord<byte[], byte[]>> records, Slices keySlices, Slices valueSlices) {
            this.records = records;
            this.keySlices = keySlices;
            this.valueSlices = valueSlices;
            this.end = records.size();
        }

        List<BatchRecord> decode() {
            long handle = batch();
            List<BatchRecord> runs = new ArrayList<>(2);
            if (end > 0) {
                ConsumerRecord<byte[], byte[]> last = records.get(end - 1);
                runs.add(finish(last, handle));
            }
            if (failure != null) {
                runs.add(BatchRecord.failed(records.get(end), failure));
            }
            return runs;
        }

        /** @param handle an owned batch or 0 */
        private BatchRecord finish(ConsumerRecord<byte[], byte[]> last, long handle) {
            if (handle == 0) {
                return BatchRecord.of(last, end, null, last.timestamp());
            }
            NativeBatch batch = new NativeBatch(handle);
            if (batch.rowCount() == 0) {
                batch.release();
                return BatchRecord.of(last, end, null, last.timestamp());
            }
            if (watermark == 0) {
                return BatchRecord.of(last, end, batch, last.timestamp());
            }
            try {
                return BatchRecord.of(last, end, batch, NativeEngine.exprMax(watermark, handle));
            } catch (Exception e) { // a host kernel throws what its code throws
                batch.release();
                return BatchRecord.failed(
                        last,
                        new TableRuntimeException(
                                "Unable to generate a watermark for a row of " + plan.tableName + '.', e));
            }
        }

        private long batch() {
            try (FieldDecoder.Decoded value = values.decode(records, valueSlices, ConsumerRecord::value)) {
                if (plan.isValueOnly() && !value.hasPunts()) {
                    return value.toBatch(producedType);
                }
                if (keys == null) {
                    return merge(value, null);
                }
                try (FieldDecoder.Decoded key = keys.decode(records, keySlices, ConsumerRecord::key)) {
                    return merge(value, key);
                }
            }
        }

        /** Puts value, key, metadata and the host's rows together, in record order. */
        private long merge(FieldDecoder.Decoded value, @Nullable FieldDecoder.Decoded key) {
            boolean[] punted = new boolean[records.size()];
            value.markPunts(punted);
            if (key != null) {
                key.markPunts(punted);
            }
            int[] hostCounts = decideOnHost(punted);
            long valueBatch = 0;
            long keyBatch = 0;
            long metadataBatch = 0;
            long nativeBatch = 0;
            long hostBatch = 0;
            long all = 0;
            try {
                int[] valueRecords = new int[value.rows()];
                valueBatch = value.toBatch(valueRecords);
                int[] keyRecords = null;
                if (key != null) {
                    keyRecords = new int[key.rows()];
                    keyBatch = key.toBatch(keyRecords);
                }
                RowMerge merge =
                        new RowMerge(
                                end,
                                punted,
                                hostCounts,
                                valueRecords,
                                NativeEngine.batchRowCount(valueBatch),
                                keyRecords,
                                key == null ? 0 : NativeEngine.batchRowCount(keyBatch));
                metadataBatch = metadata();
                nativeBatch =
                        KafkaNative.assemble(
                                pool,
                                producedType,
                                merge.nativeRows(),
                                new long[] {valueBatch, keyBatch, metadataBatch},
                                new int[][] {merge.valueRows(), merge.keyRows(), merge.records(end)},
                                plan.partOf,
                                plan.columnOf);
                if (merge.hostRows() == 0) {
                    long result = nativeBatch;
                    nativeBatch = 0;
                    return result;
                }
                hostBatch = hostRows.rows().toBatch(pool, producedType);
                all = KafkaNative.concat(pool, new long[] {nativeBatch, hostBatch});
                return reordered(all, merge.order());
            } finally {
                release(valueBatch, keyBatch, metadataBatch, nativeBatch, hostBatch, all);
            }
        }

        /** Rows per punted record, up to the first that fails. */
        private int[] decideOnHost(boolean[] punted) {
            int[] counts = new int[punted.length];
            hostRows.rows().clear();
            for (int i = 0; i < punted.length; i++) {
                if (!punted[i]) {
                    continue;
                }
                try {
                    counts[i] = hostRows.add(records.get(i), keySlices, valueSlices);
                } catch (Exception e) {
                    end = i;
                    failure = e;
                    break;
                }
            }
            return counts;
        }

        private long metadata() {
            if (plan.metadata.length == 0) {
                return 0;
            }
            GenericRowData row = new GenericRowData(plan.metadata.length);
            for (int i = 0; i < end; i++) {
                for (int c = 0; c < plan.metadata.length; c++) {
                    row.setField(c, plan.metadata[c].read(records.get(i)));
                }
                metadataRows.add(row);
            }
            return metadataRows.toBatch(pool, metadataType);
        }

        private long reordered(long batch, int[] order) {
            int columns = plan.partOf.length;
            int[] partOf = new int[columns];
            int[] columnOf = new int[columns];
            for (int c = 0; c < columns; c++) {
                columnOf[c] = c;
            }
            return KafkaNative.assemble(
                    pool, producedType, order.length, new long[] {batch}, new int[][] {order}, partOf, columnOf);
        }
    }

    private static void release(long... batches) {
        for (long batch : batches) {
            if (batch != 0) {
                NativeEngine.batchRelease(batch);
            }
        }
    }
}
