//! GET and DELETE of a legacy session: the stream of what changes, streams that are taken up again, the end.

use std::sync::Arc;

use http::{HeaderMap, Response, StatusCode};

use super::answer;
use super::body::FrontBody;
use super::events::EventBody;
use super::fronts::Place;
use super::headers::{accepted, only};
use super::http_legacy::{open, session};
use super::session::{GENERAL, Session};
use crate::http::headers::LAST_EVENT_ID;

/// Opens a stream, or takes one up again.
pub(super) fn listen(place: Place<'_>, headers: &HeaderMap) -> Response<FrontBody> {
    if !accepted(headers).events {
        return answer::refusal(StatusCode::NOT_ACCEPTABLE, "the header Accept must name text/event-stream");
    }
    if place.shared.is_closed() {
        return answer::refusal(
            StatusCode::SERVICE_UNAVAILABLE,
            "the gateway is shutting down; try again later",
        );
    }
    let session = match session(place, headers) {
        Ok(session) => session,
        Err(refusal) => return *refusal,
    };
    let last = match only(headers, LAST_EVENT_ID) {
        Ok(last) => last.filter(|last| !last.is_empty()),
        Err(error) => return answer::error(StatusCode::BAD_REQUEST, None, error),
    };
    let Some(listener) = place.shared.listener(place.visitor) else {
        let limit = place.shared.limits.listeners_per_visitor;
        let said = format!("{limit} streams of this client are open already; close one");
        return answer::refusal(StatusCode::TOO_MANY_REQUESTS, &said);
    };
    let opened = match last {
        None => Ok(general(&session)),
        Some(last) => resume(&session, last),
    };
    match opened {
        Ok(mut body) => {
            body.listener = Some(listener);
            answer::events(body)
        }
        Err(said) => answer::refusal(StatusCode::BAD_REQUEST, said),
    }
}

fn general(session: &Arc<Session>) -> EventBody {
    session.begin_listening();
    let events = session.open_stream(GENERAL);
    open(&events, session, true);
    let keep_alive = session.shared.limits.keep_alive;
    let body = EventBody::of_session(Arc::clone(&events), None, keep_alive, session);
    session.deliver_waiting(&events);
    body
}

fn resume(session: &Arc<Session>, last: &str) -> Result<EventBody, &'static str> {
    let split = last.rsplit_once('-').and_then(|(name, number)| Some((name, number.parse::<u64>().ok()?)));
    let Some((name, number)) = split else {
        return Err("the header Last-Event-ID names no event of this session");
    };
    let Some(events) = session.stream(name) else {
        // What was told on a stream that nobody kept is lost, but what follows is not.
        if name.starts_with(GENERAL) {
            return Ok(general(session));
        }
        return Err("the events behind Last-Event-ID are not kept any more; send the request again");
    };
    let keep_alive = session.shared.limits.keep_alive;
    let body = EventBody::of_session(Arc::clone(&events), Some(number), keep_alive, session);
    if name.starts_with(GENERAL) {
        session.begin_listening();
        session.deliver_waiting(&events);
    }
    Ok(body)
}

/// Ends a session.
pub(super) fn end(place: Place<'_>, headers: &HeaderMap) -> Response<FrontBody> {
    match session(place, headers) {
        Ok(session) => {
            place.shared.sessions.end(&session);
            answer::empty(StatusCode::NO_CONTENT)
        }
        Err(refusal) => *refusal,
    }
}
