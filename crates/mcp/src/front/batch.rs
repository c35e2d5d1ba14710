//! Several messages in one piece, which only revision 2025-03-26 has.

use std::sync::Arc;

use http::{HeaderMap, Response, StatusCode};
use tokio::task::JoinSet;
use toolwright_jsonrpc::{ErrorObject, INVALID_REQUEST, Message, Request};

use super::body::FrontBody;
use super::call::Call;
use super::events::EventBody;
use super::fronts::Place;
use super::headers::Accepted;
use super::http_legacy::{Running, open, session};
use super::legacy::{self, Begun};
use super::reading::{self, Params};
use super::session::{OF_REQUEST, Session};
use super::task::{answer_line, error_line};
use super::way::{Line, Step};
use super::{answer, shape};
use crate::http::headers::SESSION_ID;

/// The only revision with batches.
pub(super) const WITH_BATCHES: &str = "2025-03-26";

/// Answers a batch over HTTP.
pub(super) async fn answer(
    place: Place<'_>,
    headers: &HeaderMap,
    texts: &[&str],
    accepted: Accepted,
) -> Response<FrontBody> {
    if !headers.contains_key(SESSION_ID) {
        return answer::error(StatusCode::BAD_REQUEST, None, not_here());
    }
    let session = match session(place, headers) {
        Ok(session) => session,
        Err(refusal) => return *refusal,
    };
    let read = match read(&session, texts) {
        Ok(read) => read,
        Err(error) => return answer::error(StatusCode::BAD_REQUEST, None, error),
    };
    let Read { requests, wrong } = read;
    if requests.is_empty() && wrong.is_empty() {
        return answer::empty(StatusCode::ACCEPTED);
    }
    if place.shared.is_closed() {
        return answer::refusal(
            StatusCode::SERVICE_UNAVAILABLE,
            "the gateway is shutting down; try again later",
        );
    }
    if !accepted.events {
        let mut lines = wrong;
        lines.extend(gather(&session, requests, false, |_| {}).await);
        return answer::json(StatusCode::OK, format!("[{}]", lines.join(",")));
    }
    let events = session.open_stream(OF_REQUEST);
    open(&events, &session, false);
    for text in wrong {
        events.push(&Line { text, may_be_lost: false });
    }
    let (owner, written) = (Arc::clone(&session), Arc::clone(&events));
    tokio::spawn(async move {
        let mut running = JoinSet::new();
        for request in requests {
            let (session, written) = (Arc::clone(&owner), Arc::clone(&written));
            running.spawn(async move {
                match legacy::begin(&session, &request, Params::read(request.params.as_ref()), true).await {
                    Begun::Call(call) => {
                        let running = Running { session, id: request.id, method: request.method };
                        running.write(call, &written).await;
                    }
                    Begun::Answered(outcome) => {
                        let text = answer_line(Some(request.id), outcome);
                        written.push(&Line { text, may_be_lost: false });
                    }
                }
            });
        }
        while running.join_next().await.is_some() {}
        written.finish();
    });
    answer::events(EventBody::of_session(events, None, place.shared.limits.keep_alive, &session))
}

/// The messages of a batch that are to be answered.
pub(super) struct Read {
    pub requests: Vec<Request>,
    /// Answers to what is no message.
    pub wrong: Vec<String>,
}

/// Reads a batch; what needs no answer is dealt with.
pub(super) fn read(session: &Arc<Session>, texts: &[&str]) -> Result<Read, ErrorObject> {
    if session.client().revision != WITH_BATCHES {
        return Err(not_here());
    }
    let limit = session.shared.limits.batch;
    if texts.is_empty() || texts.len() > limit {
        let said = format!("a batch has from 1 to {limit} messages, not {}", texts.len());
        return Err(ErrorObject::new(INVALID_REQUEST, said));
    }
    let (mut requests, mut wrong) = (Vec::new(), Vec::new());
    for text in texts {
        match reading::message(text) {
            Ok(Message::Request(request)) => requests.push(request),
            Ok(Message::Notification(notification)) => legacy::notified(session, notification),
            Ok(Message::Response(response)) => session.answered(response),
            Err(unreadable) => wrong.push(error_line(unreadable.id, unreadable.error)),
        }
    }
    Ok(Read { requests, wrong })
}

fn not_here() -> ErrorObject {
    let said = format!("only a session of revision {WITH_BATCHES} may send several messages at once");
    ErrorObject::new(INVALID_REQUEST, said)
}

/// The answers to several requests, in the order in which they come.
pub(super) async fn gather(
    session: &Arc<Session>,
    requests: Vec<Request>,
    has_stream: bool,
    tell: impl Fn(Line) + Clone + Send + 'static,
) -> Vec<String> {
    let mut running = JoinSet::new();
    for request in requests {
        let (session, tell) = (Arc::clone(session), tell.clone());
        running.spawn(async move {
            match legacy::begin(&session, &request, Params::read(request.params.as_ref()), has_stream).await {
                Begun::Answered(outcome) => Some(answer_line(Some(request.id), outcome)),
                Begun::Call(call) => finish(call, request, tell).await,
            }
        });
    }
    let mut lines = Vec::new();
    while let Some(answered) = running.join_next().await {
        lines.extend(answered.ok().flatten());
    }
    lines
}

async fn finish(mut call: Call, request: Request, tell: impl Fn(Line)) -> Option<String> {
    loop {
        match call.next().await {
            Step::Line(line) => tell(line),
            Step::Done(outcome) => {
                return Some(answer_line(Some(request.id), shape::legacy(&request.method, outcome)));
            }
            Step::Cancelled | Step::Questions => return None,
        }
    }
}
