//! Calls in traces: the span that a client says its call belongs to, and how the call ends.

use toolwright_backend::server_span::{self, is_error};
use toolwright_executor::CallOutcome;
use toolwright_jsonrpc::{ErrorObject, Json};
use toolwright_mcp::front::{Client, HttpTrace};
use toolwright_model::{Caller, STDIO};
use toolwright_telemetry::{CallBegin, CallEnd, CallSpan, Onward, SentTrace, ServerBehind, Telemetry};
use toolwright_toolbox::TransportKind;

use crate::calls::Called;
use crate::members::{Kind, Member};

/// What is known of a call that begins.
pub(crate) struct Beginning<'a> {
    pub member: &'a Member,
    pub client: &'a Client,
    pub caller: &'a Caller,
    pub params: Option<&'a Json>,
    pub trace: Option<HttpTrace>,
}

/// Begins the span of a call, where telemetry is on.
pub(crate) fn begin(
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
            let is_stdio = server.supervisor.transport() == TransportKind::Stdio;
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
pub(crate) fn end(span: Option<CallSpan>, outcome: &CallOutcome) {
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
pub(crate) fn end_passing_by(span: Option<CallSpan>, called: &Called) {
    let Some(span) = span else { return };
    let code = match called {
        Called::Refused(error) => error.number(),
        _ => None,
    };
    let written = code.map(|code| code.to_string());
    let error = match called {
        Called::Answered(result) => is_error(result).then_some("tool_error"),
        Called::Refused(_) => Some(written.as_deref().unwrap_or(server_span::OTHER)),
        Called::Failed(error) => Some(error.code.as_str()),
        Called::Lost(_) => Some("unavailable"),
    };
    span.end(&CallEnd { error, code, ..CallEnd::default() });
}
