-- Average winning price of the auctions of a category; a bid counts while its auction is open.
CREATE TABLE output (
  category BIGINT, average BIGINT, PRIMARY KEY (category) NOT ENFORCED
) WITH (${upsertSink});

INSERT INTO output
SELECT category, AVG(final)
FROM (
  SELECT MAX(b.price) AS final, a.category
  FROM auction AS a, bid AS b
  WHERE a.id = b.auction AND b.`dateTime` BETWEEN a.`dateTime` AND a.expires
  GROUP BY a.id, a.category)
GROUP BY category;
