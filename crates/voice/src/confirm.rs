//! Questions that wait for a spoken answer: one for each conversation, for a short time.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use tokio::time::Instant;
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
}

#[derive(Debug)]
struct Open {
    pending: Pending,
    since: Instant,
}

/// The question of a conversation.
pub(crate) enum Asked {
    Nothing,
    Open(Pending),
    /// Nobody answered in time.
    TooLate,
}

impl Questions {
    pub fn new(time: Duration) -> Questions {
        Questions { open: Mutex::default(), time }
    }

    /// A question is asked; one that was asked before is forgotten.
    pub fn ask(&self, conversation: &str, pending: Pending) {
        let mut open = self.lock();
        open.retain(|_, question| question.since.elapsed() < PENDING_KEPT);
        if open.len() >= MAX_PENDING
            && let Some(oldest) =
                open.iter().min_by_key(|(_, question)| question.since).map(|(name, _)| name.clone())
        {
            open.remove(&oldest);
        }
        open.insert(conversation.to_owned(), Open { pending, since: Instant::now() });
    }

    /// The question of a conversation, which is no longer asked.
    pub fn take(&self, conversation: &str) -> Asked {
        match self.lock().remove(conversation) {
            None => Asked::Nothing,
            Some(question) if question.since.elapsed() <= self.time => Asked::Open(question.pending),
            Some(question) if question.since.elapsed() < PENDING_KEPT => Asked::TooLate,
            Some(_) => Asked::Nothing,
        }
    }

    /// How many are open.
    pub fn count(&self) -> usize {
        self.lock().values().filter(|question| question.since.elapsed() <= self.time).count()
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, HashMap<String, Open>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
