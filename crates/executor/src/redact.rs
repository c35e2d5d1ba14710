//! What may be shown of arguments: secrets are hidden, long values shortened.
//!
//! Nothing of a call reaches a log but through this module. It would rather hide too much than too
//! little: whatever a log needs to tell, it tells by keys, codes and sizes.

mod arguments;

use std::borrow::Cow;
use std::fmt;

use toolwright_model::{Change, Code};

pub use arguments::{arguments, arguments_of, outline};
pub use toolwright_redact::{HIDDEN, holds_secret, is_secret_key};

/// The longest string that is shown whole, in characters.
pub const MAX_SHOWN_CHARS: usize = 80;

/// How much of a longer one is shown, in characters: enough to know it again. Contents of files are no matter
/// for a log.
pub const SHOWN_OF_LONG_CHARS: usize = 40;

/// The longest reason of a failure, in characters. It tells what went wrong, not what was sent.
pub const MAX_REASON_CHARS: usize = 300;

/// How far a text is searched for secrets, in characters: well beyond what is shown of it, so that one that
/// begins in the shown part is seen whole.
const MAX_LOOKED_AT_CHARS: usize = 1000;

/// Text of a caller or a tool that may hold secrets. Printed, it is redacted; who needs all of it must
/// say so.
#[derive(Clone, Copy)]
pub struct Sensitive<'a>(&'a str);

impl<'a> Sensitive<'a> {
    /// Wraps JSON arguments.
    pub fn new(text: &'a str) -> Self {
        Sensitive(text)
    }

    /// The text itself, secrets included.
    pub fn expose(self) -> &'a str {
        self.0
    }

    /// How long the text is.
    pub fn bytes(self) -> usize {
        self.0.len()
    }
}

impl fmt::Display for Sensitive<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&arguments(self.0))
    }
}

impl fmt::Debug for Sensitive<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// A value such as a string of arguments or a tool's result: hidden when it speaks of a secret, else shortened.
pub fn text(text: &str) -> Cow<'_, str> {
    if may_hold_secret(text) { Cow::Borrowed(HIDDEN) } else { shortened(text) }
}

/// A tool's name, alone or behind its server's: hidden when a part of it is a secret, else shortened.
pub fn name(name: &str) -> Cow<'_, str> {
    if name.split('/').any(may_hold_secret) { Cow::Borrowed(HIDDEN) } else { shortened(name) }
}

/// Why something failed: hidden when it speaks of a secret, else up to [`MAX_REASON_CHARS`].
pub fn reason(text: &str) -> Cow<'_, str> {
    if may_hold_secret(text) { Cow::Borrowed(HIDDEN) } else { cut(text, MAX_REASON_CHARS, MAX_REASON_CHARS) }
}

fn may_hold_secret(text: &str) -> bool {
    holds_secret(text.char_indices().nth(MAX_LOOKED_AT_CHARS).map_or(text, |(end, _)| &text[..end]))
}

/// A change whose values may be shown.
pub fn change(change: &Change) -> Change {
    let in_secret = change.path.split('/').any(is_secret_key);
    // The sides of a renaming are keys; every other side is a value.
    let is_renaming = matches!(
        change.code,
        Code::KeyForm | Code::KeyTypo | Code::AliasByRule | Code::AliasBySchema | Code::NestedAliasByRule
    );
    let side = |side: &Option<String>| {
        side.as_deref().map(|value| match (is_renaming, in_secret) {
            (true, _) => shortened(value).into_owned(),
            (false, true) => HIDDEN.to_owned(),
            (false, false) => arguments(value),
        })
    };
    Change {
        from: side(&change.from),
        to: side(&change.to),
        why: text(&change.why).into_owned(),
        ..change.clone()
    }
}

fn shortened(text: &str) -> Cow<'_, str> {
    cut(text, MAX_SHOWN_CHARS, SHOWN_OF_LONG_CHARS)
}

/// The text when it has at most `whole` characters, else its first `part`.
fn cut(text: &str, whole: usize, part: usize) -> Cow<'_, str> {
    if text.char_indices().nth(whole).is_none() {
        return Cow::Borrowed(text);
    }
    let end = text.char_indices().nth(part).map_or(text.len(), |(end, _)| end);
    let left = text.len() - end;
    Cow::Owned(format!("{}… ({left} more byte{})", &text[..end], if left == 1 { "" } else { "s" }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sensitive_text_prints_redacted() {
        let sent = Sensitive::new(r#"{"password":"hunter2","path":"a"}"#);
        assert_eq!(format!("{sent} {sent:?}").matches("hunter2").count(), 0);
        assert_eq!(sent.expose().len(), sent.bytes());
    }

    #[test]
    fn long_values_keep_their_beginning_and_reasons_more_of_it() {
        let (short, long) = ("é".repeat(80), "é".repeat(81));
        assert_eq!(text(&short), short);
        assert_eq!(text(&long), format!("{}… (82 more bytes)", "é".repeat(40)));
        assert_eq!(reason(&long), long);
        assert_eq!(reason(&"e".repeat(301)), format!("{}… (1 more byte)", "e".repeat(300)));
        assert_eq!(reason("password=hunter2"), HIDDEN);
    }

    #[test]
    fn a_name_is_hidden_when_a_part_of_it_is_a_secret() {
        assert_eq!(name("one/read_file"), "one/read_file");
        assert_eq!(name("one/ghp_0123456789abcdef"), HIDDEN);
        assert_eq!(name("ghp_0123456789abcdef"), HIDDEN);
    }

    #[test]
    fn changes_of_secrets_keep_their_values_to_themselves() {
        let sent = Change {
            code: Code::NumberToString,
            path: "/user/api_key".to_owned(),
            from: Some("12345".to_owned()),
            to: Some("\"12345\"".to_owned()),
            rule: None,
            rule_type: None,
            why: "number to string".to_owned(),
        };
        let shown = change(&sent);
        assert_eq!((shown.from.as_deref(), shown.to.as_deref()), (Some(HIDDEN), Some(HIDDEN)));
        let renamed = change(&Change { code: Code::KeyForm, from: Some("\"apiKey\"".to_owned()), ..sent });
        assert_eq!(renamed.from.as_deref(), Some("\"apiKey\""));
    }
}
