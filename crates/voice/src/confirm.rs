//! Questions that wait for a spoken answer: one per conversation, for a short time.

use std::collections::HashMap;
use std::sync::Mutex;
use std::time::Duration;

use tokio::time::Instant;
use toolwright_base::IgnorePoison;
use toolwright_speech::{Device, Does};

use crate::limits::{MAX_PENDING, PENDING_TTL};
use crate::mind::HeldCall;

/// The answer that a question waits for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum PendingAnswer {
    /// A yes; then these calls run.
    Yes(Vec<HeldCall>),
    /// The name of one of these devices.
    Which { does: Does, devices: Vec<Device> },
}

/// The open questions.
#[derive(Debug)]
pub(crate) struct Questions {
    open: Mutex<HashMap<String, OpenQuestion>>,
    time: Duration,
    /// The time after sending a question in which no user can have heard it yet.
    hearing: Duration,
}

#[derive(Debug)]
struct OpenQuestion {
    pending: PendingAnswer,
    since: Instant,
    state: QuestionDelivery,
}

/// Whether a question was sent. A yes received before that belongs to something else.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum QuestionDelivery {
    Waiting,
    Sent,
}

/// The question of a conversation, as found when a sentence arrives.
pub(crate) enum QuestionState {
    Nothing,
    Open(PendingAnswer),
    /// The question is open, but the sentence was received before a user can have heard it.
    Unheard(PendingAnswer),
    /// The question timed out.
    TooLate,
}

impl Questions {
    pub fn new(time: Duration, hearing: Duration) -> Questions {
        Questions { open: Mutex::default(), time, hearing }
    }

    /// Stores a question before it is sent; replaces an earlier one of the same conversation.
    pub fn ask(&self, conversation: &str, pending: PendingAnswer) {
        let mut open = self.lock();
        open.retain(|_, question| question.since.elapsed() < PENDING_TTL);
        if open.len() >= MAX_PENDING
            && let Some(oldest) =
                open.iter().min_by_key(|(_, question)| question.since).map(|(name, _)| name.clone())
        {
            open.remove(&oldest);
        }
        let question = OpenQuestion { pending, since: Instant::now(), state: QuestionDelivery::Waiting };
        open.insert(conversation.to_owned(), question);
    }

    /// Starts the timeout of a question: it was just sent.
    pub fn published(&self, conversation: &str) {
        if let Some(question) = self.lock().get_mut(conversation) {
            question.since = Instant::now();
            question.state = QuestionDelivery::Sent;
        }
    }

    /// Removes and returns the question of a conversation, for a sentence that was received at this moment.
    pub fn take(&self, conversation: &str, received: Instant) -> QuestionState {
        match self.lock().remove(conversation) {
            None => QuestionState::Nothing,
            Some(question) if question.since.elapsed() <= self.time => {
                let is_heard =
                    question.state == QuestionDelivery::Sent && received > question.since + self.hearing;
                if is_heard {
                    QuestionState::Open(question.pending)
                } else {
                    QuestionState::Unheard(question.pending)
                }
            }
            Some(question) if question.since.elapsed() < PENDING_TTL => QuestionState::TooLate,
            Some(_) => QuestionState::Nothing,
        }
    }

    /// The number of open questions.
    pub fn count(&self) -> usize {
        self.lock().values().filter(|question| question.since.elapsed() <= self.time).count()
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, HashMap<String, OpenQuestion>> {
        self.open.lock().ignore_poison()
    }
}
