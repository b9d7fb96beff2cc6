package tech.streamfusion.runtime.data;

import org.apache.flink.table.data.ArrayData;
import org.apache.flink.table.data.MapData;

/** A map or multiset inside a native column. */
final class ColumnarMap implements MapData {

    private final ColumnarArray keys;
    private final ColumnarArray values;

    ColumnarMap(ColumnarArray keys, ColumnarArray values) {
        this.keys = keys;
        this.values = values;
    }

    @Override
    public int size() {
        return keys.size();
    }

    @Override
    public ArrayData keyArray() {
        return keys;
    }

    @Override
    public ArrayData valueArray() {
        return values;
    }
}
