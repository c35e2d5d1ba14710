-- A node is alive and has its records here up to a number. $1: the node, $2: when, $3: the number.
INSERT INTO nodes (node, last_seen, indexed_seq, run_seq) VALUES ($1, $2, $3, 0)
ON CONFLICT (node) DO UPDATE SET
    last_seen = excluded.last_seen,
    indexed_seq =
        CASE WHEN excluded.indexed_seq > nodes.indexed_seq THEN excluded.indexed_seq ELSE nodes.indexed_seq END
