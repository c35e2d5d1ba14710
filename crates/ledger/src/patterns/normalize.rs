//! Normalizes an error message to its pattern: every variable part becomes a placeholder.
//!
//! The result is a fixed point: normalizing it again changes nothing. The passes are repeated until nothing changes;
//! each change leaves less text that is not a placeholder, so the loop terminates.

use super::variables::{self, QuotedText, VariableKind};

/// Bytes of a message that are used, and the maximum length of a pattern.
pub const MAX_MESSAGE: usize = 2 << 10;

/// The pattern of a message. `names` are the call's parameters and its tool: quoted names stay, because they are the
/// subject of the message.
pub fn normalize(message: &str, names: &[String]) -> String {
    let mut pattern = cut(message).to_owned();
    loop {
        let next = normalize_once(&pattern, names);
        let next = cut(&next);
        if next == pattern {
            return pattern;
        }
        pattern = next.to_owned();
    }
}

/// One pass from left to right. FailedCall searches are not repeated at every character: the running time is that of a few
/// passes.
fn normalize_once(text: &str, names: &[String]) -> String {
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    // The preceding character, with placeholders in place: it is the same in the next pass.
    let mut before: Option<char> = None;
    let mut is_after_windows_path = false;
    // Ends of the ranges in which a kind of quote is not closed (there are few kinds), and in which no relative path
    // starts.
    let mut open: Vec<(char, usize)> = Vec::new();
    let mut no_path_until = 0;
    while let Some(c) = text[at..].chars().next() {
        let rest = &text[at..];
        if let Some(length) = placeholder(rest) {
            out.push_str(&rest[..length]);
            at += length;
            before = Some('>');
            continue;
        }
        if is_after_windows_path && let Some(length) = variables::rest_of_windows_path(rest) {
            at += length;
            continue;
        }
        is_after_windows_path = false;
        let is_known_open = open.iter().any(|(quote, until)| *quote == c && at < *until);
        match if is_known_open { QuotedText::No } else { variables::quoted(rest, before) } {
            QuotedText::No => {}
            QuotedText::Open(length) => {
                open.retain(|(quote, _)| *quote != c);
                open.push((c, at + length));
            }
            QuotedText::Yes(inside, length) => {
                if is_name(inside, names) {
                    out.push_str(&rest[..length]);
                    before = out.chars().next_back();
                } else {
                    out.push_str(VariableKind::Text.placeholder());
                    before = Some('>');
                }
                at += length;
                continue;
            }
        }
        let found = variables::find(rest, before, at >= no_path_until);
        if at >= no_path_until
            && c.is_alphanumeric()
            && matches!(found, None | Some((VariableKind::Number | VariableKind::Id, _)))
        {
            no_path_until = at + variables::path_end(rest);
        }
        let is_pointer =
            |length: usize| rest[..length].strip_prefix('/').is_some_and(|name| is_name(name, names));
        if let Some((kind, length)) =
            found.filter(|(kind, length)| *kind != VariableKind::Path || !is_pointer(*length))
        {
            out.push_str(kind.placeholder());
            is_after_windows_path = kind == VariableKind::Path && rest[..length].contains('\\');
            at += length;
            before = Some('>');
            continue;
        }
        // Nothing starts inside a word.
        let length = variables::word(rest).max(c.len_utf8());
        out.push_str(&rest[..length]);
        at += length;
        before = out.chars().next_back();
    }
    out
}

/// Whether a short text is the name of a parameter, or of the tool.
fn is_name(inside: &str, names: &[String]) -> bool {
    inside.split_whitespace().count() <= 2 && names.iter().any(|name| name == inside)
}

/// Length of the placeholder at the start of the text.
fn placeholder(text: &str) -> Option<usize> {
    if !text.starts_with('<') {
        return None;
    }
    VariableKind::ALL
        .iter()
        .map(|kind| kind.placeholder())
        .find(|placeholder| text.starts_with(placeholder))
        .map(str::len)
}

/// Truncates to the maximum length, without a partial placeholder at the end.
fn cut(text: &str) -> &str {
    let kept = &text[..text.floor_char_boundary(MAX_MESSAGE)];
    match kept.rfind('<') {
        Some(at) if kept.len() < text.len() && at + placeholder(&text[at..]).unwrap_or(0) > kept.len() => {
            &kept[..at]
        }
        _ => kept,
    }
}
