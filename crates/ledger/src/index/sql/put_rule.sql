INSERT INTO rules (id, kind, status, body, version, changed_at, changed_by) VALUES ($1, $2, $3, $4, $5, $6, $7)
ON CONFLICT (id) DO UPDATE SET
    kind = excluded.kind, status = excluded.status, body = excluded.body, version = excluded.version,
    changed_at = excluded.changed_at, changed_by = excluded.changed_by
