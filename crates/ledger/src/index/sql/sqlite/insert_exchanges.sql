-- $1: a JSON array of rows, each an array in the order of the columns. What is there already stays.
INSERT INTO exchanges (
    id, node, seq, ts, call_id, client, session, upstream, model, upstream_model, status, input_tokens,
    cache_read_tokens, cache_write_tokens, output_tokens, reasoning_tokens, first_token_us, calls, repaired,
    refused, attempts, error_code, duration_us, ok, size, record
)
SELECT
    value ->> 0, value ->> 1, value ->> 2, value ->> 3, value ->> 4, value ->> 5, value ->> 6, value ->> 7,
    value ->> 8, value ->> 9, value ->> 10, value ->> 11, value ->> 12, value ->> 13, value ->> 14,
    value ->> 15, value ->> 16, value ->> 17, value ->> 18, value ->> 19, value ->> 20, value ->> 21,
    value ->> 22, value ->> 23, value ->> 24, value ->> 25
FROM json_each($1)
WHERE true
ON CONFLICT DO NOTHING
RETURNING id
