package tech.streamfusion.nexmark;

/**
 * The events of the auction as JSON, a pure function of seed, shape and event number: of every 50 events one registers a
 * person, three open auctions and 46 are bids; 10,000 events make a second of event time.
 */
final class EventGenerator {

    static final long DEFAULT_SEED = 20_261_130L;
    /** 2026-01-01 00:00:00 UTC. */
    static final long BASE_MILLIS = 1_767_225_600_000L;

    static final int GROUP = 50;
    static final int PERSONS = 1;
    static final int AUCTIONS = 3;

    private static final long FIRST_ID = 1000;
    private static final int CATEGORIES = 5;
    private static final long FIRST_CATEGORY = 10;
    private static final int HOT_EVERY = 100;
    private static final int OPEN_AUCTIONS = 100;
    private static final int ACTIVE_PERSONS = 1000;
    private static final int FUTURE_IDS = 10;
    private static final int CHANNELS = 10_000;
    private static final int BID_BYTES = 100;
    private static final int AUCTION_BYTES = 500;
    private static final int PERSON_BYTES = 200;
    private static final String HOST = "https://www.sales.example/";
    private static final String PAGE = "/item.htm?query=1";

    private static final String[] BIG_CHANNELS = {"Google", "Facebook", "Baidu", "Apple"};
    private static final String[] FIRST_NAMES = {
        "Amara", "Bruno", "Chloe", "Dmitri", "Elena", "Farid", "Greta", "Hugo", "Ines", "Jonas", "Katya"
    };
    private static final String[] LAST_NAMES = {
        "Adler", "Bianchi", "Castro", "Dubois", "Eriksen", "Fischer", "Garcia", "Horvat", "Ivanov"
    };
    private static final String[] CITIES = {
        "Phoenix", "Los Angeles", "San Francisco", "Boise", "Portland", "Bend", "Redmond", "Seattle", "Kent", "Cheyenne"
    };
    private static final String[] STATES = {"AZ", "CA", "ID", "OR", "WA", "WY"};

    private final long seed;
    private final Shape shape;
    private final SplitMix random = new SplitMix(0);
    private final JsonBuffer json = new JsonBuffer();
    private final byte[][] channelUrls = new byte[CHANNELS][];
    private final byte[][] bigChannelUrls = new byte[BIG_CHANNELS.length][];

    EventGenerator(long seed, Shape shape) {
        this.seed = seed;
        this.shape = shape;
        for (int i = 0; i < CHANNELS; i++) {
            channelUrls[i] = url(i, true);
        }
        for (int i = 0; i < BIG_CHANNELS.length; i++) {
            bigChannelUrls[i] = url(CHANNELS + i, false);
        }
    }

    /** Event time of event {@code n} in epoch milliseconds. */
    static long timeOf(long n) {
        return BASE_MILLIS + n / 10;
    }

    static boolean isBid(long n) {
        return n % GROUP >= PERSONS + AUCTIONS;
    }

    byte[] event(long n) {
        random.seek(seed, n);
        json.clear();
        int position = (int) (n % GROUP);
        int type = position < PERSONS ? 0 : position < PERSONS + AUCTIONS ? 1 : 2;
        json.raw("{\"event_type\":").number(type);
        if (shape == Shape.MILLIS) {
            json.raw(",\"ts\":").number(timeOf(n));
        }
        json.raw(",\"person\":");
        if (type == 0) {
            person(n);
        } else {
            json.raw("null");
        }
        json.raw(",\"auction\":");
        if (type == 1) {
            auction(n);
        } else {
            json.raw("null");
        }
        json.raw(",\"bid\":");
        if (type == 2) {
            bid(n);
        } else {
            json.raw("null");
        }
        return json.raw('}').copy();
    }

    private void person(long n) {
        String first = pick(FIRST_NAMES);
        String last = pick(LAST_NAMES);
        String city = pick(CITIES);
        String state = pick(STATES);
        json.raw("{\"id\":").number(FIRST_ID + n / GROUP);
        json.raw(",\"name\":\"").raw(first).raw(' ').raw(last);
        json.raw("\",\"emailAddress\":\"");
        int mailUser = 3 + random.next(4);
        int mailHost = 3 + random.next(2);
        json.letters(random, mailUser, ' ', 0).raw('@').letters(random, mailHost, ' ', 0).raw(".com");
        json.raw("\",\"creditCard\":\"");
        for (int group = 0; group < 4; group++) {
            if (group > 0) {
                json.raw(' ');
            }
            for (int i = 0; i < 4; i++) {
                json.raw((char) ('0' + random.next(10)));
            }
        }
        json.raw("\",\"city\":\"").raw(city).raw("\",\"state\":\"").raw(state).raw("\",\"dateTime\":");
        time(timeOf(n));
        int used = 8 + first.length() + 1 + last.length() + mailUser + mailHost + 5 + 19 + city.length() + 2;
        extra(used, PERSON_BYTES);
    }

    private void auction(long n) {
        int nameLength = 3 + random.next(18);
        int descriptionLength = 3 + random.next(98);
        json.raw("{\"id\":").number(newestAuction(n) + 1);
        json.raw(",\"itemName\":\"").letters(random, nameLength, ' ', 13);
        json.raw("\",\"description\":\"").letters(random, descriptionLength, ' ', 13);
        long initialBid = price();
        json.raw("\",\"initialBid\":").number(initialBid).raw(",\"reserve\":").number(initialBid + price());
        json.raw(",\"dateTime\":");
        time(timeOf(n));
        json.raw(",\"expires\":");
        time(timeOf(n) + 1 + random.next(2 * 100 * GROUP / AUCTIONS / 10));
        json.raw(",\"seller\":").number(random.next(4) > 0 ? newestPerson(n) / HOT_EVERY * HOT_EVERY : anyPerson(n));
        json.raw(",\"category\":").number(FIRST_CATEGORY + random.next(CATEGORIES));
        extra(8 + nameLength + descriptionLength + 6 * 8, AUCTION_BYTES);
    }

    private void bid(long n) {
        long newest = newestAuction(n);
        long auction;
        if (random.next(2) == 0) {
            auction = newest / HOT_EVERY * HOT_EVERY;
        } else {
            long oldest = Math.max(FIRST_ID, newest - OPEN_AUCTIONS + 1);
            auction = oldest + random.next(newest - oldest + 1 + FUTURE_IDS);
        }
        json.raw("{\"auction\":").number(auction);
        json.raw(",\"bidder\":").number(random.next(4) > 0 ? newestPerson(n) / HOT_EVERY * HOT_EVERY + 1 : anyPerson(n));
        json.raw(",\"price\":").number(price()).raw(",\"channel\":\"");
        if (random.next(2) == 0) {
            int channel = random.next(BIG_CHANNELS.length);
            json.raw(BIG_CHANNELS[channel]).raw("\",\"url\":\"").raw(bigChannelUrls[channel]);
        } else {
            int channel = random.next(CHANNELS);
            json.raw("channel-").number(channel).raw("\",\"url\":\"").raw(channelUrls[channel]);
        }
        json.raw("\",\"dateTime\":");
        time(timeOf(n));
        extra(32, BID_BYTES);
    }

    /** Fills the row up to about the wanted size, plus or minus a fifth, and closes it. */
    private void extra(int used, int wanted) {
        int average = Math.max(0, wanted - used);
        int fifth = Math.round(average * 0.2f);
        json.raw(",\"extra\":\"");
        json.letters(random, average - fifth + (fifth == 0 ? 0 : random.next(2 * fifth)), ' ', 0).raw("\"}");
    }

    private void time(long millis) {
        if (shape == Shape.NESTED) {
            json.timestamp(millis);
        } else {
            json.number(millis);
        }
    }

    private long price() {
        return Math.round(Math.pow(10.0, random.nextDouble() * 6.0) * 100.0);
    }

    /** The newest person registered before event {@code n}; the first one before there is any. */
    private static long newestPerson(long n) {
        return FIRST_ID + Math.max(0, (n + GROUP - 1) / GROUP - 1);
    }

    /** The newest auction opened before event {@code n}; one less than the first id before there is any. */
    private static long newestAuction(long n) {
        long inGroup = Math.min(AUCTIONS, Math.max(0, n % GROUP - PERSONS));
        return FIRST_ID + n / GROUP * AUCTIONS + inGroup - 1;
    }

    private long anyPerson(long n) {
        long newest = newestPerson(n);
        long oldest = Math.max(FIRST_ID, newest - ACTIVE_PERSONS + 1);
        return oldest + random.next(newest - oldest + 1 + FUTURE_IDS);
    }

    private String pick(String[] values) {
        return values[random.next(values.length)];
    }

    /** The fixed URL of a channel; nine in ten of the small ones carry the channel's number. */
    private byte[] url(int channel, boolean small) {
        SplitMix own = new SplitMix(0);
        own.seek(~seed, channel);
        JsonBuffer url = new JsonBuffer();
        url.raw(HOST);
        for (int part = 0; part < 3; part++) {
            if (part > 0) {
                url.raw('/');
            }
            url.letters(own, 3 + own.next(3), '_', 13);
        }
        url.raw(PAGE);
        if (small && own.next(10) > 0) {
            url.raw("&channel_id=").number(own.nextLong() >>> 33);
        }
        return url.copy();
    }
}
