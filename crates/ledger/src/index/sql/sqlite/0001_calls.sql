-- One row per record. `id` is made of time and number, so that the order of ids is that of time.
CREATE TABLE calls (
    id INTEGER PRIMARY KEY,
    node TEXT NOT NULL,
    seq INTEGER NOT NULL,
    ts INTEGER NOT NULL,
    -- 0: a call that is over, 1: a call that was begun and has no end.
    kind INTEGER NOT NULL,
    call_id TEXT NOT NULL,
    client TEXT,
    session TEXT,
    front TEXT NOT NULL,
    toolbox TEXT,
    server TEXT,
    tool TEXT NOT NULL,
    tool_schema TEXT,
    stages TEXT NOT NULL,
    error_code TEXT,
    error_from_tool INTEGER NOT NULL,
    duration_us INTEGER NOT NULL,
    bytes_in INTEGER NOT NULL,
    bytes_out INTEGER NOT NULL,
    changed INTEGER NOT NULL,
    ok INTEGER NOT NULL,
    -- What the record takes as text, for pruning by size.
    size INTEGER NOT NULL,
    -- What may be long comes last: who reads the others need not pass over it.
    arguments TEXT,
    normalized TEXT,
    changes TEXT NOT NULL,
    error_message TEXT,
    error_parameters TEXT
) STRICT;

CREATE UNIQUE INDEX calls_by_number ON calls (node, seq);
-- An index of SQLite ends with the id, so that what it finds is in order of time.
CREATE INDEX calls_by_tool ON calls (tool);
CREATE INDEX calls_by_server ON calls (server);
CREATE INDEX calls_by_client ON calls (client);
CREATE INDEX calls_by_session ON calls (session) WHERE session IS NOT NULL;
CREATE INDEX calls_by_call ON calls (call_id);
CREATE INDEX calls_by_code ON calls (error_code) WHERE error_code IS NOT NULL;
CREATE INDEX calls_changed ON calls (changed) WHERE changed = 1;
CREATE INDEX calls_begun ON calls (kind) WHERE kind = 1;

-- Which rules and steps changed a call, and how often in it.
CREATE TABLE call_rules (
    rule TEXT NOT NULL,
    id INTEGER NOT NULL,
    changes INTEGER NOT NULL,
    PRIMARY KEY (rule, id)
) STRICT, WITHOUT ROWID;
CREATE INDEX call_rules_by_id ON call_rules (id);

-- The words of a call, cut and lowered before they come here. Only whether a word is there is kept.
CREATE VIRTUAL TABLE calls_text USING fts5 (
    words, content = '', contentless_delete = 1, detail = 'none', tokenize = 'ascii'
);

CREATE TABLE nodes (
    node TEXT PRIMARY KEY,
    last_seen INTEGER NOT NULL,
    indexed_seq INTEGER NOT NULL,
    -- The last number before the node's present run: what was begun up to there and has no end was cut.
    run_seq INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE rules (
    id TEXT PRIMARY KEY,
    kind TEXT NOT NULL,
    status TEXT NOT NULL,
    body TEXT NOT NULL,
    version INTEGER NOT NULL UNIQUE,
    changed_at INTEGER NOT NULL,
    changed_by TEXT NOT NULL
) STRICT;

-- One row: the version of the last change of a rule.
CREATE TABLE rule_version (one INTEGER PRIMARY KEY CHECK (one = 1), version INTEGER NOT NULL) STRICT;
INSERT INTO rule_version (one, version) VALUES (1, 0);
