//! Text that may be nothing but calls, while nobody knows.

use toolwright_jsonrpc::raw;

use crate::pass::text_calls::TextCall;
use crate::pass::{PassOptions, StreamRules};
use crate::stream::halves::half_character;
use crate::stream::may_be_calls;

/// A text up to this length is judged with every piece, a longer one when it has grown by a quarter.
const JUDGED_ALWAYS: usize = 512;

/// The longest text that is taken for calls.
const MOST_BYTES: usize = 1024 * 1024;

/// The text of an answer, while it may be calls.
#[derive(Debug)]
pub(super) struct HeldText {
    pub tools: Vec<String>,
    pub id_seed: String,
    /// The text so far.
    pub text: String,
    /// Half of a character that the next piece has the other half of, still escaped.
    half: String,
    /// The block that it is in.
    pub part: Option<u64>,
    /// The number of the first event that it is told in.
    pub sequence: u64,
    judge_at: usize,
    pub verdict: Verdict,
}

/// What the text is.
#[derive(Debug)]
pub(super) enum Verdict {
    /// Nobody knows yet.
    Open,
    /// A text.
    Words,
    /// Calls.
    Calls(Vec<TextCall>),
}

impl HeldText {
    pub fn new(options: &PassOptions) -> HeldText {
        HeldText {
            tools: options.text_tools.clone(),
            id_seed: options.id_seed.clone(),
            text: String::new(),
            half: String::new(),
            part: None,
            sequence: 0,
            judge_at: 0,
            verdict: if options.text_tools.is_empty() { Verdict::Words } else { Verdict::Open },
        }
    }

    pub fn is_open(&self) -> bool {
        matches!(self.verdict, Verdict::Open)
    }

    /// Whether the text is in this block, and nobody knows yet what it is.
    pub fn is_open_in(&self, part: u64) -> bool {
        self.is_open() && self.part == Some(part)
    }

    /// It is a text.
    pub fn give_up(&mut self) {
        if self.is_open() {
            self.verdict = Verdict::Words;
            self.text = String::new();
        }
    }

    /// Takes a piece, still escaped.
    pub fn push(&mut self, rules: &StreamRules, part: u64, escaped: &str, data: &str) {
        // One choice, one block: more of them are words.
        let is_other_choice = rules.has_choices && part > 0;
        if is_other_choice || self.part.is_some_and(|known| known != part) {
            return self.give_up();
        }
        if self.part.is_none() {
            self.note_sequence(data);
        }
        self.part = Some(part);
        let piece = std::mem::take(&mut self.half) + escaped;
        let end = piece.len() - half_character(&piece);
        self.text.push_str(&raw::Str::from_escaped(&piece[..end]).decode());
        piece[end..].clone_into(&mut self.half);
        if self.text.len() < self.judge_at {
            return;
        }
        if self.text.len() > MOST_BYTES || !may_be_calls(&self.text, &self.tools) {
            self.give_up();
        } else if self.text.len() > JUDGED_ALWAYS {
            self.judge_at = self.text.len() + self.text.len() / 4;
        }
    }

    /// Remembers the block of a text that begins.
    pub fn begin(&mut self, part: u64, data: &str) {
        if self.part.is_none() {
            self.part = Some(part);
            self.note_sequence(data);
        }
    }

    fn note_sequence(&mut self, data: &str) {
        let number = raw::find(data, "sequence_number").and_then(|number| number.parse().ok());
        self.sequence = number.unwrap_or(0);
    }
}
