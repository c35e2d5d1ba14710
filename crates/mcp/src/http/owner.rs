//! The one task that owns the way to a server: what goes out, what is running, and how it ends.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;
use std::time::Duration;

use reqwest::Method;
use tokio::sync::mpsc;
use tokio::task::{AbortHandle, JoinSet};
use tokio::time::{sleep, timeout};
use tokio_util::sync::CancellationToken;
use toolwright_jsonrpc::{Id, Message};

use super::headers::own_revision;
use super::session::{is_initialize, is_initialized};
use super::streamable::{Streamable, add_headers};
use super::web::{EITHER, Reply, SendError, Web};
use super::{CONFIRM, GRACE, HttpKind, closed, sse};
use crate::error::{Ending, Unreachable};
use crate::link::{Event, Outgoing};

/// How long the opening of the server's own stream may hold the other messages back.
const LISTEN: Duration = Duration::from_secs(1);

/// A message, and what came back when it was sent already.
type Sent = (Outgoing, Option<Result<Reply, SendError>>);

/// Everything of one way.
pub(super) struct Owner {
    pub web: Arc<Web>,
    pub outgoing: mpsc::Receiver<Outgoing>,
    pub events: mpsc::Sender<Event>,
    pub stop: CancellationToken,
    /// What was taken out of the queue before it could be sent.
    pub waiting: VecDeque<Sent>,
}

impl Owner {
    pub fn new(
        web: Web,
        outgoing: mpsc::Receiver<Outgoing>,
        events: mpsc::Sender<Event>,
        stop: CancellationToken,
    ) -> Owner {
        Owner { web: Arc::new(web), outgoing, events, stop, waiting: VecDeque::new() }
    }

    /// Lives until the way ends, and says how it did.
    pub async fn live(mut self, kind: HttpKind) {
        let events = self.events.clone();
        let (lost, losses) = mpsc::channel(1);
        let streamable = Arc::new(Streamable::new(Arc::clone(&self.web), events.clone(), lost));
        let ending = match kind {
            HttpKind::Streamable => self.stream(streamable, losses).await,
            HttpKind::Sse => sse::run(self, None).await,
            HttpKind::Auto => match self.find_out(&streamable).await {
                Some(Way::Streamable) => self.stream(streamable, losses).await,
                Some(Way::Sse(opened)) => sse::run(self, Some(*opened)).await,
                None => Ending::Stopped,
            },
        };
        let _ = events.send(closed(ending)).await;
    }

    /// The next message; `None` when nobody sends or listens any more.
    pub async fn next(&mut self) -> Option<Sent> {
        if let Some(waiting) = self.waiting.pop_front() {
            return Some(waiting);
        }
        tokio::select! {
            () = self.stop.cancelled() => None,
            () = self.events.closed() => None,
            outgoing = self.outgoing.recv() => outgoing.map(|outgoing| (outgoing, None)),
        }
    }

    /// Sends the first message, and finds out by its fate how the server is spoken to.
    async fn find_out(&mut self, streamable: &Streamable) -> Option<Way> {
        'first: loop {
            let (first, _) = self.next().await?;
            let mut later = VecDeque::new();
            let way = {
                let mut trying = std::pin::pin!(try_first(streamable, &first));
                loop {
                    tokio::select! {
                        way = &mut trying => break way,
                        next = self.next() => {
                            let (next, _) = next?;
                            // A server that is silent to the first message may answer another one.
                            if cancels(&next.message).is_some_and(|id| Some(id) == id_of(&first.message)) {
                                self.waiting.extend(later);
                                continue 'first;
                            }
                            // Who asks the second question does not wait for the answer to the first.
                            if is_initialize(&next.message) {
                                self.waiting.push_back((next, None));
                                self.waiting.extend(later);
                                continue 'first;
                            }
                            later.push_back((next, None));
                        }
                    }
                }
            };
            let (way, reply) = way;
            self.waiting.push_back((first, reply));
            self.waiting.extend(later);
            return Some(way);
        }
    }

    async fn stream(
        mut self,
        streamable: Arc<Streamable>,
        mut losses: mpsc::Receiver<Unreachable>,
    ) -> Ending {
        let mut running = Running { tasks: JoinSet::new(), requests: HashMap::new() };
        running.tasks.spawn({
            let streamable = Arc::clone(&streamable);
            async move {
                streamable.listen_always().await;
                None
            }
        });
        let ending = loop {
            tokio::select! {
                reason = losses.recv() => break Ending::Lost(reason.unwrap_or_else(sse::stream_ended)),
                Some(ended) = running.tasks.join_next() => {
                    if let Ok(Some(id)) = ended {
                        running.requests.remove(&id);
                    }
                }
                sent = self.next() => match sent {
                    None => break Ending::Stopped,
                    Some((outgoing, reply)) => self.dispatch(&streamable, &mut running, outgoing, reply).await,
                },
            }
        };
        running.tasks.shutdown().await;
        if ending == Ending::Stopped && streamable.session.has_id() {
            let _ = timeout(GRACE, end_session(&streamable)).await;
        }
        ending
    }

    async fn dispatch(
        &self,
        streamable: &Arc<Streamable>,
        running: &mut Running,
        outgoing: Outgoing,
        reply: Option<Result<Reply, SendError>>,
    ) {
        let shared = Arc::clone(streamable);
        match &outgoing.message {
            Message::Request(_) => {
                let id = id_of(&outgoing.message);
                let is_modern = own_revision(&outgoing.message).is_some();
                let task = running.tasks.spawn(async move {
                    shared.exchange(outgoing, reply).await;
                    id
                });
                if let Some(id) = id {
                    running.requests.insert(id, (task, is_modern));
                }
            }
            message if is_initialized(message) => {
                streamable.session.remember_confirmation(&outgoing);
                // What follows builds on it.
                let told = tokio::select! {
                    told = streamable.tell(&outgoing) => told,
                    () = sleep(CONFIRM) => None,
                    () = self.stop.cancelled() => None,
                };
                streamable.session.confirm();
                running.tasks.spawn(async move {
                    shared.hear_out(told, None).await;
                    None
                });
                // Servers without a memory lose what they ask before somebody listens.
                tokio::select! {
                    () = streamable.listened.notified() => {}
                    () = sleep(LISTEN) => {}
                    () = self.stop.cancelled() => {}
                }
            }
            message => {
                let cancelled = cancels(message).map(|id| running.requests.remove(&id));
                match cancelled {
                    // Its stream is closed, which is how a modern server hears of it.
                    Some(Some((task, true))) => task.abort(),
                    // It has ended.
                    Some(None) => {}
                    Some(Some((task, false))) => drop(running.tasks.spawn(async move {
                        let _ = timeout(GRACE, shared.tell(&outgoing)).await;
                        task.abort();
                        None
                    })),
                    None => drop(running.tasks.spawn(async move {
                        let told = shared.tell(&outgoing).await;
                        shared.hear_out(told, None).await;
                        None
                    })),
                }
            }
        }
    }
}

/// How a server is spoken to.
enum Way {
    Streamable,
    Sse(Box<sse::Opened>),
}

/// What runs.
struct Running {
    tasks: JoinSet<Option<u64>>,
    /// The requests among it, and whether they are modern.
    requests: HashMap<u64, (AbortHandle, bool)>,
}

/// Sends a message to a server of which nothing is known.
async fn try_first(streamable: &Streamable, first: &Outgoing) -> (Way, Option<Result<Reply, SendError>>) {
    let reply = streamable.post(first).await;
    if let Ok(Reply::Refused(refusal)) = &reply
        && matches!(refusal.status, 400 | 404 | 405)
        && refusal.answer().is_none()
        && let Ok(opened) = sse::open(&streamable.web, sse::MAYBE_ENDPOINT).await
    {
        return (Way::Sse(Box::new(opened)), None);
    }
    (Way::Streamable, Some(reply))
}

async fn end_session(streamable: &Streamable) {
    let mut ask = streamable.web.ask(Method::DELETE, EITHER);
    let own = streamable.session.headers();
    add_headers(&mut ask, own.iter().map(|(name, value)| (*name, value.as_str())));
    // A server may not know of this, or be gone already.
    let _ = streamable.web.send(&ask).await;
}

/// The number of a request.
fn id_of(message: &Message) -> Option<u64> {
    match message {
        Message::Request(request) => request.id.to_number(),
        _ => None,
    }
}

/// The request that a message cancels.
fn cancels(message: &Message) -> Option<u64> {
    match message {
        Message::Notification(told) if told.method == "notifications/cancelled" => {
            told.params.as_ref()?.get("requestId").and_then(Id::from_json)?.to_number()
        }
        _ => None,
    }
}
