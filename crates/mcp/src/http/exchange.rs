//! One request and its answer: as JSON or as a stream, taken up again when it is cut, and asked once
//! more when the session was lost.

use std::sync::Arc;
use std::time::Duration;

use reqwest::{Method, Response};
use tokio::time::{sleep, timeout};
use toolwright_base::off_async;
use toolwright_jsonrpc::events::ServerEvent;
use toolwright_jsonrpc::lines::{self, Found, Line};
use toolwright_jsonrpc::{Id, Message, Response as Answer};

use super::CONFIRM;
use super::headers::{LAST_EVENT_ID, SESSION_ID, own_revision};
use super::refusal::{is_lost_session, shown};
use super::session::is_initialize;
use super::streamable::{Streamable, add_headers};
use super::web::{EVENT_STREAM, EventStream, Reply, SendError, content_type, read_event};
use crate::era::LEGACY_REVISIONS;
use crate::link::{Event, Outgoing};
use crate::{RequestError, Unreachable};

/// The wait before a stream is taken up again, when the server does not say.
pub(super) const RETRY: Duration = Duration::from_secs(1);
/// No server makes us wait longer.
pub(super) const MAX_RETRY: Duration = Duration::from_secs(300);
/// How often in a row a stream is taken up without anything coming of it.
const MAX_RESUMES: u32 = 4;
/// No wait is shorter than this, whatever the server says.
const MIN_RETRY: Duration = Duration::from_millis(10);
/// How long a stream may go on behind its answer, so that its connection can be used again.
const DRAIN: Duration = Duration::from_millis(500);

/// What came of a request.
enum Outcome {
    Answered(Box<Answered>),
    /// The server does not know the session; the error is what it says.
    SessionLost(RequestError),
}

struct Answered {
    answer: Answer,
    session_id: Option<String>,
    rest: Option<EventStream>,
}

/// Where a stream stands.
#[derive(Default)]
pub(super) struct Place {
    pub last_id: Option<String>,
    retry: Option<Duration>,
}

impl Place {
    pub fn note(&mut self, event: &ServerEvent) {
        if let Some(id) = &event.id {
            self.last_id = Some(id.clone()).filter(|id| !id.is_empty());
        }
        if let Some(retry) = event.retry {
            self.retry = Some(Duration::from_millis(retry).clamp(MIN_RETRY, MAX_RETRY));
        }
    }

    /// The wait before the stream is taken up again, after so many times in vain.
    pub fn wait(&self, failures: u32) -> Duration {
        let base = self.retry.unwrap_or(RETRY);
        match failures {
            0 => base,
            _ => base.max(RETRY).saturating_mul(1 << (failures - 1).min(6)).min(MAX_RETRY),
        }
    }
}

impl Streamable {
    /// Sends a request and sees to its end. `sent` is what came back when it was sent already.
    pub async fn exchange(self: Arc<Self>, outgoing: Outgoing, sent: Option<Result<Reply, SendError>>) {
        let Message::Request(request) = &outgoing.message else { return };
        let Some(id) = request.id.to_number() else { return };
        let mut sent = sent;
        let mut is_renewed = false;
        let error = loop {
            if sent.is_none() {
                // What builds on a session waits until it has begun anew.
                drop(self.session.renewing.lock().await);
            }
            let agreement = self.session.number();
            let reply = match sent.take() {
                Some(reply) => reply,
                None => self.post(&outgoing).await,
            };
            let outcome = match reply {
                Ok(reply) => self.answer(&outgoing, id, reply).await,
                Err(error) => Err(error),
            };
            match outcome {
                Ok(Outcome::Answered(answered)) => return self.finish(&outgoing, id, *answered).await,
                Ok(Outcome::SessionLost(error)) if is_renewed => break error,
                Ok(Outcome::SessionLost(error)) => {
                    tracing::info!(place = %self.web.place(), %error, "the session was lost");
                    is_renewed = true;
                    if let Err(reason) = self.renew(agreement).await {
                        return self.lose(reason);
                    }
                }
                Err(SendError::Unreachable(reason)) => return self.lose(reason),
                Err(SendError::Failed(error)) => break error,
            }
        };
        self.pass(Event::Failed { id, error }).await;
    }

    async fn finish(&self, outgoing: &Outgoing, id: u64, answered: Answered) {
        let Answered { mut answer, session_id, rest } = answered;
        if is_initialize(&outgoing.message)
            && let Ok(result) = &answer.outcome
        {
            self.session.begin(outgoing, session_id, result);
        }
        answer.id = Some(Id::number(id));
        let found = Found { message: Message::Response(answer), is_behind_text: false };
        self.pass(Event::Message { found, of: None }).await;
        let _ = timeout(DRAIN, self.hear_out(rest, Some(id))).await;
    }

    /// Finds the answer in what came back.
    async fn answer(&self, outgoing: &Outgoing, id: u64, reply: Reply) -> Result<Outcome, SendError> {
        let is_modern = own_revision(&outgoing.message).is_some();
        let builds_on_session = !is_modern && !is_initialize(&outgoing.message) && self.session.number() > 0;
        let response = match reply {
            Reply::Accepted(response) => response,
            Reply::Refused(refusal) => {
                let error = refusal.to_error(&self.web.place());
                let is_lost = builds_on_session
                    && refusal.is_lost_session()
                    && (self.session.has_id() || refusal.status != 404);
                return if is_lost { Ok(Outcome::SessionLost(error)) } else { Err(error.into()) };
            }
        };
        let session_id = response.headers().get(SESSION_ID);
        let session_id = session_id.and_then(|id| id.to_str().ok()).map(str::to_owned);
        let (answer, rest) = if content_type(&response) == EVENT_STREAM {
            let (answer, rest) = self.answer_in_stream(id, self.web.events(response), !is_modern).await?;
            (answer, Some(rest))
        } else {
            (self.answer_in_body(id, response).await?, None)
        };
        match &answer.outcome {
            Err(error) if builds_on_session && is_lost_session(error) => {
                Ok(Outcome::SessionLost(RequestError::Server(error.clone())))
            }
            _ => Ok(Outcome::Answered(Box::new(Answered { answer, session_id, rest }))),
        }
    }

    async fn answer_in_body(&self, id: u64, response: Response) -> Result<Answer, RequestError> {
        let status = response.status().as_u16();
        let kind = content_type(&response);
        let bytes = self.web.body(response).await?;
        let reading = off_async(bytes.len(), || lines::read(Line::Whole(&bytes)));
        if reading.messages.is_empty() && !kind.ends_with("json") || bytes.is_empty() {
            let text = String::from_utf8_lossy(&bytes);
            let said = shown(&text, kind.contains("html")).unwrap_or_else(|| "nothing".to_owned());
            return Err(RequestError::Http { status, said: Some(format!("{said} instead of an answer")) });
        }
        let noise = reading.noise.clone();
        let heard = self.hear(reading, Some(id)).await;
        heard.answer.ok_or_else(|| match noise {
            Some(noise) => RequestError::Unreadable(noise.into()),
            None => RequestError::NoAnswer("what came does not answer this request".to_owned()),
        })
    }

    async fn answer_in_stream(
        &self,
        id: u64,
        mut stream: EventStream,
        is_resumable: bool,
    ) -> Result<(Answer, EventStream), SendError> {
        let mut place = Place::default();
        let mut unreadable = None;
        let mut failures = 0;
        loop {
            while let Some(event) = stream.next().await {
                failures = 0;
                place.note(&event);
                if !event.is_message() {
                    continue;
                }
                let heard = self.hear(read_event(&event), Some(id)).await;
                if let Some(answer) = heard.answer {
                    return Ok((answer, stream));
                }
                unreadable = unreadable.or(heard.unreadable);
            }
            if let Some(unreadable) = unreadable {
                return Err(RequestError::Unreadable(unreadable).into());
            }
            if !is_resumable || place.last_id.is_none() {
                let reason = "the server ended its stream before the answer".to_owned();
                return Err(RequestError::NoAnswer(reason).into());
            }
            (stream, failures) = self.resume(&place, failures).await?;
        }
    }

    /// Takes up a stream that was cut, where it was cut, after so many times in vain.
    async fn resume(&self, place: &Place, failures: u32) -> Result<(EventStream, u32), SendError> {
        let mut why = "nothing more comes".to_owned();
        for failures in failures..MAX_RESUMES {
            sleep(place.wait(failures)).await;
            match self.listen(place.last_id.as_deref()).await {
                Ok(Reply::Accepted(response)) if content_type(&response) == EVENT_STREAM => {
                    return Ok((self.web.events(response), failures + 1));
                }
                Ok(Reply::Accepted(response)) => why = format!("HTTP {}", response.status().as_u16()),
                Ok(Reply::Refused(refusal)) if refusal.status >= 500 => {
                    why = refusal.to_error(&self.web.place()).to_string();
                }
                Ok(Reply::Refused(refusal)) => {
                    why = refusal.to_error(&self.web.place()).to_string();
                    break;
                }
                Err(SendError::Unreachable(reason)) => why = reason.to_string(),
                Err(SendError::Failed(error)) => why = error.to_string(),
            }
        }
        let reason = format!("the stream was cut before the answer and could not be taken up again: {why}");
        Err(RequestError::NoAnswer(reason).into())
    }

    /// Asks for the stream of the server's own messages, or for the rest of one.
    pub async fn listen(&self, last_id: Option<&str>) -> Result<Reply, SendError> {
        let mut ask = self.web.ask(Method::GET, EVENT_STREAM);
        let own = self.session.headers();
        add_headers(&mut ask, own.iter().map(|(name, value)| (*name, value.as_str())));
        add_headers(&mut ask, last_id.iter().map(|id| (LAST_EVENT_ID, *id)));
        self.web.send(&ask).await
    }

    /// Begins the session anew, unless somebody else has since `agreement`. Fails with a reason when the
    /// server does not take part.
    async fn renew(&self, agreement: u64) -> Result<(), Unreachable> {
        let _alone = self.session.renewing.lock().await;
        if self.session.number() != agreement {
            return Ok(());
        }
        let Some((initialize, initialized)) = self.session.beginning() else { return Ok(()) };
        let failed = |why: String| {
            Unreachable::other(format!("its session was lost and could not be begun anew: {why}"))
        };
        let Message::Request(request) = &initialize.message else { return Ok(()) };
        let id = request.id.to_number().unwrap_or_default();
        let reply = match self.post(&initialize).await {
            Ok(reply) => reply,
            Err(SendError::Unreachable(reason)) => return Err(reason),
            Err(SendError::Failed(error)) => return Err(failed(error.to_string())),
        };
        // Boxed: finding an answer never begins a session anew for this request, but the compiler cannot know.
        let answered = match Box::pin(self.answer(&initialize, id, reply)).await {
            Ok(Outcome::Answered(answered)) => *answered,
            Ok(Outcome::SessionLost(error)) | Err(SendError::Failed(error)) => {
                return Err(failed(error.to_string()));
            }
            Err(SendError::Unreachable(reason)) => return Err(reason),
        };
        let result = answered.answer.outcome.map_err(|error| failed(error.message))?;
        let revision = result.get_text("protocolVersion").unwrap_or_default();
        if !LEGACY_REVISIONS.contains(&revision.as_str()) {
            return Err(failed(format!("it speaks revision \"{revision}\" now")));
        }
        self.session.begin(&initialize, answered.session_id, &result);
        drop(answered.rest);
        if let Some(initialized) = initialized {
            // What it says besides, it says again on the stream of its own.
            let _ = timeout(CONFIRM, self.tell(&initialized)).await;
            self.session.confirm();
        }
        // A server that has forgotten us may be another one by now.
        for method in self.session.lists() {
            self.pass_changed(method).await;
        }
        Ok(())
    }
}
