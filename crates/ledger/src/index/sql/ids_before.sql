-- The oldest calls before a time. $1: the time, $2: ids from which on nothing is older, $3: how many.
SELECT id FROM {table} WHERE ts < $1 AND id < $2 ORDER BY id LIMIT $3
