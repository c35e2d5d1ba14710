-- $1: a JSON array of rows, each an array in the order of the columns. What is there already stays.
INSERT INTO exchanges (
    id, node, seq, ts, call_id, client, session, upstream, model, upstream_model, status, input_tokens,
    cache_read_tokens, cache_write_tokens, output_tokens, reasoning_tokens, first_token_us, calls, repaired,
    refused, attempts, error_code, duration_us, ok, size, record
)
SELECT
    (r ->> 0)::bigint, r ->> 1, (r ->> 2)::bigint, (r ->> 3)::bigint, r ->> 4, r ->> 5, r ->> 6, r ->> 7,
    r ->> 8, r ->> 9, (r ->> 10)::bigint, (r ->> 11)::bigint, (r ->> 12)::bigint, (r ->> 13)::bigint,
    (r ->> 14)::bigint, (r ->> 15)::bigint, (r ->> 16)::bigint, (r ->> 17)::bigint, (r ->> 18)::bigint,
    (r ->> 19)::bigint, (r ->> 20)::bigint, r ->> 21, (r ->> 22)::bigint, (r ->> 23)::boolean,
    (r ->> 24)::bigint, r ->> 25
FROM jsonb_array_elements($1::jsonb) AS r
ON CONFLICT DO NOTHING
RETURNING id
