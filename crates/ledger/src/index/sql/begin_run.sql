-- A node starts. $1: the node, $2: when, $3: the last number of its runs before. What it had beyond that is lost.
INSERT INTO nodes (node, last_seen, indexed_seq, run_seq) VALUES ($1, $2, 0, $3)
ON CONFLICT (node) DO UPDATE SET
    last_seen = excluded.last_seen,
    run_seq = excluded.run_seq,
    indexed_seq =
        CASE WHEN nodes.indexed_seq > excluded.run_seq THEN excluded.run_seq ELSE nodes.indexed_seq END
