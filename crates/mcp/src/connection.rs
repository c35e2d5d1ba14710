//! Requests and answers over a link, in both directions.

mod incoming;
mod signs;

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use tokio::runtime::Handle;
use tokio::sync::mpsc::error::TrySendError;
use tokio::sync::{Notify, oneshot, watch};
use tokio::time::{Instant, sleep_until};
use tokio_util::sync::{CancellationToken, DropGuard};
use toolwright_base::IgnorePoison;
use toolwright_jsonrpc::lines::Noise;
use toolwright_jsonrpc::{Id, Json, Message, Notification, Request};

use crate::error::{Closed, Ending, RequestError, Unreachable};
use crate::host::Host;
use crate::link::{Link, Outgoing};
use crate::requests::{OnProgress, Waiting};
use incoming::{Shared, shown};

pub use signs::Signs;

/// A connection to one server. Cheap to clone; the server ends with the last clone.
#[derive(Clone)]
pub struct Connection {
    shared: Arc<Shared>,
    stop: CancellationToken,
    /// Ends the server when the last clone that has it is gone.
    _hold: Option<Arc<DropGuard>>,
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
    /// What we can do for the server while it works on this request, instead of what we usually can. A
    /// legacy server was told once, at the start.
    pub capabilities: Option<Json>,
    /// Whether a result that asks back (`input_required`) is handed over instead of being answered.
    pub passes_input_on: bool,
    /// Hears the params of the acknowledgement, when the request is one that stays open.
    pub on_acknowledged: Option<OnProgress>,
    /// Whether it is asked on our own behalf: it does not count as use of the server.
    pub is_background: bool,
    /// Who answers what the server asks while it works on this request, where that is known: a modern
    /// server says so with its result, a legacy one by the stream that it asks on. The host of the connection
    /// when absent.
    pub host: Option<Arc<dyn Host>>,
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

impl Connection {
    /// Takes a link over. Must be called on a tokio runtime.
    pub fn open(link: Link, host: Arc<dyn Host>) -> Connection {
        Connection::open_to("", link, host)
    }

    /// The same to a server of this name, which stands in the log.
    pub fn open_to(server: &str, link: Link, host: Arc<dyn Host>) -> Connection {
        let shared = Arc::new(Shared::new(server, link.outgoing, host));
        tokio::spawn(Arc::clone(&shared).listen(link.events));
        let hold = Some(Arc::new(link.stop.clone().drop_guard()));
        Connection { shared, stop: link.stop, _hold: hold }
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
        let waiting = Waiting {
            answer,
            is_alive: Arc::clone(&is_alive),
            on_progress,
            on_acknowledged: options.on_acknowledged.clone(),
            host: options.host.clone(),
            is_background: options.is_background,
        };
        self.shared.requests.enter(id, waiting).map_err(RequestError::Closed)?;
        let mut given_up = GivenUp {
            shared: &self.shared,
            id,
            reason: "the caller gave it up",
            is_sent: false,
            unseen: options.host.clone(),
        };
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
                    given_up.unseen = None;
                    return answer.unwrap_or_else(|_| Err(RequestError::Closed(Arc::new(lost()))));
                }
                () = is_alive.notified() => {
                    deadline = deadline.map(|(timeout, _)| (timeout, Instant::now() + timeout));
                }
                () = expired(deadline) => {
                    given_up.reason = "it took too long";
                    self.note_unanswered();
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

    /// Notes that a request had no answer in time. A request that another clock than that of its options ends is
    /// dropped, and whether its time was over only the caller knows.
    pub fn note_unanswered(&self) {
        self.shared.signs.send_modify(|signs| signs.unanswered = signs.unanswered.saturating_add(1));
    }

    /// The same connection for a task of ours, which must not keep the server alive.
    pub(crate) fn unheld(&self) -> Connection {
        Connection { _hold: None, ..self.clone() }
    }

    /// What the server has shown so far.
    pub(crate) fn signs_now(&self) -> Signs {
        *self.shared.signs.borrow()
    }

    /// Who hears what the server says by itself.
    pub(crate) fn host(&self) -> &dyn Host {
        &*self.shared.host
    }

    /// Tells this connection from every other one of this process.
    pub fn number(&self) -> u64 {
        self.shared.number
    }

    /// Ends the server, whoever else holds the connection.
    pub fn stop(&self) {
        self.stop.cancel();
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

    /// How many requests wait for their answers, those on our own behalf left out.
    pub fn in_flight(&self) -> usize {
        self.shared.requests.len()
    }

    /// How long nobody has used the server: zero while a request waits for its answer.
    pub fn unused_for(&self) -> Duration {
        self.shared.requests.unused_for()
    }

    /// Follows what the server shows besides its answers.
    pub fn signs(&self) -> watch::Receiver<Signs> {
        self.shared.signs.subscribe()
    }

    /// How many pieces of text came that were no messages.
    pub fn noise(&self) -> u64 {
        self.shared.noise.load(Ordering::Relaxed)
    }

    /// What else happened.
    pub fn counts(&self) -> Counts {
        let kept = self.shared.last_noise.lock().ignore_poison();
        Counts {
            noise: self.noise(),
            last_noise: kept
                .iter()
                .map(|noise| Noise { shown: shown(&noise.shown), ..noise.clone() })
                .collect(),
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
    let ending = Ending::Lost(Unreachable::other("its connection was closed"));
    Closed { ending, stderr: String::new(), is_unread: false }
}

/// Takes a request out of the table, and tells the server, unless it was answered.
struct GivenUp<'c> {
    shared: &'c Shared,
    id: u64,
    reason: &'static str,
    is_sent: bool,
    /// Its host, until the caller has seen the answer.
    unseen: Option<Arc<dyn Host>>,
}

impl Drop for GivenUp<'_> {
    fn drop(&mut self) {
        if !self.shared.requests.give_up(self.id) {
            // It was answered in the moment when its caller stopped waiting.
            if let Some(host) = self.unseen.take() {
                host.answered_late();
            }
            return;
        }
        if self.is_sent {
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
