-- Bids with their price in another currency.
CREATE TABLE output (
  auction BIGINT, bidder BIGINT, price DECIMAL(23, 3), `dateTime` ${rowtime}, extra STRING
) WITH (${sink});

INSERT INTO output
SELECT auction, bidder, 0.908 * price, `dateTime`, extra FROM bid;
