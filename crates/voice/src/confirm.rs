//! Questions that wait for a spoken answer: one for each conversation, for a short time.

use std::collections::HashMap;
use std::sync::Mutex;
use std::time::Duration;

use tokio::time::Instant;
use toolwright_base::IgnorePoison;
use toolwright_speech::{Device, Does};

use crate::limits::{MAX_PENDING, PENDING_KEPT};
use crate::mind::HeldCall;

/// What is waited for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Pending {
    /// A yes, and these calls are run.
    Yes(Vec<HeldCall>),
    /// One of these devices.
    Which { does: Does, devices: Vec<Device> },
}

/// The open questions.
#[derive(Debug)]
pub(crate) struct Questions {
    open: Mutex<HashMap<String, Open>>,
    time: Duration,
    /// How long after a question went out nobody can have heard it yet.
    hearing: Duration,
}

#[derive(Debug)]
struct Open {
    pending: Pending,
    since: Instant,
    state: Publication,
}

/// Whether a question went out. A yes that is older answers something else.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Publication {
    Waiting,
    Sent,
}

/// The question of a conversation.
pub(crate) enum Asked {
    Nothing,
    Open(Pending),
    /// It is open, and the sentence was received before anybody can have heard it.
    Unheard(Pending),
    /// Nobody answered in time.
    TooLate,
}

impl Questions {
    pub fn new(time: Duration, hearing: Duration) -> Questions {
        Questions { open: Mutex::default(), time, hearing }
    }

    /// A question is about to be asked; one that was asked before is forgotten.
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

    /// The question of a conversation went out just now: its time begins.
    pub fn published(&self, conversation: &str) {
        if let Some(question) = self.lock().get_mut(conversation) {
            question.since = Instant::now();
            question.state = Publication::Sent;
        }
    }

    /// The question of a conversation, which is no longer asked, for a sentence that was received at this moment.
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

    /// How many are open.
    pub fn count(&self) -> usize {
        self.lock().values().filter(|question| question.since.elapsed() <= self.time).count()
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, HashMap<String, Open>> {
        self.open.lock().ignore_poison()
    }
}
