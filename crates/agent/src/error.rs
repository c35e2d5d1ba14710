//! Errors of a question: a kind for programs, a speakable sentence, and details.

use toolwright_llm::{Failure, FailureKind};

use crate::Called;

/// Why a question has no answer.
#[derive(Debug, thiserror::Error)]
#[error("{sentence}")]
pub struct AskError {
    /// For programs.
    pub kind: AskErrorKind,
    /// For people: less than 300 speakable characters, with a full stop and without codes.
    pub sentence: String,
    /// The details: the message of the upstream, and the fix.
    pub details: String,
    /// The calls that ran before the error, with their results: their effects remain.
    pub calls: Vec<Called>,
}

/// The kind of the error.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AskErrorKind {
    /// No model is set, or there is none of this name.
    NoModel,
    /// The required tool is not among the offered ones.
    NoTool,
    /// The provider rejects the key, or there is none.
    Key,
    /// The provider is overloaded, or the rate limit is reached.
    Busy,
    /// The model timed out.
    Slow,
    /// The conversation exceeds the context window of the model.
    TooLarge,
    /// The model cannot be reached, or its stream broke.
    Broken,
    /// The provider rejects the request.
    Invalid,
}

impl AskErrorKind {
    /// The name in machine-readable output.
    pub fn word(self) -> &'static str {
        match self {
            AskErrorKind::NoModel => "no_model",
            AskErrorKind::NoTool => "no_tool",
            AskErrorKind::Key => "key",
            AskErrorKind::Busy => "busy",
            AskErrorKind::Slow => "slow",
            AskErrorKind::TooLarge => "too_large",
            AskErrorKind::Broken => "broken",
            AskErrorKind::Invalid => "invalid",
        }
    }

    /// The sentence for people.
    pub fn sentence(self) -> &'static str {
        match self {
            AskErrorKind::NoModel => "There is no language model that I can ask. Please set one up first.",
            AskErrorKind::NoTool => "The tool that has to be used is not available.",
            AskErrorKind::Key => {
                "The language model does not let me in. Please check the key in the configuration."
            }
            AskErrorKind::Busy => {
                "The language model has too much to do right now. Please try again in a moment."
            }
            AskErrorKind::Slow => "The language model did not answer in time. Please try again later.",
            AskErrorKind::TooLarge => {
                "This conversation has become too long for the language model. Please start a new one."
            }
            AskErrorKind::Broken => {
                "The language model cannot be reached right now. Please check that it is running."
            }
            AskErrorKind::Invalid => "The language model does not understand what I asked of it.",
        }
    }
}

impl AskError {
    pub(crate) fn new(kind: AskErrorKind, details: impl Into<String>) -> AskError {
        AskError { kind, sentence: kind.sentence().to_owned(), details: details.into(), calls: Vec::new() }
    }

    pub(crate) fn no_model() -> AskError {
        AskError::new(
            AskErrorKind::NoModel,
            "no model is named; name one with the question, or as agent.model",
        )
    }

    /// Converts the failure of an upstream.
    pub(crate) fn of(failure: &Failure, calls: Vec<Called>) -> AskError {
        let kind = match failure.kind {
            FailureKind::NotFound => AskErrorKind::NoModel,
            FailureKind::Authentication | FailureKind::Permission | FailureKind::Billing => AskErrorKind::Key,
            FailureKind::RateLimit | FailureKind::Overloaded => AskErrorKind::Busy,
            FailureKind::Timeout => AskErrorKind::Slow,
            FailureKind::TooLarge => AskErrorKind::TooLarge,
            FailureKind::Api => AskErrorKind::Broken,
            FailureKind::InvalidRequest => AskErrorKind::Invalid,
        };
        AskError { calls, ..AskError::new(kind, &failure.message) }
    }
}
