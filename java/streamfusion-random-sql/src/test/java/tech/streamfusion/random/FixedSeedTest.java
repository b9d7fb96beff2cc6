package tech.streamfusion.random;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** The first queries that one seed makes: as many as go into a minute, where that is less. */
class FixedSeedTest {

    private static final long SEED = 20_261_130L;
    private static final int SECONDS = 60;
    private static final int QUERIES = 80;

    @Test
    void theQueriesOfASeedEqualStock() {
        Campaign campaign = new Campaign(SEED, System.out::println);
        campaign.run(SECONDS, QUERIES);
        assertThat(campaign.differences()).as(campaign.report()).isEmpty();
        assertThat(campaign.compared()).as(campaign.report()).isPositive();
        assertThat(campaign.nativePercent()).as(campaign.report()).isGreaterThanOrEqualTo(60);
    }
}
