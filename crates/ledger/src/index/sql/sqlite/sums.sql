-- Sums by a key, with the nearest-rank percentiles of the times.
WITH
picked AS (
    SELECT
        {key} AS key, calls.ts, calls.ok, calls.changed, calls.duration_us, calls.bytes_in, calls.bytes_out
    FROM {from}
    WHERE calls.kind = 0 AND {filter}
),
ranked AS (
    SELECT
        *,
        row_number() OVER (PARTITION BY key ORDER BY duration_us) AS place,
        count(*) OVER (PARTITION BY key) AS places
    FROM picked
    WHERE key IS NOT NULL
)
SELECT
    key, count(*) AS calls, sum(ok), sum(changed), sum(bytes_in), sum(bytes_out), max(ts) AS last,
    sum(duration_us) / count(*), min(duration_us), max(duration_us),
    max(CASE WHEN place = (places * 50 + 99) / 100 THEN duration_us END),
    max(CASE WHEN place = (places * 95 + 99) / 100 THEN duration_us END),
    max(CASE WHEN place = (places * 99 + 99) / 100 THEN duration_us END)
FROM ranked
GROUP BY key
ORDER BY {order}
LIMIT {limit}
