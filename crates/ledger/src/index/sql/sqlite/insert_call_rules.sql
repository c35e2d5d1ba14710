-- $1: a JSON array of [rule, id, changes].
INSERT INTO call_rules (rule, id, changes)
SELECT value ->> 0, value ->> 1, value ->> 2 FROM json_each($1)
WHERE true
ON CONFLICT DO NOTHING
