//! What somebody said, and what is said back.

use std::time::Duration;

use jiff::Timestamp;
use tokio::time::Instant;

use crate::status::Drop;

/// A sentence that somebody said.
#[derive(Clone, Debug)]
pub struct Transcript {
    /// Its id, where the sender gave one.
    pub id: Option<String>,
    /// What was said.
    pub text: String,
    /// Whose sentences belong together and keep their order: a room, a session, a connection.
    pub conversation: String,
    /// Who heard it, for records.
    pub source: String,
    /// The language, as `en` or `en-US`, where it is known.
    pub language: Option<String>,
    /// When it was said, where it is known.
    pub said_at: Option<Timestamp>,
    /// When it came to us.
    pub received: Instant,
}

/// What is said back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// What was said.
    pub question: String,
    /// The answer, which can be said aloud.
    pub text: String,
    /// What kind of answer it is.
    pub kind: AnswerKind,
    /// The id of the transcript.
    pub id: Option<String>,
    /// The conversation that it belongs to.
    pub conversation: String,
    /// The model that answered and who provides it; nothing when none was needed.
    pub model: Option<(String, String)>,
    /// How many questions and answers the conversation has, as far as the mind knows.
    pub turns: usize,
    /// From the transcript to the answer.
    pub took: Duration,
}

/// What kind of answer it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AnswerKind {
    /// Something was done or told.
    Done,
    /// Something is asked back, and the conversation goes on.
    Asked,
    /// Nobody knows what was meant.
    NotUnderstood,
    /// It was tried and failed.
    Failed,
    /// It was not looked at.
    Dropped(Drop),
}

/// Whether an answer left the process, as far as the front can know.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Delivery {
    /// It was handed to the connection.
    Sent,
    /// There was no room or no client: nobody hears it.
    Lost,
}

/// Who wants to hear an answer. Neither of the two may wait: they put what they get somewhere.
pub trait Ear: Send + 'static {
    /// A sentence of an answer that is not whole yet. What was said so is part of the whole answer as well.
    fn sentence(&mut self, _sentence: &str) {}

    /// The answer. It comes exactly once.
    fn answer(self: Box<Self>, answer: Answer) -> Delivery;
}

impl Transcript {
    /// A sentence that comes now.
    pub fn new(text: impl Into<String>, conversation: impl Into<String>) -> Transcript {
        Transcript {
            id: None,
            text: text.into(),
            conversation: conversation.into(),
            source: "voice".to_owned(),
            language: None,
            said_at: None,
            received: Instant::now(),
        }
    }

    /// Whether it was said in English, as far as anybody knows.
    pub fn is_english(&self) -> bool {
        self.language.as_deref().is_none_or(|language| {
            let language = language.trim().to_ascii_lowercase();
            language.is_empty()
                || language == "en"
                || language.starts_with("en-")
                || language.starts_with("en_")
        })
    }
}

impl AnswerKind {
    /// The word for it in messages.
    pub fn word(self) -> &'static str {
        match self {
            AnswerKind::Done => "done",
            AnswerKind::Asked => "asked",
            AnswerKind::NotUnderstood => "not_understood",
            AnswerKind::Failed => "failed",
            AnswerKind::Dropped(_) => "dropped",
        }
    }
}
