//! The parameters of a request: what was given, and what is wrong with it.

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};

use super::moment;
use crate::refusal::Refusal;

/// The longest value, in bytes.
const MAX_VALUE: usize = 1_000;
/// The most parameters.
const MAX_PARAMETERS: usize = 32;
/// What stays as it is in a link.
const KEPT: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'_').remove(b'.').remove(b'~');

/// What stands behind the `?`.
#[derive(Debug)]
pub(super) struct Query(Vec<(String, String)>);

impl Query {
    pub fn read(text: &str) -> Result<Query, Refusal> {
        let mut given: Vec<(String, String)> = Vec::new();
        for part in text.split('&').filter(|part| !part.is_empty()) {
            let (name, value) = part.split_once('=').unwrap_or((part, ""));
            let (Some(name), Some(value)) = (decoded(name), decoded(value)) else {
                return Err(Refusal::parameter(part, "it is no text", "write it as UTF-8, percent-encoded"));
            };
            if value.len() > MAX_VALUE || name.len() > MAX_VALUE || given.len() >= MAX_PARAMETERS {
                let why =
                    format!("more than {MAX_VALUE} bytes in one or {MAX_PARAMETERS} in all are not read");
                return Err(Refusal::parameter(&name[..name.floor_char_boundary(80)], &why, "ask for less"));
            }
            if given.iter().any(|(known, _)| *known == name) {
                return Err(Refusal::parameter(&name, "it is there twice", "leave one out"));
            }
            given.push((name, value));
        }
        Ok(Query(given))
    }

    /// Only these are known. Others are mistakes that would be overlooked.
    pub fn allow(&self, known: &[&str]) -> Result<(), Refusal> {
        match self.0.iter().find(|(name, _)| !known.contains(&name.as_str())) {
            None => Ok(()),
            Some((name, _)) if known.is_empty() => {
                Err(Refusal::parameter(name, "it is not known here", "leave it out: there are none"))
            }
            Some((name, _)) => {
                let fix = format!("there are {}", known.join(", "));
                Err(Refusal::parameter(name, "it is not known here", &fix))
            }
        }
    }

    /// A parameter that is not empty.
    pub fn text(&self, name: &str) -> Option<&str> {
        self.0
            .iter()
            .find(|(known, value)| known == name && !value.is_empty())
            .map(|(_, value)| value.as_str())
    }

    /// A number from 1 on.
    pub fn number(&self, name: &str, usual: usize, most: usize) -> Result<usize, Refusal> {
        let Some(text) = self.text(name) else { return Ok(usual) };
        let number = text.parse().ok().filter(|number| (1..=most).contains(number));
        number.ok_or_else(|| {
            let why = format!("\"{text}\" is no number from 1 to {most}");
            Refusal::parameter(name, &why, &format!("give one, or leave it out for {usual}"))
        })
    }

    /// A moment in microseconds since 1970. `now` is what spans are counted back from.
    pub fn moment(&self, name: &str, now: i64) -> Result<Option<i64>, Refusal> {
        let Some(text) = self.text(name) else { return Ok(None) };
        moment::read(text, now).map(Some).ok_or_else(|| {
            let why = format!("\"{text}\" is no moment");
            Refusal::parameter(
                name,
                &why,
                "write 2026-03-16T09:00:00Z, or a span back from now such as 15m, 24h or 7d",
            )
        })
    }

    /// One of these words.
    pub fn word<T: Copy>(&self, name: &str, words: &[(&str, T)], usual: T) -> Result<T, Refusal> {
        let Some(text) = self.text(name) else { return Ok(usual) };
        words.iter().find(|(word, _)| *word == text).map(|(_, meaning)| *meaning).ok_or_else(|| {
            let there: Vec<&str> = words.iter().map(|(word, _)| *word).collect();
            Refusal::parameter(
                name,
                &format!("\"{text}\" is not known"),
                &format!("use {}", there.join(", ")),
            )
        })
    }

    /// The same with another value for one of them, to be put behind a `?`.
    pub fn with(&self, name: &str, value: &str) -> String {
        let others = self.0.iter().filter(|(known, _)| known != name);
        let pairs = others.map(|(name, value)| (name.as_str(), value.as_str())).chain([(name, value)]);
        let encoded = pairs.map(|(name, value)| {
            format!("{}={}", utf8_percent_encode(name, KEPT), utf8_percent_encode(value, KEPT))
        });
        encoded.collect::<Vec<_>>().join("&")
    }
}

fn decoded(text: &str) -> Option<String> {
    let text = text.replace('+', " ");
    percent_decode_str(&text).decode_utf8().ok().map(std::borrow::Cow::into_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_are_read_as_forms_and_links_write_them() {
        let query = Query::read("q=a+b%26c&limit=5&empty=&tool=b%C3%BCro").expect("parameters");
        assert_eq!(
            (query.text("q"), query.text("empty"), query.text("tool")),
            (Some("a b&c"), None, Some("büro"))
        );
        assert_eq!(query.number("limit", 100, 1_000), Ok(5));
        assert_eq!(query.number("other", 100, 1_000), Ok(100));
        let link = query.with("cursor", "i-7");
        assert_eq!(link, "q=a%20b%26c&limit=5&empty=&tool=b%C3%BCro&cursor=i-7");
        assert_eq!(Query::read(&link).expect("parameters").text("q"), Some("a b&c"));
    }

    #[test]
    fn what_is_wrong_is_named() {
        let said = |refusal: Refusal| (refusal.status.as_u16(), refusal.message);
        let read = |text: &str| Query::read(text).expect("parameters");
        for (refusal, part) in [
            (Query::read("a=%FF").expect_err("no text"), "it is no text"),
            (Query::read("a=1&a=2").expect_err("twice"), "\"a\": it is there twice"),
            (Query::read(&format!("a={}", "x".repeat(1_001))).expect_err("long"), "more than 1000 bytes"),
            (read("limt=1").allow(&["limit", "q"]).expect_err("unknown"), "there are limit, q"),
            (read("x").allow(&[]).expect_err("unknown"), "there are none"),
            (read("limit=0").number("limit", 1, 9).expect_err("zero"), "\"0\" is no number from 1 to 9"),
            (read("since=soon").moment("since", 0).expect_err("no moment"), "15m, 24h or 7d"),
            (read("w=c").word("w", &[("a", 1), ("b", 2)], 1).expect_err("no word"), "use a, b"),
        ] {
            let (status, message) = said(refusal);
            assert!(status == 400 && message.contains(part), "{message}");
        }
    }
}
