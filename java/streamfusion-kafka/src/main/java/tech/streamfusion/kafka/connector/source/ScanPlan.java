package tech.streamfusion.kafka.connector.source;

import java.io.Serializable;
import javax.annotation.Nullable;
import org.apache.flink.table.types.logical.RowType;
import tech.streamfusion.runtime.HostKernelSpec;
import tech.streamfusion.runtime.spi.NativeScanProvider;

/** What the planner decided about a Kafka scan; travels inside the source. */
final class ScanPlan implements Serializable {

    private static final long serialVersionUID = 1L;

    /** Where a produced column comes from: {@link #partOf}. */
    static final int NOWHERE = -1;

    static final int VALUE = 0;
    static final int KEY = 1;
    static final int METADATA = 2;

    final String tableName;
    final RowType producedType;
    final byte[] producedTypePlan;

    final String valueFormat;
    final byte[] valueFormatPlan;
    final byte[] valueTypePlan;

    @Nullable final String keyFormat;
    @Nullable final byte[] keyFormatPlan;
    @Nullable final byte[] keyTypePlan;

    /** Metadata that something reads, in the order of {@link #metadataType}. */
    final MetadataColumn[] metadata;

    final RowType metadataType;
    final byte[] metadataTypePlan;

    /** Per produced column its part and the column there. */
    final int[] partOf;

    final int[] columnOf;

    /** Serialized watermark expression over the produced row, and the session it is evaluated in. */
    @Nullable final byte[] watermark;

    final HostKernelSpec[] watermarkKernels;
    final byte[] session;

    ScanPlan(
            String tableName,
            RowType producedType,
            byte[] producedTypePlan,
            FormatPlan value,
            @Nullable FormatPlan key,
            MetadataColumn[] metadata,
            RowType metadataType,
            byte[] metadataTypePlan,
            int[] partOf,
            int[] columnOf,
            @Nullable NativeScanProvider.WatermarkSpec watermark,
            byte[] session) {
        this.tableName = tableName;
        this.producedType = producedType;
        this.producedTypePlan = producedTypePlan;
        this.valueFormat = value.identifier;
        this.valueFormatPlan = value.plan;
        this.valueTypePlan = value.typePlan;
        this.keyFormat = key == null ? null : key.identifier;
        this.keyFormatPlan = key == null ? null : key.plan;
        this.keyTypePlan = key == null ? null : key.typePlan;
        this.metadata = metadata;
        this.metadataType = metadataType;
        this.metadataTypePlan = metadataTypePlan;
        this.partOf = partOf;
        this.columnOf = columnOf;
        this.watermark = watermark == null ? null : watermark.expression();
        this.watermarkKernels = watermark == null ? new HostKernelSpec[0] : watermark.hostKernels();
        this.session = session;
    }

    boolean hasKey() {
        return keyFormat != null;
    }

    /** Whether decoded values are already the produced rows. */
    boolean isValueOnly() {
        if (hasKey() || metadata.length > 0) {
            return false;
        }
        for (int i = 0; i < partOf.length; i++) {
            if (partOf[i] != VALUE || columnOf[i] != i) {
                return false;
            }
        }
        return true;
    }

    /** One of the two formats, as the engine gets it. */
    static final class FormatPlan {
        final String identifier;
        final byte[] plan;
        final byte[] typePlan;

        FormatPlan(String identifier, byte[] plan, byte[] typePlan) {
            this.identifier = identifier;
            this.plan = plan;
            this.typePlan = typePlan;
        }
    }
}
