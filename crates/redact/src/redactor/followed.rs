//! Secrets that follow their names without a sign between: `setenv DB_PASSWORD x`, `bindpw x`, `with password x`, `das
//! Passwort ist x`; and the values of a Kubernetes Secret.

use super::addresses::end_of_word;
use super::assigned::{is_plain, secret_name};
use super::keys::Keys;
use super::spans::Found;
use super::walk::is_reference;

/// The longest name, in bytes.
const MAX_NAME_BYTES: usize = 64;

/// The shortest word that is taken for a password because of the word before it, in bytes.
const MIN_BYTES: usize = 6;

/// Names that are followed by their value also where they are one word of a sentence.
const STRONG: &[&str] = &[
    "password",
    "passwd",
    "passphrase",
    "passwort",
    "kennwort",
    "bindpw",
    "rootpw",
    "requirepass",
    "masterauth",
];

/// Words with digits that sentences about passwords have.
const TECHNICAL: &[&str] = &[
    "argon2", "argon2id", "base32", "base64", "hs256", "md5sum", "oauth2", "pbkdf2", "pkcs12", "rs256",
    "sha256", "sha512", "sha-256", "sha-512", "utf8mb4", "win32",
];

/// Verbs between a name and its value, in other languages; "is" is looked for everywhere.
const VERBS: &[&str] = &["ist ", "lautet "];

/// The word behind a name and a blank; `start` is behind the blank. After an option any word is its value, elsewhere
/// only one with letters and digits: sentences go on with other words.
pub(super) fn find(text: &str, start: usize, keys: &Keys, found: &mut Found<'_>) {
    let end = start - 1;
    let is_name = |c: &char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.');
    let length: usize =
        text[..end].chars().rev().take_while(is_name).map(char::len_utf8).take(MAX_NAME_BYTES).sum();
    let whole = &text[end - length..end];
    let name = whole.trim_start_matches(['-', '.']);
    let is_option = whole.len() > name.len() && whole.starts_with('-');
    let last = name.rsplit('.').next().unwrap_or(name);
    let is_strong = STRONG.iter().any(|strong| strong.eq_ignore_ascii_case(last));
    let is_compound = is_option || last.contains(['_', '-']) || last.len() < name.len();
    if !(is_strong || is_compound && keys.is_secret(last)) {
        return;
    }
    let rest = &text[start..];
    let value = start + rest.len() - rest.trim_start_matches(' ').len();
    if value - start > 3 {
        return;
    }
    // The blank between the name and a verb belongs to the name.
    if let Some(verb) = VERBS.iter().find(|verb| text[value..].starts_with(**verb)) {
        return said(text, end, value + verb.len(), keys, found);
    }
    if text[value..].starts_with(['"', '\'']) {
        let inside = value + 1;
        let quote = text.as_bytes()[value] as char;
        let length = text[inside..].find([quote, '\n']).unwrap_or(0);
        if is_value(&text[inside..inside + length], is_option) {
            found.add(inside, inside + length);
        }
        return;
    }
    let word = text[value..end_of_word(text, value)].trim_end_matches(['.', '!', '?', '…', ':']);
    if is_value(word, is_option) {
        found.add(value, value + word.len());
    }
}

fn is_value(word: &str, is_option: bool) -> bool {
    let is_pointer = word.starts_with(['-', '<', '$', '{', '(', '[', '/', '~', '.', '=', ':', '@', '%', '#'])
        || word.contains(['(', '=', '/'])
        || word.contains("::")
        || is_reference(word);
    let has = |is: fn(&u8) -> bool| word.bytes().any(|byte| is(&byte));
    let is_mixed = has(u8::is_ascii_digit) && has(u8::is_ascii_alphabetic) && word.len() >= MIN_BYTES;
    let is_technical = TECHNICAL.iter().any(|plain| plain.eq_ignore_ascii_case(word));
    !word.is_empty()
        && !word.contains(' ')
        && !is_pointer
        && !is_plain(word)
        && !is_technical
        && (is_option || is_mixed)
}

/// `das Passwort ist x`: the word between `start` and `end` is a verb. A mere word says something of the secret.
pub(super) fn said(text: &str, start: usize, end: usize, keys: &Keys, found: &mut Found<'_>) {
    let word = text[end..end_of_word(text, end)].trim_end_matches(['.', '!', '?', '…', ':']);
    let is_mere_word = word.chars().all(|c| c.is_alphabetic() || matches!(c, '\'' | '-'));
    if !is_mere_word && is_value(word, true) && secret_name(text, start, keys).is_some() {
        found.add(end, end + word.len());
    }
}

/// The values below `data:` and `stringData:` of a Secret of Kubernetes; `start` is behind `kind: Secret`. Where it ends.
pub(super) fn kubernetes(text: &str, start: usize, found: &mut Found<'_>) -> usize {
    let mut is_data = false;
    let mut at = start;
    for line in text[start..].split_inclusive('\n') {
        let (from, said) = (at, line.trim_end());
        at += line.len();
        if said.starts_with("---") {
            return from;
        }
        if !said.starts_with([' ', '\t']) {
            is_data = matches!(said, "data:" | "stringData:");
            continue;
        }
        let Some((_, value)) = said.split_once(": ").filter(|_| is_data) else { continue };
        let value = value.trim().trim_matches(['"', '\'']);
        if !value.is_empty() && !is_reference(value) && !value.starts_with(['|', '>', '#', '$']) {
            let value_at = value.as_ptr() as usize - text.as_ptr() as usize;
            found.add(value_at, value_at + value.len());
        }
    }
    at
}
