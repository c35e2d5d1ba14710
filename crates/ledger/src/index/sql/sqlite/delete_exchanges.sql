-- $1: a JSON array of ids.
DELETE FROM exchanges WHERE id IN (SELECT value FROM json_each($1))
