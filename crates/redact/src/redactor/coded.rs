//! Long words: what is written in base64 or hexadecimal digits, and what looks random.

use base64::Engine;
use base64::alphabet::{STANDARD, URL_SAFE};
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};

use super::entropy::looks_random;
use super::look::Look;
use super::spans::Found;

/// The shortest word that is looked at, in bytes: twelve bytes in base64, eight in hexadecimal digits.
pub(super) const MIN_CHARS: usize = 16;

/// How much of a word is read to see whether it is text, in bytes. Pictures are given up here.
const PROBE_CHARS: usize = 24;

const CONFIG: GeneralPurposeConfig = GeneralPurposeConfig::new()
    .with_decode_padding_mode(DecodePaddingMode::Indifferent)
    .with_decode_allow_trailing_bits(true);
const BASE64: GeneralPurpose = GeneralPurpose::new(&STANDARD, CONFIG);
const BASE64_URL: GeneralPurpose = GeneralPurpose::new(&URL_SAFE, CONFIG);

/// Hides long words that hold a secret or look like one.
pub(super) fn find(look: &Look<'_>, text: &str, depth: u8, spared: &[(usize, usize)], found: &mut Found<'_>) {
    let bytes = text.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        if !is_word(bytes[at]) {
            at += 1;
            continue;
        }
        let start = at;
        while at < bytes.len() && is_word(bytes[at]) {
            at += 1;
        }
        if at - start < MIN_CHARS {
            continue;
        }
        let word = &text[start..at];
        let end = at + bytes[at..].iter().take(2).take_while(|byte| **byte == b'=').count();
        match hidden_text(look, word, depth) {
            Coded::Secret => found.add_evident(start, end),
            Coded::Text => {}
            Coded::No => {
                let is_spared = is_within(spared, start, end);
                if look.rules.entropy && !is_spared && looks_random(&text[..start], word) {
                    found.add_evident(start, end);
                } else if word.contains('/') {
                    parts(look, word, start, depth, found);
                }
            }
        }
    }
}

/// Whether a word stands in one of these parts, which are in order.
fn is_within(parts: &[(usize, usize)], start: usize, end: usize) -> bool {
    let next = parts.partition_point(|part| part.1 < end);
    parts.get(next).is_some_and(|part| part.0 <= start)
}

/// Base64 in an address stands between slashes.
fn parts(look: &Look<'_>, word: &str, mut start: usize, depth: u8, found: &mut Found<'_>) {
    for part in word.split('/') {
        if part.len() >= MIN_CHARS
            && part.len() < word.len()
            && hidden_text(look, part, depth) == Coded::Secret
        {
            found.add_evident(start, start + part.len());
        }
        start += part.len() + 1;
    }
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'_' | b'-')
}

#[derive(PartialEq, Eq)]
enum Coded {
    /// No text is written in it.
    No,
    /// Text that may be shown.
    Text,
    /// Text with a secret in it.
    Secret,
}

fn hidden_text(look: &Look<'_>, word: &str, depth: u8) -> Coded {
    let is_hex = word.bytes().all(|byte| byte.is_ascii_hexdigit());
    let read = if is_hex { from_hex(word) } else { from_base64(word) };
    let Some(said) = read else { return Coded::No };
    if depth >= 4 || !look.may_read(said.len()) || !look.string_at(&said, depth + 1).is_empty() {
        return Coded::Secret;
    }
    Coded::Text
}

fn from_hex(word: &str) -> Option<String> {
    let digit = |digit: u8| char::from(digit).to_digit(16);
    let byte = |pair: &[u8]| match pair {
        [high, low] => u8::try_from(digit(*high)? * 16 + digit(*low)?).ok().filter(|byte| is_text(*byte)),
        _ => None,
    };
    let bytes: Option<Vec<u8>> = word.as_bytes().chunks(2).map(byte).collect();
    String::from_utf8(bytes?).ok()
}

fn from_base64(word: &str) -> Option<String> {
    let engine = if word.contains(['-', '_']) { &BASE64_URL } else { &BASE64 };
    let probe = engine.decode(&word[..word.len().min(PROBE_CHARS)]).ok()?;
    if !probe.iter().take(PROBE_CHARS / 4 * 3 - 3).all(|byte| is_text(*byte)) {
        return None;
    }
    // One character more than whole bytes need says nothing.
    let whole = word.len() - usize::from(word.len() % 4 == 1);
    let bytes = engine.decode(&word[..whole]).ok()?;
    if !bytes.iter().all(|byte| is_text(*byte)) {
        return None;
    }
    String::from_utf8(bytes).ok()
}

fn is_text(byte: u8) -> bool {
    !byte.is_ascii_control() || matches!(byte, b'\n' | b'\t' | b'\r')
}
