-- Bids on a few auctions: nearly everything is filtered out.
CREATE TABLE output (
  auction BIGINT, price BIGINT
) WITH (${sink});

INSERT INTO output
SELECT auction, price FROM bid WHERE MOD(auction, 123) = 0;
