//! What the frames of every dialect tell alike: texts, numbers, and what is wrong with them.

use std::borrow::Cow;

use toolwright_jsonrpc::raw::Str;

use crate::{Failure, FailureKind};

/// The most characters of a frame that an error quotes.
const QUOTED_CHARS: usize = 200;

/// The decoded text, when a value is a string.
pub(crate) fn text(value: &str) -> Option<Cow<'_, str>> {
    let inner = value.strip_prefix('"')?.strip_suffix('"')?;
    Some(Str::from_escaped(inner).decode())
}

/// The same, when it says anything.
pub(crate) fn some_text(value: &str) -> Option<Cow<'_, str>> {
    text(value).filter(|text| !text.is_empty())
}

/// The whole number that a value is. What stands behind a decimal point is left out.
pub(crate) fn number(value: &str) -> Option<u64> {
    let whole = value.split_once('.').map_or(value, |(whole, _)| whole);
    whole.parse().ok()
}

/// A stream that ended before it should.
pub(crate) fn cut_off(missing: &str) -> Failure {
    let message = format!(
        "The upstream ended the stream too early: {missing}. What was sent so far is not a whole answer; send the request again."
    );
    Failure::new(FailureKind::Api, message).with_status(502)
}

/// A frame that is no JSON.
pub(crate) fn not_json(data: &str) -> Failure {
    let mut quoted: String = data.chars().take(QUOTED_CHARS).collect();
    if quoted.len() < data.len() {
        quoted.push('…');
    }
    let message = format!("The upstream sent an event that is not JSON: {quoted}");
    Failure::new(FailureKind::Api, message).with_status(502)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_as_they_are_written() {
        assert_eq!(number("18446744073709551615"), Some(u64::MAX));
        assert_eq!(number("1712345678.25"), Some(1_712_345_678));
        for none in ["null", "\"1\"", "-1", "1e3", ""] {
            assert_eq!(number(none), None, "{none}");
        }
    }
}
