//! What comes in: answers to our requests, and what the server says by itself.

use std::collections::{HashMap, VecDeque};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use tokio::sync::{mpsc, watch};
use tokio_util::sync::CancellationToken;
use toolwright_base::IgnorePoison;
use toolwright_jsonrpc::lines::{Found, Noise};
use toolwright_jsonrpc::{
    ErrorObject, INTERNAL_ERROR, Id, Json, Message, MintedIds, Notification, Request, Response,
};

use toolwright_redact::{harmless, lines};

use super::{Signs, lost};
use crate::error::{Closed, RequestError};
use crate::host::Host;
use crate::link::{Event, Outgoing};
use crate::requests::Requests;

/// The key of the request that a notification belongs to, in its `_meta`.
const SUBSCRIPTION: &str = "io.modelcontextprotocol/subscriptionId";

/// How many pieces of noise are kept to be shown.
const NOISE_KEPT: usize = 16;

/// How many pieces of noise are told one by one; after that, each time their number has doubled.
const NOISE_LOGGED: u64 = 5;

/// How many requests of a server are answered at once.
const MAX_ASKED: usize = 64;

/// What the clones of a connection share.
pub(super) struct Shared {
    /// The server's name, for the log.
    server: String,
    pub outgoing: mpsc::Sender<Outgoing>,
    pub ids: MintedIds,
    pub requests: Requests,
    pub host: Arc<dyn Host>,
    pub noise: AtomicU64,
    pub unwanted: AtomicU64,
    pub last_noise: Mutex<VecDeque<Noise>>,
    /// Cancelled when the server is gone.
    pub gone: CancellationToken,
    /// The server's own requests that are being answered, by their ids.
    asked: Mutex<HashMap<Id, CancellationToken>>,
    pub signs: watch::Sender<Signs>,
    /// Tells connections apart.
    pub number: u64,
}

/// The number of the last connection.
static LAST_CONNECTION: AtomicU64 = AtomicU64::new(0);

impl Shared {
    pub fn new(server: &str, outgoing: mpsc::Sender<Outgoing>, host: Arc<dyn Host>) -> Shared {
        Shared {
            server: server.to_owned(),
            outgoing,
            ids: MintedIds::default(),
            requests: Requests::default(),
            host,
            noise: AtomicU64::new(0),
            unwanted: AtomicU64::new(0),
            last_noise: Mutex::default(),
            gone: CancellationToken::new(),
            asked: Mutex::default(),
            signs: watch::Sender::default(),
            number: LAST_CONNECTION.fetch_add(1, Ordering::Relaxed) + 1,
        }
    }

    /// Hears events until the server is gone.
    pub async fn listen(self: Arc<Self>, mut events: mpsc::Receiver<Event>) {
        while let Some(event) = events.recv().await {
            match event {
                Event::Message { found, of } => self.hear(found, of),
                Event::Noise(noise) => self.note_noise(noise),
                Event::Failed { id, error } => self.requests.fail(id, error),
                Event::Closed(closed) => return self.close(closed),
            }
        }
        self.close(Arc::new(lost()));
    }

    fn close(&self, closed: Arc<Closed>) {
        self.requests.close(closed);
        self.gone.cancel();
    }

    fn hear(self: &Arc<Self>, found: Found, of: Option<u64>) {
        let Found { message, is_behind_text } = found;
        match message {
            Message::Response(Response { id, outcome, .. }) => {
                // An error without an id is what a server answers to a request that it could not read.
                let id = match (&id, &outcome) {
                    (None, Err(_)) => self.requests.only(),
                    _ => id.and_then(|id| id.to_number()),
                };
                self.note_life();
                if !id.is_some_and(|id| self.requests.answer(id, outcome)) {
                    self.unwanted.fetch_add(1, Ordering::Relaxed);
                }
            }
            // A server that logs what it receives prints our own requests.
            _ if is_behind_text => {}
            Message::Notification(notification) => self.hear_notification(notification, of),
            Message::Request(request) => self.hear_request(request, of),
        }
    }

    /// Who hears of what came on the way of this request: its own host, or that of the connection.
    fn host_of(&self, of: Option<u64>) -> Arc<dyn Host> {
        of.and_then(|id| self.requests.host(id)).unwrap_or_else(|| Arc::clone(&self.host))
    }

    fn hear_notification(&self, notification: Notification, of: Option<u64>) {
        let params = notification.params.as_ref();
        match notification.method.as_str() {
            "notifications/progress" => {
                let token = params.and_then(|params| params.get("progressToken")).and_then(Id::from_json);
                if let (Some(id), Some(params)) = (token.and_then(|id| id.to_number()), params)
                    && self.requests.progress(id, params.clone())
                {
                    self.note_life();
                    return;
                }
                self.host_of(of).notified(notification);
            }
            "notifications/cancelled" => {
                let id = params.and_then(|params| params.get("requestId")).and_then(Id::from_json);
                let asked = self.asked.lock().ignore_poison();
                if let Some(cancel) = id.and_then(|id| asked.get(&id).cloned()) {
                    cancel.cancel();
                }
            }
            "notifications/subscriptions/acknowledged" => {
                let meta = params.and_then(|params| params.get("_meta"));
                let id = meta.and_then(|meta| meta.get(SUBSCRIPTION)).and_then(Id::from_json);
                if let (Some(id), Some(params)) = (id.and_then(|id| id.to_number()), params)
                    && self.requests.acknowledge(id, params)
                {
                    return;
                }
                self.host.notified(notification);
            }
            method => {
                self.signs.send_if_modified(|signs| signs.note(method));
                self.host_of(of).notified(notification);
            }
        }
    }

    /// An answer or a sign of progress ends a row of requests without one.
    fn note_life(&self) {
        if self.signs.borrow().unanswered > 0 {
            self.signs.send_modify(|signs| signs.unanswered = 0);
        }
    }

    fn hear_request(self: &Arc<Self>, request: Request, of: Option<u64>) {
        let own_host = of.and_then(|id| self.requests.host(id));
        let shared = Arc::clone(self);
        let cancel = CancellationToken::new();
        let id = request.id.clone();
        {
            let mut asked = self.asked.lock().ignore_poison();
            if asked.len() >= MAX_ASKED {
                let message = format!("{MAX_ASKED} requests are being answered; ask again later");
                let outcome = Err(ErrorObject::new(INTERNAL_ERROR, message));
                let response = Response { id: Some(id), outcome, extra: Vec::new() };
                // A server that asks without end and reads nothing gets no answer.
                let _ = self.outgoing.try_send(Message::Response(response).into());
                return;
            }
            asked.insert(id.clone(), cancel.clone());
        }
        tokio::spawn(async move {
            let answer = async {
                match request.method.as_str() {
                    "ping" => Ok(Json::empty_object()),
                    _ => match (&own_host, of) {
                        (Some(host), _) => host.request(request).await,
                        (None, Some(_)) => shared.host.request_of_nobody(request).await,
                        (None, None) => shared.host.request(request).await,
                    },
                }
            };
            let outcome: Option<Result<Json, ErrorObject>> = tokio::select! {
                outcome = answer => Some(outcome),
                () = cancel.cancelled() => None,
            };
            shared.asked.lock().ignore_poison().remove(&id);
            if let Some(outcome) = outcome {
                let response = Response { id: Some(id), outcome, extra: Vec::new() };
                let _ = shared.outgoing.send(Message::Response(response).into()).await;
            }
        });
    }

    fn note_noise(&self, noise: Noise) {
        // An answer that cannot be read is the end of its request all the same.
        let of_one = || if noise.is_answer && noise.id.is_none() { self.requests.only() } else { None };
        if let Some(id) = noise.id.as_ref().and_then(Id::to_number).or_else(of_one) {
            self.note_life();
            self.requests.fail(id, RequestError::Unreadable(noise.clone().into()));
        }
        let count = self.noise.fetch_add(1, Ordering::Relaxed) + 1;
        // A server that prints without end must not fill our log too.
        if count <= NOISE_LOGGED || count.is_power_of_two() {
            let text = shown(&noise.shown);
            let (server, fault) = (self.server.as_str(), noise.fault.as_deref());
            tracing::warn!(server, kind = ?noise.kind, fault, count, text, "a server printed something that is no message");
        }
        let mut kept = self.last_noise.lock().ignore_poison();
        if kept.len() == NOISE_KEPT {
            kept.pop_front();
        }
        kept.push_back(noise);
    }
}

/// What may be shown of a server's output.
pub(super) fn shown(text: &str) -> String {
    lines(&harmless(text), &[])
}
