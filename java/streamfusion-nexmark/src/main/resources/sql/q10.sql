-- Bids with the day and the minute of their arrival, as if to be filed.
CREATE TABLE output (
  auction BIGINT, bidder BIGINT, price BIGINT, `dateTime` ${rowtime}, extra STRING, `day` STRING, `minute` STRING
) WITH (${sink});

INSERT INTO output
SELECT auction, bidder, price, `dateTime`, extra,
       DATE_FORMAT(`dateTime`, 'yyyy-MM-dd'), DATE_FORMAT(`dateTime`, 'HH:mm')
FROM bid;
