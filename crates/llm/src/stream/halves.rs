//! Characters whose two halves come in two deltas.
//!
//! JSON escapes a character beyond U+FFFF as two surrogates (RFC 8259, section 7). An upstream that cuts its text
//! between them sends `"\ud83d"` and then `"\ude00"`: each string alone is no character, both together are one.

use std::borrow::Cow;
use std::collections::BTreeMap;

use toolwright_jsonrpc::raw::Str;

use crate::form::Event;

/// The length of one escaped surrogate: `\ud83d`.
const ESCAPE_BYTES: usize = 6;

/// The text that a delta continues.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum TextOf {
    Answer,
    Thinking,
    Refusal,
    /// The arguments of the call with this number or index.
    Call(u64),
}

/// First halves that wait for the next delta of their text.
#[derive(Debug, Default)]
pub(crate) struct Halves(BTreeMap<TextOf, String>);

impl Halves {
    /// Decodes a delta, which is a JSON string. `None` when it is no string or adds nothing by now. Halves of other
    /// texts than arguments do not wait any longer: their text has ended.
    pub(crate) fn text<'v>(
        &mut self,
        of: TextOf,
        value: &'v str,
        out: &mut Vec<Event>,
    ) -> Option<Cow<'v, str>> {
        let escaped = value.strip_prefix('"')?.strip_suffix('"')?;
        if escaped.is_empty() {
            return None;
        }
        let first = self.0.remove(&of);
        self.end_words(out);
        let end = escaped.len() - half_character(escaped);
        if end < escaped.len() {
            self.0.insert(of, escaped[end..].to_owned());
        }
        let text = match first {
            Some(first) => Cow::Owned(Str::from_escaped(&(first + &escaped[..end])).decode().into_owned()),
            None => Str::from_escaped(&escaped[..end]).decode(),
        };
        Some(text).filter(|text| !text.is_empty())
    }

    /// The texts before what comes next have ended: a half that is left alone is U+FFFD, as in a whole answer.
    pub(crate) fn end_words(&mut self, out: &mut Vec<Event>) {
        self.0.retain(|of, _| {
            let lone = char::REPLACEMENT_CHARACTER.to_string();
            out.push(match of {
                TextOf::Answer => Event::Text(lone),
                TextOf::Thinking => Event::Thinking(lone),
                TextOf::Refusal => Event::Refusal(lone),
                TextOf::Call(_) => return true,
            });
            false
        });
    }

    /// Drops the half of arguments that have ended: JSON cannot end inside a string, so that the call is refused
    /// without it too.
    pub(crate) fn end_call(&mut self, call: u64) {
        self.0.remove(&TextOf::Call(call));
    }
}

/// The length of the first half of a character at the end of an escaped text; 0 where there is none.
pub(crate) fn half_character(escaped: &str) -> usize {
    let Some(at) = escaped.len().checked_sub(ESCAPE_BYTES) else { return 0 };
    let bytes = escaped.as_bytes();
    let is_half = bytes[at] == b'\\'
        && bytes[at + 1] == b'u'
        && matches!(bytes[at + 2], b'd' | b'D')
        && matches!(bytes[at + 3], b'8' | b'9' | b'a' | b'b' | b'A' | b'B');
    if !is_half {
        return 0;
    }
    let backslashes = bytes[..at].iter().rev().take_while(|byte| **byte == b'\\').count();
    if backslashes % 2 == 0 { ESCAPE_BYTES } else { 0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_first_half_at_the_end_is_one() {
        assert_eq!(half_character(r"a\ud83d"), 6);
        assert_eq!(half_character(r"\uDBff"), 6);
        assert_eq!(half_character(r"\ude00"), 0);
        assert_eq!(half_character(r"\\ud83d"), 0);
        assert_eq!(half_character(r"\\\ud83d"), 6);
        assert_eq!(half_character("ud83d"), 0);
    }

    #[test]
    fn two_halves_are_one_character_and_a_lone_one_is_replaced() {
        let (mut halves, mut out) = (Halves::default(), Vec::new());
        assert_eq!(halves.text(TextOf::Answer, r#""a\ud83d""#, &mut out).as_deref(), Some("a"));
        assert_eq!(halves.text(TextOf::Answer, r#""\ude00b""#, &mut out).as_deref(), Some("😀b"));
        assert_eq!(halves.text(TextOf::Answer, r#""\ud83d""#, &mut out), None);
        assert_eq!(halves.text(TextOf::Answer, r#""\ud83d""#, &mut out).as_deref(), Some("\u{fffd}"));
        assert_eq!(out, []);
        assert_eq!(halves.text(TextOf::Call(1), r#""x\ud83d""#, &mut out).as_deref(), Some("x"));
        assert_eq!(out, [Event::Text("\u{fffd}".into())]);
        assert_eq!(halves.text(TextOf::Call(2), r#""y""#, &mut out).as_deref(), Some("y"));
        assert_eq!(halves.text(TextOf::Call(1), r#""\ude00""#, &mut out).as_deref(), Some("😀"));
        assert_eq!(halves.text(TextOf::Answer, "null", &mut out), None);
    }
}
