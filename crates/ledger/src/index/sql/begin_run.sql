-- A node starts. $1: the node, $2: when, $3: the last number of its runs before.
INSERT INTO nodes (node, last_seen, indexed_seq, run_seq) VALUES ($1, $2, 0, $3)
ON CONFLICT (node) DO UPDATE SET last_seen = excluded.last_seen, run_seq = excluded.run_seq
