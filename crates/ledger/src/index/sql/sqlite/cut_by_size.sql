-- The newest call that is too much. $1: how many bytes may stay.
SELECT max(id) FROM (SELECT id, sum(size) OVER (ORDER BY id DESC) AS total FROM calls) WHERE total > $1
