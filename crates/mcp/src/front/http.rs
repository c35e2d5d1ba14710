//! One HTTP request: which era it is of, and who deals with it.

use bytes::Bytes;
use http::{HeaderMap, Method, Request, Response, StatusCode};
use toolwright_jsonrpc::{ErrorObject, INVALID_REQUEST, Json, Message};

use super::answer;
use super::body::FrontBody;
use super::fronts::Place;
use super::headers::{Accepted, accepted, is_json, trace};
use super::reading::{self, Params, Piece};
use super::{batch, http_get, http_legacy, http_modern};
use crate::MODERN_REVISIONS;
use crate::http::headers::{PROTOCOL_VERSION, SESSION_ID};
use crate::peer::REVISION;

/// Answers one request.
pub(super) async fn answer(place: Place<'_>, request: Request<Bytes>) -> Response<FrontBody> {
    let headers = request.headers();
    match *request.method() {
        Method::POST => post(place, headers, request.body()).await,
        Method::GET | Method::DELETE if !headers.contains_key(SESSION_ID) => answer::not_allowed(
            "POST",
            "only POST is answered here without a session; GET and DELETE need the header Mcp-Session-Id",
        ),
        Method::GET => http_get::listen(place, headers),
        Method::DELETE => http_get::end(place, headers),
        _ => answer::not_allowed("POST, GET, DELETE", "use POST, GET or DELETE"),
    }
}

async fn post(place: Place<'_>, headers: &HeaderMap, body: &Bytes) -> Response<FrontBody> {
    if !is_json(headers) {
        let said = "the header Content-Type must be application/json";
        return answer::refusal(StatusCode::UNSUPPORTED_MEDIA_TYPE, said);
    }
    let accepted = accepted(headers);
    if !accepted.json && !accepted.events {
        let said = "the header Accept must name application/json and text/event-stream";
        return answer::refusal(StatusCode::NOT_ACCEPTABLE, said);
    }
    let message = match reading::piece(body) {
        Ok(Piece::One(message)) => message,
        Ok(Piece::Batch(texts)) => return batch::answer(place, headers, &texts, accepted).await,
        Err(unreadable) => return answer::error(StatusCode::BAD_REQUEST, unreadable.id, unreadable.error),
    };
    if place.shared.is_closed() && matches!(message, Message::Request(_)) {
        return answer::refusal(
            StatusCode::SERVICE_UNAVAILABLE,
            "the gateway is shutting down; try again later",
        );
    }
    match message {
        Message::Request(request) => {
            let mut params = Params::read(request.params.as_ref());
            if let Ok(params) = &mut params {
                params.trace = trace(headers);
            }
            let is_modern = is_modern(headers, &request.method, request.params.as_ref(), &params);
            let asked = Asked { request: &request, params, accepted };
            match is_modern {
                true => http_modern::answer(place, headers, asked).await,
                false => http_legacy::answer(place, headers, asked).await,
            }
        }
        Message::Notification(told) => {
            let params = Params::read(told.params.as_ref());
            match is_modern(headers, &told.method, told.params.as_ref(), &params) {
                true => http_modern::hear(place, headers, &told, params),
                false => {
                    drop(params);
                    http_legacy::hear(place, headers, told)
                }
            }
        }
        Message::Response(response) => http_legacy::hear_answer(place, headers, response),
    }
}

/// A request as it came over HTTP.
pub(super) struct Asked<'a> {
    pub request: &'a toolwright_jsonrpc::Request,
    /// Its params, or what is wrong with them.
    pub params: Result<Params<'a>, ErrorObject>,
    pub accepted: Accepted,
}

/// Whether a message is of the modern era: it says so itself.
fn is_modern(
    headers: &HeaderMap,
    method: &str,
    params: Option<&Json>,
    read: &Result<Params<'_>, ErrorObject>,
) -> bool {
    if method == "server/discover" || names_revision(params, read) {
        return true;
    }
    // A modern client that forgot its `_meta` should hear that, not that it has no session.
    let named = headers.get(PROTOCOL_VERSION).and_then(|value| value.to_str().ok());
    method != "initialize"
        && !headers.contains_key(SESSION_ID)
        && named.is_some_and(|named| MODERN_REVISIONS.contains(&named.trim()))
}

/// Whether the `_meta` of params names a revision.
pub(super) fn names_revision(params: Option<&Json>, read: &Result<Params<'_>, ErrorObject>) -> bool {
    match read {
        Ok(read) => read.get_meta(REVISION).is_some(),
        // What is wrong with them is told in the way of the era that they are of.
        Err(_) => params
            .and_then(|params| params.get("_meta"))
            .and_then(|meta| {
                meta.members().map(|members| members.iter().any(|member| member.key == REVISION))
            })
            .unwrap_or_default(),
    }
}

/// An error in params, which the protocol wants as a bad request.
pub(super) fn bad_request(id: toolwright_jsonrpc::Id, error: ErrorObject) -> Response<FrontBody> {
    answer::error(StatusCode::BAD_REQUEST, Some(id), error)
}

/// The refusal of a message without a session.
pub(super) fn no_session() -> Response<FrontBody> {
    let said = "no session: begin one with \"initialize\" and send its Mcp-Session-Id, or name a revision in \
                \"_meta\" of every request";
    answer::error(StatusCode::BAD_REQUEST, None, ErrorObject::new(INVALID_REQUEST, said))
}
