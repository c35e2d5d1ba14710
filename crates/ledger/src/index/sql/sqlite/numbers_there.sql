-- Which of the numbers of a node are there. $1: the node, $2: a JSON array of numbers.
SELECT seq FROM {table} WHERE node = $1 AND seq IN (SELECT value FROM json_each($2))
