-- Sums by a key, with the nearest-rank percentiles of the times.
WITH
picked AS (
    SELECT
        {key} AS key, calls.ts, calls.ok, calls.changed, calls.duration_us, calls.bytes_in, calls.bytes_out
    FROM {from}
    WHERE calls.kind = 0 AND {filter}
)
SELECT
    key, count(*) AS calls, count(*) FILTER (WHERE ok), count(*) FILTER (WHERE changed),
    sum(bytes_in)::bigint, sum(bytes_out)::bigint, max(ts) AS last,
    (sum(duration_us) / count(*))::bigint, min(duration_us), max(duration_us),
    percentile_disc(0.5) WITHIN GROUP (ORDER BY duration_us),
    percentile_disc(0.95) WITHIN GROUP (ORDER BY duration_us),
    percentile_disc(0.99) WITHIN GROUP (ORDER BY duration_us)
FROM picked
WHERE key IS NOT NULL
GROUP BY key
ORDER BY {order}
LIMIT {limit}
