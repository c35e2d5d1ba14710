//! What a request that is turned away is told: what, why and what to do, as a JSON-RPC error.

use bytes::Bytes;
use http::header::{ALLOW, CONTENT_TYPE, RETRY_AFTER, WWW_AUTHENTICATE};
use http::{HeaderValue, Response, StatusCode};
use http_body_util::{BodyExt, Full};
use serde_json::{Map, Value, json};

use toolwright_llm::Dialect;
use toolwright_proxy::refusal;

use crate::inside::InsideBody;

/// The code of all errors of the port. Which one it is says `data.reason`.
const CODE: i64 = -32000;

/// Why a request is turned away.
#[derive(Debug, PartialEq)]
pub(crate) struct Refusal {
    pub status: StatusCode,
    /// One word for programs and counters.
    pub reason: &'static str,
    pub message: String,
    data: Box<Map<String, Value>>,
    header: Option<Box<(http::HeaderName, String)>>,
}

impl Refusal {
    pub fn new(status: StatusCode, reason: &'static str, message: impl Into<String>) -> Refusal {
        Refusal { status, reason, message: message.into(), data: Box::default(), header: None }
    }

    fn saying(mut self, key: &str, value: Value) -> Refusal {
        self.data.insert(key.to_owned(), value);
        self
    }

    /// Whether too many are inside now: not too many in a time.
    pub fn is_for_number(&self) -> bool {
        self.data.get("limit").and_then(Value::as_str).is_some_and(|limit| limit != "rate")
    }

    /// The head names no host, two, or something that is none.
    pub fn bad_host(why: &str) -> Refusal {
        Refusal::new(StatusCode::BAD_REQUEST, "host", format!("the Host header {why}"))
    }

    /// The host is none of ours: perhaps a web page that pretends to be on this machine.
    pub fn other_host(host: &str) -> Refusal {
        let message = format!(
            "the host \"{host}\" is not served here; use the address that the gateway printed, or start it with --allow-host {host}"
        );
        Refusal::new(StatusCode::FORBIDDEN, "host", message)
    }

    /// A web page that may not come in.
    pub fn other_origin(origin: &str) -> Refusal {
        let message = format!(
            "web pages of the origin \"{origin}\" may not use this gateway; if this one should, start it with --allow-origin ORIGIN"
        );
        Refusal::new(StatusCode::FORBIDDEN, "origin", message)
    }

    /// What changes something comes from our own pages only.
    pub fn not_from_a_page() -> Refusal {
        let message = "that did not come from a page of this gateway; load the page again and do it there";
        Refusal::new(StatusCode::FORBIDDEN, "origin", message.to_owned())
    }

    pub fn unauthorized(what: &str, where_is_it: &str) -> Refusal {
        let message = format!(
            "{what}; send it as the header \"Authorization: Bearer TOKEN\" or \"X-Toolwright-Token: TOKEN\"; {where_is_it}"
        );
        let mut refusal = Refusal::new(StatusCode::UNAUTHORIZED, "token", message);
        refusal.header = Some(Box::new((WWW_AUTHENTICATE, "Bearer realm=\"toolwright\"".to_owned())));
        refusal
    }

    /// The token does not open this toolbox. Whether there is one of the name is not said.
    pub fn not_for_you(toolbox: &str, allowed: &[String]) -> Refusal {
        let message =
            format!("this token may not use the toolbox \"{toolbox}\"; it may use {}", listed(allowed));
        Refusal::new(StatusCode::FORBIDDEN, "toolbox", message).saying("toolboxes", json!(allowed))
    }

    pub fn no_toolbox(toolbox: &str, there: &[String]) -> Refusal {
        let message = format!("there is no toolbox \"{toolbox}\"; there is {}", listed(there));
        Refusal::new(StatusCode::NOT_FOUND, "toolbox", message).saying("toolboxes", json!(there))
    }

    pub fn no_route(path: &str, routes: &[&str]) -> Refusal {
        let message = format!("there is nothing at \"{path}\"; there is {}", routes.join(", "));
        Refusal::new(StatusCode::NOT_FOUND, "path", message).saying("routes", json!(routes))
    }

    pub fn method(method: &http::Method, allowed: &'static str) -> Refusal {
        let message = format!("{method} is not possible here; use {allowed}");
        let mut refusal = Refusal::new(StatusCode::METHOD_NOT_ALLOWED, "method", message);
        refusal.header = Some(Box::new((ALLOW, allowed.to_owned())));
        refusal
    }

    /// A parameter of the query cannot be understood.
    pub fn parameter(name: &str, why: &str, fix: &str) -> Refusal {
        let message = format!("the parameter \"{name}\": {why}; {fix}");
        Refusal::new(StatusCode::BAD_REQUEST, "parameter", message).saying("parameter", json!(name))
    }

    /// A limited token asks what others do.
    pub fn not_for_clients() -> Refusal {
        let message = "this token is limited to some toolboxes or models, and what is told here is about all of them; use the gateway's own token, or one that was made without --toolbox and --model";
        Refusal::new(StatusCode::FORBIDDEN, "access", message)
    }

    /// The body of a decision is of another kind.
    pub fn kind(given: &str) -> Refusal {
        let message = format!(
            "the body is \"{given}\"; send JSON with \"Content-Type: application/json\", at least {{}}"
        );
        Refusal::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, "kind", message)
    }

    /// The body of a decision cannot be understood.
    pub fn decision_body(why: &str) -> Refusal {
        let message = format!("the body cannot be understood: {why}; send {{}} or {{\"by\": \"your name\"}}");
        Refusal::new(StatusCode::BAD_REQUEST, "body", message)
    }

    pub fn no_call(call: &str) -> Refusal {
        let message =
            format!("no call \"{call}\" was written down, or it is gone; /api/operations lists them");
        Refusal::new(StatusCode::NOT_FOUND, "call", message)
    }

    /// Nothing is written down here.
    pub fn no_ledger() -> Refusal {
        let message = "this gateway does not write calls down, so there is nothing to tell; what it said at its start tells why";
        Refusal::new(StatusCode::SERVICE_UNAVAILABLE, "ledger", message)
    }

    /// Nobody here knows how the gateway is doing.
    pub fn no_status() -> Refusal {
        let message = "this gateway has no status of its own; ask /api/health";
        Refusal::new(StatusCode::SERVICE_UNAVAILABLE, "status", message)
    }

    /// The index cannot be asked now.
    pub fn no_index(why: &str) -> Refusal {
        let message = format!("calls cannot be looked up now: {why}; nothing is lost, ask again in a moment");
        let mut refusal = Refusal::new(StatusCode::SERVICE_UNAVAILABLE, "index", message);
        refusal.header = Some(Box::new((RETRY_AFTER, "1".to_owned())));
        refusal
    }

    /// A mistake of ours.
    pub fn broken(why: &dyn std::fmt::Display) -> Refusal {
        let message = format!("the answer could not be made: {why}; please report this");
        Refusal::new(StatusCode::INTERNAL_SERVER_ERROR, "broken", message)
    }

    /// The limit that was reached.
    pub fn limit(&self) -> Option<&str> {
        self.data.get("limit").and_then(Value::as_str)
    }

    /// A limit is reached.
    pub fn too_much(limit: &'static str, message: String, number: usize, seconds: u64) -> Refusal {
        let seconds = seconds.max(1);
        let mut refusal = Refusal::new(StatusCode::TOO_MANY_REQUESTS, "limit", message)
            .saying("limit", json!(limit))
            .saying("number", json!(number))
            .saying("retryAfterSeconds", json!(seconds));
        refusal.header = Some(Box::new((RETRY_AFTER, seconds.to_string())));
        refusal
    }

    pub fn too_large(limit: usize) -> Refusal {
        let message =
            format!("the body has more than {limit} bytes, the most that is read; send less at once");
        Refusal::new(StatusCode::PAYLOAD_TOO_LARGE, "size", message).saying("number", json!(limit))
    }

    pub fn too_slow(seconds: u64) -> Refusal {
        let message = format!("the body did not arrive within {seconds} s");
        Refusal::new(StatusCode::REQUEST_TIMEOUT, "slow", message).saying("number", json!(seconds))
    }

    pub fn broken_body() -> Refusal {
        Refusal::new(StatusCode::BAD_REQUEST, "body", "the body ended before its end, or is not well formed")
    }

    /// It was in flight when the grace period ended. Without `Retry-After`: the tool may have done its work.
    pub fn ending() -> Refusal {
        let message = "the gateway is shutting down; the call was not finished and may have taken effect; \
                       check that before you send it again";
        Refusal::new(StatusCode::SERVICE_UNAVAILABLE, "ending", message)
    }

    /// It was ending before the request came.
    pub fn too_late() -> Refusal {
        let message = "the gateway is shutting down; nothing was begun; send it again in a moment";
        let mut refusal = Refusal::new(StatusCode::SERVICE_UNAVAILABLE, "ending", message);
        refusal.header = Some(Box::new((RETRY_AFTER, "1".to_owned())));
        refusal
    }

    /// The error as an answer to a client of models, in its dialect.
    pub fn into_llm_response(self, dialect: Dialect) -> Response<InsideBody> {
        let mut response = refusal(dialect, self.status.as_u16(), &self.message);
        if let Some((name, value)) = self.header.map(|header| *header)
            && let Ok(value) = HeaderValue::from_str(&value)
        {
            response.headers_mut().insert(name, value);
        }
        response
    }

    /// The error as an answer.
    pub fn into_response(self) -> Response<InsideBody> {
        let mut data = self.data;
        data.insert("reason".to_owned(), json!(self.reason));
        let error = json!({ "code": CODE, "message": self.message, "data": data });
        let text = json!({ "jsonrpc": "2.0", "id": null, "error": error }).to_string();
        let mut response = response(self.status, "application/json", text);
        if let Some((name, value)) = self.header.map(|header| *header)
            && let Ok(value) = HeaderValue::from_str(&value)
        {
            response.headers_mut().insert(name, value);
        }
        response
    }
}

/// A whole answer.
pub(crate) fn response(
    status: StatusCode,
    kind: &'static str,
    text: impl Into<Bytes>,
) -> Response<InsideBody> {
    let mut response = Response::new(Full::new(text.into()).boxed_unsync());
    *response.status_mut() = status;
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(kind));
    response
}

fn listed(names: &[String]) -> String {
    if names.is_empty() { "none".to_owned() } else { names.join(", ") }
}
