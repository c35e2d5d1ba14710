//! Requests to servers in traces: each has a span below the one of the call it belongs to.

use toolwright_jsonrpc::Json;
use toolwright_mcp::{Peer, RequestError};
use toolwright_telemetry::{Onward, ServerSpan};

/// The type of an error whose code is no number of usual size.
pub const OTHER: &str = "_OTHER";

/// Starts the span of a request for a tool that the server lists, or may know.
pub fn start(onward: Option<&Onward>, tool: Option<&str>, peer: &Peer) -> Option<ServerSpan> {
    onward.map(|onward| onward.begin(tool, peer.revision()))
}

/// The params that a server gets.
pub fn params(span: Option<&ServerSpan>, params: Json) -> Json {
    match span {
        Some(span) => span.params(params),
        None => params,
    }
}

/// Ends the span with the response of the server, or with the reason why there is none.
pub fn end(span: Option<ServerSpan>, answer: &Result<Json, RequestError>) {
    let Some(span) = span else { return };
    let error = match answer {
        Ok(result) => return span.end(is_error(result).then_some("tool_error"), None),
        Err(error) => error,
    };
    match error {
        RequestError::Server(error) => {
            let code = error.number();
            let written = code.map(|code| code.to_string());
            span.end(Some(written.as_deref().unwrap_or(OTHER)), code);
        }
        RequestError::Http { status, .. } => span.end(Some(&status.to_string()), None),
        RequestError::TimedOut(_) => span.end(Some("timeout"), None),
        RequestError::Closed(_) => span.end(Some("closed"), None),
        RequestError::Unauthorized(_) => span.end(Some("unauthorized"), None),
        RequestError::NoAnswer(_) => span.end(Some("no_answer"), None),
        RequestError::Unreadable(_) => span.end(Some("unreadable"), None),
        RequestError::NotProvided { .. } | RequestError::AsksWithoutEnd(_) => {
            span.end(Some("input_not_provided"), None);
        }
    }
}

/// Whether a result says that the tool failed.
pub fn is_error(result: &Json) -> bool {
    result.get("isError").is_some_and(|value| value.as_str() == "true")
}
