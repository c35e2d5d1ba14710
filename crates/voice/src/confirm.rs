//! Questions that wait for a spoken answer: one per conversation, for a short time.

use std::collections::HashMap;
use std::sync::Mutex;
use std::time::Duration;

use tokio::time::Instant;
use toolwright_base::IgnorePoison;
use toolwright_speech::{Device, Does};

use crate::limits::{MAX_PENDING, PENDING_KEPT};
use crate::mind::HeldCall;

/// The answer that a question waits for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Pending {
    /// A yes; then these calls run.
    Yes(Vec<HeldCall>),
    /// The name of one of these devices.
    Which { does: Does, devices: Vec<Device> },
}

/// The open questions.
#[derive(Debug)]
pub(crate) struct Questions {
    open: Mutex<HashMap<String, Open>>,
    time: Duration,
    /// The time after sending a question in which no user can have heard it yet.
    hearing: Duration,
}

#[derive(Debug)]
struct Open {
    pending: Pending,
    since: Instant,
    state: Publication,
}

/// Whether a question was sent. A yes received before that belongs to something else.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Publication {
    Waiting,
    Sent,
}

/// The question of a conversation, as found when a sentence arrives.
pub(crate) enum Asked {
    Nothing,
    Open(Pending),
    /// The question is open, but the sentence was received before a user can have heard it.
    Unheard(Pending),
    /// The question timed out.
    TooLate,
}

impl Questions {
    pub fn new(time: Duration, hearing: Duration) -> Questions {
        Questions { open: Mutex::default(), time, hearing }
    }

    /// Stores a question before it is sent; replaces an earlier one of the same conversation.
    pub fn ask(&self, conversation: &str, pending: Pending) {
        let mut open = self.lock();
        open.retain(|_, question| question.since.elapsed() < PENDING_KEPT);
        if open.len() >= MAX_PENDING
            && let Some(oldest) =
                open.iter().min_by_key(|(_, question)| question.since).map(|(name, _)| name.clone())
        {
            open.remove(&oldest);
        }
        let question = Open { pending, since: Instant::now(), state: Publication::Waiting };
        open.insert(conversation.to_owned(), question);
    }

    /// Starts the timeout of a question: it was just sent.
    pub fn published(&self, conversation: &str) {
        if let Some(question) = self.lock().get_mut(conversation) {
            question.since = Instant::now();
            question.state = Publication::Sent;
        }
    }

    /// Removes and returns the question of a conversation, for a sentence that was received at this moment.
    pub fn take(&self, conversation: &str, received: Instant) -> Asked {
        match self.lock().remove(conversation) {
            None => Asked::Nothing,
            Some(question) if question.since.elapsed() <= self.time => {
                let is_heard =
                    question.state == Publication::Sent && received > question.since + self.hearing;
                if is_heard { Asked::Open(question.pending) } else { Asked::Unheard(question.pending) }
            }
            Some(question) if question.since.elapsed() < PENDING_KEPT => Asked::TooLate,
            Some(_) => Asked::Nothing,
        }
    }

    /// The number of open questions.
    pub fn count(&self) -> usize {
        self.lock().values().filter(|question| question.since.elapsed() <= self.time).count()
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, HashMap<String, Open>> {
        self.open.lock().ignore_poison()
    }
}
