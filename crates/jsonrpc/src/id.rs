//! Request ids: a peer's ids as it wrote them, Toolwright's ids as numbers that are never reused.

use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::Json;

/// Integers below 2^53 are exact in an `f64`.
const EXACT: f64 = 9_007_199_254_740_992.0;

/// The id of a request and its response: a number or a string, as its sender wrote it.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Id(Json);

impl Id {
    /// An id minted by Toolwright.
    pub fn number(number: u64) -> Id {
        Id(Json::scanned(&number.to_string()))
    }

    /// The id in a JSON value: any number or string.
    pub fn from_json(value: Json) -> Option<Id> {
        value.as_str().starts_with(|first: char| matches!(first, '"' | '-' | '0'..='9')).then_some(Id(value))
    }

    /// The text of the value.
    pub fn as_json(&self) -> &Json {
        &self.0
    }

    /// The minted number that a response refers to. Some servers return it as a string, a fraction or with an exponent.
    pub fn to_number(&self) -> Option<u64> {
        let text = self.0.to_text();
        if text.is_none() && self.0.as_str().contains(['e', 'E']) {
            let number: f64 = self.0.as_str().parse().ok()?;
            let is_whole = number.fract() == 0.0 && (0.0..EXACT).contains(&number);
            #[allow(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "whole and within bounds"
            )]
            return is_whole.then_some(number as u64);
        }
        let text = text.as_deref().unwrap_or(self.0.as_str()).trim();
        let whole = text.split_once('.').filter(|(_, zeros)| zeros.bytes().all(|byte| byte == b'0'));
        let digits = whole.map_or(text, |(digits, _)| digits);
        if digits.starts_with('+') {
            return None;
        }
        digits.parse().ok()
    }
}

impl fmt::Debug for Id {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)
    }
}

impl fmt::Display for Id {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)
    }
}

/// Mints the ids of one connection: 1, 2, 3 and so on.
#[derive(Debug, Default)]
pub struct MintedIds(AtomicU64);

impl MintedIds {
    /// The next id.
    pub fn mint(&self) -> u64 {
        self.0.fetch_add(1, Ordering::Relaxed) + 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id(text: &str) -> Option<Id> {
        Id::from_json(Json::parse(text).unwrap())
    }

    #[test]
    fn ids_are_numbers_and_strings() {
        for text in ["1", "-7", "9007199254740993", "1.5", "\"a\"", "\"\""] {
            assert_eq!(id(text).unwrap().to_string(), text);
        }
        for text in ["null", "true", "[1]", "{}"] {
            assert_eq!(id(text), None);
        }
    }

    #[test]
    fn response_id_matches_in_any_notation() {
        for (text, number) in [
            ("5", Some(5)),
            ("\"5\"", Some(5)),
            ("5.0", Some(5)),
            ("5e0", Some(5)),
            ("0.5E1", Some(5)),
            ("5e-1", None),
            ("5e300", None),
            ("\"5e0\"", None),
            ("5.5", None),
            ("\"five\"", None),
            ("\"+5\"", None),
            ("-5", None),
            ("\"\"", None),
        ] {
            assert_eq!(id(text).unwrap().to_number(), number, "{text}");
        }
    }

    #[test]
    fn minted_ids_differ() {
        let ids = MintedIds::default();
        assert_eq!([ids.mint(), ids.mint(), ids.mint()], [1, 2, 3]);
    }
}
