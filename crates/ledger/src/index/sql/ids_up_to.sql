SELECT id FROM {table} WHERE id <= $1 ORDER BY id LIMIT $2
