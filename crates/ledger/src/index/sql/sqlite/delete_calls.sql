-- $1: a JSON array of ids.
DELETE FROM calls WHERE id IN (SELECT value FROM json_each($1))
