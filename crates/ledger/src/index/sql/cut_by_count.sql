-- The newest call that is too many. $1: how many may stay.
SELECT id FROM calls ORDER BY id DESC LIMIT 1 OFFSET $1
