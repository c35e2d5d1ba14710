//! One call of a tool for a client: through the executor, and back with the server's own result.

use std::sync::Arc;

use toolwright_backend::forward_context::ForwardContext;
use toolwright_backend::server_tool::{PATIENCE, ServerTool};
use toolwright_backend::{offer, result, server_span};
use toolwright_executor::{Call, CallError, ErrorCode, ToolFailure, ToolOutput};
use toolwright_jsonrpc::{ErrorObject, INVALID_PARAMS, Json};
use toolwright_mcp::RequestError;
use toolwright_mcp::front::{Asked, Client, SessionId};
use toolwright_model::{ANYONE, Caller, Change, OWN_TOKEN, STDIO};

use crate::forward;
use crate::gateway::Hub;
use crate::members::{Kind, Member};
use crate::traced::{self, Beginning};

/// What came of a call.
#[derive(Debug)]
pub(crate) enum Called {
    /// The tool's result, as its server gave it.
    Answered(Json),
    /// The server's error, as it gave it.
    Refused(ErrorObject),
    /// There is no result, for a reason of ours.
    Failed(CallError),
    /// There is no result: the server is not there, or the way to it broke.
    Lost(String),
}

impl Called {
    /// The same for observers of calls.
    fn as_it_is_recorded(&self) -> Result<ToolOutput, ToolFailure> {
        match self {
            Called::Answered(result) => result::read(result),
            Called::Refused(error) => Err(ToolFailure::tool(&error.message)),
            Called::Failed(error) => Err(ToolFailure::tool(error.message())),
            Called::Lost(reason) => Err(ToolFailure::Unavailable { message: reason.clone() }),
        }
    }

    /// What a client gets that called the tool itself.
    pub fn into_answer(self) -> Result<Json, ErrorObject> {
        match self {
            Called::Answered(result) => Ok(result),
            Called::Refused(error) => Err(error),
            Called::Failed(error) if error.code == ErrorCode::UnknownTool => {
                Err(ErrorObject::new(INVALID_PARAMS, error.message()))
            }
            Called::Failed(error) => Ok(result::failed(&words(&error))),
            Called::Lost(reason) => Ok(result::failed(&reason)),
        }
    }
}

/// What a model is told of an error of ours: the sentence, the details, and what to send instead.
pub(crate) fn words(error: &CallError) -> String {
    let mut text = error.message();
    if !error.hint.is_empty() && !text.contains(&*error.hint) {
        text.push('\n');
        text.push_str(&error.hint);
    }
    text
}

/// Why a text that has to be among the params cannot be taken from them.
pub(crate) fn no_text(params: Option<&Json>, key: &str) -> ErrorObject {
    let message = match params.and_then(|params| params.get(key)) {
        None => format!("\"{key}\" is missing"),
        Some(value) => format!("\"{key}\" has to be a string, not {}", kind(&value)),
    };
    ErrorObject::new(INVALID_PARAMS, message)
}

fn kind(value: &Json) -> &'static str {
    match value.as_str().as_bytes().first() {
        Some(b'{') => "an object",
        Some(b'[') => "a list",
        Some(b't' | b'f') => "a boolean",
        Some(b'n') => "null",
        Some(b'"') => "text that cannot be read",
        _ => "a number",
    }
}

/// A call that comes to no tool: it is recorded like any other.
pub(crate) struct Refusal<'r> {
    pub hub: &'r Hub,
    pub toolbox: Option<&'r str>,
    pub asked: &'r Asked,
}

impl Refusal<'_> {
    /// There is no tool of this name; `nearest` are those that the caller may see.
    pub async fn unknown(&self, sent: &str, nearest: &[String]) {
        let (arguments, caller) = self.parts();
        self.hub.executor.found_nothing(sent, &arguments, Some(&caller), nearest).await;
    }

    /// The server of the tool cannot be used.
    pub async fn unavailable(&self, sent: &str, why: &str) {
        let (arguments, caller) = self.parts();
        self.hub.executor.found_no_server(sent, &arguments, Some(&caller), why.to_owned()).await;
    }

    /// It may be one of several tools.
    pub async fn not_understood(&self, sent: &str, why: &str) {
        let (arguments, caller) = self.parts();
        self.hub.executor.came_to_nothing(sent, &arguments, Some(&caller), why.to_owned()).await;
    }

    fn parts(&self) -> (String, Caller) {
        let arguments = self.asked.params.as_ref().and_then(|params| params.get("arguments"));
        let arguments = arguments.map_or_else(|| "{}".to_owned(), |arguments| arguments.as_str().to_owned());
        (arguments, caller(self.toolbox, &self.asked.client))
    }
}

/// Calls a tool of a server by the server's own name for it. The arguments are those of the params; `renamed` says
/// by which other name it was called.
pub(crate) async fn call(
    hub: &Hub,
    member: &Member,
    tool: &str,
    asked: Asked,
    renamed: Vec<Change>,
) -> Called {
    let Asked { client, params, log_level, trace, back, .. } = asked;
    let caller = Arc::new(caller(Some(&member.toolbox), &client));
    let telemetry = hub.options.telemetry.as_deref();
    let beginning = Beginning { member, client: &client, caller: &caller, params: params.as_ref(), trace };
    let (span, onward) = traced::begin(telemetry, beginning);
    // Left out they are none, which the protocol allows; whether null may be that, the tool's own risk decides.
    let sent = params.as_ref().and_then(|params| params.get("arguments")).unwrap_or_else(Json::empty_object);
    let arguments = if sent.as_str() == "null" { Json::empty_object() } else { sent.clone() };
    let context = ForwardContext::new(params, log_level, back).traced(onward);
    let name = format!("{}/{tool}", member.registry_name());
    if let Kind::Server(server) = &member.kind {
        let registry = hub.executor.registry();
        if registry.get(&name).is_none() && member.offered().get(tool).is_some() {
            // Listed a moment ago.
            offer::register(server, registry);
        }
        if registry.get(&name).is_none() {
            // Another spelling of a tool that is kept back could still be that tool to the server.
            if server.is_filtered() && member.offered().get(tool).is_none() {
                hub.executor.found_nothing(&name, arguments.as_str(), Some(&caller), &[]).await;
                let called =
                    Called::Refused(ErrorObject::new(INVALID_PARAMS, format!("Unknown tool \"{tool}\"")));
                traced::end_passing_by(span, &called);
                return called;
            }
            // The server does not list it, or describes it so that nobody understands it: it may still know it.
            let passes_by = hub.executor.passes_by(&name, arguments.as_str(), Some(&caller), renamed);
            let passes_by = match passes_by.await {
                Ok(passes_by) => passes_by,
                Err(error) => {
                    let called = Called::Failed(error);
                    traced::end_passing_by(span, &called);
                    return called;
                }
            };
            let called = call_as_it_is(hub, member, tool, &arguments, &context).await;
            let called = match passes_by.end(called.as_it_is_recorded()).await {
                Ok(()) => called,
                Err(unrecorded) => Called::Failed(unrecorded),
            };
            traced::end_passing_by(span, &called);
            return called;
        }
    }
    let mut call = Call::new(name, sent.as_str()).by(caller).renamed(renamed);
    if let Kind::Server(server) = &member.kind {
        // A reload may have replaced the server since the request came in.
        let current = hub.servers.current();
        let server = current.list.iter().find(|current| current.name == server.name).unwrap_or(server);
        call = call.bound_to(Arc::new(ServerTool::for_client(server, tool, context)));
    }
    let outcome = hub.executor.execute(call).await;
    traced::end(span, &outcome);
    match outcome.result {
        Ok(output) => Called::Answered(result::write(output)),
        // The server has responded, and the client must not rely on it.
        Err(error) if error.code == ErrorCode::Unrecorded => Called::Failed(error),
        Err(CallError { response: Some(response), .. }) => match *response {
            Ok(result) => Called::Answered(result),
            Err(error) => Called::Refused(error),
        },
        Err(error) => Called::Failed(error),
    }
}

/// Who calls. A token that somebody named says more than a program does of itself.
pub(crate) fn caller(toolbox: Option<&str>, client: &Client) -> Caller {
    let program = || client.info.as_ref().and_then(|info| info.get_text("name"));
    let token = &*client.visitor.name;
    let is_named = ![OWN_TOKEN, ANYONE, STDIO].contains(&token);
    Caller {
        client: if is_named { token.to_owned() } else { program().unwrap_or_else(|| token.to_owned()) },
        principal: Some(token.to_owned()),
        session: client.session.map(|SessionId(id)| format!("{id:032x}")),
        front: if token == STDIO { STDIO } else { "mcp" },
        toolbox: toolbox.map(str::to_owned),
    }
}

/// Hands a call over to a server without looking at it.
async fn call_as_it_is(
    hub: &Hub,
    member: &Member,
    tool: &str,
    arguments: &Json,
    context: &ForwardContext,
) -> Called {
    let Kind::Server(server) = &member.kind else {
        return Called::Refused(ErrorObject::new(INVALID_PARAMS, format!("Unknown tool \"{tool}\"")));
    };
    let peer = match super::members::reach(server, context.client().era, PATIENCE).await {
        Ok(peer) => peer,
        Err(error) => return Called::Lost(error.message),
    };
    let asking = server_span::start(context.onward(), None, &peer);
    let params = server_span::params(asking.as_ref(), context.call_params(tool, arguments));
    let answer = forward::send(server, &peer, context, ("tools/call", params), hub.limit(server)).await;
    server_span::end(asking, &answer);
    match answer {
        Ok(result) => Called::Answered(result),
        Err(RequestError::Server(error)) => Called::Refused(error),
        Err(error) => Called::Lost(forward::in_words(server, &error)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_text_is_told_from_what_is_missing() {
        let said = |params: &str| no_text(Json::parse(params).ok().as_ref(), "name").message;
        assert_eq!(said("{}"), "\"name\" is missing");
        assert_eq!(no_text(None, "name").message, "\"name\" is missing");
        for (value, kind) in [
            ("5", "a number"),
            ("-5", "a number"),
            ("null", "null"),
            ("true", "a boolean"),
            ("[]", "a list"),
            ("{}", "an object"),
        ] {
            assert_eq!(
                said(&format!("{{\"name\": {value}}}")),
                format!("\"name\" has to be a string, not {kind}")
            );
        }
    }
}
