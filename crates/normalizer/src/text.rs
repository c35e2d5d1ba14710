//! Lenient parsing of text that is intended as JSON.
//!
//! The strict parser runs first, elsewhere. Text that it rejects is parsed here by a lenient parser that writes
//! strict JSON: every leniency is a named [`Step`] of the report, strings keep their contents to the
//! byte, and text that is ambiguous, truncated or an expression is refused.

mod escapes;
mod inner;
mod keywords;
mod lenient;
mod scalars;
mod step;
mod strings;
mod surroundings;
mod tuple;

use toolwright_jsonrpc::raw::{Broken, ParseErrorKind};
use toolwright_model::{Code, Finish};

pub use step::Step;

/// Maximum length of a text that is parsed leniently.
const MAX_TEXT_BYTES: usize = 4 << 20;

/// A quote that leaked as a token of the model's template.
const QUOTE_TOKENS: &[&str] = &["<|\"|>", "<|\">"];

/// Strict JSON made from lenient text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reading {
    /// The value as strict JSON text.
    pub json: String,
    /// Offset of the comma in it up to which the members of an object are unchanged, if known.
    pub strict_until: Option<usize>,
    /// The leniencies that were needed, each once, in order.
    pub steps: Vec<Step>,
    /// The name in `name({…})`, if the value is in a call.
    pub callee: Option<String>,
    /// The name in `name = {…}` or `name: {…}`.
    pub label: Option<String>,
    /// The text before and after the value.
    pub outside: Outside,
}

/// The text before and after a value, including tags and fences.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Outside {
    /// The text before it.
    pub before: String,
    /// The text after it, without copies of the value.
    pub after: String,
    /// The name of the call whose named arguments the value consists of.
    pub calls: Option<String>,
}

/// Why a text cannot be parsed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct Unreadable {
    /// `S2`, `R2`, `R5`, `R9` or `R12`.
    pub code: Code,
    /// Byte offset of the error.
    pub offset: usize,
    /// What was found and what to send instead.
    pub message: String,
}

/// What is known about the value at the start of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FirstValue {
    /// Nothing yet.
    Untried,
    /// It is not strict JSON. The members of an object up to this comma are.
    NotStrict {
        /// Byte offset of the comma, if there is one.
        comma: Option<usize>,
    },
}

impl FirstValue {
    /// What is known after the strict parser failed.
    pub fn after(broken: &Broken<'_>) -> FirstValue {
        match broken.error.kind {
            ParseErrorKind::Unexpected | ParseErrorKind::EndOfText => {
                FirstValue::NotStrict { comma: (!broken.members.is_empty()).then_some(broken.comma) }
            }
            ParseErrorKind::TrailingText | ParseErrorKind::TooDeep => FirstValue::Untried,
        }
    }
}

impl Outside {
    /// Whether there is no text around the value.
    pub fn is_blank(&self) -> bool {
        self.before.trim().is_empty() && self.after.trim().is_empty() && self.calls.is_none()
    }
}

/// Parses text leniently. The result is strict JSON; the schema decides whether it is valid.
pub fn read(text: &str, finish: Finish, first: FirstValue) -> Result<Reading, Unreadable> {
    if text.len() > MAX_TEXT_BYTES {
        let message = format!(
            "the text has {} bytes and is not JSON; at most {MAX_TEXT_BYTES} are repaired",
            text.len()
        );
        return Err(Unreadable { code: Code::OverLimit, offset: 0, message });
    }
    if let Some(reading) = unescape_whole(text, finish) {
        return Ok(reading);
    }
    // The quote as a token of its own.
    if QUOTE_TOKENS.iter().any(|token| text.contains(token)) {
        let plain = QUOTE_TOKENS.iter().fold(text.to_owned(), |text, token| text.replace(token, "\""));
        let mut reading = surroundings::read(&plain, finish, FirstValue::Untried)?;
        reading.steps.insert(0, Step::ChatTokens);
        return Ok(reading);
    }
    surroundings::read(text, finish, first)
}

/// Parses a text that is a Python tuple as a whole.
pub(crate) fn read_tuple(text: &str) -> Option<Reading> {
    let text = text.trim();
    if text.len() > MAX_TEXT_BYTES || !text.starts_with('(') {
        return None;
    }
    let found = lenient::Lenient::read(text, 0, Finish::Unknown, FirstValue::Untried).ok()?;
    let outside = Outside::default();
    (found.end == text.len()).then_some(Reading {
        json: found.json,
        strict_until: None,
        steps: found.steps,
        callee: None,
        label: None,
        outside,
    })
}

/// `{\"path\": \"a\"}`: a JSON string that lost its quotes.
fn unescape_whole(text: &str, finish: Finish) -> Option<Reading> {
    let trimmed = text.trim();
    let opening = trimmed.trim_start_matches(['{', '[', ' ', '\n', '\t']);
    if opening.len() == trimmed.len() || !opening.starts_with("\\\"") {
        return None;
    }
    let quoted = format!("\"{trimmed}\"");
    let arena = bumpalo::Bump::new();
    let inner = toolwright_jsonrpc::raw::parse(&quoted, &arena).ok()?.root.as_text()?.into_owned();
    if toolwright_jsonrpc::raw::parse(&inner, &arena).is_ok() {
        return Some(Reading {
            json: inner,
            strict_until: None,
            steps: vec![Step::EscapedWhole],
            callee: None,
            label: None,
            outside: Outside::default(),
        });
    }
    let mut reading = surroundings::read(&inner, finish, FirstValue::Untried).ok()?;
    reading.steps.insert(0, Step::EscapedWhole);
    Some(reading)
}
