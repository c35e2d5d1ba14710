-- One row per exchange with a model. `id` is made as that of a call. The columns are for questions; the record is whole.
CREATE TABLE exchanges (
    id INTEGER PRIMARY KEY,
    node TEXT NOT NULL,
    seq INTEGER NOT NULL,
    ts INTEGER NOT NULL,
    call_id TEXT NOT NULL,
    client TEXT,
    session TEXT,
    upstream TEXT NOT NULL,
    -- The model that was asked for, and the one that was asked of the upstream.
    model TEXT NOT NULL,
    upstream_model TEXT NOT NULL,
    -- The HTTP status of the answer.
    status INTEGER NOT NULL,
    input_tokens INTEGER,
    cache_read_tokens INTEGER,
    cache_write_tokens INTEGER,
    output_tokens INTEGER,
    reasoning_tokens INTEGER,
    first_token_us INTEGER,
    calls INTEGER NOT NULL,
    repaired INTEGER NOT NULL,
    refused INTEGER NOT NULL,
    attempts INTEGER NOT NULL,
    error_code TEXT,
    duration_us INTEGER NOT NULL,
    ok INTEGER NOT NULL,
    -- What the record takes as text, for pruning by size.
    size INTEGER NOT NULL,
    record TEXT NOT NULL
) STRICT;

CREATE UNIQUE INDEX exchanges_by_number ON exchanges (node, seq);
CREATE INDEX exchanges_by_model ON exchanges (model);
CREATE INDEX exchanges_by_upstream ON exchanges (upstream);
CREATE INDEX exchanges_by_client ON exchanges (client);
CREATE INDEX exchanges_by_call ON exchanges (call_id);
