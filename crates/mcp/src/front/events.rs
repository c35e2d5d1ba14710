//! A stream of server-sent events that can be taken up again where it broke.

use std::collections::VecDeque;
use std::pin::Pin;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, Weak};
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use bytes::Bytes;
use tokio::time::{Instant, Sleep, sleep};

use super::fronts::{Counters, Listener};
use super::limits::FrontLimits;
use super::session::Session;
use super::task::{Task, lock};
use super::way::Line;

/// What shows that a stream lives.
const ALIVE: &[u8] = b": alive\n\n";

/// The events of one stream.
pub(super) struct Events {
    /// What the ids of its events begin with; without one they have no ids and are not kept.
    name: Option<String>,
    limit: usize,
    /// For all streams together.
    kept_limit: usize,
    counters: Arc<Counters>,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    kept: VecDeque<Event>,
    bytes: usize,
    /// The number of the last event.
    last: u64,
    /// The number of the last event that was read.
    read: u64,
    /// Who reads: a new reader ends the one before.
    reader: u64,
    has_reader: bool,
    /// The next that is read is a sign of life.
    shows_life: bool,
    over: Option<Instant>,
    waker: Option<Waker>,
}

struct Event {
    number: u64,
    bytes: Bytes,
    /// The message in it, to be sent on another stream; `None` when it belongs to this one.
    message: Option<String>,
}

impl Events {
    /// A stream whose events are kept to be sent again.
    pub fn kept(name: String, limits: &FrontLimits, counters: Arc<Counters>) -> Events {
        let (limit, kept_limit) = (limits.stream_bytes, limits.kept_bytes);
        Events { name: Some(name), limit, kept_limit, counters, state: Mutex::default() }
    }

    /// A stream that ends with its connection.
    pub fn passing(limit: usize, counters: Arc<Counters>) -> Events {
        Events { name: None, limit, kept_limit: usize::MAX, counters, state: Mutex::default() }
    }

    pub fn name(&self) -> Option<&str> {
        self.name.as_deref()
    }

    /// An event without a message, from which the stream can be taken up.
    pub fn prime(&self, retry: Duration) {
        let retry = format!("retry: {}\n", retry.as_millis());
        self.put(&retry, "", false, None);
    }

    /// Something that shows life and is no event.
    pub fn comment(&self) {
        let mut state = lock(&self.state);
        state.shows_life = true;
        self.wake(state);
    }

    /// A message of the request that the stream belongs to.
    pub fn push(&self, line: &Line) {
        self.put("", &line.text, line.may_be_lost, None);
    }

    /// A message that could be sent on any stream of the session; given back when nobody reads this one.
    pub fn push_general(&self, message: String) -> Result<(), String> {
        if !self.is_live() {
            return Err(message);
        }
        let text = message.clone();
        self.put("", &text, true, Some(message));
        // The reader may have left meanwhile: what it did not read is in nobody's hands then.
        match self.is_live() {
            true => Ok(()),
            false => self.take_last().map_or(Ok(()), Err),
        }
    }

    /// Takes the last event out again when it was not read and could go elsewhere.
    fn take_last(&self) -> Option<String> {
        let mut state = lock(&self.state);
        let read = state.read;
        let last = state.kept.back_mut().filter(|event| event.number > read)?;
        let message = last.message.take()?;
        let event = state.kept.pop_back()?;
        self.forget(&mut state, &event);
        Some(message)
    }

    fn put(&self, fields: &str, data: &str, may_be_lost: bool, message: Option<String>) {
        let mut state = lock(&self.state);
        if state.over.is_some() {
            return;
        }
        let number = state.last + 1;
        let mut text = String::with_capacity(data.len() + fields.len() + 48);
        if let Some(name) = &self.name {
            text.push_str("id: ");
            text.push_str(name);
            text.push('-');
            text.push_str(&number.to_string());
            text.push('\n');
        }
        text.push_str(fields);
        text.push_str("data: ");
        text.push_str(data);
        text.push_str("\n\n");
        let size = text.len();
        let is_too_much = |state: &State| {
            state.bytes + size > self.limit || self.counters.kept.load(Ordering::Relaxed) > self.kept_limit
        };
        while is_too_much(&state) {
            // What was read goes first; the rest still has a chance to arrive.
            let read = state.read;
            let Some(event) = state.kept.pop_front_if(|event| event.number <= read) else { break };
            self.forget(&mut state, &event);
        }
        if state.bytes + size > self.limit && may_be_lost {
            drop(state);
            return self.counters.drop_notification();
        }
        state.last = number;
        state.bytes += size;
        self.counters.kept.fetch_add(size, Ordering::Relaxed);
        state.kept.push_back(Event { number, bytes: text.into(), message });
        self.wake(state);
    }

    fn forget(&self, state: &mut State, event: &Event) {
        state.bytes -= event.bytes.len();
        self.counters.kept.fetch_sub(event.bytes.len(), Ordering::Relaxed);
    }

    /// Nothing follows.
    pub fn finish(&self) {
        let mut state = lock(&self.state);
        if state.over.is_none() {
            state.over = Some(Instant::now());
        }
        self.wake(state);
    }

    fn wake(&self, mut state: std::sync::MutexGuard<'_, State>) {
        let waker = state.waker.take();
        drop(state);
        if let Some(waker) = waker {
            waker.wake();
        }
    }

    /// Whether somebody reads it and more may come.
    pub fn is_live(&self) -> bool {
        let state = lock(&self.state);
        state.has_reader && state.over.is_none()
    }

    /// Whether it was over before this time and nobody reads it.
    pub fn is_over_since(&self, time: Instant) -> bool {
        let state = lock(&self.state);
        !state.has_reader && state.over.is_some_and(|over| over <= time)
    }

    /// Begins to read behind this event.
    fn attach(&self, behind: Option<u64>) -> u64 {
        let mut state = lock(&self.state);
        if let Some(behind) = behind {
            state.read = behind.min(state.last);
        }
        state.reader += 1;
        state.has_reader = true;
        let reader = state.reader;
        self.wake(state);
        reader
    }

    /// Ends reading; gives back what was not read and could go elsewhere.
    fn detach(&self, reader: u64) -> Vec<String> {
        let mut state = lock(&self.state);
        if state.reader != reader {
            return Vec::new();
        }
        state.has_reader = false;
        state.waker = None;
        let read = state.read;
        let mut free = Vec::new();
        let mut kept = VecDeque::with_capacity(state.kept.len());
        for mut event in std::mem::take(&mut state.kept) {
            match event.message.take_if(|_| event.number > read) {
                Some(message) => {
                    self.forget(&mut state, &event);
                    free.push(message);
                }
                None => kept.push_back(event),
            }
        }
        state.kept = kept;
        free
    }

    fn poll_read(&self, reader: u64, context: &mut Context<'_>) -> Poll<Option<Bytes>> {
        let mut state = lock(&self.state);
        if state.reader != reader {
            return Poll::Ready(None);
        }
        if std::mem::take(&mut state.shows_life) {
            return Poll::Ready(Some(Bytes::from_static(ALIVE)));
        }
        if self.name.is_none() {
            if let Some(event) = state.kept.pop_front() {
                self.forget(&mut state, &event);
                return Poll::Ready(Some(event.bytes));
            }
        } else {
            let read = state.read;
            let next = state.kept.partition_point(|event| event.number <= read);
            if let Some(event) = state.kept.get(next) {
                let (number, bytes) = (event.number, event.bytes.clone());
                state.read = number;
                return Poll::Ready(Some(bytes));
            }
        }
        if state.over.is_some() {
            return Poll::Ready(None);
        }
        state.waker = Some(context.waker().clone());
        Poll::Pending
    }
}

impl Drop for Events {
    fn drop(&mut self) {
        self.counters.kept.fetch_sub(lock(&self.state).bytes, Ordering::Relaxed);
    }
}

/// The body of an answer that is a stream.
pub(super) struct EventBody {
    events: Arc<Events>,
    reader: u64,
    keep_alive: Duration,
    timer: Pin<Box<Sleep>>,
    /// Whose messages go back when they were not read.
    session: Weak<Session>,
    /// Counts it among the streams of its visitor.
    pub listener: Option<Listener>,
    /// What ends with the stream.
    _task: Option<Task>,
}

impl EventBody {
    /// Reads a stream from its beginning.
    pub fn new(events: Arc<Events>, keep_alive: Duration, task: Option<Task>) -> EventBody {
        let reader = events.attach(None);
        let timer = Box::pin(sleep(keep_alive));
        EventBody { events, reader, keep_alive, timer, session: Weak::new(), listener: None, _task: task }
    }

    /// Reads a stream of a session, perhaps from behind an event.
    pub fn of_session(
        events: Arc<Events>,
        behind: Option<u64>,
        keep_alive: Duration,
        session: &Arc<Session>,
    ) -> EventBody {
        let reader = events.attach(behind);
        let timer = Box::pin(sleep(keep_alive));
        EventBody {
            events,
            reader,
            keep_alive,
            timer,
            session: Arc::downgrade(session),
            listener: None,
            _task: None,
        }
    }

    pub fn poll_next(&mut self, context: &mut Context<'_>) -> Poll<Option<Bytes>> {
        let next = self.events.poll_read(self.reader, context);
        if next.is_ready() {
            self.timer.as_mut().reset(Instant::now() + self.keep_alive);
            return next;
        }
        match self.timer.as_mut().poll(context) {
            Poll::Ready(()) => {
                self.timer.as_mut().reset(Instant::now() + self.keep_alive);
                Poll::Ready(Some(Bytes::from_static(ALIVE)))
            }
            Poll::Pending => Poll::Pending,
        }
    }
}

impl Drop for EventBody {
    fn drop(&mut self) {
        let unread = self.events.detach(self.reader);
        if !unread.is_empty()
            && let Some(session) = self.session.upgrade()
        {
            session.take_back(unread);
        }
    }
}
