//! What messages of one error have in common: everything that differs from call to call becomes a mark.
//!
//! A text that went through stays as it is when it goes through again. That holds because it is done until nothing
//! changes; each time something does, there is less left that is no mark, so that it ends.

use super::kinds::{self, Kind, Quoted};

/// How much of a message is looked at, in bytes, and how long a pattern is at most.
pub const MAX_MESSAGE: usize = 2 << 10;

/// The pattern of a message. `names` are those of the call's parameters and its tool: in quotes they stay, for they are
/// what the message is about.
pub fn normalize(message: &str, names: &[String]) -> String {
    let mut pattern = cut(message).to_owned();
    loop {
        let next = once(&pattern, names);
        let next = cut(&next);
        if next == pattern {
            return pattern;
        }
        pattern = next.to_owned();
    }
}

/// One way through the text, from left to right. What was looked for in vain is not looked for again at every sign: the
/// time is that of a few ways.
fn once(text: &str, names: &[String]) -> String {
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    // What stands before, with marks as one sees them: it is the same the next time.
    let mut before: Option<char> = None;
    let mut is_after_windows_path = false;
    // Up to where quotes of a kind are not closed (there are few kinds), and no path begins with a name.
    let mut open: Vec<(char, usize)> = Vec::new();
    let mut no_path_until = 0;
    while let Some(sign) = text[at..].chars().next() {
        let rest = &text[at..];
        if let Some(length) = mark(rest) {
            out.push_str(&rest[..length]);
            at += length;
            before = Some('>');
            continue;
        }
        if is_after_windows_path && let Some(length) = kinds::rest_of_windows_path(rest) {
            at += length;
            continue;
        }
        is_after_windows_path = false;
        let is_known_open = open.iter().any(|(quote, until)| *quote == sign && at < *until);
        match if is_known_open { Quoted::No } else { kinds::quoted(rest, before) } {
            Quoted::No => {}
            Quoted::Open(length) => {
                open.retain(|(quote, _)| *quote != sign);
                open.push((sign, at + length));
            }
            Quoted::Yes(inside, length) => {
                if is_name(inside, names) {
                    out.push_str(&rest[..length]);
                    before = out.chars().next_back();
                } else {
                    out.push_str(Kind::Text.mark());
                    before = Some('>');
                }
                at += length;
                continue;
            }
        }
        let found = kinds::find(rest, before, at >= no_path_until);
        if at >= no_path_until
            && sign.is_alphanumeric()
            && matches!(found, None | Some((Kind::Number | Kind::Id, _)))
        {
            no_path_until = at + kinds::path_end(rest);
        }
        let is_pointer =
            |length: usize| rest[..length].strip_prefix('/').is_some_and(|name| is_name(name, names));
        if let Some((kind, length)) =
            found.filter(|(kind, length)| *kind != Kind::Path || !is_pointer(*length))
        {
            out.push_str(kind.mark());
            is_after_windows_path = kind == Kind::Path && rest[..length].contains('\\');
            at += length;
            before = Some('>');
            continue;
        }
        // Nothing begins inside a word.
        let length = kinds::word(rest).max(sign.len_utf8());
        out.push_str(&rest[..length]);
        at += length;
        before = out.chars().next_back();
    }
    out
}

/// A short text that is the name of a parameter, or of the tool.
fn is_name(inside: &str, names: &[String]) -> bool {
    inside.split_whitespace().count() <= 2 && names.iter().any(|name| name == inside)
}

/// How long the mark is that the text begins with.
fn mark(text: &str) -> Option<usize> {
    if !text.starts_with('<') {
        return None;
    }
    Kind::ALL.iter().map(|kind| kind.mark()).find(|mark| text.starts_with(mark)).map(str::len)
}

/// What fits, without a part of a mark at its end.
fn cut(text: &str) -> &str {
    let kept = &text[..text.floor_char_boundary(MAX_MESSAGE)];
    match kept.rfind('<') {
        Some(at) if kept.len() < text.len() && at + mark(&text[at..]).unwrap_or(0) > kept.len() => {
            &kept[..at]
        }
        _ => kept,
    }
}
