SELECT node, last_seen, indexed_seq, run_seq FROM nodes ORDER BY node LIMIT $1
