//! Calls in traces: where a client says that its call stands, and how the call and what it asks of a server end.

use toolwright_jsonrpc::{ErrorObject, Json};
use toolwright_mcp::front::{Client, HttpTrace};
use toolwright_mcp::{Peer, RequestError};
use toolwright_model::Caller;
use toolwright_telemetry::{
    CallBegin, CallEnd, CallSpan, Onward, SentTrace, ServerBehind, ServerSpan, Telemetry,
};
use toolwright_tools::CallOutcome;

use super::calls::Called;
use super::members::{Kind, Member};
use crate::web::STDIO;

/// Why a call failed whose error has no code of usual size.
const OTHER: &str = "_OTHER";
/// How a server is reached that is a child of ours.
const CHILD: &str = "stdio";

/// What is known of a call that begins.
pub(super) struct Beginning<'a> {
    pub member: &'a Member,
    pub client: &'a Client,
    pub caller: &'a Caller,
    pub params: Option<&'a Json>,
    pub trace: Option<HttpTrace>,
}

/// Begins the span of a call, where telemetry is on.
pub(super) fn begin(
    telemetry: Option<&Telemetry>,
    call: Beginning<'_>,
) -> (Option<CallSpan>, Option<Onward>) {
    let Some(telemetry) = telemetry else { return (None, None) };
    let meta = call.params.and_then(|params| params.get("_meta"));
    let sent = meta.as_ref().and_then(SentTrace::of_meta).or_else(|| {
        let HttpTrace { traceparent, tracestate } = call.trace?;
        Some(SentTrace { traceparent, tracestate })
    });
    let server = match &call.member.kind {
        Kind::Server(server) => {
            let is_stdio = server.supervisor.transport() == CHILD;
            Some(ServerBehind { name: &server.name, is_stdio })
        }
        Kind::Own(_) => None,
    };
    let (span, onward) = telemetry.begin(&CallBegin {
        caller: call.caller,
        revision: &call.client.revision,
        is_stdio: call.caller.front == STDIO,
        parent: sent.as_ref().map(SentTrace::as_sent),
        server,
    });
    (Some(span), onward)
}

/// The executor has run the call.
pub(super) fn end(span: Option<CallSpan>, outcome: &CallOutcome) {
    let Some(span) = span else { return };
    let error = outcome.result.as_ref().err();
    let response = error.and_then(|error| error.response.as_deref());
    let code = response.and_then(|response| response.as_ref().err()).and_then(ErrorObject::number);
    let written = code.map(|code| code.to_string());
    let own = error.map(|error| error.code.as_str());
    span.end(&CallEnd {
        tool: outcome.tool.as_ref().map(|tool| (tool.name(), tool.source())),
        changes: &outcome.changes,
        stages: Some(outcome.stages),
        error: written.as_deref().or(own),
        code,
    });
}

/// The call went by the executor.
pub(super) fn end_passing_by(span: Option<CallSpan>, called: &Called) {
    let Some(span) = span else { return };
    let code = match called {
        Called::Refused(error) => error.number(),
        _ => None,
    };
    let written = code.map(|code| code.to_string());
    let error = match called {
        Called::Answered(result) => is_error(result).then_some("tool_error"),
        Called::Refused(_) => Some(written.as_deref().unwrap_or(OTHER)),
        Called::Failed(error) => Some(error.code.as_str()),
        Called::Lost(_) => Some("unavailable"),
    };
    span.end(&CallEnd { error, code, ..CallEnd::default() });
}

/// A server is asked for a tool that it lists, or that it may know.
pub(crate) fn ask(onward: Option<&Onward>, tool: Option<&str>, peer: &Peer) -> Option<ServerSpan> {
    onward.map(|onward| onward.begin(tool, peer.revision()))
}

/// The params that a server gets.
pub(crate) fn params(span: Option<&ServerSpan>, params: Json) -> Json {
    match span {
        Some(span) => span.params(params),
        None => params,
    }
}

/// The server has answered, or will not.
pub(crate) fn answered(span: Option<ServerSpan>, answer: &Result<Json, RequestError>) {
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

fn is_error(result: &Json) -> bool {
    result.get("isError").is_some_and(|value| value.as_str() == "true")
}
