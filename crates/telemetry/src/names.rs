//! Every name of a span, an attribute and a metric, so that each stands in one place only.
//!
//! Those that begin with `mcp.`, `gen_ai.`, `rpc.`, `network.` and `error.` are of the semantic conventions of
//! OpenTelemetry; those that begin with `toolwright.` are ours.

/// The name of what measures.
pub const SCOPE: &str = "toolwright";

/// The method of every call of a tool.
pub const TOOLS_CALL: &str = "tools/call";
/// What a call of a tool is to the GenAI conventions.
pub const EXECUTE_TOOL: &str = "execute_tool";

/// What spans and points of metrics say of themselves.
pub mod attribute {
    /// The method of the protocol.
    pub const METHOD: &str = "mcp.method.name";
    /// The session of a legacy client.
    pub const SESSION: &str = "mcp.session.id";
    /// The revision that is spoken.
    pub const REVISION: &str = "mcp.protocol.version";
    /// The tool, by its server's name for it.
    pub const TOOL: &str = "gen_ai.tool.name";
    /// What is done, to the GenAI conventions.
    pub const OPERATION: &str = "gen_ai.operation.name";
    /// Why it failed: a code of JSON-RPC, or one of ours such as `timeout`.
    pub const ERROR: &str = "error.type";
    /// The code of a JSON-RPC error.
    pub const STATUS_CODE: &str = "rpc.response.status_code";
    /// How messages travel: `tcp` or `pipe`.
    pub const TRANSPORT: &str = "network.transport";
    /// In what: `http`.
    pub const PROTOCOL: &str = "network.protocol.name";

    /// The toolbox that the tool was called in.
    pub const TOOLBOX: &str = "toolwright.toolbox";
    /// The server of the tool.
    pub const SERVER: &str = "toolwright.server";
    /// Who called, by token or program.
    pub const CLIENT: &str = "toolwright.client";
    /// The way in: `mcp`, `stdio`, `llm`, `ask`, `voice` or `cli`.
    pub const FRONT: &str = "toolwright.front";
    /// Whether the call was mended.
    pub const REPAIRED: &str = "toolwright.repaired";
    /// How many changes that took.
    pub const CHANGES: &str = "toolwright.changes";
    /// Which rules asked for them.
    pub const RULES: &str = "toolwright.rules";
    /// Whether the tool could be reached and answered.
    pub const STAGE_TRANSPORT: &str = "toolwright.stage.transport";
    /// Whether the call was one that the tool takes.
    pub const STAGE_PROTOCOL: &str = "toolwright.stage.protocol";
    /// Whether the tool did what it was asked.
    pub const STAGE_TOOL: &str = "toolwright.stage.tool";
    /// What became of a call: `ok`, or the code of its error.
    pub const OUTCOME: &str = "toolwright.outcome";
    /// A rule, or the step that mended without one.
    pub const RULE: &str = "toolwright.rule";
    /// The state of servers.
    pub const STATE: &str = "toolwright.state";
    /// Why spans were lost.
    pub const REASON: &str = "toolwright.reason";
}

/// Metrics that go out over OTLP.
pub mod metric {
    /// The time of calls as our clients see it.
    pub const SERVER_DURATION: &str = "mcp.server.operation.duration";
    /// The time of calls of the servers behind us.
    pub const CLIENT_DURATION: &str = "mcp.client.operation.duration";
    /// The bounds of both that the conventions ask for, in seconds.
    pub const BOUNDS: [f64; 14] =
        [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 30.0, 60.0, 120.0, 300.0];

    /// Calls by outcome.
    pub const CALLS: &str = "toolwright.calls";
    /// Calls that were mended.
    pub const REPAIRED: &str = "toolwright.calls.repaired";
    /// Calls that no tool saw because they were not in order.
    pub const REFUSED: &str = "toolwright.calls.refused";
    /// Calls that run.
    pub const IN_FLIGHT: &str = "toolwright.calls.in_flight";
    /// Changes by rule.
    pub const REPAIRS: &str = "toolwright.repairs";
    /// Servers by state.
    pub const SERVERS: &str = "toolwright.servers";
    /// Records that were written.
    pub const JOURNAL_RECORDS: &str = "toolwright.journal.records";
    /// Records that could not be written.
    pub const JOURNAL_LOST: &str = "toolwright.journal.lost";
    /// Whether the last record could not be written.
    pub const JOURNAL_DEGRADED: &str = "toolwright.journal.degraded";
    /// Records that the index has not seen yet.
    pub const INDEX_LAG: &str = "toolwright.index.lag";
    /// Spans that were not sent.
    pub const SPANS_LOST: &str = "toolwright.telemetry.spans_lost";
}

/// Metrics on the page for Prometheus.
pub mod prometheus {
    /// The version that runs.
    pub const BUILD_INFO: &str = "toolwright_build_info";
    /// Seconds since the start.
    pub const UPTIME: &str = "toolwright_uptime_seconds";
    /// Answered requests by endpoint and status.
    pub const HTTP_REQUESTS: &str = "toolwright_http_requests_total";
    /// Requests that the port turned away, by reason.
    pub const HTTP_REFUSED: &str = "toolwright_http_refused_total";
    /// Open connections.
    pub const HTTP_CONNECTIONS: &str = "toolwright_http_connections";
    /// Requests that are worked on.
    pub const HTTP_IN_FLIGHT: &str = "toolwright_http_requests_in_flight";
    /// Streams that hear of changes.
    pub const HTTP_STREAMS: &str = "toolwright_http_streams";
    /// Sessions of legacy clients.
    pub const SESSIONS: &str = "toolwright_sessions";
    /// Calls that wait for a client's answer.
    pub const PARKED_CALLS: &str = "toolwright_parked_calls";
    /// Notifications that slow clients did not take.
    pub const DROPPED_NOTIFICATIONS: &str = "toolwright_dropped_notifications_total";
    /// Tool calls by outcome.
    pub const CALLS: &str = "toolwright_calls_total";
    /// Tool calls whose arguments were mended.
    pub const CALLS_REPAIRED: &str = "toolwright_calls_repaired_total";
    /// Changes of arguments by rule.
    pub const REPAIRS: &str = "toolwright_repairs_total";
    /// Tool calls that run.
    pub const CALLS_IN_FLIGHT: &str = "toolwright_calls_in_flight";
    /// The time of tool calls.
    pub const CALL_DURATION: &str = "toolwright_call_duration_seconds";
    /// Exchanges with models by upstream and outcome.
    pub const EXCHANGES: &str = "toolwright_llm_exchanges_total";
    /// Tokens by upstream and kind.
    pub const EXCHANGE_TOKENS: &str = "toolwright_llm_tokens_total";
    /// Calls in answers by upstream.
    pub const EXCHANGE_CALLS: &str = "toolwright_llm_calls_total";
    /// Calls in answers that were mended.
    pub const EXCHANGE_CALLS_REPAIRED: &str = "toolwright_llm_calls_repaired_total";
    /// Calls in answers that could not be mended.
    pub const EXCHANGE_CALLS_REFUSED: &str = "toolwright_llm_calls_refused_total";
    /// The time of exchanges by upstream.
    pub const EXCHANGE_DURATION: &str = "toolwright_llm_exchange_duration_seconds";
    /// Tools that are known.
    pub const TOOLS: &str = "toolwright_executor";
    /// Servers by state.
    pub const SERVERS: &str = "toolwright_servers";
    /// Records in the journal.
    pub const JOURNAL_RECORDS: &str = "toolwright_journal_records_total";
    /// Records that could not be written.
    pub const JOURNAL_LOST: &str = "toolwright_journal_lost_records_total";
    /// Written records that a loss of power may take.
    pub const JOURNAL_UNSYNCED: &str = "toolwright_journal_unsynced_records_total";
    /// Whether the last record could not be written.
    pub const JOURNAL_DEGRADED: &str = "toolwright_journal_degraded";
    /// Records that the index has not seen yet.
    pub const INDEX_LAG: &str = "toolwright_index_lag_records";
    /// Spans that were not sent, by reason.
    pub const SPANS_LOST: &str = "toolwright_telemetry_spans_lost_total";
}
