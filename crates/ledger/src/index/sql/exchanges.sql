-- Exchanges with models, newest first.
SELECT exchanges.id, exchanges.record
FROM exchanges
WHERE {filter}
ORDER BY exchanges.id DESC
LIMIT {limit}
