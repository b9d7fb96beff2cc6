import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import org.apache.flink.runtime.state.KeyGroupRangeAssignment;
import org.apache.flink.table.data.GenericRowData;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.binary.BinaryRowData;
import org.apache.flink.table.planner.plan.utils.KeySelectorUtil;
import org.apache.flink.table.runtime.keyselector.RowDataKeySelector;
import org.apache.flink.table.runtime.typeutils.InternalTypeInfo;
import org.apache.flink.types.RowKind;

/**
 * Prints key_hashes.txt: keys that Flink's generated key selectors take from the rows of BinaryRows, one a line as "fields hash
 * group-of-128 group-of-32768 subtask-of-8-of-128 subtask-of-7-of-300 key". Compile it with BinaryRows.java and run it with Flink
 * 2.2.1's flink-table-planner, flink-table-runtime, flink-runtime and their dependencies on the class path.
 */
public class KeyHashes {

    private static String hex(BinaryRowData row) {
        StringBuilder hex = new StringBuilder();
        for (int i = 0; i < row.getSizeInBytes(); i++) {
            hex.append(String.format("%02x", row.getSegments()[0].get(row.getOffset() + i)));
        }
        return hex.toString();
    }

    private static void print(int[] fields) throws Exception {
        RowDataKeySelector selector =
                KeySelectorUtil.getRowDataSelector(
                        KeyHashes.class.getClassLoader(), fields, InternalTypeInfo.of(BinaryRows.TYPE));
        String name =
                fields.length == 0 ? "-" : Arrays.stream(fields).mapToObj(String::valueOf).collect(Collectors.joining(","));
        for (int i = 0; i < 24; i++) {
            GenericRowData row =
                    new GenericRowData(RowKind.fromByteValue((byte) (i % 4)), BinaryRows.TYPE.getFieldCount());
            for (int f = 0; f < BinaryRows.TYPE.getFieldCount(); f++) {
                row.setField(f, BinaryRows.value(f, i));
            }
            RowData key = selector.getKey(row);
            System.out.println(
                    name
                            + " " + key.hashCode()
                            + " " + KeyGroupRangeAssignment.assignToKeyGroup(key, 128)
                            + " " + KeyGroupRangeAssignment.assignToKeyGroup(key, 32768)
                            + " " + KeyGroupRangeAssignment.assignKeyToParallelOperator(key, 128, 8)
                            + " " + KeyGroupRangeAssignment.assignKeyToParallelOperator(key, 300, 7)
                            + " " + hex((BinaryRowData) key));
        }
    }

    public static void main(String[] args) throws Exception {
        List<int[]> keys = new ArrayList<>(List.of(new int[0], new int[] {4, 3}, new int[] {9, 4, 9}, new int[] {13, 0, 5, 6}));
        keys.add(new int[] {14, 8, 9, 10, 15});
        for (int f = 0; f < BinaryRows.TYPE.getFieldCount(); f++) {
            keys.add(new int[] {f});
        }
        int[] all = new int[2 * BinaryRows.TYPE.getFieldCount() + 8]; // null bits in a second word
        for (int i = 0; i < all.length; i++) {
            all[i] = i % 8;
        }
        keys.add(all);
        for (int[] key : keys) {
            print(key);
        }
    }
}
