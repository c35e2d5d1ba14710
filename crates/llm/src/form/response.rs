//! An answer, whole.

use super::{Block, Members};
use crate::Dialect;

/// What a model answered.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Response {
    /// The dialect that it was read from: every `extra` in it is of that dialect.
    pub dialect: Option<Dialect>,
    /// Its id, as the upstream gave it.
    pub id: Option<String>,
    /// The model, as the upstream calls it.
    pub model: Option<String>,
    /// When it was made, in seconds since 1970, where the upstream says so.
    pub created: Option<u64>,
    /// What was said, thought and called, in order.
    pub blocks: Vec<Block>,
    /// Why it ended; nothing where the upstream did not say.
    pub stop: Option<Stop>,
    /// The text that ended it.
    pub stop_sequence: Option<String>,
    /// What it cost.
    pub usage: Usage,
    /// Everything else at the top of the answer.
    pub extra: Members,
}

/// Why an answer ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stop {
    /// The model was done.
    EndTurn,
    /// It ran into the length limit.
    MaxTokens,
    /// A stop sequence came.
    StopSequence,
    /// It wants tools to be called.
    ToolUse,
    /// It, or a filter, refused.
    Refusal,
    /// It goes on when it is asked to.
    PauseTurn,
    /// The conversation is too long for the model.
    ContextWindow,
    /// Something else, in the upstream's word.
    Other(String),
}

/// Tokens. Counts of the input do not overlap: all of it is `input + cache_read + cache_write`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    /// Of the input, neither read from a cache nor written to one.
    pub input: Option<u64>,
    /// Of the input, read from a cache.
    pub cache_read: Option<u64>,
    /// Of the input, written to a cache.
    pub cache_write: Option<u64>,
    /// Of the answer, thoughts included.
    pub output: Option<u64>,
    /// Of the answer, thoughts only.
    pub reasoning: Option<u64>,
}

impl Usage {
    /// All tokens of the input.
    pub fn all_input(&self) -> u64 {
        [self.input, self.cache_read, self.cache_write].into_iter().flatten().fold(0, u64::saturating_add)
    }

    /// The counts of two answers together.
    pub fn plus(&self, other: &Usage) -> Usage {
        let sum = |mine: Option<u64>, theirs: Option<u64>| match (mine, theirs) {
            (Some(mine), Some(theirs)) => Some(mine.saturating_add(theirs)),
            (mine, theirs) => mine.or(theirs),
        };
        Usage {
            input: sum(self.input, other.input),
            cache_read: sum(self.cache_read, other.cache_read),
            cache_write: sum(self.cache_write, other.cache_write),
            output: sum(self.output, other.output),
            reasoning: sum(self.reasoning, other.reasoning),
        }
    }

    /// Takes over what another tells: counts are cumulative, so the newer replaces.
    pub fn update(&mut self, newer: &Usage) {
        for (mine, new) in [
            (&mut self.input, newer.input),
            (&mut self.cache_read, newer.cache_read),
            (&mut self.cache_write, newer.cache_write),
            (&mut self.output, newer.output),
            (&mut self.reasoning, newer.reasoning),
        ] {
            if new.is_some() {
                *mine = new;
            }
        }
    }
}
