-- $1: a JSON array of ids.
DELETE FROM exchanges WHERE id IN (SELECT n::bigint FROM jsonb_array_elements_text($1::jsonb) AS n)
