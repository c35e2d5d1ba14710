-- $1: a JSON array of rows, each an array in the order of the columns. What is there already stays.
INSERT INTO calls (
    id, node, seq, ts, kind, call_id, client, session, front, toolbox, server, tool, tool_schema, arguments,
    normalized, changes, stages, error_code, error_message, error_parameters, error_from_tool, duration_us,
    bytes_in, bytes_out, changed, ok, size
)
SELECT
    value ->> 0, value ->> 1, value ->> 2, value ->> 3, value ->> 4, value ->> 5, value ->> 6, value ->> 7,
    value ->> 8, value ->> 9, value ->> 10, value ->> 11, value ->> 12, value ->> 13, value ->> 14,
    value ->> 15, value ->> 16, value ->> 17, value ->> 18, value ->> 19, value ->> 20, value ->> 21,
    value ->> 22, value ->> 23, value ->> 24, value ->> 25, value ->> 26
FROM json_each($1)
WHERE true
ON CONFLICT DO NOTHING
RETURNING id
