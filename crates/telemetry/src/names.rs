//! Names of all spans, attributes and metrics. Each is defined here only.
//!
//! Names with the prefixes `mcp.`, `gen_ai.`, `rpc.`, `network.` and `error.` come from the semantic conventions of
//! OpenTelemetry. Names with the prefix `toolwright.` are Toolwright's.

/// The name of the instrumentation scope.
pub const SCOPE: &str = "toolwright";

/// The MCP method of every tool call.
pub const TOOLS_CALL: &str = "tools/call";
/// The GenAI operation name of a tool call.
pub const EXECUTE_TOOL: &str = "execute_tool";

/// Attributes of spans and metric points.
pub mod attribute {
    /// The MCP method.
    pub const METHOD: &str = "mcp.method.name";
    /// The session of a legacy client.
    pub const SESSION: &str = "mcp.session.id";
    /// The MCP protocol version.
    pub const REVISION: &str = "mcp.protocol.version";
    /// The tool, under its server's name for it.
    pub const TOOL: &str = "gen_ai.tool.name";
    /// The operation, in the GenAI conventions.
    pub const OPERATION: &str = "gen_ai.operation.name";
    /// The reason of a failure: a JSON-RPC error code, or one of Toolwright's such as `timeout`.
    pub const ERROR: &str = "error.type";
    /// The JSON-RPC error code.
    pub const STATUS_CODE: &str = "rpc.response.status_code";
    /// The transport: `tcp` or `pipe`.
    pub const TRANSPORT: &str = "network.transport";
    /// The application protocol: `http`.
    pub const PROTOCOL: &str = "network.protocol.name";

    /// The toolbox that the tool was called in.
    pub const TOOLBOX: &str = "toolwright.toolbox";
    /// The server of the tool.
    pub const SERVER: &str = "toolwright.server";
    /// The caller, by token or program.
    pub const CLIENT: &str = "toolwright.client";
    /// The front: `mcp`, `stdio`, `llm`, `ask`, `voice` or `cli`.
    pub const FRONT: &str = "toolwright.front";
    /// Whether the call was repaired.
    pub const REPAIRED: &str = "toolwright.repaired";
    /// The number of changes of the repair.
    pub const CHANGES: &str = "toolwright.changes";
    /// The rules that made the changes.
    pub const RULES: &str = "toolwright.rules";
    /// Whether the tool was reached and responded.
    pub const STAGE_TRANSPORT: &str = "toolwright.stage.transport";
    /// Whether the call was valid for the tool.
    pub const STAGE_PROTOCOL: &str = "toolwright.stage.protocol";
    /// Whether the tool succeeded.
    pub const STAGE_TOOL: &str = "toolwright.stage.tool";
    /// The outcome of a call: `ok`, or its error code.
    pub const OUTCOME: &str = "toolwright.outcome";
    /// A rule, or the built-in repair step.
    pub const RULE: &str = "toolwright.rule";
    /// The state of a server.
    pub const STATE: &str = "toolwright.state";
    /// The reason why spans were lost.
    pub const REASON: &str = "toolwright.reason";
}

/// Metrics exported over OTLP.
pub mod metric {
    /// The duration of calls as clients see it.
    pub const SERVER_DURATION: &str = "mcp.server.operation.duration";
    /// The duration of calls to servers.
    pub const CLIENT_DURATION: &str = "mcp.client.operation.duration";
    /// The histogram buckets of both in seconds, as the conventions define them.
    pub const BOUNDS: [f64; 14] =
        [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 30.0, 60.0, 120.0, 300.0];

    /// Calls by outcome.
    pub const CALLS: &str = "toolwright.calls";
    /// Repaired calls.
    pub const REPAIRED: &str = "toolwright.calls.repaired";
    /// Calls refused before they reached a tool.
    pub const REFUSED: &str = "toolwright.calls.refused";
    /// Calls in flight.
    pub const IN_FLIGHT: &str = "toolwright.calls.in_flight";
    /// Changes by rule.
    pub const REPAIRS: &str = "toolwright.repairs";
    /// Servers by state.
    pub const SERVERS: &str = "toolwright.servers";
    /// Records written to the journal.
    pub const JOURNAL_RECORDS: &str = "toolwright.journal.records";
    /// Records that could not be written.
    pub const JOURNAL_LOST: &str = "toolwright.journal.lost";
    /// Whether the last record could not be written.
    pub const JOURNAL_DEGRADED: &str = "toolwright.journal.degraded";
    /// Records that are not in the index yet.
    pub const INDEX_LAG: &str = "toolwright.index.lag";
    /// Spans that were not sent.
    pub const SPANS_LOST: &str = "toolwright.telemetry.spans_lost";
}

/// Metrics on the Prometheus endpoint.
pub mod prometheus {
    /// The version of Toolwright.
    pub const BUILD_INFO: &str = "toolwright_build_info";
    /// Seconds since startup.
    pub const UPTIME: &str = "toolwright_uptime_seconds";
    /// Requests by endpoint and status.
    pub const HTTP_REQUESTS: &str = "toolwright_http_requests_total";
    /// Requests that the port refused, by reason.
    pub const HTTP_REFUSED: &str = "toolwright_http_refused_total";
    /// Open connections.
    pub const HTTP_CONNECTIONS: &str = "toolwright_http_connections";
    /// Requests in flight.
    pub const HTTP_IN_FLIGHT: &str = "toolwright_http_requests_in_flight";
    /// Streams that send change notifications.
    pub const HTTP_STREAMS: &str = "toolwright_http_streams";
    /// Sessions of legacy clients.
    pub const SESSIONS: &str = "toolwright_sessions";
    /// Calls that wait for a client's response.
    pub const PARKED_CALLS: &str = "toolwright_parked_calls";
    /// Notifications dropped because a client was too slow.
    pub const DROPPED_NOTIFICATIONS: &str = "toolwright_dropped_notifications_total";
    /// Tool calls by outcome.
    pub const CALLS: &str = "toolwright_calls_total";
    /// Tool calls whose arguments were repaired.
    pub const CALLS_REPAIRED: &str = "toolwright_calls_repaired_total";
    /// Changes of arguments, by rule.
    pub const REPAIRS: &str = "toolwright_repairs_total";
    /// Tool calls in flight.
    pub const CALLS_IN_FLIGHT: &str = "toolwright_calls_in_flight";
    /// The duration of tool calls.
    pub const CALL_DURATION: &str = "toolwright_call_duration_seconds";
    /// Exchanges with models, by upstream and outcome.
    pub const EXCHANGES: &str = "toolwright_llm_exchanges_total";
    /// Tokens, by upstream and kind.
    pub const EXCHANGE_TOKENS: &str = "toolwright_llm_tokens_total";
    /// Tool calls in responses, by upstream.
    pub const EXCHANGE_CALLS: &str = "toolwright_llm_calls_total";
    /// Repaired tool calls in responses.
    pub const EXCHANGE_CALLS_REPAIRED: &str = "toolwright_llm_calls_repaired_total";
    /// Refused tool calls in responses.
    pub const EXCHANGE_CALLS_REFUSED: &str = "toolwright_llm_calls_refused_total";
    /// The duration of exchanges, by upstream.
    pub const EXCHANGE_DURATION: &str = "toolwright_llm_exchange_duration_seconds";
    /// The number of registered tools.
    pub const TOOLS: &str = "toolwright_executor";
    /// Servers by state.
    pub const SERVERS: &str = "toolwright_servers";
    /// Records in the journal.
    pub const JOURNAL_RECORDS: &str = "toolwright_journal_records_total";
    /// Records that could not be written.
    pub const JOURNAL_LOST: &str = "toolwright_journal_lost_records_total";
    /// Written records that a power loss may still take.
    pub const JOURNAL_UNSYNCED: &str = "toolwright_journal_unsynced_records_total";
    /// Whether the last record could not be written.
    pub const JOURNAL_DEGRADED: &str = "toolwright_journal_degraded";
    /// Records that are not in the index yet.
    pub const INDEX_LAG: &str = "toolwright_index_lag_records";
    /// Lost spans, by reason.
    pub const SPANS_LOST: &str = "toolwright_telemetry_spans_lost_total";
}
