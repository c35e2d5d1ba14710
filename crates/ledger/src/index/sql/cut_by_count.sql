-- The newest record that is too many. $1: how many may stay.
SELECT id FROM (SELECT id FROM calls UNION ALL SELECT id FROM exchanges) AS records ORDER BY id DESC LIMIT 1 OFFSET $1
