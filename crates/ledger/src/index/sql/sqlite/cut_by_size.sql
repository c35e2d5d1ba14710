-- The newest record that is too much. $1: how many bytes may stay.
WITH records AS (SELECT id, size FROM calls UNION ALL SELECT id, size FROM exchanges)
SELECT max(id) FROM (SELECT id, sum(size) OVER (ORDER BY id DESC) AS total FROM records) AS sizes WHERE total > $1
