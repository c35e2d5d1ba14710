//! Secrets that are held, in every form in which they may be written.
//!
//! No automaton is built: the values may come with a call, so what they cost must stay small. Each value has some
//! fifteen short forms, made of its start. A text is searched with one table of which four bytes begin a form, and
//! a binary search where one may begin. Both costs are linear, whatever the values and the text are.

use std::collections::HashMap;

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

/// How much of a value its forms are made of, in bytes. Of a longer one as much is hidden as is repeated.
const MAX_FORM_BYTES: usize = 64;

/// How many bits the table of starts has, as a power of two.
const TABLE_BITS: u32 = 16;

/// Values that no secret has, although somebody may have written one as such.
const NO_SECRETS: &[&str] = &["true", "false", "null", "none", "undefined"];

/// How a form writes its value.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Coding {
    /// As it is, or with the escapes of JSON.
    Plain,
    Percent,
    Hex,
    /// The base64 around it belongs to it.
    Base64,
}

/// One form of the start of a value, or of several values that start alike.
struct Form {
    text: String,
    coding: Coding,
    mark: Mark,
    /// The values and lines that are longer than the form says, as places in `Values::parts`.
    longer: Vec<usize>,
    /// The longest other form with which this one begins.
    shorter: Option<usize>,
}

/// Finds the values.
#[derive(Default)]
pub(super) struct Values {
    /// In order of their texts.
    forms: Vec<Form>,
    /// Which four bytes begin a form.
    starts: Vec<u64>,
    /// Values and lines of values that are longer than their forms.
    parts: Vec<String>,
    /// The values as they are, with their marks.
    values: Vec<(String, Mark)>,
}

impl Values {
    pub(super) fn new(values: &[String], marker: &Marker) -> Values {
        let mut found = Values::default();
        let mut known: HashMap<String, Form> = HashMap::new();
        for value in values {
            let value = value.trim();
            if !is_searched_for(value) {
                continue;
            }
            let mark = marker.of(value.as_bytes());
            found.values.push((value.to_owned(), mark));
            for part in parts_of(value) {
                found.add_part(part, mark, &mut known);
            }
        }
        found.forms = known.into_values().collect();
        found.forms.sort_unstable_by(|one, other| one.text.cmp(&other.text));
        found.link_forms();
        found
    }

    fn add_part(&mut self, part: &str, mark: Mark, known: &mut HashMap<String, Form>) {
        let start = &part[..part.floor_char_boundary(MAX_FORM_BYTES)];
        let is_longer = start.len() < part.len();
        for (text, coding) in forms(start) {
            let form = known.entry(text).or_insert_with_key(|text| {
                let (text, longer) = (text.clone(), Vec::new());
                Form { text, coding, mark, longer, shorter: None }
            });
            if is_longer {
                form.longer.push(self.parts.len());
            }
        }
        if is_longer {
            self.parts.push(part.to_owned());
        }
    }

    /// Notes which forms begin with others, and with which bytes they begin.
    fn link_forms(&mut self) {
        if !self.forms.is_empty() {
            self.starts = vec![0; (1 << TABLE_BITS) / 64];
        }
        // The forms with which the last one begins, the shortest first.
        let mut open: Vec<usize> = Vec::new();
        for at in 0..self.forms.len() {
            let text = self.forms[at].text.as_str();
            while open.last().is_some_and(|last| !text.starts_with(&self.forms[*last].text)) {
                open.pop();
            }
            if let Some(place) = place(text.as_bytes()) {
                self.starts[place / 64] |= 1 << (place % 64);
            }
            self.forms[at].shorter = open.last().copied();
            open.push(at);
        }
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
        if self.forms.is_empty() {
            return None;
        }
        let marks = marks_in(text);
        let is_in_mark = |start: usize, end: usize| {
            let next = marks.partition_point(|mark| mark.1 < end);
            marks.get(next).is_some_and(|mark| mark.0 <= start)
        };
        self.matches(text, (0, text.len()))
            .find(|(start, end, _)| !is_in_mark(*start, *end))
            .map(|found| found.2)
    }

    /// Where values are, from left to right; of those that begin at one place the longest.
    fn matches<'v>(
        &'v self,
        text: &'v str,
        part: (usize, usize),
    ) -> impl Iterator<Item = (usize, usize, Mark)> + 'v {
        let mut at = part.0;
        std::iter::from_fn(move || {
            while let Some(start) = self.next_start(&text.as_bytes()[..part.1], at) {
                at = start + 1;
                let Some(form) = self.longest_at(&text[..part.1], start) else { continue };
                if let Some((start, end)) = self.whole(form, &text[..part.1], start, part.0) {
                    at = end;
                    return Some((start, end, form.mark));
                }
            }
            None
        })
    }

    /// The next place at which a form may begin.
    fn next_start(&self, bytes: &[u8], from: usize) -> Option<usize> {
        if self.starts.is_empty() {
            return None;
        }
        let rest = bytes.get(from..)?;
        let may_begin =
            |four: &[u8]| place(four).is_some_and(|at| self.starts[at / 64] >> (at % 64) & 1 == 1);
        rest.windows(MIN_BYTES).position(may_begin).map(|at| from + at)
    }

    /// The longest form that is at this place.
    fn longest_at(&self, text: &str, start: usize) -> Option<&Form> {
        let bytes = &text.as_bytes()[start..];
        let next = self.forms.partition_point(|form| form.text.as_bytes() <= bytes);
        // Whatever begins the text here also begins the form that is next to it in order.
        let mut form = self.forms.get(next.checked_sub(1)?)?;
        let common = common_bytes(form.text.as_bytes(), bytes);
        while form.text.len() > common {
            form = &self.forms[form.shorter?];
        }
        Some(form)
    }

    /// All of the value that begins here in this form.
    fn whole(&self, form: &Form, text: &str, start: usize, first: usize) -> Option<(usize, usize)> {
        let bytes = text.as_bytes();
        let mut end = start + form.text.len();
        let is_letter = |byte: Option<&u8>| byte.is_some_and(u8::is_ascii_alphanumeric);
        let is_whole_word = form.text.len() < MIN_INSIDE_BYTES;
        if is_whole_word && (is_letter(bytes[first..start].last()) || is_letter(bytes.get(end))) {
            return None;
        }
        let run = |is_coded: fn(&u8) -> bool| bytes[end..].iter().take_while(|byte| is_coded(byte)).count();
        let more = match form.coding {
            Coding::Plain => {
                let common = |part: &usize| common_bytes(self.parts[*part].as_bytes(), &bytes[start..]);
                let longest = form.longer.iter().map(common).max().unwrap_or_default();
                text.floor_char_boundary(start + longest).saturating_sub(end)
            }
            Coding::Base64 => run(is_base64),
            Coding::Hex if !form.longer.is_empty() => run(u8::is_ascii_hexdigit),
            Coding::Percent if !form.longer.is_empty() => run(is_percent_encoded),
            Coding::Hex | Coding::Percent => 0,
        };
        end += more;
        let before = bytes[first..start].iter().rev().take(MAX_CUT_BYTES).take_while(|byte| is_base64(byte));
        let before = if form.coding == Coding::Base64 { before.count() } else { 0 };
        Some((start - before, end))
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

/// Whether this value is searched for.
fn is_searched_for(value: &str) -> bool {
    value.len() >= MIN_BYTES && !NO_SECRETS.iter().any(|none| none.eq_ignore_ascii_case(value))
}

/// A value, and its long lines.
fn parts_of(value: &str) -> impl Iterator<Item = &str> {
    let lines = value
        .lines()
        .map(str::trim)
        .filter(move |line| line.len() >= MIN_LINE_BYTES && line.len() < value.len())
        .filter(|line| !line.starts_with("-----"));
    std::iter::once(value).chain(lines)
}

/// How many texts are searched for because of this value.
pub(super) fn count_parts(value: &str) -> usize {
    let value = value.trim();
    if is_searched_for(value) { parts_of(value).count() } else { 0 }
}

/// Where four bytes are in the table of starts.
fn place(bytes: &[u8]) -> Option<usize> {
    let four = u32::from_le_bytes(*bytes.first_chunk()?);
    Some((four.wrapping_mul(0x9e37_79b1) >> (u32::BITS - TABLE_BITS)) as usize)
}

fn common_bytes(one: &[u8], other: &[u8]) -> usize {
    one.iter().zip(other).take_while(|(one, other)| one == other).count()
}

fn is_base64(byte: &u8) -> bool {
    byte.is_ascii_alphanumeric() || b"+/_-=".contains(byte)
}

fn is_percent_encoded(byte: &u8) -> bool {
    byte.is_ascii_alphanumeric() || b"%+-_.~".contains(byte)
}

/// The forms of a value.
fn forms(value: &str) -> Vec<(String, Coding)> {
    let mut forms = vec![(value.to_owned(), Coding::Plain)];
    let mut add = |form: String, coding: Coding| {
        if !forms.iter().any(|known| known.0 == form) {
            forms.push((form, coding));
        }
    };
    add(escaped(value), Coding::Plain);
    for is_upper in [true, false] {
        add(percent_encoded(value, is_upper, false), Coding::Percent);
        add(percent_encoded(value, is_upper, true), Coding::Percent);
        add(percent_encoded(value, is_upper, false).replace("%20", "+"), Coding::Percent);
        if value.len() >= MIN_INSIDE_BYTES {
            add(value.bytes().map(|byte| hex(byte, is_upper)).collect(), Coding::Hex);
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
                add(form.to_owned(), Coding::Base64);
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
