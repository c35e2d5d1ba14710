-- Changes in their order. $1: the last version that is known, $2: how many.
SELECT id, kind, status, body, version, changed_at, changed_by FROM rules WHERE version > $1 ORDER BY version LIMIT $2
