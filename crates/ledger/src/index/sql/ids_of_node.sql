SELECT id FROM calls WHERE node = $1 LIMIT $2
