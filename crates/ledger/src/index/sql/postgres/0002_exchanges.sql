-- One row per exchange with a model. `id` is made as that of a call. The columns are for questions; the record is whole.
CREATE TABLE exchanges (
    id BIGINT PRIMARY KEY,
    node TEXT NOT NULL,
    seq BIGINT NOT NULL,
    ts BIGINT NOT NULL,
    call_id TEXT NOT NULL,
    client TEXT,
    session TEXT,
    upstream TEXT NOT NULL,
    -- The model that was asked for, and the one that was asked of the upstream.
    model TEXT NOT NULL,
    upstream_model TEXT NOT NULL,
    -- The HTTP status of the answer.
    status BIGINT NOT NULL,
    input_tokens BIGINT,
    cache_read_tokens BIGINT,
    cache_write_tokens BIGINT,
    output_tokens BIGINT,
    reasoning_tokens BIGINT,
    first_token_us BIGINT,
    calls BIGINT NOT NULL,
    repaired BIGINT NOT NULL,
    refused BIGINT NOT NULL,
    attempts BIGINT NOT NULL,
    error_code TEXT,
    duration_us BIGINT NOT NULL,
    ok BOOLEAN NOT NULL,
    -- What the record takes as text, for pruning by size.
    size BIGINT NOT NULL,
    record TEXT NOT NULL
);

CREATE UNIQUE INDEX exchanges_by_number ON exchanges (node, seq);
CREATE INDEX exchanges_by_model ON exchanges (model, id);
CREATE INDEX exchanges_by_upstream ON exchanges (upstream, id);
CREATE INDEX exchanges_by_client ON exchanges (client, id);
CREATE INDEX exchanges_by_call ON exchanges (call_id);
