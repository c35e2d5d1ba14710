//! One look at a text: what in it is a secret, and where.

use std::cell::Cell;

use super::decoded::{Writing, decoded, in_raw};
use super::spans::{Found, Span};
use super::walk::Walk;
use super::{Rules, assigned, coded, commands, numbers};

/// How deep strings in strings are read. Each level of escapes doubles the backslashes, so nobody writes more.
const MAX_DEPTH: u8 = 8;

/// How much is read of what is written in another way, as a multiple of the text and a number of bytes.
const MAX_READ_TIMES: usize = 16;
const MAX_READ_BYTES: usize = 64 << 10;

/// The shortest text that may hold a shape, in bytes: `Bearer x`, `a://b:c@`. Most keys are shorter.
const MIN_SHAPE_BYTES: usize = 8;

/// One look, with what may still be read.
pub(super) struct Look<'r> {
    pub(super) rules: &'r Rules,
    left: Cell<usize>,
}

impl<'r> Look<'r> {
    pub(super) fn new(rules: &'r Rules, bytes: usize) -> Self {
        Look { rules, left: Cell::new(bytes.saturating_mul(MAX_READ_TIMES).saturating_add(MAX_READ_BYTES)) }
    }

    /// What is hidden of JSON, or of what was meant to be JSON.
    pub(super) fn json(&self, text: &str) -> Vec<Span> {
        self.json_at(text, 0)
    }

    /// What is hidden of text.
    pub(super) fn text(&self, text: &str) -> Vec<Span> {
        self.string_at(text, 0)
    }

    /// Whether so much may be read. Who may not must hide all of it.
    pub(super) fn may_read(&self, bytes: usize) -> bool {
        let left = self.left.get();
        self.left.set(left.saturating_sub(bytes));
        left >= bytes
    }

    /// What is hidden of a string, which may hold JSON again.
    pub(super) fn string_at(&self, text: &str, depth: u8) -> Vec<Span> {
        match text.trim_ascii_start().as_bytes().first() {
            Some(b'{' | b'[' | b'"') => self.json_at(text, depth),
            _ => self.text_at(text, depth),
        }
    }

    fn json_at(&self, text: &str, depth: u8) -> Vec<Span> {
        if depth > MAX_DEPTH || depth > 0 && !self.may_read(text.len()) {
            return self.all_of(text);
        }
        let walked = Walk::over(self, text, depth);
        if !walked.is_broken {
            return walked.found.finish();
        }
        let mut found = walked.found;
        found.take_over(self.text_at(text, depth));
        found.finish()
    }

    fn text_at(&self, text: &str, depth: u8) -> Vec<Span> {
        let rules = self.rules;
        let signs = Signs::of(text);
        let mut found = Found::new(text, &rules.marker);
        rules.values.iter().for_each(|values| values.find(text, None, &mut found));
        for pattern in rules.patterns.iter() {
            for groups in pattern.captures_iter(text) {
                let part = groups.iter().skip(1).flatten().next().or(groups.get(0));
                if let Some(part) = part {
                    found.add_evident(part.start(), part.end());
                }
            }
        }
        let is_long_enough = text.len() >= MIN_SHAPE_BYTES;
        let spared =
            if is_long_enough { rules.shapes.find(text, &rules.keys, &mut found) } else { Vec::new() };
        if signs.has_assignment {
            assigned::find(text, &rules.keys, &mut found);
            commands::pgpass(text, &mut found);
        }
        if is_long_enough && text.contains('<') {
            commands::elements(text, &rules.keys, &mut found);
        }
        if signs.digits >= numbers::MIN_DIGITS {
            numbers::find(text, &mut found);
        }
        if signs.has_blank {
            assigned::find_said(text, &rules.keys, &mut found);
        }
        if signs.has_brace {
            self.fragments(text, &mut found);
        }
        if signs.longest_word >= coded::MIN_CHARS {
            coded::find(self, text, depth, &spared, &mut found);
        }
        for (is_written_so, writing) in
            [(signs.has_backslash, Writing::Escapes), (signs.has_percent, Writing::Percent)]
        {
            if is_written_so {
                self.other_writing(text, writing, depth, &mut found);
            }
        }
        found.finish()
    }

    /// Looks at what a text says when its escapes are read.
    fn other_writing(&self, text: &str, writing: Writing, depth: u8, found: &mut Found<'_>) {
        if depth >= MAX_DEPTH || !self.may_read(text.len()) {
            return found.add_evident(0, text.len());
        }
        let said = decoded(text, writing);
        if said != text {
            found.take_over(in_raw(self.text_at(&said, depth + 1), text, writing, 0));
        }
    }

    /// JSON between words: only what its keys say, since the words in it are looked at anyway.
    fn fragments(&self, text: &str, found: &mut Found<'_>) {
        let bytes = text.as_bytes();
        let mut at = 0;
        while let Some(start) = text[at..].find(['{', '[']).map(|start| at + start) {
            at = start + 1;
            let next = bytes[at..].iter().find(|byte| !byte.is_ascii_whitespace());
            if next.is_some_and(|next| matches!((bytes[start], next), (_, b'"') | (b'[', b'{' | b'['))) {
                let walked = Walk::over_fragment(self, text, start);
                at = at.max(walked.at);
                found.take_over(walked.found.finish());
            }
            while !text.is_char_boundary(at) {
                at += 1;
            }
        }
    }

    fn all_of(&self, text: &str) -> Vec<Span> {
        let mut found = Found::new(text, &self.rules.marker);
        found.add_evident(0, text.len());
        found.finish()
    }
}

/// What signs a text has: most texts have few, and then there is little to do.
struct Signs {
    has_assignment: bool,
    has_blank: bool,
    has_brace: bool,
    has_backslash: bool,
    has_percent: bool,
    digits: usize,
    /// The longest run of what base64 is written with, in bytes.
    longest_word: usize,
}

impl Signs {
    fn of(text: &str) -> Signs {
        let (mut seen, mut run, mut longest, mut digits) = (0, 0_usize, 0, 0);
        for byte in text.bytes() {
            let kind = KINDS[usize::from(byte)];
            seen |= kind;
            run = if kind == WORD { run + 1 } else { 0 };
            longest = longest.max(run);
            digits += usize::from(byte.is_ascii_digit());
        }
        Signs {
            has_assignment: seen & ASSIGNMENT != 0,
            has_blank: seen & BLANK != 0,
            has_brace: seen & BRACE != 0,
            has_backslash: seen & BACKSLASH != 0,
            has_percent: seen & PERCENT != 0,
            digits,
            longest_word: longest,
        }
    }
}

const WORD: u8 = 1;
const ASSIGNMENT: u8 = 2;
const BLANK: u8 = 4;
const BRACE: u8 = 8;
const BACKSLASH: u8 = 16;
const PERCENT: u8 = 32;

/// What each byte is.
static KINDS: [u8; 256] = kinds();

const fn kinds() -> [u8; 256] {
    let mut kinds = [0; 256];
    let mut byte = 0;
    while byte < 128 {
        kinds[byte] = match byte as u8 {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'+' | b'/' | b'_' | b'-' => WORD,
            b':' | b'=' => ASSIGNMENT,
            b' ' => BLANK,
            b'{' | b'[' => BRACE,
            b'\\' => BACKSLASH,
            b'%' => PERCENT,
            _ => 0,
        };
        byte += 1;
    }
    // How `：` and `＝` begin, the signs of assignment in Chinese and Japanese.
    kinds[0xef] = ASSIGNMENT;
    kinds
}
