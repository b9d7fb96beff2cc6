package tech.streamfusion.nexmark;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.JsonNode;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.ObjectMapper;
import org.junit.jupiter.api.Test;

class EventGeneratorTest {

    private static final ObjectMapper MAPPER = new ObjectMapper();

    @Test
    void anEventDependsOnSeedShapeAndNumberOnly() {
        EventGenerator forwards = new EventGenerator(7, Shape.NESTED);
        EventGenerator single = new EventGenerator(7, Shape.NESTED);
        for (int n = 0; n < 200; n++) {
            forwards.event(n);
        }
        assertThat(single.event(1234)).isEqualTo(forwards.event(1234));
        assertThat(new EventGenerator(8, Shape.NESTED).event(1234)).isNotEqualTo(forwards.event(1234));
    }

    @Test
    void keepsThePublicProportionsAndSizes() throws Exception {
        EventGenerator generator = new EventGenerator(EventGenerator.DEFAULT_SEED, Shape.NESTED);
        int[] counts = new int[3];
        long bytes = 0;
        long hotAuction = 0;
        long hotBidder = 0;
        long bigChannel = 0;
        int events = 100_000;
        for (int n = 0; n < events; n++) {
            byte[] event = generator.event(n);
            bytes += event.length;
            JsonNode node = MAPPER.readTree(event);
            int type = node.get("event_type").intValue();
            counts[type]++;
            assertThat(node.get("person").isNull()).isEqualTo(type != 0);
            assertThat(node.get("auction").isNull()).isEqualTo(type != 1);
            assertThat(node.get("bid").isNull()).isEqualTo(type != 2);
            if (type == 2) {
                JsonNode bid = node.get("bid");
                hotAuction += bid.get("auction").longValue() % 100 == 0 ? 1 : 0;
                hotBidder += bid.get("bidder").longValue() % 100 == 1 ? 1 : 0;
                bigChannel += bid.get("channel").textValue().startsWith("channel-") ? 0 : 1;
                assertThat(bid.get("dateTime").textValue()).hasSize(23);
            }
        }
        assertThat(counts).containsExactly(events / 50, 3 * events / 50, 46 * events / 50);
        assertThat((double) bytes / events).isBetween(330.0, 338.0);
        assertThat((double) hotAuction / counts[2]).isBetween(0.49, 0.53);
        assertThat((double) hotBidder / counts[2]).isBetween(0.74, 0.77);
        assertThat((double) bigChannel / counts[2]).isBetween(0.49, 0.51);
    }

    @Test
    void theFlatShapeHasItsTimeAtTheTop() throws Exception {
        JsonNode bid = MAPPER.readTree(
                new String(new EventGenerator(1, Shape.MILLIS).event(49), StandardCharsets.UTF_8));
        assertThat(bid.get("ts").longValue()).isEqualTo(EventGenerator.timeOf(49));
        assertThat(bid.get("bid").get("dateTime").longValue()).isEqualTo(EventGenerator.timeOf(49));
    }
}
