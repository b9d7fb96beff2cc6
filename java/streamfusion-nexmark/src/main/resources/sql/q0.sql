-- Every bid as it is: the cost of reading, decoding, encoding and writing.
CREATE TABLE output (
  auction BIGINT, bidder BIGINT, price BIGINT, `dateTime` ${rowtime}, extra STRING
) WITH (${sink});

INSERT INTO output
SELECT auction, bidder, price, `dateTime`, extra FROM bid;
