//! Unescaped quotes inside a string: which of them can belong to its text.
//!
//! # What it does
//! An apostrophe in a word (`it's`, `the '90s`, `the dogs' bones`) belongs to the text, and so do quotes
//! in pairs that open before a word and close after one: `he said 'hi' to me`.
//!
//! # What it refuses
//! Any other quote: the string may end there, and what follows is an expression (`'a' + 'b'`), a
//! member after a wrong separator (`'a'; 'b'`), or a string without its closing quote.

use super::lenient::is_key_char;

/// Characters allowed before an opening quote, in addition to white space and the start of the string.
const BEFORE_OPENING: &str = "([{\"'“‘`";
/// Characters allowed after an opening quote, in addition to letters and digits.
const AFTER_OPENING: &str = "_/#@({\"-~\\$";
/// Operators that make an expression of the string before them.
const OPERATORS: &[&str] = &["+", "*", "%", "==", "!=", "||", "&&", "?"];
/// Words with elided first letters.
const ELISIONS: &[&str] = &["tis", "twas", "em", "til"];

/// The unescaped quotes of one string so far.
#[derive(Default)]
pub(super) struct Quotes {
    is_open: bool,
    /// `dogs' `: this may have been the end of the string.
    after_plural: bool,
}

impl Quotes {
    /// Whether a quote between these two texts, which does not end the string, can belong to it.
    pub fn take(&mut self, quote: char, before: &str, after: &str) -> bool {
        let last = before.chars().next_back();
        let next = after.chars().next();
        let is_letter = |char: Option<char>| char.is_some_and(char::is_alphanumeric);
        let is_apostrophe = matches!(quote, '\'' | '’' | '‘');
        if is_apostrophe && (is_letter(last) && is_letter(next) || is_elision(last, after)) {
            return true;
        }
        if self.is_open {
            self.is_open = false;
            return last.is_some_and(|char| !char.is_whitespace()) && !is_letter(next);
        }
        let may_follow = |char: char| char.is_alphanumeric() || AFTER_OPENING.contains(char);
        if may_open(last, after) && next.is_some_and(may_follow) {
            self.is_open = true;
            return !self.after_plural;
        }
        self.after_plural = true;
        let word = after.strip_prefix(' ').unwrap_or_default();
        is_apostrophe && last == Some('s') && word.starts_with(char::is_alphabetic)
    }

    /// Whether every pair is closed.
    pub fn is_even(&self) -> bool {
        !self.is_open
    }
}

/// Whether a quotation can start with a quote between these two.
fn may_open(last: Option<char>, after: &str) -> bool {
    last.is_none_or(|char| char.is_whitespace() || BEFORE_OPENING.contains(char))
        && !after.starts_with(char::is_whitespace)
}

/// `'90s`, `'tis`
fn is_elision(last: Option<char>, after: &str) -> bool {
    let end = after.find(|char: char| !char.is_alphanumeric()).unwrap_or(after.len());
    let word = after[..end].to_lowercase();
    let is_decade =
        word.len() == 3 && word.ends_with("0s") && word.starts_with(|char: char| char.is_ascii_digit());
    last.is_none_or(char::is_whitespace) && (is_decade || ELISIONS.contains(&word.as_str()))
}

/// Whether a string that ends here is part of an expression: `+ name`, `.upper()`, `[0]` follow.
pub(super) fn is_operand(last: Option<char>, after: &str) -> bool {
    if let Some(method) = after.strip_prefix('.') {
        let end = method.find(|char: char| !is_key_char(char)).unwrap_or(method.len());
        return end > 0 && method[end..].starts_with('(');
    }
    let rest = after.trim_start();
    let is_operator = after.starts_with('[') || OPERATORS.iter().any(|operator| rest.starts_with(operator));
    is_operator && !may_open(last, after)
}

/// `Rome, "unit": `: the start of the quotation that ends here, if it looks like the key of a member.
pub(super) fn member_start(content: &str, after: &str) -> Option<usize> {
    let opening = content.rfind(['"', '\'', '“', '‘', '`', '”', '’'])?;
    let mut key = content[opening..].chars();
    key.next();
    let is_name = !key.as_str().is_empty() && key.as_str().chars().all(is_key_char);
    let is_member = after.trim_start().starts_with(':') && content[..opening].trim_end().ends_with(',');
    (is_name && is_member).then_some(opening)
}
