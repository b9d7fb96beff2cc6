package tech.streamfusion.runtime.operators;

import org.apache.flink.api.common.serialization.SerializerConfig;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.table.runtime.typeutils.InternalTypeInfo;
import org.apache.flink.table.types.logical.RowType;
import tech.streamfusion.runtime.NativeBatch;

/** Type of an edge that carries {@link NativeBatch}es of one row type, inside a task or between two. */
public final class NativeBatchTypeInfo extends TypeInformation<NativeBatch> {

    private static final long serialVersionUID = 1L;

    private final RowType rowType;

    public NativeBatchTypeInfo(RowType rowType) {
        this.rowType = rowType;
    }

    public RowType rowType() {
        return rowType;
    }

    @Override
    public boolean isBasicType() {
        return false;
    }

    @Override
    public boolean isTupleType() {
        return false;
    }

    @Override
    public int getArity() {
        return 1;
    }

    @Override
    public int getTotalFields() {
        return 1;
    }

    @Override
    public Class<NativeBatch> getTypeClass() {
        return NativeBatch.class;
    }

    @Override
    public boolean isKeyType() {
        return false;
    }

    @Override
    public TypeSerializer<NativeBatch> createSerializer(SerializerConfig config) {
        return NativeBatchSerializer.INSTANCE;
    }

    @Override
    public String toString() {
        return "NativeBatch<" + rowType.asSummaryString() + ">";
    }

    /**
     * As Flink's type information of these rows: names, nullability and lengths do not matter, and the inputs of a union
     * may differ in them.
     */
    @Override
    public boolean equals(Object other) {
        return other instanceof NativeBatchTypeInfo
                && InternalTypeInfo.of(((NativeBatchTypeInfo) other).rowType).equals(InternalTypeInfo.of(rowType));
    }

    @Override
    public int hashCode() {
        return InternalTypeInfo.of(rowType).hashCode();
    }

    @Override
    public boolean canEqual(Object other) {
        return other instanceof NativeBatchTypeInfo;
    }
}
