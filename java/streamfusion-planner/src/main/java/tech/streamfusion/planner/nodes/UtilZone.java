package tech.streamfusion.planner.nodes;

import java.util.ArrayList;
import java.util.List;
import java.util.TimeZone;
import java.util.TreeSet;
import tech.streamfusion.plan.SessionSettings;
import tech.streamfusion.plan.Zone;

/**
 * Where {@link TimeZone} and {@code java.time} disagree about a zone. {@code DateTimeUtils.extractFromTimestamp}, {@code
 * timestampFloor} and {@code timestampCeil} ask the former, which has no local mean times before 1900 and an own idea of
 * some zones with winter time; the rest of Flink asks the latter.
 */
final class UtilZone {

    /** The sources of {@link TimeZone} start here: 1900-01-01T00:00Z. */
    private static final long FIRST_SECOND = -2208988800L;

    /** 2200-01-01T00:00Z; the rules that go on beyond are simple ones. */
    private static final long LAST_IRREGULAR_SECOND = 7258118400L;

    private static final long FOUR_DAYS = 4 * 86400L;

    private UtilZone() {}

    /** Adds the offsets that differ from those of {@code zone}, if any do. */
    static void describe(TimeZone util, Zone zone, SessionSettings.Builder out) {
        TreeSet<Long> starts = new TreeSet<>(zone.getTransitionEpochSecondsList());
        starts.add(FIRST_SECOND);
        addHiddenChanges(util, starts);
        Long until = lastDifference(util, zone, new ArrayList<>(starts));
        if (until == null) {
            return;
        }
        int offset = secondsAt(util, starts.first() - 1);
        Zone.Builder plan = Zone.newBuilder().setId(util.getID()).setInitialOffset(offset);
        for (long start : starts.headSet(until)) {
            int next = secondsAt(util, start);
            if (next != offset) {
                plan.addTransitionEpochSeconds(start).addOffsetAfter(next);
                offset = next;
            }
        }
        out.setUtilZone(plan).setUtilUntilEpochSecond(until);
    }

    private static int secondsAt(TimeZone zone, long second) {
        return zone.getOffset(second * 1000) / 1000;
    }

    /** Changes of offset that lie between two neighbours of {@code starts}, at most one in four days. */
    private static void addHiddenChanges(TimeZone zone, TreeSet<Long> starts) {
        if (starts.size() == 1) {
            return; // a fixed offset
        }
        TreeSet<Long> looked = new TreeSet<>(starts);
        for (long second = FIRST_SECOND; second < LAST_IRREGULAR_SECOND; second += FOUR_DAYS) {
            looked.add(second);
        }
        List<Long> known = new ArrayList<>(looked);
        for (int i = 0; i + 1 < known.size(); i++) {
            long end = known.get(i + 1);
            if (secondsAt(zone, end - 1) != secondsAt(zone, known.get(i))) {
                starts.add(changeBetween(zone, known.get(i), end - 1));
            }
            if (secondsAt(zone, end) != secondsAt(zone, end - 1)) {
                starts.add(end);
            }
        }
    }

    /** The second from which the offset is no longer that of {@code low}. */
    private static long changeBetween(TimeZone zone, long low, long high) {
        int offset = secondsAt(zone, low);
        while (high - low > 1) {
            long middle = low + (high - low) / 2;
            if (secondsAt(zone, middle) == offset) {
                low = middle;
            } else {
                high = middle;
            }
        }
        return high;
    }

    /** The end of the last span in which the two disagree; null: they never do. */
    private static Long lastDifference(TimeZone util, Zone zone, List<Long> starts) {
        int rule = zone.getTransitionEpochSecondsCount();
        for (int i = starts.size() - 1; i >= -1; i--) {
            long second = i < 0 ? starts.get(0) - 1 : starts.get(i);
            while (rule > 0 && zone.getTransitionEpochSeconds(rule - 1) > second) {
                rule--;
            }
            int expected = rule == 0 ? zone.getInitialOffset() : zone.getOffsetAfter(rule - 1);
            if (secondsAt(util, second) != expected) {
                return i + 1 < starts.size() ? starts.get(i + 1) : Long.valueOf(Long.MAX_VALUE);
            }
        }
        return null;
    }
}
