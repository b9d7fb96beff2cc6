package tech.streamfusion.kafka.connector.source;

import org.apache.flink.api.common.eventtime.Watermark;
import org.apache.flink.api.common.eventtime.WatermarkGenerator;
import org.apache.flink.api.common.eventtime.WatermarkGeneratorSupplier;
import org.apache.flink.api.common.eventtime.WatermarkOutput;
import tech.streamfusion.runtime.NativeBatch;

/**
 * Periodic watermarks of a split. The reader evaluates the watermark expression over the batch and hands the batch over with
 * the largest result as its timestamp. Source: GeneratedWatermarkGeneratorSupplier.DefaultWatermarkGenerator, whose
 * watermark is the largest so far too.
 */
final class BatchWatermarks implements WatermarkGenerator<NativeBatch> {

    private long current = Long.MIN_VALUE;

    @Override
    public void onEvent(NativeBatch batch, long largest, WatermarkOutput output) {
        current = Math.max(current, largest);
    }

    @Override
    public void onPeriodicEmit(WatermarkOutput output) {
        output.emitWatermark(new Watermark(current));
    }

    /** A named class: lambdas that are serialized do not survive the relocation of this package. */
    static final class Supplier implements WatermarkGeneratorSupplier<NativeBatch> {

        private static final long serialVersionUID = 1L;

        @Override
        public WatermarkGenerator<NativeBatch> createWatermarkGenerator(Context context) {
            return new BatchWatermarks();
        }
    }
}
