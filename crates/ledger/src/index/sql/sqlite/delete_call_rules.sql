-- $1: a JSON array of ids.
DELETE FROM call_rules WHERE id IN (SELECT value FROM json_each($1))
