-- Sums by a key, with the nearest-rank percentiles of the times. Not every answer has a first token.
WITH
picked AS (
    SELECT
        {key} AS key, exchanges.ts, exchanges.ok, exchanges.duration_us, exchanges.first_token_us,
        exchanges.input_tokens, exchanges.cache_read_tokens, exchanges.cache_write_tokens,
        exchanges.output_tokens, exchanges.reasoning_tokens, exchanges.calls, exchanges.repaired,
        exchanges.refused, exchanges.attempts
    FROM exchanges
    WHERE {filter}
    {newest}
)
SELECT
    key, count(*) AS requests, count(*) FILTER (WHERE ok), sum(input_tokens)::bigint,
    sum(cache_read_tokens)::bigint, sum(cache_write_tokens)::bigint, sum(output_tokens)::bigint,
    sum(reasoning_tokens)::bigint, sum(calls)::bigint, sum(repaired)::bigint, sum(refused)::bigint,
    sum(attempts)::bigint, max(ts) AS last, (sum(duration_us) / count(*))::bigint, max(duration_us),
    percentile_disc(0.5) WITHIN GROUP (ORDER BY duration_us),
    percentile_disc(0.95) WITHIN GROUP (ORDER BY duration_us),
    percentile_disc(0.5) WITHIN GROUP (ORDER BY first_token_us),
    percentile_disc(0.95) WITHIN GROUP (ORDER BY first_token_us)
FROM picked
WHERE key IS NOT NULL
GROUP BY key
ORDER BY {order}
LIMIT {limit}
