package tech.streamfusion.planner.nodes;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.time.ZoneId;
import java.util.Random;
import java.util.TimeZone;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tech.streamfusion.plan.SessionSettings;
import tech.streamfusion.plan.Zone;

/** The tables say what java.time and java.util.TimeZone say. */
class SessionTest {

    private static final long YEAR_1 = -62135596800L;
    private static final long YEAR_2200 = 7258118400L;

    @ParameterizedTest
    @ValueSource(
            strings = {
                "UTC", "+05:30", "America/New_York", "America/St_Johns", "Asia/Shanghai", "Europe/Berlin", "Europe/Dublin",
                "Africa/Windhoek", "Africa/Casablanca", "Asia/Gaza", "Australia/Lord_Howe", "Pacific/Apia"
            })
    void offsetsAreThoseOfTheJvm(String id) {
        ZoneId zone = ZoneId.of(id);
        TimeZone util = TimeZone.getTimeZone(zone);
        SessionSettings settings = Session.settings(zone);
        Random random = new Random(7);
        for (int i = 0; i < 3_000; i++) {
            long second = YEAR_1 + (long) (random.nextDouble() * (YEAR_2200 - YEAR_1));
            assertThat(offset(settings.getZone(), second))
                    .isEqualTo(zone.getRules().getOffset(Instant.ofEpochSecond(second)).getTotalSeconds());
            assertThat(utilOffset(settings, second))
                    .as("%s at %s", id, second)
                    .isEqualTo(util.getOffset(second * 1000) / 1000);
        }
    }

    @Test
    void aTableOfItsOwnIsSentOnlyWhereNeeded() {
        assertThat(Session.settings(ZoneId.of("UTC")).hasUtilZone()).isFalse();
        SessionSettings shanghai = Session.settings(ZoneId.of("Asia/Shanghai"));
        assertThat(shanghai.hasUtilZone()).isTrue();
        // local mean time until 1901
        assertThat(shanghai.getUtilUntilEpochSecond()).isLessThanOrEqualTo(-2177452800L);
        assertThat(shanghai.getUtilZone().getTransitionEpochSecondsCount()).isLessThan(3);
    }

    private static int utilOffset(SessionSettings settings, long second) {
        return settings.hasUtilZone() && second < settings.getUtilUntilEpochSecond()
                ? offset(settings.getUtilZone(), second)
                : offset(settings.getZone(), second);
    }

    private static int offset(Zone zone, long second) {
        int offset = zone.getInitialOffset();
        for (int i = 0; i < zone.getTransitionEpochSecondsCount() && zone.getTransitionEpochSeconds(i) <= second; i++) {
            offset = zone.getOffsetAfter(i);
        }
        return offset;
    }
}
