//! A server behind one address: how messages are posted to it, and what is heard from it.

use std::sync::Arc;

use reqwest::Method;
use tokio::sync::{Notify, mpsc};
use toolwright_jsonrpc::lines::{Found, NoiseKind, Reading};
use toolwright_jsonrpc::{Id, Message, Notification, Response};

use super::headers::{modern, own_revision};
use super::session::{Session, is_initialize};
use super::web::EVENT_STREAM;
use super::web::{Ask, EITHER, EventStream, Reply, SendError, Web, content_type, header, read_event};
use crate::link::{Event, Outgoing};
use crate::{Unreachable, Unreadable};

/// What all requests to one server share.
pub(super) struct Streamable {
    pub web: Arc<Web>,
    pub session: Session,
    /// Told when the server has answered whether it speaks by itself.
    pub listened: Notify,
    events: mpsc::Sender<Event>,
    lost: mpsc::Sender<Unreachable>,
}

/// What was heard that is about one request.
#[derive(Default)]
pub(super) struct Heard {
    pub answer: Option<Response>,
    pub unreadable: Option<Unreadable>,
}

impl Streamable {
    pub fn new(web: Arc<Web>, events: mpsc::Sender<Event>, lost: mpsc::Sender<Unreachable>) -> Streamable {
        Streamable { web, session: Session::new(), listened: Notify::new(), events, lost }
    }

    /// Sends one message.
    pub async fn post(&self, outgoing: &Outgoing) -> Result<Reply, SendError> {
        let mut ask = self.web.ask(Method::POST, EITHER);
        let message = &outgoing.message;
        let own = match own_revision(message) {
            Some(revision) => modern(message, &revision),
            None if is_initialize(message) => Vec::new(),
            None => self.session.headers(),
        };
        add_headers(&mut ask, own.iter().map(|(name, value)| (*name, value.as_str())));
        add_headers(&mut ask, outgoing.headers.iter().map(|(name, value)| (name.as_str(), value.as_str())));
        ask.body = Some(message.to_line());
        self.web.send(&ask).await
    }

    /// Sends a message that has no answer, and returns when it has arrived. A server that does not take it
    /// has its reasons, which are told when it is asked for something. Some open a stream nevertheless.
    pub async fn tell(&self, outgoing: &Outgoing) -> Option<EventStream> {
        match self.post(outgoing).await {
            Ok(Reply::Accepted(response)) if content_type(&response) == EVENT_STREAM => {
                return Some(self.web.events(response));
            }
            // Whatever the body says, nobody asked.
            Ok(Reply::Accepted(_)) => {}
            Ok(Reply::Refused(refusal)) => {
                tracing::debug!(error = %refusal.to_error(&self.web.place()), "a message was not taken");
            }
            Err(SendError::Unreachable(reason)) => self.lose(reason),
            Err(SendError::Failed(error)) => tracing::debug!(%error, "a message was not taken"),
        }
        None
    }

    /// Hands over what comes on a stream that nobody asked for, or behind the answer to this request.
    pub async fn hear_out(&self, stream: Option<EventStream>, of: Option<u64>) {
        let Some(mut stream) = stream else { return };
        while let Some(event) = stream.next().await {
            if event.is_message() {
                self.hear_of(read_event(&event), None, of).await;
            }
        }
    }

    /// Hands over what was heard, except what is about the request with this id.
    pub async fn hear(&self, reading: Reading, id: Option<u64>) -> Heard {
        self.hear_of(reading, id, id).await
    }

    async fn hear_of(&self, reading: Reading, id: Option<u64>, of: Option<u64>) -> Heard {
        let mut heard = Heard::default();
        for found in reading.messages {
            match found {
                Found { message: Message::Response(response), .. }
                    if id.is_some() && answers(&response, id) =>
                {
                    heard.answer = Some(response);
                }
                found => self.pass(Event::Message { found, of }).await,
            }
        }
        if let Some(mut noise) = reading.noise {
            let about = noise.id.as_ref().and_then(Id::to_number);
            // What cannot be read on the way of one answer is most likely that answer.
            let is_much = matches!(noise.kind, NoiseKind::TooLong | NoiseKind::TooDeep);
            let is_guessed = about.is_none() && (is_much || noise.is_answer);
            if id.is_some() && (about == id || is_guessed) {
                heard.unreadable = Some(noise.clone().into());
                // It is told when there is no other one.
                (noise.id, noise.is_answer) = (None, false);
            }
            self.pass(Event::Noise(noise)).await;
        }
        heard
    }

    /// Hands one event over.
    pub async fn pass(&self, event: Event) {
        // Nobody listens any more when this fails, and the owner ends us.
        let _ = self.events.send(event).await;
    }

    /// Says of a notification that the server did not send, but might as well have.
    pub async fn pass_changed(&self, method: &str) {
        let notification = Notification { method: method.to_owned(), params: None, extra: Vec::new() };
        let message = Message::Notification(notification);
        self.pass(Event::Message { found: Found { message, is_behind_text: false }, of: None }).await;
    }

    /// The server is out of reach.
    pub fn lose(&self, reason: Unreachable) {
        // The first reason is enough.
        let _ = self.lost.try_send(reason);
    }
}

/// Whether a response is to this request. An error without an id on the way of an answer is the answer.
fn answers(response: &Response, id: Option<u64>) -> bool {
    match &response.id {
        Some(given) => given.to_number() == id,
        None => response.outcome.is_err(),
    }
}

/// Puts headers on a request; what is no header is left out.
pub(super) fn add_headers<'h>(ask: &mut Ask, headers: impl Iterator<Item = (&'h str, &'h str)>) {
    for (name, value) in headers {
        match header(name, value) {
            Some((name, value)) => drop(ask.headers.insert(name, value)),
            None => tracing::warn!(name, "a header has a value that cannot be sent"),
        }
    }
}
