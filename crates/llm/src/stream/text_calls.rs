//! Calls that a model wrote as text.
//!
//! Small models write what their template shows them: `<tool_call>{…}</tool_call>`, fenced JSON, and others. A text
//! that is nothing but such calls of tools that the request has is taken for them. Anything else stays what it is.

mod written;

use crate::form::Event;
use written::{Step, next_call};

/// The longest text that is taken for calls.
const MOST_BYTES: usize = 1024 * 1024;

/// A text up to this length is judged with every piece, a longer one when it has grown by a quarter.
const JUDGED_ALWAYS: usize = 512;

/// Turns text into calls where it is nothing else. Stands before [`Sequencer`](super::Sequencer).
#[derive(Debug)]
pub struct TextCalls {
    tools: Vec<String>,
    seed: String,
    /// The text so far, while it may be calls.
    held: String,
    /// The length at which it is judged again.
    judge_at: usize,
    is_decided: bool,
    found: usize,
}

impl TextCalls {
    /// For an answer to a request with these tools. Without tools everything passes. Ids are made of `id_seed`.
    pub fn new<T: AsRef<str>>(tool_names: &[T], id_seed: &str) -> TextCalls {
        TextCalls {
            tools: tool_names.iter().map(|name| name.as_ref().to_owned()).collect(),
            seed: id_seed.to_owned(),
            held: String::new(),
            judge_at: 0,
            is_decided: tool_names.is_empty(),
            found: 0,
        }
    }

    /// How many calls were written as text.
    pub fn found(&self) -> usize {
        self.found
    }

    /// Takes the next event and gives what may leave by now.
    pub fn push(&mut self, event: Event, out: &mut Vec<Event>) {
        if self.is_decided {
            out.push(event);
            return;
        }
        match event {
            Event::Text(text) => self.text(text, out),
            Event::Start { .. } | Event::Usage(_) => out.push(event),
            // Thoughts come before the words. Behind some of them they end the wait.
            Event::Thinking(_) | Event::Signature(_) | Event::RedactedThinking(_) if self.held.is_empty() => {
                out.push(event);
            }
            Event::Finish { .. } | Event::Done => {
                self.is_decided = true;
                match calls_of(&self.held, &self.tools) {
                    Some(calls) => self.give_calls(calls, out),
                    None => self.give_text(out),
                }
                out.push(event);
            }
            // A call that the upstream understood itself, a refusal, or an error.
            event => {
                self.is_decided = true;
                self.give_text(out);
                out.push(event);
            }
        }
    }

    fn text(&mut self, text: String, out: &mut Vec<Event>) {
        if self.held.is_empty() {
            self.held = text;
        } else {
            self.held.push_str(&text);
        }
        let length = self.held.len();
        if length < self.judge_at {
            return;
        }
        if length <= MOST_BYTES && may_be_calls(&self.held, &self.tools) {
            self.judge_at = if length < JUDGED_ALWAYS { 0 } else { length + length / 4 };
        } else {
            self.is_decided = true;
            self.give_text(out);
        }
    }

    fn give_text(&mut self, out: &mut Vec<Event>) {
        if !self.held.is_empty() {
            out.push(Event::Text(std::mem::take(&mut self.held)));
        }
    }

    fn give_calls(&mut self, calls: Vec<(String, String)>, out: &mut Vec<Event>) {
        self.held = String::new();
        self.found = calls.len();
        for (call, (name, text)) in calls.into_iter().enumerate() {
            out.push(Event::CallStart { call, id: format!("call_{}_{call}", self.seed), name });
            out.push(Event::CallArguments { call, text });
            out.push(Event::CallEnd { call });
        }
    }
}

/// The calls that a whole text is, as names and texts of arguments; nothing when it is anything else.
pub fn calls_in_text(text: &str, tool_names: &[&str]) -> Option<Vec<(String, String)>> {
    calls_of(text, tool_names)
}

pub(crate) fn calls_of<T: AsRef<str>>(text: &str, tools: &[T]) -> Option<Vec<(String, String)>> {
    if text.len() > MOST_BYTES {
        return None;
    }
    let mut calls = Vec::new();
    let mut rest = text.trim_start();
    while !rest.is_empty() {
        let Step::Calls { end, calls: found } = next_call(rest, tools) else { return None };
        calls.extend(found);
        rest = rest[end..].trim_start();
    }
    (!calls.is_empty()).then_some(calls)
}

/// Whether a text may still become calls when it goes on. When not, nothing behind it makes it calls.
pub(crate) fn may_be_calls<T: AsRef<str>>(text: &str, tools: &[T]) -> bool {
    let mut rest = text.trim_start();
    while !rest.is_empty() {
        match next_call(rest, tools) {
            Step::Calls { end, .. } => rest = rest[end..].trim_start(),
            Step::NotYet => return true,
            Step::None => return false,
        }
    }
    true
}

#[cfg(test)]
mod tests;
