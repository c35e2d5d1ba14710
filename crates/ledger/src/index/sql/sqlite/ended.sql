-- The begins whose ends are there. $1: the node, $2: a JSON array of calls.
SELECT b.id FROM calls AS b
WHERE b.node = $1 AND b.kind = 1 AND b.call_id IN (SELECT value FROM json_each($2))
    AND EXISTS (SELECT 1 FROM calls AS e WHERE e.call_id = b.call_id AND e.node = b.node AND e.kind = 0)
