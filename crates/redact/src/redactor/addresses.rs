//! Secrets in addresses and behind the name of a scheme: `user:password@`, `Bearer …`.

use super::spans::Found;

/// The shortest name alone before `@` that is taken for a token, in bytes.
const MIN_TOKEN_BYTES: usize = 20;

/// The end of the word that begins here.
pub(super) fn end_of_word(text: &str, start: usize) -> usize {
    let is_end = |c: char| c.is_whitespace() || c.is_control() || "\"'`,;&)}]>|<\\".contains(c);
    text[start..].find(is_end).map_or(text.len(), |end| start + end)
}

/// The password in `scheme://user:password@host`; `start` is behind the `://`.
pub(super) fn address(text: &str, start: usize, found: &mut Found<'_>) {
    let is_end = |c: char| c.is_whitespace() || c.is_control() || "\"'`<>\\".contains(c);
    // One address ends where the next begins.
    let word = text[start..].split("://").next().unwrap_or_default();
    let word = word.split(is_end).next().unwrap_or_default();
    let authority = word.find(['/', '?', '#']).unwrap_or(word.len());
    // A password may hold an `@`, and a `/` that should have been written in another way.
    let at = match word[..authority].rfind('@') {
        Some(at) => Some(at),
        None => word[..authority]
            .find(':')
            .filter(|colon| !is_port(&word[colon + 1..authority]))
            .and_then(|_| word.rfind('@')),
    };
    let Some(at) = at else { return };
    match word[..at].find(':') {
        Some(colon) => found.add(start + colon + 1, start + at),
        None if at >= MIN_TOKEN_BYTES && word[..at].contains(|c: char| c.is_ascii_digit()) => {
            found.add(start, start + at);
        }
        None => {}
    }
}

fn is_port(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_digit())
}

/// What stands behind `Bearer ` or `Basic `; "basic usage" is none: a credential has something in it that
/// words have not.
pub(super) fn scheme(text: &str, start: usize, found: &mut Found<'_>) {
    let blanks = text[start..].len() - text[start..].trim_start_matches([' ', '"', '\'']).len();
    let start = start + blanks;
    let end = end_of_word(text, start);
    let word = text[start..end].trim_end_matches(['.', ':', '!', '?', '…']);
    let is_word = word.len() < 16
        && word.bytes().all(|byte| byte.is_ascii_alphabetic() || b"-_/".contains(&byte))
        && (word.bytes().skip(1).all(|byte| !byte.is_ascii_uppercase())
            || word.bytes().all(|byte| byte.is_ascii_uppercase()));
    if word.len() >= 3 && !is_word && !word.starts_with(['<', '$', '{']) {
        found.add(start, start + word.len());
    }
}

/// What was found behind `-u`, and where that word ends: another option in the same word is not read again.
pub(super) enum UserOption {
    /// A password, which is hidden.
    Hidden(usize),
    /// No password.
    Refused(usize),
}

/// The password in `-u user:password`; `1000:1000` are numbers of a user and a group.
pub(super) fn user_option(text: &str, start: usize, found: &mut Found<'_>) -> UserOption {
    let start = start + text[start..].len() - text[start..].trim_start_matches([' ', '"', '\'', '=']).len();
    let end = end_of_word(text, start);
    match text[start..end].find(':').map(|colon| start + colon) {
        Some(colon)
            if !is_port(&text[colon + 1..end])
                && !text[colon..end].starts_with("://")
                && !text[start..end].starts_with('$') =>
        {
            found.add(colon + 1, end);
            UserOption::Hidden(end)
        }
        _ => UserOption::Refused(end),
    }
}
