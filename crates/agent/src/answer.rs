//! What comes of a question.

use std::time::Duration;

use toolwright_executor::{CallError, ToolOutput};
use toolwright_llm::form::Message;
use toolwright_model::Change;

use crate::Question;

/// An answer.
#[derive(Debug)]
pub struct Answer {
    /// What is to be shown or said.
    pub text: String,
    /// Why it ended.
    pub stop: Stop,
    /// The model, as the upstream calls it.
    pub model: String,
    /// Whose model: `anthropic`, `openai` or `ollama`.
    pub provider: &'static str,
    /// The upstream that answered last.
    pub upstream: String,
    /// How often the model was asked.
    pub rounds: u32,
    /// How many turns the conversation has, this one included; 1 without a conversation.
    pub turns: usize,
    /// What it cost.
    pub tokens: Tokens,
    /// The calls, in order, each with its result.
    pub calls: Vec<Called>,
    /// Calls that wait for a person's word, see [`Agent::go_on`](crate::Agent::go_on).
    pub held: Option<Held>,
    /// How long it took.
    pub duration: Duration,
}

/// Why an answer ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    /// The model has answered.
    Answered,
    /// The model ended without a word: that is no answer.
    Empty,
    /// The answer ran into its length limit.
    Length,
    /// The model, or its provider's filter, refused.
    Refused,
    /// The last round was reached: the answer was made without tools.
    Rounds,
    /// The same call failed the same way again and again.
    Repeats,
    /// The budget of tokens is used up.
    Tokens,
    /// The time is used up.
    Time,
    /// It was cancelled.
    Cancelled,
    /// A person has to be asked first.
    Confirm,
}

/// Tokens of all rounds together. Where an upstream tells no counts, they are estimates.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tokens {
    /// Of what was asked, read from a cache or not.
    pub input: u64,
    /// Of what was answered.
    pub output: u64,
}

/// A call of an answer, and its one result.
#[derive(Clone, Debug)]
pub struct Called {
    /// The round in which it was sent, from 1.
    pub round: u32,
    /// The id that model and result know it by.
    pub id: String,
    /// The tool's name: its own where it was found, else as it was sent.
    pub name: String,
    /// `server/name`, where it was found.
    pub qualified_name: Option<String>,
    /// The name that the model sent.
    pub sent_name: String,
    /// The arguments that the model sent.
    pub sent: String,
    /// The arguments that fit, which the tool got or would have got.
    pub arguments: Option<String>,
    /// What was changed to make the call fit.
    pub changes: Vec<Change>,
    /// What the tool gave, or why there is nothing.
    pub result: Result<ToolOutput, CallError>,
    /// How long it took.
    pub duration: Duration,
}

/// Calls that wait for a person's word. Dropped, they are never run.
pub struct Held {
    pub(crate) question: Question,
    pub(crate) model: String,
    pub(crate) turn: u64,
    /// The turn so far, with stand-ins for the results of what is held.
    pub(crate) messages: Vec<Message>,
    pub(crate) calls: Vec<HeldCall>,
    pub(crate) rounds: u32,
}

/// One of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HeldCall {
    /// The id that model and result know it by.
    pub id: String,
    /// `server/name` of the tool.
    pub tool: String,
    /// The arguments that were judged, and that will be run.
    pub arguments: String,
    /// What the person is asked.
    pub question: String,
    pub(crate) schema_print: u64,
}

/// What the person said.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decision {
    /// The calls are run.
    Yes,
    /// They are not.
    No,
}

impl Stop {
    /// Its name in documents for programs.
    pub fn word(self) -> &'static str {
        match self {
            Stop::Answered => "answered",
            Stop::Empty => "empty",
            Stop::Length => "length",
            Stop::Refused => "refused",
            Stop::Rounds => "rounds",
            Stop::Repeats => "repeats",
            Stop::Tokens => "tokens",
            Stop::Time => "time",
            Stop::Cancelled => "cancelled",
            Stop::Confirm => "confirm",
        }
    }
}

impl Tokens {
    /// All of them.
    pub fn total(&self) -> u64 {
        self.input.saturating_add(self.output)
    }
}

impl Called {
    /// Whether the call that fits differs from the one that was sent.
    pub fn is_mended(&self) -> bool {
        !self.changes.is_empty()
    }
}

impl Held {
    /// The calls.
    pub fn calls(&self) -> &[HeldCall] {
        &self.calls
    }

    /// The conversation that they belong to.
    pub fn conversation(&self) -> Option<&str> {
        self.question.conversation.as_deref()
    }
}

impl std::fmt::Debug for Held {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Held").field("calls", &self.calls).finish_non_exhaustive()
    }
}
