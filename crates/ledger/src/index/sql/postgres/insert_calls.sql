-- $1: a JSON array of rows, each an array in the order of the columns, then the words. What is there already stays.
INSERT INTO calls (
    id, node, seq, ts, kind, call_id, client, session, front, toolbox, server, tool, tool_schema, arguments,
    normalized, changes, stages, error_code, error_message, error_parameters, error_from_tool, duration_us,
    bytes_in, bytes_out, changed, ok, size, principal, words
)
SELECT
    (r ->> 0)::bigint, r ->> 1, (r ->> 2)::bigint, (r ->> 3)::bigint, (r ->> 4)::smallint, r ->> 5, r ->> 6,
    r ->> 7, r ->> 8, r ->> 9, r ->> 10, r ->> 11, r ->> 12, r ->> 13, r ->> 14, r ->> 15, r ->> 16, r ->> 17,
    r ->> 18, r ->> 19, (r ->> 20)::boolean, (r ->> 21)::bigint, (r ->> 22)::bigint, (r ->> 23)::bigint,
    (r ->> 24)::boolean, (r ->> 25)::boolean, (r ->> 26)::bigint, r ->> 27,
    array_to_tsvector(string_to_array(r ->> 28, ' '))
FROM jsonb_array_elements($1::jsonb) AS r
ON CONFLICT DO NOTHING
RETURNING id
