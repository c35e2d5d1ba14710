//! A message of a legacy client over HTTP. A connection that breaks ends nothing: the call goes on.

use std::sync::Arc;

use http::header::{HeaderName, HeaderValue};
use http::{HeaderMap, Response, StatusCode};
use tokio::runtime::Handle;
use tokio::time::timeout;
use toolwright_jsonrpc::{
    ErrorObject, INTERNAL_ERROR, INVALID_REQUEST, Id, Json, Notification, Response as Answered,
};

use super::body::FrontBody;
use super::call::Call;
use super::client::SessionId;
use super::events::{EventBody, Events};
use super::fronts::{Place, Shared};
use super::headers::{Accepted, only};
use super::http::{Asked, bad_request, no_session};
use super::legacy::{self, Begun};
use super::meta::served_revisions;
use super::seal::random_number;
use super::session::{OF_REQUEST, Session};
use super::task::answer_line;
use super::way::{Line, Step};
use super::{answer, handshake, shape};
use crate::http::headers::{PROTOCOL_VERSION, SESSION_ID};

/// The first revision whose clients take an event without data.
const WITH_PRIMING: &str = "2025-11-25";

/// Answers a request.
pub(super) async fn answer(place: Place<'_>, headers: &HeaderMap, asked: Asked<'_>) -> Response<FrontBody> {
    if asked.request.method == "initialize" {
        return initialize(place, asked).await;
    }
    match session(place, headers) {
        Ok(session) => answer_request(&session, asked).await,
        Err(refusal) => *refusal,
    }
}

/// Hears a notification.
pub(super) fn hear(place: Place<'_>, headers: &HeaderMap, told: Notification) -> Response<FrontBody> {
    match session(place, headers) {
        Ok(session) => {
            legacy::notified(&session, told);
            answer::empty(StatusCode::ACCEPTED)
        }
        Err(refusal) => *refusal,
    }
}

/// Hears the answer to a question of ours.
pub(super) fn hear_answer(place: Place<'_>, headers: &HeaderMap, said: Answered) -> Response<FrontBody> {
    match session(place, headers) {
        Ok(session) => {
            session.answered(said);
            answer::empty(StatusCode::ACCEPTED)
        }
        Err(refusal) => *refusal,
    }
}

/// The session of a request.
pub(super) fn session(
    place: Place<'_>,
    headers: &HeaderMap,
) -> Result<Arc<Session>, Box<Response<FrontBody>>> {
    let bad = |error| Box::new(answer::error(StatusCode::BAD_REQUEST, None, error));
    if let Some(revision) = only(headers, PROTOCOL_VERSION).map_err(bad)?
        && !served_revisions().contains(&revision)
    {
        let served = served_revisions().join(", ");
        let said =
            format!("the header MCP-Protocol-Version names a revision that is not served; use {served}");
        return Err(bad(ErrorObject::new(INVALID_REQUEST, said)));
    }
    let token = only(headers, SESSION_ID).map_err(bad)?;
    let Some(token) = token else { return Err(Box::new(no_session())) };
    place.shared.sessions.open(place, token).ok_or_else(|| {
        let said = "there is no such session: it has ended, is too old, or is not for this endpoint and token; \
                    begin a new one with \"initialize\"";
        Box::new(answer::refusal(StatusCode::NOT_FOUND, said))
    })
}

async fn initialize(place: Place<'_>, asked: Asked<'_>) -> Response<FrontBody> {
    let Asked { request, params, accepted } = asked;
    let id = || request.id.clone();
    let introduced =
        params.and_then(|params| handshake::introduced(&params, place.visitor, SessionId(random_number())));
    let client = match introduced {
        Ok(client) => client,
        Err(error) => return bad_request(id(), error),
    };
    let (result, client) = match handshake::initialized(place.service, client).await {
        Ok(initialized) => initialized,
        Err(error) => return single(place.shared, accepted, id(), Err(error)),
    };
    let Some(session) = client.session else { return answer::empty(StatusCode::INTERNAL_SERVER_ERROR) };
    let token = place.shared.sessions.begin(place, client, session);
    let Some(token) = token.and_then(|token| HeaderValue::from_str(&token).ok()) else {
        let error = ErrorObject::new(INTERNAL_ERROR, "the token of the session could not be made");
        return single(place.shared, accepted, id(), Err(error));
    };
    let mut response = single(place.shared, accepted, id(), Ok(result));
    response.headers_mut().insert(HeaderName::from_static(SESSION_ID), token);
    response
}

/// An answer that is there already.
fn single(
    shared: &Shared,
    accepted: Accepted,
    id: Id,
    outcome: Result<Json, ErrorObject>,
) -> Response<FrontBody> {
    let text = answer_line(Some(id), outcome);
    if accepted.json {
        return answer::json(StatusCode::OK, text);
    }
    let events = Arc::new(Events::passing(shared.limits.stream_bytes, Arc::clone(&shared.counters)));
    events.push(&Line { text, may_be_lost: false });
    events.finish();
    answer::events(EventBody::new(events, shared.limits.keep_alive, None))
}

async fn answer_request(session: &Arc<Session>, asked: Asked<'_>) -> Response<FrontBody> {
    let Asked { request, params, accepted } = asked;
    let call = match legacy::begin(session, request, params, accepted.events).await {
        Begun::Answered(outcome) => return single(&session.shared, accepted, request.id.clone(), outcome),
        Begun::Call(call) => call,
    };
    let mut waited = Waited { call: Some(call), session: Arc::clone(session) };
    let running =
        Running { session: Arc::clone(session), id: request.id.clone(), method: request.method.clone() };
    let first = match accepted {
        Accepted { json: true, events: true } => {
            match timeout(session.shared.limits.silence, waited.next()).await {
                Ok(step) => step,
                Err(_) => return running.stream(waited, None),
            }
        }
        Accepted { events: false, .. } => waited.next_but_lines().await,
        Accepted { json: false, .. } => return running.stream(waited, None),
    };
    match first {
        Step::Done(outcome) => {
            waited.call = None;
            let outcome = shape::legacy(&running.method, outcome);
            answer::json(StatusCode::OK, answer_line(Some(running.id), outcome))
        }
        Step::Line(line) => running.stream(waited, Some(line)),
        // Nothing is answered to a request that was cancelled, but HTTP wants an answer.
        Step::Cancelled | Step::Questions => answer::empty(StatusCode::ACCEPTED),
    }
}

/// A call that goes on when nobody waits for it any more.
struct Waited {
    call: Option<Call>,
    session: Arc<Session>,
}

impl Waited {
    async fn next(&mut self) -> Step {
        match &mut self.call {
            Some(call) => call.next().await,
            None => Step::Cancelled,
        }
    }

    async fn next_but_lines(&mut self) -> Step {
        loop {
            match self.next().await {
                Step::Line(_) => {}
                step => return step,
            }
        }
    }
}

impl Drop for Waited {
    fn drop(&mut self) {
        let Some(mut call) = self.call.take().filter(|call| !call.way.is_cancelled()) else { return };
        let Ok(runtime) = Handle::try_current() else { return };
        let session = Arc::clone(&self.session);
        runtime.spawn(async move {
            loop {
                match call.next().await {
                    // A question has another way to the client.
                    Step::Line(Line { text, may_be_lost: false }) => session.tell_line(text),
                    Step::Line(_) => {}
                    Step::Done(_) | Step::Cancelled | Step::Questions => return,
                }
            }
        });
    }
}

/// A request whose answer is on its way.
pub(super) struct Running {
    pub session: Arc<Session>,
    pub id: Id,
    pub method: String,
}

impl Running {
    /// Goes on as a stream that can be taken up again.
    fn stream(self, mut waited: Waited, first: Option<Line>) -> Response<FrontBody> {
        let session = Arc::clone(&self.session);
        let events = session.open_stream(OF_REQUEST);
        open(&events, &session, first.is_none());
        if let Some(line) = first {
            events.push(&line);
        }
        if let Some(call) = waited.call.take() {
            let written = Arc::clone(&events);
            tokio::spawn(async move {
                self.write(call, &written).await;
                written.finish();
            });
        }
        answer::events(EventBody::of_session(events, None, session.shared.limits.keep_alive, &session))
    }

    /// Writes everything that comes of a call.
    pub async fn write(self, mut call: Call, events: &Events) {
        loop {
            match call.next().await {
                Step::Line(line) => events.push(&line),
                Step::Done(outcome) => {
                    let text = answer_line(Some(self.id), shape::legacy(&self.method, outcome));
                    return events.push(&Line { text, may_be_lost: false });
                }
                Step::Cancelled | Step::Questions => return,
            }
        }
    }
}

/// Begins a stream with what the client understands.
pub(super) fn open(events: &Events, session: &Session, shows_life: bool) {
    if session.client().revision.as_str() >= WITH_PRIMING {
        events.prime(session.shared.limits.retry);
    } else if shows_life {
        events.comment();
    }
}
