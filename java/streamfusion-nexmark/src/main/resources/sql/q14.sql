-- Bids in a price range with the time of day and a user-defined function over the text.
CREATE TEMPORARY SYSTEM FUNCTION count_letter AS 'tech.streamfusion.nexmark.CountLetter';

CREATE TABLE output (
  auction BIGINT, bidder BIGINT, price DECIMAL(23, 3), bidTimeType STRING, `dateTime` ${rowtime}, extra STRING, letters BIGINT
) WITH (${sink});

INSERT INTO output
SELECT auction, bidder, 0.908 * price,
       CASE
         WHEN HOUR(`dateTime`) >= 8 AND HOUR(`dateTime`) <= 18 THEN 'dayTime'
         WHEN HOUR(`dateTime`) <= 6 OR HOUR(`dateTime`) >= 20 THEN 'nightTime'
         ELSE 'otherTime'
       END,
       `dateTime`, extra, count_letter(extra, 'c')
FROM bid
WHERE 0.908 * price > 1000000 AND 0.908 * price < 50000000;
