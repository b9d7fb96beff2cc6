-- As q17, with an aggregate function that is the user's: its node stays on stock Flink.
CREATE TEMPORARY SYSTEM FUNCTION spread AS 'tech.streamfusion.nexmark.PriceSpread';

CREATE TABLE output (
  auction BIGINT, `day` STRING, total_bids BIGINT, price_spread BIGINT, PRIMARY KEY (auction, `day`) NOT ENFORCED
) WITH (${upsertSink});

INSERT INTO output
SELECT auction, DATE_FORMAT(`dateTime`, 'yyyy-MM-dd') AS `day`, COUNT(*) AS total_bids, spread(price) AS price_spread
FROM bid
GROUP BY auction, DATE_FORMAT(`dateTime`, 'yyyy-MM-dd');
