//! Goes through JSON, or what was meant to be JSON, and hides what keys and strings say.
//!
//! It needs no stack but one byte for each open brace, so no depth breaks it. JSON that is broken is gone
//! through as far as it can be understood: with single quotes, without quotes, without an end.

use std::borrow::Cow;

use super::decoded::{Writing, decoded, in_raw};
use super::look::Look;
use super::numbers::is_card;
use super::spans::Found;
use crate::key_names::is_harmless_value;
use crate::secret::words;

const IN_OBJECT: u8 = 1;
const IS_SECRET: u8 = 2;
/// Its keys are secrets too: `{"passwords": {"hunter2": "bob"}}`.
const HIDES_KEYS: u8 = 4;

/// Last words of keys below which keys may be passwords.
const KEYS_OF_SECRETS: &[&str] =
    &["passwords", "passwds", "passcodes", "passphrases", "pins", "passwörter", "kennwörter"];

/// Values of secret keys that are none.
const NO_SECRETS: &[&str] = &["", "true", "false", "null", "none", "undefined"];

/// Words before a secret that say how it is used.
const SCHEMES: &[&str] = &["bearer ", "basic ", "token ", "digest ", "apikey "];

/// Headers whose value may stand behind them in a list.
const HEADERS: &[&str] = &["authorization", "proxy-authorization", "cookie", "set-cookie", "api-key"];

#[derive(Clone, Copy, PartialEq, Eq)]
enum Expect {
    Key,
    KeyOrEnd,
    Colon,
    Value,
    ValueOrEnd,
    After,
}

/// `{"name": "API_KEY", "value": "…"}`: what an object says of a name and of its value.
struct Pair {
    level: usize,
    has_secret_name: bool,
    value: Option<(usize, usize, bool)>,
}

/// A way through a text.
pub(super) struct Walk<'w> {
    look: &'w Look<'w>,
    text: &'w str,
    pub(super) found: Found<'w>,
    /// Whether this is no valid JSON.
    pub(super) is_broken: bool,
    /// Where it is, and at last where it ended.
    pub(super) at: usize,
    depth: u8,
    /// Goes on where it does not understand the text.
    is_lenient: bool,
    /// Only looks at keys, and ends where the first value ends.
    is_fragment: bool,
    frames: Vec<u8>,
    pairs: Vec<Pair>,
    expect: Expect,
    /// Whether the value that comes is a secret because of its key.
    is_secret: bool,
    /// Whether it is one because of the element before it: `["--password", "…"]`.
    is_next_secret: bool,
    /// The word of the key that makes the value a secret unless the value says otherwise.
    weak: Option<&'static str>,
    /// Whether keys of the object that comes are secrets.
    hides_keys: bool,
    role: Role,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Role {
    None,
    Name,
    Value,
}

impl<'w> Walk<'w> {
    /// Goes through the whole text.
    pub(super) fn over(look: &'w Look<'w>, text: &'w str, depth: u8) -> Walk<'w> {
        let mut walk = Walk::new(look, text, depth, Found::new(text, &look.rules.marker));
        walk.is_lenient = text.trim_ascii_start().starts_with(['{', '[', '"', '\'']);
        walk.run();
        walk.is_broken |= !walk.frames.is_empty() || walk.expect != Expect::After;
        walk
    }

    /// Goes through one value that begins here, as far as it is JSON.
    pub(super) fn over_fragment(look: &'w Look<'w>, text: &'w str, start: usize) -> Walk<'w> {
        let mut walk = Walk::new(look, text, 0, Found::within(text, &look.rules.marker));
        walk.is_fragment = true;
        walk.at = start;
        walk.run();
        walk
    }

    fn new(look: &'w Look<'w>, text: &'w str, depth: u8, found: Found<'w>) -> Walk<'w> {
        Walk {
            look,
            text,
            found,
            is_broken: false,
            at: 0,
            depth,
            is_lenient: false,
            is_fragment: false,
            frames: Vec::new(),
            pairs: Vec::new(),
            expect: Expect::Value,
            is_secret: false,
            is_next_secret: false,
            weak: None,
            hides_keys: false,
            role: Role::None,
        }
    }

    fn run(&mut self) {
        while let Some(byte) = self.text.as_bytes().get(self.at) {
            let goes_on = match byte {
                b' ' | b'\t' | b'\n' | b'\r' => {
                    self.at += 1;
                    true
                }
                b'{' | b'[' => self.open(*byte == b'{'),
                b'}' | b']' => self.close(*byte == b'}'),
                b',' => self.comma(),
                b':' => self.colon(),
                b'"' => self.string('"'),
                b'\'' if self.is_lenient => self.string('\''),
                _ => self.bare(),
            };
            if !goes_on || self.is_fragment && self.frames.is_empty() {
                return;
            }
        }
    }

    /// Something does not belong here; whether to go on.
    fn trouble(&mut self) -> bool {
        self.is_broken = true;
        self.is_lenient
    }

    fn frame(&self) -> u8 {
        self.frames.last().copied().unwrap_or_default()
    }

    fn expects_value(&self) -> bool {
        matches!(self.expect, Expect::Value | Expect::ValueOrEnd)
    }

    fn open(&mut self, is_object: bool) -> bool {
        if !self.expects_value() && !self.trouble() {
            return false;
        }
        // What is below `pass` is counted, not kept secret.
        let is_weak = self.weak.take().is_some();
        let is_secret = self.takes_secret() && !is_weak;
        let hides_keys = std::mem::take(&mut self.hides_keys) && is_object;
        let flag = |is: bool, flag: u8| if is { flag } else { 0 };
        self.frames
            .push(flag(is_object, IN_OBJECT) | flag(is_secret, IS_SECRET) | flag(hides_keys, HIDES_KEYS));
        self.expect = if is_object { Expect::KeyOrEnd } else { Expect::ValueOrEnd };
        self.is_secret = is_secret;
        self.role = Role::None;
        self.at += 1;
        true
    }

    fn close(&mut self, is_object: bool) -> bool {
        let fits = self.frames.last().is_some_and(|frame| (frame & IN_OBJECT != 0) == is_object)
            && matches!(self.expect, Expect::After | Expect::KeyOrEnd | Expect::ValueOrEnd);
        if !fits && !self.trouble() {
            return false;
        }
        self.at += 1;
        if let Some(pair) = self.pairs.pop_if(|pair| pair.level == self.frames.len())
            && let (true, Some((start, end, is_string))) = (pair.has_secret_name, pair.value)
        {
            match is_string {
                true => self.hide_string(start, end),
                false => self.found.add_scalar(start, end),
            }
        }
        self.frames.pop();
        self.after_value();
        true
    }

    fn comma(&mut self) -> bool {
        if (self.expect != Expect::After || self.frames.is_empty()) && !self.trouble() {
            return false;
        }
        self.expect = if self.frame() & IN_OBJECT != 0 { Expect::Key } else { Expect::Value };
        self.is_secret = self.frame() & IS_SECRET != 0;
        (self.weak, self.hides_keys) = (None, false);
        self.role = Role::None;
        self.at += 1;
        true
    }

    fn colon(&mut self) -> bool {
        if self.expect != Expect::Colon && !self.trouble() {
            return false;
        }
        self.expect = Expect::Value;
        self.at += 1;
        true
    }

    fn after_value(&mut self) {
        self.expect = Expect::After;
        self.role = Role::None;
    }

    /// Whether the value that begins is a secret, for what stands before it.
    fn takes_secret(&mut self) -> bool {
        std::mem::take(&mut self.is_next_secret) || self.is_secret
    }

    /// Whether what ends here is a key, and whether that may be.
    fn is_key(&mut self, end: usize) -> Option<bool> {
        let rest = self.text[end..].trim_ascii_start();
        let is_key = rest.starts_with(':');
        let fits = match is_key {
            true => matches!(self.expect, Expect::Key | Expect::KeyOrEnd),
            false => self.expects_value(),
        };
        (fits || self.trouble()).then_some(is_key)
    }

    fn string(&mut self, quote: char) -> bool {
        let start = self.at + 1;
        let length = length_of_string(&self.text.as_bytes()[start..], quote as u8);
        let end = start + length.unwrap_or(self.text.len() - start);
        self.at = (end + 1).min(self.text.len());
        if length.is_none() && !self.trouble() {
            return false;
        }
        // What would command a terminal is written with escapes in JSON.
        if self.text.as_bytes()[start..end].iter().any(|byte| *byte < b' ') && !self.trouble() {
            return false;
        }
        let Some(is_key) = self.is_key(self.at) else { return false };
        match is_key {
            true => {
                let key = self.said(start, end);
                self.key(&key);
                if self.frame() & HIDES_KEYS != 0 {
                    self.found.add_secret(start, end, &key);
                } else if !self.is_fragment {
                    self.look_into(start, end, &key);
                }
            }
            false => self.string_value(start, end),
        }
        true
    }

    fn key(&mut self, key: &str) {
        let is_below = self.frame() & IS_SECRET != 0;
        let is_named = self.look.rules.keys.is_secret(key);
        self.is_secret = is_below || is_named;
        self.weak = if is_named && !is_below { self.look.rules.keys.weak(key) } else { None };
        self.hides_keys =
            is_named && words(key).last().is_some_and(|last| KEYS_OF_SECRETS.contains(&last.as_str()));
        self.is_next_secret = false;
        self.expect = Expect::Colon;
        let is = |names: &[&str]| key.len() <= 9 && names.iter().any(|name| key.eq_ignore_ascii_case(name));
        self.role = if is(&["name", "key", "header", "variable", "field", "env", "option", "parameter"]) {
            Role::Name
        } else if is(&["value", "val"]) {
            Role::Value
        } else {
            Role::None
        };
    }

    fn string_value(&mut self, start: usize, end: usize) {
        let said = self.said(start, end);
        if self.role == Role::Name && said.len() <= 64 && self.look.rules.keys.is_secret(&said) {
            self.pair().has_secret_name = true;
        }
        if self.role == Role::Value {
            self.pair().value = Some((start, end, true));
        }
        let is_harmless = self.weak.take().is_some_and(|weak| is_harmless_value(weak, &said));
        if self.takes_secret() && !is_harmless {
            self.hide_string(start, end);
        } else if !self.is_fragment {
            self.look_into(start, end, &said);
        }
        self.is_next_secret =
            self.frame() & IN_OBJECT == 0 && !self.frames.is_empty() && self.announces_secret(&said);
        self.after_value();
    }

    /// `--password`, `-token`, `X-Api-Key`: the next element is its value.
    fn announces_secret(&self, element: &str) -> bool {
        if element.len() > 64 || element.contains(['=', ' ']) {
            return false;
        }
        let is_option = element.starts_with('-');
        let is_header = element.get(..2).is_some_and(|start| start.eq_ignore_ascii_case("x-"))
            || HEADERS.iter().any(|header| header.eq_ignore_ascii_case(element));
        (is_option || is_header) && self.look.rules.keys.is_secret(element.trim_start_matches('-'))
    }

    fn pair(&mut self) -> &mut Pair {
        let level = self.frames.len();
        if self.pairs.last().is_none_or(|pair| pair.level != level) {
            self.pairs.push(Pair { level, has_secret_name: false, value: None });
        }
        let last = self.pairs.len() - 1;
        &mut self.pairs[last]
    }

    /// A number, `true`, or a word without quotes.
    fn bare(&mut self) -> bool {
        let start = self.at;
        let rest = &self.text[start..];
        let is_end = |c: char| c.is_ascii_whitespace() || "{}[],:\"".contains(c);
        let length = rest.find(is_end).unwrap_or(rest.len());
        // A single quote in JSON that is not lenient.
        self.at = start + length.max(1);
        let word = &rest[..length];
        let is_literal = matches!(word, "true" | "false" | "null");
        let is_number = is_number(word);
        if !is_literal && !is_number && !self.trouble() {
            return false;
        }
        match self.is_key(self.at) {
            None => return false,
            Some(true) => {
                self.is_broken = true;
                self.key(word);
                return true;
            }
            Some(false) => {}
        }
        if self.role == Role::Value && is_number {
            self.pair().value = Some((start, self.at, false));
        }
        let is_harmless = self.weak.take().is_some_and(|weak| is_harmless_value(weak, word));
        let is_secret = self.takes_secret() && !is_harmless || is_number && is_card(word);
        if is_number {
            match is_secret {
                true => self.found.add_scalar(start, self.at),
                false => {
                    for values in &self.look.rules.values {
                        values.find_in(self.text, (start, self.at), Some(0), &mut self.found);
                    }
                }
            }
        } else if is_secret && !NO_SECRETS.contains(&word.to_ascii_lowercase().as_str()) {
            self.found.add(start, self.at);
        }
        self.after_value();
        true
    }

    /// What a string says.
    fn said(&self, start: usize, end: usize) -> Cow<'w, str> {
        let raw = &self.text[start..end];
        if raw.contains('\\') { Cow::Owned(decoded(raw, Writing::Escapes)) } else { Cow::Borrowed(raw) }
    }

    /// Hides a string whose key says that it is a secret.
    fn hide_string(&mut self, start: usize, end: usize) {
        let raw = &self.text[start..end];
        let said = self.said(start, end);
        let is_none = |none: &&str| none.eq_ignore_ascii_case(&said);
        if NO_SECRETS.iter().any(is_none) || is_reference(&said) {
            return;
        }
        let scheme = SCHEMES.iter().find(|scheme| {
            raw.get(..scheme.len()).is_some_and(|start| start.eq_ignore_ascii_case(scheme))
                && raw.len() > scheme.len()
        });
        let scheme = scheme.map_or(0, |scheme| scheme.len());
        self.found.add_secret(start + scheme, end, &said[scheme..]);
    }

    /// Looks for secrets in what a string says.
    fn look_into(&mut self, start: usize, end: usize, said: &str) {
        let raw = &self.text[start..end];
        if raw.len() != said.len() && !self.look.may_read(raw.len()) {
            return self.found.add_evident(start, end);
        }
        let spans = self.look.string_at(said, self.depth + 1);
        if !spans.is_empty() {
            self.found.take_over(in_raw(spans, raw, Writing::Escapes, start));
        }
    }
}

/// How long a string is, up to the quote that ends it.
fn length_of_string(bytes: &[u8], quote: u8) -> Option<usize> {
    let mut at = 0;
    loop {
        let next = bytes[at..].iter().position(|byte| *byte == quote || *byte == b'\\')?;
        at += next;
        if bytes[at] == quote {
            return Some(at);
        }
        at += 2;
        if at > bytes.len() {
            return None;
        }
    }
}

/// A number as JSON has it.
fn is_number(word: &str) -> bool {
    let digits = |text: &str| text.bytes().take_while(u8::is_ascii_digit).count();
    let rest = word.strip_prefix('-').unwrap_or(word);
    let whole = digits(rest);
    if whole == 0 || whole > 1 && rest.starts_with('0') {
        return false;
    }
    let mut rest = &rest[whole..];
    if let Some(fraction) = rest.strip_prefix('.') {
        let length = digits(fraction);
        if length == 0 {
            return false;
        }
        rest = &fraction[length..];
    }
    if let Some(exponent) = rest.strip_prefix(['e', 'E']) {
        let exponent = exponent.strip_prefix(['+', '-']).unwrap_or(exponent);
        return !exponent.is_empty() && digits(exponent) == exponent.len();
    }
    rest.is_empty()
}

/// `${GITHUB_TOKEN}`, `{{ vault_password }}`, `var.db_password`, `$(cat`, `YOUR_API_KEY`: the name of a secret, or where
/// it comes from, and not the secret.
pub(super) fn is_reference(text: &str) -> bool {
    let is_name = |name: &str| name.bytes().all(|byte| byte.is_ascii_alphabetic() || b"_.".contains(&byte));
    if text.starts_with("$(") || text.starts_with("{{") && text.ends_with("}}") {
        return true;
    }
    if ["var.", "local.", "YOUR_", "your_"].iter().any(|begin| text.strip_prefix(begin).is_some_and(is_name))
    {
        return true;
    }
    let name = text.strip_prefix("${").and_then(|rest| rest.strip_suffix('}'));
    name.is_some_and(|name| {
        !name.is_empty()
            && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_.:-".contains(&byte))
            && name.len() <= 40
    })
}
