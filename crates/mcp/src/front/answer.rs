//! HTTP answers.

use http::header::{ALLOW, CACHE_CONTROL, CONTENT_TYPE, HeaderName, HeaderValue};
use http::{Response, StatusCode};
use toolwright_jsonrpc::{ErrorObject, INVALID_REQUEST, Id, METHOD_NOT_FOUND, PARSE_ERROR};

use super::body::FrontBody;
use super::events::EventBody;
use super::headers::HEADER_MISMATCH;
use super::meta::UNSUPPORTED_REVISION;
use super::shape::Shaped;
use super::task::{answer_line, error_line};
use crate::Era;

/// The error of a capability that the client did not declare.
const MISSING_CAPABILITY: i64 = -32021;

/// Tells proxies not to hold events back.
const BUFFERING: HeaderName = HeaderName::from_static("x-accel-buffering");

fn with_status(status: StatusCode, body: FrontBody) -> Response<FrontBody> {
    let mut response = Response::new(body);
    *response.status_mut() = status;
    response
}

/// Nothing but a status.
pub(super) fn empty(status: StatusCode) -> Response<FrontBody> {
    with_status(status, FrontBody::empty())
}

/// A line of JSON.
pub(super) fn json(status: StatusCode, line: String) -> Response<FrontBody> {
    let mut response = with_status(status, FrontBody::piece(line));
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}

/// An error with a status that the protocol names.
pub(super) fn error(status: StatusCode, id: Option<Id>, error: ErrorObject) -> Response<FrontBody> {
    json(status, error_line(id, error))
}

/// A refusal that is about HTTP more than about the message.
pub(super) fn refusal(status: StatusCode, said: &str) -> Response<FrontBody> {
    error(status, None, ErrorObject::new(INVALID_REQUEST, said))
}

/// A method of HTTP that is not for this endpoint.
pub(super) fn not_allowed(allowed: &'static str, said: &str) -> Response<FrontBody> {
    let mut response = refusal(StatusCode::METHOD_NOT_ALLOWED, said);
    response.headers_mut().insert(ALLOW, HeaderValue::from_static(allowed));
    response
}

/// An error that answers a request.
pub(super) fn failed(era: Era, id: Id, error: ErrorObject) -> Response<FrontBody> {
    json(error_status(&error, era), error_line(Some(id), error))
}

/// The answer to a request.
pub(super) fn outcome(
    era: Era,
    id: Id,
    outcome: Result<impl Into<Shaped>, ErrorObject>,
) -> Response<FrontBody> {
    match outcome {
        Ok(result) => json(StatusCode::OK, answer_line(Some(id), Ok(result))),
        Err(error) => failed(era, id, error),
    }
}

fn error_status(error: &ErrorObject, era: Era) -> StatusCode {
    match (error.number(), era) {
        (Some(METHOD_NOT_FOUND), Era::Modern) => StatusCode::NOT_FOUND,
        (Some(HEADER_MISMATCH | MISSING_CAPABILITY | UNSUPPORTED_REVISION), Era::Modern) => {
            StatusCode::BAD_REQUEST
        }
        (Some(INVALID_REQUEST | PARSE_ERROR), Era::Modern) => StatusCode::BAD_REQUEST,
        _ => StatusCode::OK,
    }
}

/// A stream of events.
pub(super) fn events(body: EventBody) -> Response<FrontBody> {
    let mut response = Response::new(FrontBody::events(body));
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("text/event-stream"));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-cache, no-store"));
    headers.insert(BUFFERING, HeaderValue::from_static("no"));
    response
}
