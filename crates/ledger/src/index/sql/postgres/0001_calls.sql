-- One row per record. `id` is made of time and number, so that the order of ids is that of time.
CREATE TABLE calls (
    id BIGINT PRIMARY KEY,
    node TEXT NOT NULL,
    seq BIGINT NOT NULL,
    ts BIGINT NOT NULL,
    -- 0: a call that is over, 1: a call that was begun and has no end.
    kind SMALLINT NOT NULL,
    call_id TEXT NOT NULL,
    client TEXT,
    session TEXT,
    front TEXT NOT NULL,
    toolbox TEXT,
    server TEXT,
    tool TEXT NOT NULL,
    tool_schema TEXT,
    -- Text and not JSONB: numbers, the order of keys and escapes stay as they were sent.
    arguments TEXT,
    normalized TEXT,
    changes TEXT NOT NULL,
    stages TEXT NOT NULL,
    error_code TEXT,
    error_message TEXT,
    error_parameters TEXT,
    error_from_tool BOOLEAN NOT NULL,
    duration_us BIGINT NOT NULL,
    bytes_in BIGINT NOT NULL,
    bytes_out BIGINT NOT NULL,
    changed BOOLEAN NOT NULL,
    ok BOOLEAN NOT NULL,
    -- What the record takes as text, for pruning by size.
    size BIGINT NOT NULL,
    -- The words of a call, cut and lowered before they come here. Only whether a word is there is kept.
    words TSVECTOR NOT NULL
);

CREATE UNIQUE INDEX calls_by_number ON calls (node, seq);
CREATE INDEX calls_by_tool ON calls (tool, id);
CREATE INDEX calls_by_server ON calls (server, id);
CREATE INDEX calls_by_client ON calls (client, id);
CREATE INDEX calls_by_session ON calls (session, id) WHERE session IS NOT NULL;
CREATE INDEX calls_by_call ON calls (call_id);
CREATE INDEX calls_by_code ON calls (error_code, id) WHERE error_code IS NOT NULL;
CREATE INDEX calls_changed ON calls (id) WHERE changed;
CREATE INDEX calls_begun ON calls (id) WHERE kind = 1;
CREATE INDEX calls_words ON calls USING gin (words);

-- Which rules and steps changed a call, and how often in it.
CREATE TABLE call_rules (
    rule TEXT NOT NULL,
    id BIGINT NOT NULL,
    changes BIGINT NOT NULL,
    PRIMARY KEY (rule, id)
);
CREATE INDEX call_rules_by_id ON call_rules (id);

CREATE TABLE nodes (
    node TEXT PRIMARY KEY,
    last_seen BIGINT NOT NULL,
    indexed_seq BIGINT NOT NULL,
    -- The last number before the node's present run: what was begun up to there and has no end was cut.
    run_seq BIGINT NOT NULL
);

CREATE TABLE rules (
    id TEXT PRIMARY KEY,
    kind TEXT NOT NULL,
    status TEXT NOT NULL,
    body TEXT NOT NULL,
    version BIGINT NOT NULL UNIQUE,
    changed_at BIGINT NOT NULL,
    changed_by TEXT NOT NULL
);

-- One row: the version of the last change of a rule. Who changes a rule holds it, so versions come in order.
CREATE TABLE rule_version (one SMALLINT PRIMARY KEY CHECK (one = 1), version BIGINT NOT NULL);
INSERT INTO rule_version (one, version) VALUES (1, 0);
