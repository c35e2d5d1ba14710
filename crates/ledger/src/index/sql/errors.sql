-- Failed calls that are the same in words, the most frequent first.
SELECT
    tool, error_code, error_message, error_parameters, count(*) AS calls, min(ts) AS first, max(ts) AS last,
    max(calls.server) AS server
FROM {from}
WHERE error_code IS NOT NULL AND {filter}
GROUP BY tool, error_code, error_message, error_parameters
ORDER BY calls DESC, last DESC, error_message
LIMIT {limit}
