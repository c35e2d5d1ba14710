-- The values of rows in the order of the columns, and what is done with those that are there already.
INSERT INTO exchanges (
    id, node, seq, ts, call_id, client, session, upstream, model, upstream_model, status, input_tokens,
    cache_read_tokens, cache_write_tokens, output_tokens, reasoning_tokens, first_token_us, calls, repaired,
    refused, attempts, error_code, duration_us, ok, size, record
)
VALUES {rows}
{conflict}
