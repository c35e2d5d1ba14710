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
),
ranked AS (
    SELECT
        *,
        row_number() OVER (PARTITION BY key ORDER BY duration_us) AS place,
        count(*) OVER (PARTITION BY key) AS places,
        row_number() OVER (PARTITION BY key ORDER BY first_token_us IS NULL, first_token_us) AS first_place,
        count(first_token_us) OVER (PARTITION BY key) AS first_places
    FROM picked
    WHERE key IS NOT NULL
)
SELECT
    key, count(*) AS requests, sum(ok), sum(input_tokens), sum(cache_read_tokens), sum(cache_write_tokens),
    sum(output_tokens), sum(reasoning_tokens), sum(calls), sum(repaired), sum(refused), sum(attempts),
    max(ts) AS last, sum(duration_us) / count(*), max(duration_us),
    max(CASE WHEN place = (places * 50 + 99) / 100 THEN duration_us END),
    max(CASE WHEN place = (places * 95 + 99) / 100 THEN duration_us END),
    max(CASE WHEN first_place = (first_places * 50 + 99) / 100 THEN first_token_us END),
    max(CASE WHEN first_place = (first_places * 95 + 99) / 100 THEN first_token_us END)
FROM ranked
GROUP BY key
ORDER BY {order}
LIMIT {limit}
