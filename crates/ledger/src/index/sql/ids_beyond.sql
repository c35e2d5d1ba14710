-- What a node has here beyond a number. $1: the node, $2: the number, $3: how many at once.
SELECT id FROM {table} WHERE node = $1 AND seq > $2 LIMIT $3
