package tech.streamfusion.random;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** A minute of the queries that one seed makes. */
class FixedSeedTest {

    private static final long SEED = 20_260_101L;
    private static final int SECONDS = 60;

    @Test
    void aMinuteOfQueriesEqualsStock() {
        Campaign campaign = new Campaign(SEED, System.out::println);
        campaign.run(SECONDS, Integer.MAX_VALUE);
        assertThat(campaign.differences()).as(campaign.report()).isEmpty();
        assertThat(campaign.compared()).as(campaign.report()).isPositive();
        assertThat(campaign.nativePercent()).as(campaign.report()).isGreaterThanOrEqualTo(60);
    }
}
