package tech.streamfusion.planner.nodes;

import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.zone.ZoneOffsetTransition;
import java.time.zone.ZoneOffsetTransitionRule;
import java.time.zone.ZoneRules;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.TimeZone;
import tech.streamfusion.plan.SessionSettings;
import tech.streamfusion.plan.Zone;

/** Session settings as a plan message: what native code would otherwise have to ask the JVM. */
public final class Session {

    /** With the last year of Flink's literals; arithmetic gets beyond, where the table's last 400 years recur. */
    private static final int LAST_YEAR = 9999;

    private static final int FIRST_JDK_WITH_SHORTEST_DOUBLES = 19;

    private Session() {}

    public static SessionSettings settings(ZoneId zone) {
        Zone plan = zone(zone);
        SessionSettings.Builder out =
                SessionSettings.newBuilder()
                        .setZone(plan)
                        .setDoubleToStringLegacy(Runtime.version().feature() < FIRST_JDK_WITH_SHORTEST_DOUBLES);
        UtilZone.describe(TimeZone.getTimeZone(zone), plan, out);
        return out.build();
    }

    /** The zone's transitions, with recurring rules written out. */
    private static Zone zone(ZoneId id) {
        ZoneRules rules = id.getRules();
        Zone.Builder out =
                Zone.newBuilder().setId(id.getId()).setRecurring(!rules.getTransitionRules().isEmpty());
        List<ZoneOffsetTransition> transitions = new ArrayList<>(rules.getTransitions());
        transitions.addAll(recurring(rules, transitions));
        ZoneOffset initial =
                transitions.isEmpty() ? rules.getOffset(Instant.EPOCH) : transitions.get(0).getOffsetBefore();
        out.setInitialOffset(initial.getTotalSeconds());
        for (ZoneOffsetTransition transition : transitions) {
            out.addTransitionEpochSeconds(transition.toEpochSecond());
            out.addOffsetAfter(transition.getOffsetAfter().getTotalSeconds());
        }
        return out.build();
    }

    private static List<ZoneOffsetTransition> recurring(ZoneRules rules, List<ZoneOffsetTransition> explicit) {
        List<ZoneOffsetTransition> out = new ArrayList<>();
        if (rules.getTransitionRules().isEmpty()) {
            return out;
        }
        LocalDateTime last =
                explicit.isEmpty() ? LocalDateTime.MIN : explicit.get(explicit.size() - 1).getDateTimeBefore();
        int firstYear = explicit.isEmpty() ? 1 : last.getYear();
        for (int year = firstYear; year <= LAST_YEAR; year++) {
            for (ZoneOffsetTransitionRule rule : rules.getTransitionRules()) {
                ZoneOffsetTransition transition = rule.createTransition(year);
                if (transition.getDateTimeBefore().isAfter(last)) {
                    out.add(transition);
                }
            }
        }
        out.sort(Comparator.comparing(ZoneOffsetTransition::getInstant));
        return out;
    }
}
