SELECT id, kind, status, body, version, changed_at, changed_by FROM rules WHERE id = $1
