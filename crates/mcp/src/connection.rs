//! Requests and answers over a link, in both directions.

use std::collections::{HashMap, VecDeque};
use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::runtime::Handle;
use tokio::sync::mpsc::error::TrySendError;
use tokio::sync::{Notify, mpsc, oneshot};
use tokio::time::{Instant, sleep_until};
use tokio_util::sync::CancellationToken;
use toolwright_jsonrpc::lines::{Found, Noise};
use toolwright_jsonrpc::{
    ErrorObject, INTERNAL_ERROR, Id, Json, Message, MintedIds, Notification, Request, Response,
};

use crate::error::{Closed, Ending, RequestError};
use crate::host::Host;
use crate::link::{Event, Link, Outgoing};
use crate::requests::{OnProgress, Requests, Waiting};

/// How many pieces of noise are kept to be shown.
const NOISE_KEPT: usize = 16;

/// How many requests of a server are answered at once.
const MAX_ASKED: usize = 64;

/// A connection to one server. Cheap to clone; the server ends with the last clone.
#[derive(Clone)]
pub struct Connection {
    shared: Arc<Shared>,
    /// Ends the server when the last clone is gone.
    stop: Arc<StopOnDrop>,
}

/// How a request is sent and waited for.
#[derive(Clone, Default)]
pub struct RequestOptions {
    /// How long the server may be silent.
    pub timeout: Option<Duration>,
    /// Hears the params of every progress notification, with the caller's own token in them.
    pub on_progress: Option<OnProgress>,
    /// Headers for servers that are reached over HTTP.
    pub headers: Vec<(String, String)>,
}

/// What happened on a connection besides requests and their answers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Pieces of text on stdout that were no messages.
    pub noise: u64,
    /// The last of them.
    pub last_noise: Vec<Noise>,
    /// Answers that nobody waited for: late, twice, or to an id that was never sent.
    pub unwanted: u64,
}

struct Shared {
    outgoing: mpsc::Sender<Outgoing>,
    ids: MintedIds,
    requests: Requests,
    host: Arc<dyn Host>,
    noise: AtomicU64,
    unwanted: AtomicU64,
    last_noise: Mutex<VecDeque<Noise>>,
    /// Cancelled when the server is gone.
    gone: CancellationToken,
    /// The server's own requests that are being answered, by their ids.
    asked: Mutex<HashMap<Id, CancellationToken>>,
}

struct StopOnDrop(CancellationToken);

impl Drop for StopOnDrop {
    fn drop(&mut self) {
        self.0.cancel();
    }
}

impl Connection {
    /// Takes a link over. Must be called on a tokio runtime.
    pub fn open(link: Link, host: Arc<dyn Host>) -> Connection {
        let shared = Arc::new(Shared {
            outgoing: link.outgoing,
            ids: MintedIds::default(),
            requests: Requests::default(),
            host,
            noise: AtomicU64::new(0),
            unwanted: AtomicU64::new(0),
            last_noise: Mutex::default(),
            gone: CancellationToken::new(),
            asked: Mutex::default(),
        });
        tokio::spawn(Arc::clone(&shared).listen(link.events));
        Connection { shared, stop: Arc::new(StopOnDrop(link.stop)) }
    }

    /// Sends a request and waits for its answer. A request that is given up, by its time or because this
    /// future is dropped, is cancelled at the server.
    pub async fn request(
        &self,
        method: &str,
        params: Option<Json>,
        options: &RequestOptions,
    ) -> Result<Json, RequestError> {
        let id = self.shared.ids.mint();
        let (answer, mut answered) = oneshot::channel();
        let is_alive = Arc::new(Notify::new());
        let (params, own_token) = with_token(params, id);
        let on_progress = options.on_progress.clone().map(|tell| telling_own_token(tell, own_token));
        let waiting = Waiting { answer, is_alive: Arc::clone(&is_alive), on_progress };
        self.shared.requests.enter(id, waiting).map_err(RequestError::Closed)?;
        let mut given_up =
            GivenUp { shared: &self.shared, id, reason: "the caller gave it up", is_sent: false };
        let request = Request { id: Id::number(id), method: method.to_owned(), params, extra: Vec::new() };
        let outgoing = Outgoing { message: Message::Request(request), headers: options.headers.clone() };
        let mut deadline = options.timeout.map(|timeout| (timeout, Instant::now() + timeout));
        let expired = |deadline: Option<(Duration, Instant)>| async move {
            match deadline {
                Some((_, at)) => sleep_until(at).await,
                None => std::future::pending().await,
            }
        };
        // The answer to a message that cannot be sent is that the server is gone.
        let mut sending = std::pin::pin!(self.shared.outgoing.send(outgoing));
        loop {
            tokio::select! {
                _ = &mut sending, if !given_up.is_sent => given_up.is_sent = true,
                answer = &mut answered => {
                    return answer.unwrap_or_else(|_| Err(RequestError::Closed(Arc::new(lost()))));
                }
                () = is_alive.notified() => {
                    deadline = deadline.map(|(timeout, _)| (timeout, Instant::now() + timeout));
                }
                () = expired(deadline) => {
                    given_up.reason = "it took too long";
                    return Err(RequestError::TimedOut(deadline.map_or(Duration::ZERO, |(timeout, _)| timeout)));
                }
            }
        }
    }

    /// Sends a notification.
    pub async fn notify(&self, method: &str, params: Option<Json>) -> Result<(), RequestError> {
        let notification = Notification { method: method.to_owned(), params, extra: Vec::new() };
        match self.shared.outgoing.send(Message::Notification(notification).into()).await {
            Ok(()) => Ok(()),
            Err(_) => Err(RequestError::Closed(self.closed().unwrap_or_else(|| Arc::new(lost())))),
        }
    }

    /// Ends the server, whoever else holds the connection.
    pub fn stop(&self) {
        self.stop.0.cancel();
    }

    /// Waits until the server is gone.
    pub async fn wait_closed(&self) -> Arc<Closed> {
        self.shared.gone.cancelled().await;
        self.closed().unwrap_or_else(|| Arc::new(lost()))
    }

    /// Why there is no server any more; `None` while there is one.
    pub fn closed(&self) -> Option<Arc<Closed>> {
        self.shared.requests.closed()
    }

    /// How many requests wait for their answers.
    pub fn in_flight(&self) -> usize {
        self.shared.requests.len()
    }

    /// What else happened.
    pub fn counts(&self) -> Counts {
        let kept = self.shared.last_noise.lock().unwrap_or_else(PoisonError::into_inner);
        Counts {
            noise: self.shared.noise.load(Ordering::Relaxed),
            last_noise: kept.iter().cloned().collect(),
            unwanted: self.shared.unwanted.load(Ordering::Relaxed),
        }
    }
}

impl fmt::Debug for Connection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Connection").field("in_flight", &self.in_flight()).finish_non_exhaustive()
    }
}

fn lost() -> Closed {
    Closed { ending: Ending::Lost("its connection was closed".into()), stderr: String::new() }
}

/// Takes a request out of the table, and tells the server, unless it was answered.
struct GivenUp<'c> {
    shared: &'c Shared,
    id: u64,
    reason: &'static str,
    is_sent: bool,
}

impl Drop for GivenUp<'_> {
    fn drop(&mut self) {
        if self.shared.requests.give_up(self.id) && self.is_sent {
            let params = Json::empty_object()
                .with("requestId", Id::number(self.id).as_json())
                .with("reason", &Json::text(self.reason));
            let method = "notifications/cancelled".to_owned();
            let notification = Notification { method, params: Some(params), extra: Vec::new() };
            let message = Message::Notification(notification).into();
            let sent = self.shared.outgoing.try_send(message);
            // No more of them wait than requests were sent, so that a server that reads nothing does not
            // make them pile up.
            if let (Err(TrySendError::Full(message)), Ok(runtime)) = (sent, Handle::try_current()) {
                let outgoing = self.shared.outgoing.clone();
                runtime.spawn(async move { outgoing.send(message).await });
            }
        }
    }
}

/// Puts our token for progress into the params, and gives the caller's back.
fn with_token(params: Option<Json>, id: u64) -> (Option<Json>, Option<Json>) {
    let params = params.unwrap_or_else(Json::empty_object);
    let meta = params.get("_meta").unwrap_or_else(Json::empty_object);
    let own = meta.get("progressToken");
    let meta = meta.with("progressToken", Id::number(id).as_json());
    (Some(params.with("_meta", &meta)), own)
}

fn telling_own_token(tell: OnProgress, own: Option<Json>) -> OnProgress {
    match own {
        Some(token) => Arc::new(move |params: Json| tell(params.with("progressToken", &token))),
        None => tell,
    }
}

impl Shared {
    async fn listen(self: Arc<Self>, mut events: mpsc::Receiver<Event>) {
        while let Some(event) = events.recv().await {
            match event {
                Event::Message(found) => self.hear(found),
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

    fn hear(self: &Arc<Self>, found: Found) {
        let Found { message, is_behind_text } = found;
        match message {
            Message::Response(Response { id, outcome, .. }) => {
                let id = id.and_then(|id| id.to_number());
                if !id.is_some_and(|id| self.requests.answer(id, outcome)) {
                    self.unwanted.fetch_add(1, Ordering::Relaxed);
                }
            }
            // A server that logs what it receives prints our own requests.
            _ if is_behind_text => {}
            Message::Notification(notification) => self.hear_notification(notification),
            Message::Request(request) => self.hear_request(request),
        }
    }

    fn hear_notification(&self, notification: Notification) {
        let params = notification.params.as_ref();
        match notification.method.as_str() {
            "notifications/progress" => {
                let token = params.and_then(|params| params.get("progressToken")).and_then(Id::from_json);
                if let (Some(id), Some(params)) = (token.and_then(|id| id.to_number()), params)
                    && self.requests.progress(id, params.clone())
                {
                    return;
                }
                self.host.notified(notification);
            }
            "notifications/cancelled" => {
                let id = params.and_then(|params| params.get("requestId")).and_then(Id::from_json);
                let asked = self.asked.lock().unwrap_or_else(PoisonError::into_inner);
                if let Some(cancel) = id.and_then(|id| asked.get(&id).cloned()) {
                    cancel.cancel();
                }
            }
            _ => self.host.notified(notification),
        }
    }

    fn hear_request(self: &Arc<Self>, request: Request) {
        let shared = Arc::clone(self);
        let cancel = CancellationToken::new();
        let id = request.id.clone();
        {
            let mut asked = self.asked.lock().unwrap_or_else(PoisonError::into_inner);
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
                    _ => shared.host.request(request).await,
                }
            };
            let outcome: Option<Result<Json, ErrorObject>> = tokio::select! {
                outcome = answer => Some(outcome),
                () = cancel.cancelled() => None,
            };
            shared.asked.lock().unwrap_or_else(PoisonError::into_inner).remove(&id);
            if let Some(outcome) = outcome {
                let response = Response { id: Some(id), outcome, extra: Vec::new() };
                let _ = shared.outgoing.send(Message::Response(response).into()).await;
            }
        });
    }

    fn note_noise(&self, noise: Noise) {
        // An answer that cannot be read is the end of its request all the same.
        if let Some(id) = noise.id.as_ref().and_then(Id::to_number) {
            self.requests.fail(id, RequestError::Unreadable(noise.kind));
        }
        self.noise.fetch_add(1, Ordering::Relaxed);
        tracing::warn!(kind = ?noise.kind, text = %noise.shown, "a server printed something that is no message");
        let mut kept = self.last_noise.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.len() == NOISE_KEPT {
            kept.pop_front();
        }
        kept.push_back(noise);
    }
}
