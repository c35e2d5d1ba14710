-- $1: a JSON array of [rule, id, changes].
INSERT INTO call_rules (rule, id, changes)
SELECT r ->> 0, (r ->> 1)::bigint, (r ->> 2)::bigint FROM jsonb_array_elements($1::jsonb) AS r
ON CONFLICT DO NOTHING
