package tech.streamfusion.testing;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.flink.types.Row;

/** Rows that test tables read and changes that they collect; tables name theirs by an id, jobs run in this JVM. */
final class TestData {

    private static final AtomicInteger IDS = new AtomicInteger();
    private static final Map<String, List<Row>> ROWS = new ConcurrentHashMap<>();
    private static final Map<String, List<Change>> CHANGES = new ConcurrentHashMap<>();

    private TestData() {}

    static String addRows(List<Row> rows) {
        String id = "rows-" + IDS.incrementAndGet();
        ROWS.put(id, List.copyOf(rows));
        return id;
    }

    static List<Row> rows(String id) {
        return ROWS.get(id);
    }

    static String addSink() {
        String id = "sink-" + IDS.incrementAndGet();
        CHANGES.put(id, Collections.synchronizedList(new ArrayList<>()));
        return id;
    }

    static List<Change> changes(String id) {
        return CHANGES.get(id);
    }

    static void remove(String id) {
        ROWS.remove(id);
        CHANGES.remove(id);
    }
}
