SELECT id FROM {table} WHERE node = $1 LIMIT $2
