-- The channel's number: known for the big four, else taken from the URL.
CREATE TABLE output (
  auction BIGINT, bidder BIGINT, price BIGINT, channel STRING, channelId STRING
) WITH (${sink});

INSERT INTO output
SELECT auction, bidder, price, channel,
       CASE LOWER(channel)
         WHEN 'apple' THEN '0'
         WHEN 'google' THEN '1'
         WHEN 'facebook' THEN '2'
         WHEN 'baidu' THEN '3'
         ELSE REGEXP_EXTRACT(url, '(&|^)channel_id=([^&]*)', 2)
       END
FROM bid
WHERE REGEXP_EXTRACT(url, '(&|^)channel_id=([^&]*)', 2) IS NOT NULL
   OR LOWER(channel) IN ('apple', 'google', 'facebook', 'baidu');
