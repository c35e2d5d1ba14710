//! A sentence and its answer.

use std::time::Duration;

use jiff::Timestamp;
use tokio::time::Instant;

use crate::status::Drop;

/// A spoken sentence.
#[derive(Clone, Debug)]
pub struct Transcript {
    /// Its id, if the sender set one.
    pub id: Option<String>,
    /// The recognized text.
    pub text: String,
    /// Groups sentences that keep their order: a room, a session, a connection.
    pub conversation: String,
    /// The device that recorded it, for records.
    pub source: String,
    /// The language, as `en` or `en-US`, if known.
    pub language: Option<String>,
    /// The time of speech, if known.
    pub said_at: Option<Timestamp>,
    /// The time of arrival.
    pub received: Instant,
}

/// The answer to a transcript.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// The text of the transcript.
    pub question: String,
    /// The answer in speakable form.
    pub text: String,
    /// The kind of the answer.
    pub kind: AnswerKind,
    /// The id of the transcript.
    pub id: Option<String>,
    /// The conversation it belongs to.
    pub conversation: String,
    /// The model and its provider; `None` if no model was involved.
    pub model: Option<(String, String)>,
    /// The number of turns in the conversation that the model knows.
    pub turns: usize,
    /// The time from the transcript to the answer.
    pub took: Duration,
}

/// The kind of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AnswerKind {
    /// A call ran, or information was returned.
    Done,
    /// The answer is a question, and the conversation continues.
    Asked,
    /// The sentence was not understood.
    NotUnderstood,
    /// A call failed.
    Failed,
    /// The transcript was dropped.
    Dropped(Drop),
}

/// Whether the front could send an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Delivery {
    /// The answer was passed to the connection.
    Sent,
    /// The queue was full or the client had disconnected.
    Lost,
}

/// Receives the answer to a transcript. The methods must not block.
pub trait Ear: Send + 'static {
    /// Receives one sentence of a streamed answer. The complete answer contains it too.
    fn sentence(&mut self, _sentence: &str) {}

    /// Receives the answer. It is called exactly once.
    fn answer(self: Box<Self>, answer: Answer) -> Delivery;
}

impl Transcript {
    /// A sentence that arrives now.
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

    /// Whether the language is English or unknown.
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
    /// The name in messages.
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
