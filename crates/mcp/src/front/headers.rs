//! The headers of an HTTP request: what the client takes, and whether they say the same as the body.

use http::HeaderMap;
use http::header::{ACCEPT, CONTENT_TYPE};
use toolwright_jsonrpc::raw::{self, Number};
use toolwright_jsonrpc::{ErrorObject, Json};

use super::reading::Params;
use super::service::HttpTrace;
use crate::http::headers::{METHOD, NAME, PROTOCOL_VERSION, decoded};
use crate::http::params::{HEADER_ANNOTATION, PREFIX, is_token, written};

/// The error of a header that is missing, or says something else than the body.
pub(super) const HEADER_MISMATCH: i64 = -32020;

/// What a client takes as an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Accepted {
    pub json: bool,
    pub events: bool,
}

/// What the client takes. Without a word it takes everything.
pub(super) fn accepted(headers: &HeaderMap) -> Accepted {
    let mut accepted = Accepted { json: false, events: false };
    let mut is_said = false;
    for value in headers.get_all(ACCEPT) {
        is_said = true;
        for part in value.to_str().unwrap_or_default().split(',') {
            let kind = part.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
            match kind.as_str() {
                "*/*" => accepted = Accepted { json: true, events: true },
                "application/json" | "application/*" => accepted.json = true,
                "text/event-stream" | "text/*" => accepted.events = true,
                _ => {}
            }
        }
    }
    if is_said { accepted } else { Accepted { json: true, events: true } }
}

/// Whether the body is JSON by its own account.
pub(super) fn is_json(headers: &HeaderMap) -> bool {
    let kind = headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    kind.split(';').next().unwrap_or_default().trim().eq_ignore_ascii_case("application/json")
}

/// The only value of a header.
pub(super) fn only<'h>(headers: &'h HeaderMap, name: &str) -> Result<Option<&'h str>, ErrorObject> {
    let mut values = headers.get_all(name).iter();
    let Some(value) = values.next() else { return Ok(None) };
    if values.next().is_some() {
        return Err(mismatch(format!("the header {name} stands twice")));
    }
    match str::from_utf8(value.as_bytes()) {
        Ok(text) => Ok(Some(text.trim_matches([' ', '\t']))),
        Err(_) => Err(mismatch(format!("the header {name} is no text"))),
    }
}

/// What the headers say of a trace. A `traceparent` that stands twice is none.
pub(super) fn trace(headers: &HeaderMap) -> Option<HttpTrace> {
    let traceparent = only(headers, "traceparent").ok()??.to_owned();
    let states: Vec<&str> =
        headers.get_all("tracestate").iter().filter_map(|value| value.to_str().ok()).collect();
    let tracestate = (!states.is_empty()).then(|| states.join(","));
    Some(HttpTrace { traceparent, tracestate })
}

fn mismatch(said: String) -> ErrorObject {
    ErrorObject::new(HEADER_MISMATCH, said)
}

/// Compares the headers of a modern request with its body.
pub(super) fn check(
    headers: &HeaderMap,
    revision: &str,
    method: &str,
    params: &Params<'_>,
) -> Result<(), ErrorObject> {
    equal(headers, PROTOCOL_VERSION, "the revision in \"_meta\"", revision)?;
    equal(headers, METHOD, "the method", method)?;
    let (key, what) = match method {
        "tools/call" | "prompts/get" => ("name", "\"name\" of params"),
        "resources/read" => ("uri", "\"uri\" of params"),
        "tasks/get" | "tasks/update" | "tasks/cancel" => ("taskId", "\"taskId\" of params"),
        _ => return Ok(()),
    };
    match params.get_text(key) {
        Some(name) => equal(headers, NAME, what, &name),
        None => Ok(()),
    }
}

fn equal(headers: &HeaderMap, name: &str, what: &str, body: &str) -> Result<(), ErrorObject> {
    let Some(value) = only(headers, name)? else {
        return Err(mismatch(format!("the header {name} is missing; it must repeat {what}")));
    };
    match decoded(value) {
        Some(value) if value == body => Ok(()),
        Some(value) => {
            let (value, body) = (raw::quote(&value), raw::quote(body));
            Err(mismatch(format!("the header {name} says {value}, but {what} is {body}")))
        }
        None => Err(mismatch(format!("the header {name} is not encoded in base64 as it says"))),
    }
}

/// Compares the headers that repeat arguments of a tool with the arguments.
pub(super) fn check_arguments(
    headers: &HeaderMap,
    schema: &Json,
    arguments: Option<&Json>,
) -> Result<(), ErrorObject> {
    // Almost no schema has one.
    if !schema.as_str().contains(HEADER_ANNOTATION) {
        return Ok(());
    }
    let Some(properties) = schema.get("properties") else { return Ok(()) };
    for property in properties.members().unwrap_or_default() {
        let Ok(schema) = Json::parse(property.value) else { continue };
        let argument = arguments.and_then(|arguments| arguments.get(&property.key));
        match schema.get_text(HEADER_ANNOTATION).filter(|name| is_token(name)) {
            Some(name) => check_argument(headers, &property.key, &format!("{PREFIX}{name}"), argument)?,
            None => check_arguments(headers, &schema, argument.as_ref())?,
        }
    }
    Ok(())
}

fn check_argument(
    headers: &HeaderMap,
    key: &str,
    name: &str,
    argument: Option<Json>,
) -> Result<(), ErrorObject> {
    let quoted = raw::quote(key);
    let body = argument.as_ref().and_then(written);
    let (value, body) = match (only(headers, name)?, body) {
        (None, None) => return Ok(()),
        (Some(_), None) => {
            return Err(mismatch(format!("the header {name} is there, but the argument {quoted} is not")));
        }
        (None, Some(_)) => {
            return Err(mismatch(format!("the header {name} is missing; it must repeat {quoted}")));
        }
        (Some(value), Some(body)) => (value, body),
    };
    let Some(value) = decoded(value) else {
        return Err(mismatch(format!("the header {name} is not encoded in base64 as it says")));
    };
    let is_number = argument.is_some_and(|argument| !argument.as_str().starts_with(['"', 't', 'f']));
    let is_same_number = || {
        let (ours, theirs) = (Number::parse(&body), Number::parse(&value));
        is_number && ours.is_some() && ours == theirs
    };
    if value == body || is_same_number() {
        return Ok(());
    }
    let (value, body) = (raw::quote(&value), raw::quote(&body));
    Err(mismatch(format!("the header {name} says {value}, but the argument {quoted} is {body}")))
}
