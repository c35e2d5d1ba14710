//! Secrets that we hold, in every form in which they may be written.

use std::collections::HashMap;

use aho_corasick::{AhoCorasick, MatchKind};
use base64::Engine;
use base64::engine::general_purpose::{STANDARD, URL_SAFE};

use super::mark::{Mark, Marker, marks_in};
use super::spans::Found;

/// The shortest value that is looked for, in bytes: `1` or `yes` would be found everywhere.
const MIN_BYTES: usize = 4;

/// The shortest one that is looked for inside of words.
const MIN_INSIDE_BYTES: usize = 6;

/// The shortest line of a value in several lines that is looked for alone.
const MIN_LINE_BYTES: usize = 16;

/// The shortest part of base64 that is looked for, in bytes.
const MIN_CODED_BYTES: usize = 8;

/// The shortest start of a value that is hidden at the end of a text that was cut.
const MIN_CUT_BYTES: usize = 6;

/// How far from its end a text is searched for the start of a value.
const MAX_CUT_BYTES: usize = 256;

/// Values that no secret has, although somebody may have written one as such.
const NO_SECRETS: &[&str] = &["true", "false", "null", "none", "undefined"];

/// One form of a value.
#[derive(Clone, Copy)]
struct Form {
    mark: Mark,
    /// The base64 around it belongs to it.
    is_base64: bool,
    /// It is too short to be looked for inside of words.
    is_whole_word: bool,
}

/// Finds the values.
#[derive(Default)]
pub(super) struct Values {
    forms: Vec<Form>,
    /// How long the shortest form is, in bytes.
    shortest: usize,
    finder: Option<AhoCorasick>,
    /// The values as they are, with their marks.
    values: Vec<(String, Mark)>,
}

impl Values {
    pub(super) fn new(values: Vec<String>, marker: &Marker) -> Values {
        let mut known: HashMap<String, Form> = HashMap::new();
        let mut kept = Vec::new();
        for value in &values {
            let value = value.trim();
            if value.len() < MIN_BYTES || NO_SECRETS.iter().any(|none| none.eq_ignore_ascii_case(value)) {
                continue;
            }
            let mark = marker.of(value.as_bytes());
            kept.push((value.to_owned(), mark));
            let lines = value
                .lines()
                .map(str::trim)
                .filter(|line| line.len() >= MIN_LINE_BYTES && !line.starts_with("-----"));
            for part in [value].into_iter().chain(lines) {
                for (form, is_base64) in forms(part) {
                    let is_whole_word = form.len() < MIN_INSIDE_BYTES;
                    known.entry(form).or_insert(Form { mark, is_base64, is_whole_word });
                }
            }
        }
        let (texts, forms): (Vec<String>, Vec<Form>) = known.into_iter().unzip();
        let finder = AhoCorasick::builder().match_kind(MatchKind::LeftmostLongest).build(&texts);
        let shortest = texts.iter().map(String::len).min().unwrap_or_default();
        // It fails only when there are more forms than 32 bits can count.
        Values { forms, shortest, finder: finder.ok().filter(|_| !texts.is_empty()), values: kept }
    }

    pub(super) fn len(&self) -> usize {
        self.values.len()
    }

    /// Hides the values in a text.
    pub(super) fn find(&self, text: &str, quotes: Option<u8>, found: &mut Found<'_>) {
        self.find_in(text, (0, text.len()), quotes, found);
    }

    /// Hides the values in a part of a text; with `quotes` the whole part goes.
    pub(super) fn find_in(
        &self,
        text: &str,
        part: (usize, usize),
        quotes: Option<u8>,
        found: &mut Found<'_>,
    ) {
        for (start, end, mark) in self.matches(text, part) {
            let (start, end) = if quotes.is_some() { part } else { (start, end) };
            found.add_known(start, end, mark, quotes);
        }
    }

    /// The mark of the first value in a text, but for those within marks.
    pub(super) fn first_in(&self, text: &str) -> Option<Mark> {
        self.finder.as_ref()?;
        let marks = marks_in(text);
        let is_in_mark = |start: usize, end: usize| marks.iter().any(|mark| mark.0 <= start && end <= mark.1);
        self.matches(text, (0, text.len()))
            .find(|(start, end, _)| !is_in_mark(*start, *end))
            .map(|found| found.2)
    }

    fn matches<'v>(
        &'v self,
        text: &'v str,
        part: (usize, usize),
    ) -> impl Iterator<Item = (usize, usize, Mark)> + 'v {
        let finder = self.finder.iter().filter(move |_| part.1 - part.0 >= self.shortest);
        let matches = finder.flat_map(move |finder| finder.find_iter(&text[part.0..part.1]));
        matches.filter_map(move |one| {
            let form = self.forms[one.pattern().as_usize()];
            let (mut start, mut end) = (part.0 + one.start(), part.0 + one.end());
            let bytes = text.as_bytes();
            let is_letter = |byte: Option<&u8>| byte.is_some_and(u8::is_ascii_alphanumeric);
            if form.is_whole_word && (is_letter(bytes[..start].last()) || is_letter(bytes.get(end))) {
                return None;
            }
            if form.is_base64 {
                let is_coded = |byte: &&u8| byte.is_ascii_alphanumeric() || b"+/_-=".contains(byte);
                start -= bytes[part.0..start].iter().rev().take(MAX_CUT_BYTES).take_while(is_coded).count();
                end += bytes[end..part.1].iter().take(MAX_CUT_BYTES).take_while(is_coded).count();
            }
            Some((start, end, form.mark))
        })
    }

    /// Where the start of a value begins with which the text ends: it may have been cut there.
    pub(super) fn cut_at_end(&self, text: &str) -> Option<(usize, Mark)> {
        let whole = text.trim_end_matches(['…', '.']);
        let mut from = whole.len().saturating_sub(MAX_CUT_BYTES);
        while !whole.is_char_boundary(from) {
            from += 1;
        }
        let tail = &whole[from..];
        let cut = |(value, mark): &(String, Mark)| {
            let begin = value.get(..MIN_CUT_BYTES)?;
            let starts = tail.match_indices(begin).map(|(at, _)| at);
            let at = starts.filter(|at| value.starts_with(&tail[*at..])).min()?;
            Some((from + at, *mark))
        };
        self.values.iter().filter_map(cut).min_by_key(|found| found.0)
    }
}

/// The forms of a value, and which are base64.
fn forms(value: &str) -> Vec<(String, bool)> {
    let mut forms = vec![(value.to_owned(), false)];
    let mut add = |form: String, is_base64: bool| {
        if !forms.iter().any(|known| known.0 == form) {
            forms.push((form, is_base64));
        }
    };
    add(escaped(value), false);
    for is_upper in [true, false] {
        add(percent_encoded(value, is_upper, false), false);
        add(percent_encoded(value, is_upper, true), false);
        add(percent_encoded(value, is_upper, false).replace("%20", "+"), false);
        if value.len() >= MIN_INSIDE_BYTES {
            add(value.bytes().map(|byte| hex(byte, is_upper)).collect(), false);
        }
    }
    // What stands before it moves it: it may begin at any of three places of a group.
    for before in 0..3 {
        let bytes = [vec![0; before], value.as_bytes().to_vec()].concat();
        let whole = bytes.len() * 8 / 6;
        for engine in [&STANDARD, &URL_SAFE] {
            let coded = engine.encode(&bytes);
            let form = &coded[(before * 8).div_ceil(6)..whole];
            if form.len() >= MIN_CODED_BYTES {
                add(form.to_owned(), true);
            }
        }
    }
    forms
}

/// As JSON writes it.
fn escaped(value: &str) -> String {
    let mut out = String::with_capacity(value.len());
    for c in value.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            c => out.push(c),
        }
    }
    out
}

/// As an address writes it; with `all` every sign, else those that must be.
fn percent_encoded(value: &str, is_upper: bool, all: bool) -> String {
    let is_kept = |byte: u8| byte.is_ascii_alphanumeric() || !all && b"-_.~".contains(&byte);
    let written = |byte: u8| {
        if is_kept(byte) { char::from(byte).to_string() } else { format!("%{}", hex(byte, is_upper)) }
    };
    value.bytes().map(written).collect()
}

fn hex(byte: u8, is_upper: bool) -> String {
    if is_upper { format!("{byte:02X}") } else { format!("{byte:02x}") }
}
