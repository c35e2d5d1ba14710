//! Values that only their names reveal: what was hidden of one text and must be hidden in others.

use std::fmt;

use super::decoded::{Writing, decoded};
use super::values::count_parts;

/// How many values and long lines of values are searched for. Each costs a few microseconds.
pub const MAX_NAMED: usize = 256;

/// How many times a value may be escaped.
const MAX_ESCAPED: usize = 3;

/// What was hidden because of its name, up to a limit.
#[derive(Clone, Default)]
pub struct NamedValues {
    values: Vec<String>,
    parts: usize,
    is_incomplete: bool,
}

impl NamedValues {
    /// Whether there are more than are searched for. Then a text that may repeat one must be hidden as a whole.
    pub fn is_incomplete(&self) -> bool {
        self.is_incomplete
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.values.is_empty() && !self.is_incomplete
    }

    /// How many bytes they have together.
    pub fn bytes(&self) -> usize {
        self.values.iter().map(String::len).sum()
    }

    /// Takes in those of another text.
    pub fn extend(&mut self, other: &NamedValues) {
        other.values.iter().for_each(|value| self.add(value));
        self.is_incomplete |= other.is_incomplete;
    }

    /// A part of JSON that was hidden, as it was written there.
    pub(super) fn add_raw(&mut self, raw: &str) {
        // What was a mark before is known already.
        if raw.contains("[redacted") {
            return;
        }
        self.add(raw);
        let mut said = raw.to_owned();
        for _ in 0..MAX_ESCAPED {
            if !said.contains('\\') {
                break;
            }
            said = decoded(&said, Writing::Escapes);
            self.add(&said);
        }
    }

    fn add(&mut self, value: &str) {
        // The same value comes again and again: in what was sent, and in what it became.
        if self.is_incomplete || self.values.iter().any(|known| known == value) {
            return;
        }
        let parts = count_parts(value);
        if parts == 0 {
            return;
        }
        self.is_incomplete = self.parts + parts > MAX_NAMED;
        if !self.is_incomplete {
            self.parts += parts;
            self.values.push(value.to_owned());
        }
    }

    pub(super) fn as_slice(&self) -> &[String] {
        &self.values
    }
}

impl fmt::Debug for NamedValues {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("NamedValues").field("values", &self.values.len()).finish_non_exhaustive()
    }
}
