UPDATE nodes SET indexed_seq = 0 WHERE node = $1
