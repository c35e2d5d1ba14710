//! One legacy client: its requests, the questions to it, its streams and what it listens to.

use std::collections::{HashMap, VecDeque};
use std::sync::atomic::{AtomicU8, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use tokio::sync::{mpsc, oneshot};
use tokio::time::Instant;
use toolwright_jsonrpc::{ErrorObject, INTERNAL_ERROR, Id, Json, MintedIds, Notification, Response};

use super::client::{Client, SessionId, Visitor};
use super::events::Events;
use super::fronts::Shared;
use super::level::Level;
use super::service::{Listening, Service};
use super::task::{Task, lock, notification_line};
use super::way::Way;
use crate::Filter;

/// Questions to one client that are open at once.
const QUESTIONS: usize = 1024;

/// What the names of streams that belong to no request begin with.
pub(super) const GENERAL: char = 'g';
/// What the names of streams that answer a request begin with.
pub(super) const OF_REQUEST: char = 'r';

/// What goes out over stdio.
pub(super) enum Output {
    Line(String),
    /// Nothing follows.
    End,
}

/// One legacy client, or everything that speaks over one stdio connection.
pub(super) struct Session {
    pub id: SessionId,
    pub shared: Arc<Shared>,
    /// Where everything goes over stdio.
    output: Option<mpsc::Sender<Output>>,
    minted: MintedIds,
    level: AtomicU8,
    begun: Instant,
    /// Milliseconds after it began.
    used: AtomicU64,
    state: Mutex<State>,
}

struct State {
    client: Arc<Client>,
    service: Arc<dyn Service>,
    calls: HashMap<Id, Arc<Way>>,
    questions: HashMap<u64, oneshot::Sender<Result<Json, ErrorObject>>>,
    listening: Option<Task>,
    subscriptions: HashMap<String, Task>,
    streams: Vec<Arc<Events>>,
    /// Messages that wait for a stream.
    waiting: VecDeque<String>,
    is_ended: bool,
}

/// Why a request is not begun.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NotHeld {
    InFlight,
    TooMany,
}

impl Session {
    pub fn new(
        client: Arc<Client>,
        id: SessionId,
        service: Arc<dyn Service>,
        shared: Arc<Shared>,
        output: Option<mpsc::Sender<Output>>,
    ) -> Arc<Session> {
        Arc::new(Session {
            id,
            shared,
            output,
            minted: MintedIds::default(),
            level: AtomicU8::new(0),
            begun: Instant::now(),
            used: AtomicU64::new(0),
            state: Mutex::new(State {
                client,
                service,
                calls: HashMap::new(),
                questions: HashMap::new(),
                listening: None,
                subscriptions: HashMap::new(),
                streams: Vec::new(),
                waiting: VecDeque::new(),
                is_ended: false,
            }),
        })
    }

    pub fn client(&self) -> Arc<Client> {
        Arc::clone(&lock(&self.state).client)
    }

    /// The client of a stdio connection has said who it is.
    pub fn introduce(&self, client: Arc<Client>) {
        lock(&self.state).client = client;
    }

    pub fn service(&self) -> Arc<dyn Service> {
        Arc::clone(&lock(&self.state).service)
    }

    /// Marks the session as used, by this visitor through this service: what a token may use can change,
    /// and an endpoint can be made anew.
    pub fn touch(self: &Arc<Self>, visitor: &Visitor, service: &Arc<dyn Service>) {
        let since = u64::try_from(self.begun.elapsed().as_millis()).unwrap_or(u64::MAX);
        self.used.store(since, Ordering::Relaxed);
        let mut state = lock(&self.state);
        if state.client.visitor != *visitor {
            let client = Client { visitor: visitor.clone(), ..Client::clone(&state.client) };
            state.client = Arc::new(client);
        }
        if !Arc::ptr_eq(&state.service, service) {
            state.service = Arc::clone(service);
            let was_listening = state.listening.take().is_some();
            let uris: Vec<String> = state.subscriptions.drain().map(|(uri, _)| uri).collect();
            drop(state);
            if was_listening {
                self.begin_listening();
            }
            let session = Arc::clone(self);
            if !uris.is_empty() {
                tokio::spawn(async move {
                    for uri in uris {
                        // A resource that is gone is not heard of any more.
                        drop(session.subscribe(uri).await);
                    }
                });
            }
        }
    }

    /// How long it was not used.
    pub fn idle(&self) -> Duration {
        self.begun.elapsed().saturating_sub(Duration::from_millis(self.used.load(Ordering::Relaxed)))
    }

    /// Whether somebody waits for something.
    pub fn is_busy(&self) -> bool {
        let state = lock(&self.state);
        !state.calls.is_empty() || state.streams.iter().any(|stream| stream.is_live())
    }

    /// Ends everything of it.
    pub fn end(&self) {
        let mut state = lock(&self.state);
        state.is_ended = true;
        let calls: Vec<Arc<Way>> = state.calls.values().map(Arc::clone).collect();
        state.questions.clear();
        state.listening = None;
        state.subscriptions.clear();
        let streams = std::mem::take(&mut state.streams);
        let (client, service) = (Arc::clone(&state.client), Arc::clone(&state.service));
        drop(state);
        calls.iter().for_each(|way| way.cancel());
        streams.iter().for_each(|stream| stream.finish());
        service.ended(&client);
    }

    // === requests ===

    /// Takes an id for a request, when it is free.
    pub fn hold(&self, id: &Id, way: &Arc<Way>) -> Result<(), NotHeld> {
        let mut state = lock(&self.state);
        if state.calls.contains_key(id) {
            return Err(NotHeld::InFlight);
        }
        if state.calls.len() >= self.shared.limits.calls_per_session || state.is_ended {
            return Err(NotHeld::TooMany);
        }
        state.calls.insert(id.clone(), Arc::clone(way));
        Ok(())
    }

    /// Whether a request with this id is worked on.
    pub fn is_held(&self, id: &Id) -> bool {
        lock(&self.state).calls.contains_key(id)
    }

    pub fn release(&self, id: &Id) {
        lock(&self.state).calls.remove(id);
    }

    /// The client does not want this request any more.
    pub fn cancel(&self, id: &Id) {
        let way = lock(&self.state).calls.get(id).cloned();
        if let Some(way) = way {
            way.cancel();
        }
    }

    // === questions ===

    /// A new id for a question, and where its answer comes.
    pub fn ask(&self) -> Option<(u64, oneshot::Receiver<Result<Json, ErrorObject>>)> {
        let (answer, answered) = oneshot::channel();
        let mut state = lock(&self.state);
        if state.questions.len() >= QUESTIONS || state.is_ended {
            return None;
        }
        let id = self.minted.mint();
        state.questions.insert(id, answer);
        Some((id, answered))
    }

    pub fn forget_question(&self, id: u64) {
        lock(&self.state).questions.remove(&id);
    }

    /// The client answers. An answer to nothing is left.
    pub fn answered(&self, response: Response) {
        let Some(id) = response.id.and_then(|id| id.to_number()) else { return };
        let question = lock(&self.state).questions.remove(&id);
        if let Some(question) = question {
            // Who asked may not wait any more.
            let _ = question.send(response.outcome);
        }
    }

    // === log messages ===

    pub fn level(&self) -> Option<Level> {
        Level::from_number(self.level.load(Ordering::Relaxed))
    }

    pub fn set_level(&self, level: Level) {
        self.level.store(Level::number(Some(level)), Ordering::Relaxed);
    }

    // === what changes ===

    /// Hears of changes from now on, if it does not already.
    pub fn begin_listening(self: &Arc<Self>) {
        let mut state = lock(&self.state);
        if state.is_ended || state.listening.as_ref().is_some_and(|task| !task.is_finished()) {
            return;
        }
        let (client, service) = (Arc::clone(&state.client), Arc::clone(&state.service));
        let session = Arc::downgrade(self);
        state.listening = Some(Task::spawn(async move {
            let filter = Filter { tools: true, prompts: true, resources: true, uris: Vec::new() };
            let listening = match service.listen(client, filter, true).await {
                Ok(listening) => listening,
                Err(error) => return tracing::debug!(error = error.message, "a session hears of no changes"),
            };
            let Listening { mut notifications, hold: _hold, .. } = listening;
            while let Some(notification) = notifications.recv().await {
                let Some(session) = session.upgrade() else { return };
                session.tell(notification);
            }
        }));
    }

    /// Hears of changes of one resource.
    pub async fn subscribe(self: &Arc<Self>, uri: String) -> Result<(), ErrorObject> {
        let (client, service) = {
            let state = lock(&self.state);
            if state.subscriptions.contains_key(&uri) {
                return Ok(());
            }
            let limit = self.shared.limits.subscriptions_per_session;
            if state.subscriptions.len() >= limit {
                let said = format!("this session is subscribed to {limit} resources; unsubscribe from some");
                return Err(ErrorObject::new(INTERNAL_ERROR, said));
            }
            (Arc::clone(&state.client), Arc::clone(&state.service))
        };
        let filter = Filter { uris: vec![uri.clone()], ..Filter::default() };
        let Listening { mut notifications, hold, .. } = service.listen(client, filter, false).await?;
        let session = Arc::downgrade(self);
        let task = Task::spawn(async move {
            let _hold = hold;
            while let Some(notification) = notifications.recv().await {
                let Some(session) = session.upgrade() else { return };
                if notification.method == "notifications/resources/updated" {
                    session.tell(notification);
                }
            }
        });
        let mut state = lock(&self.state);
        if !state.is_ended {
            state.subscriptions.insert(uri, task);
        }
        Ok(())
    }

    /// Whether it was subscribed.
    pub fn unsubscribe(&self, uri: &str) -> bool {
        lock(&self.state).subscriptions.remove(uri).is_some()
    }

    /// Tells something that belongs to no request, on one stream.
    pub fn tell(&self, notification: Notification) {
        if notification.method == "notifications/message"
            && self.level().is_some_and(|level| !level.lets_through(&notification))
        {
            return;
        }
        self.tell_line(notification_line(notification));
    }

    /// Sends a message on one stream that belongs to no request.
    pub fn tell_line(&self, mut line: String) {
        if let Some(output) = &self.output {
            if output.try_send(Output::Line(line)).is_err() {
                self.shared.counters.drop_notification();
            }
            return;
        }
        let mut state = lock(&self.state);
        for stream in state.streams.iter().rev().filter(|stream| is_general(stream)) {
            match stream.push_general(line) {
                Ok(()) => return,
                Err(message) => line = message,
            }
        }
        // Twice the same news says no more than once.
        if state.waiting.contains(&line) {
            return;
        }
        if state.waiting.len() >= self.shared.limits.waiting_messages {
            state.waiting.pop_front();
            self.shared.counters.drop_notification();
        }
        state.waiting.push_back(line);
    }

    /// Takes messages back that a stream did not deliver.
    pub fn take_back(&self, messages: Vec<String>) {
        let mut state = lock(&self.state);
        for message in messages.into_iter().rev() {
            if state.waiting.len() < self.shared.limits.waiting_messages {
                state.waiting.push_front(message);
            } else {
                self.shared.counters.drop_notification();
            }
        }
    }

    // === streams ===

    /// A new stream that can be taken up again.
    pub fn open_stream(&self, kind: char) -> Arc<Events> {
        let limits = &self.shared.limits;
        let name = self.shared.stream_name(kind);
        let events = Arc::new(Events::kept(name, limits, Arc::clone(&self.shared.counters)));
        self.forget_streams();
        let mut state = lock(&self.state);
        if state.streams.len() >= limits.streams_per_session {
            // The oldest that nobody reads; a call that still runs for it loses only its replay.
            let oldest = state.streams.iter().position(|stream| !stream.is_live());
            if let Some(oldest) = oldest {
                state.streams.remove(oldest);
            }
        }
        state.streams.push(Arc::clone(&events));
        events
    }

    /// Forgets the streams that were over long ago.
    pub fn forget_streams(&self) {
        if let Some(time) = Instant::now().checked_sub(self.shared.limits.stream_kept) {
            lock(&self.state).streams.retain(|stream| !stream.is_over_since(time));
        }
    }

    /// A stream by the name in the ids of its events.
    pub fn stream(&self, name: &str) -> Option<Arc<Events>> {
        lock(&self.state).streams.iter().find(|stream| stream.name() == Some(name)).cloned()
    }

    /// Puts everything that waits on this stream, which somebody has begun to read.
    pub fn deliver_waiting(&self, events: &Events) {
        let mut state = lock(&self.state);
        while let Some(message) = state.waiting.pop_front() {
            if let Err(message) = events.push_general(message) {
                return state.waiting.push_front(message);
            }
        }
    }

    /// Ends the streams that only wait for news.
    pub fn finish_streams(&self) {
        let state = lock(&self.state);
        state.streams.iter().filter(|stream| is_general(stream)).for_each(|stream| stream.finish());
    }
}

fn is_general(stream: &Events) -> bool {
    stream.name().is_some_and(|name| name.starts_with(GENERAL))
}
