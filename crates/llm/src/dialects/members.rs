//! The members of an object, taken by name; what is left over is carried.

use std::fmt;

use toolwright_jsonrpc::Json;
use toolwright_jsonrpc::raw::{self, RawMember};

use crate::Failure;
use crate::form::{Arguments, Members};

/// Where in a request something stands. Written out only when something is wrong there.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Path<'p> {
    parent: Option<&'p Path<'p>>,
    step: Step<'p>,
}

#[derive(Clone, Copy, Debug)]
enum Step<'p> {
    Root,
    Member(&'p str),
    Item(usize),
}

impl Path<'_> {
    /// The request itself.
    pub(crate) const ROOT: Path<'static> = Path { parent: None, step: Step::Root };

    /// A member of what is here.
    pub(crate) fn member<'p>(&'p self, key: &'p str) -> Path<'p> {
        Path { parent: Some(self), step: Step::Member(key) }
    }

    /// An item of the list that is here.
    pub(crate) fn item(&self, at: usize) -> Path<'_> {
        Path { parent: Some(self), step: Step::Item(at) }
    }

    /// What is here is not what it must be.
    pub(crate) fn wrong(&self, why: impl fmt::Display) -> Failure {
        let at = self.to_string();
        if at.is_empty() {
            Failure::invalid(format!("The request {why}."))
        } else {
            Failure::invalid(format!("{at} {why}.")).about(at)
        }
    }
}

impl fmt::Display for Path<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(parent) = self.parent {
            parent.fmt(f)?;
        }
        match self.step {
            Step::Root => Ok(()),
            Step::Member(key) if self.parent.is_some_and(|parent| matches!(parent.step, Step::Root)) => {
                f.write_str(key)
            }
            Step::Member(key) => write!(f, ".{key}"),
            Step::Item(at) => write!(f, "[{at}]"),
        }
    }
}

/// The members of one object. A member that is `null` counts as absent; of keys that repeat the first counts.
#[derive(Debug)]
pub(crate) struct Fields<'a, 'p> {
    members: Vec<RawMember<'a>>,
    path: Path<'p>,
}

impl<'a, 'p> Fields<'a, 'p> {
    /// The members of the object that a text is.
    pub(crate) fn read(text: &'a str, path: Path<'p>) -> Result<Fields<'a, 'p>, Failure> {
        match raw::members(text) {
            Ok(members) => Ok(Fields { members, path }),
            Err(_) if raw::check(text).is_ok() => {
                Err(path.wrong(format!("must be an object, but is {}", kind(text))))
            }
            Err(error) => Err(path.wrong(format!("is no JSON that can be read: {error}"))),
        }
    }

    /// The members of an object of an answer; none of what is no object.
    pub(crate) fn lenient(text: &'a str) -> Fields<'a, 'static> {
        Fields { members: raw::members(text).unwrap_or_default(), path: Path::ROOT }
    }

    /// Takes the text of a value.
    pub(crate) fn take(&mut self, key: &str) -> Option<&'a str> {
        let mut found = None;
        self.members.retain(|member| {
            let is_meant = member.key == key;
            if is_meant && found.is_none() {
                found = Some(member.value);
            }
            !is_meant
        });
        found.filter(|value| *value != "null")
    }

    /// Looks at the text of a value and leaves it.
    pub(crate) fn peek(&self, key: &str) -> Option<&'a str> {
        let member = self.members.iter().find(|member| member.key == key)?;
        (member.value != "null").then_some(member.value)
    }

    /// Takes a string.
    pub(crate) fn text(&mut self, key: &str) -> Result<Option<String>, Failure> {
        let Some(value) = self.take(key) else { return Ok(None) };
        decode(value).map(Some).ok_or_else(|| self.mistaken(key, "a string", value))
    }

    /// Takes a string that must be there.
    pub(crate) fn needed_text(&mut self, key: &str) -> Result<String, Failure> {
        self.text(key)?.ok_or_else(|| self.path.member(key).wrong("is missing: it must be a string"))
    }

    /// Takes `true` or `false`.
    pub(crate) fn flag(&mut self, key: &str) -> Result<Option<bool>, Failure> {
        match self.take(key) {
            None => Ok(None),
            Some("true") => Ok(Some(true)),
            Some("false") => Ok(Some(false)),
            Some(other) => Err(self.mistaken(key, "true or false", other)),
        }
    }

    /// Takes a number as it is written.
    pub(crate) fn number(&mut self, key: &str) -> Result<Option<Json>, Failure> {
        let Some(value) = self.take(key) else { return Ok(None) };
        match Json::parse(value) {
            Ok(json) if raw::is_json_number(value) => Ok(Some(json)),
            _ => Err(self.mistaken(key, "a number", value)),
        }
    }

    /// Takes a whole number that is not negative.
    pub(crate) fn count(&mut self, key: &str) -> Result<Option<u64>, Failure> {
        let Some(value) = self.take(key) else { return Ok(None) };
        whole(value).map(Some).ok_or_else(|| self.mistaken(key, "a whole number of 0 or more", value))
    }

    /// Takes the items of a list.
    pub(crate) fn list(&mut self, key: &str) -> Result<Option<Vec<&'a str>>, Failure> {
        let Some(value) = self.take(key) else { return Ok(None) };
        raw::items(value).map(Some).map_err(|_| self.mistaken(key, "a list", value))
    }

    /// Takes an object.
    pub(crate) fn object(&mut self, key: &str) -> Result<Option<Json>, Failure> {
        let Some(value) = self.take(key) else { return Ok(None) };
        match Json::parse(value) {
            Ok(json) if value.starts_with('{') => Ok(Some(json)),
            _ => Err(self.mistaken(key, "an object", value)),
        }
    }

    /// What nobody took.
    pub(crate) fn rest(self) -> Members {
        self.members.iter().map(|member| (member.key.clone().into_owned(), member.to_json())).collect()
    }

    /// A member that is not what it must be.
    pub(crate) fn mistaken(&self, key: &str, must_be: &str, value: &str) -> Failure {
        self.path.member(key).wrong(format!("must be {must_be}, but is {}", kind(value)))
    }
}

/// What a value is, for messages.
pub(crate) fn kind(value: &str) -> &'static str {
    match value.trim_start_matches([' ', '\n', '\r', '\t']).as_bytes().first() {
        Some(b'{') => "an object",
        Some(b'[') => "a list",
        Some(b'"') => "a string",
        Some(b't' | b'f') => "a boolean",
        Some(b'n') => "null",
        Some(_) => "a number",
        None => "nothing",
    }
}

/// The text of a value that is a string.
pub(crate) fn decode(value: &str) -> Option<String> {
    let inner = value.strip_prefix('"')?.strip_suffix('"')?;
    Some(raw::Str::from_escaped(inner).decode().into_owned())
}

/// A whole number, also one that is written `16.0` as some libraries do.
pub(crate) fn whole(value: &str) -> Option<u64> {
    let digits = match value.split_once('.') {
        Some((digits, zeros)) if zeros.bytes().all(|byte| byte == b'0') => digits,
        Some(_) => return None,
        None => value,
    };
    digits.parse().ok()
}

/// The arguments of a call, which stand as an object or as a string of one. None, or an empty string, are `{}`.
pub(crate) fn arguments(value: Option<&str>) -> Arguments {
    let Some(value) = value else { return Arguments::Object(Json::empty_object()) };
    match decode(value) {
        Some(text) => arguments_of_text(text),
        None => match Json::parse(value) {
            Ok(json) if value.starts_with('{') => Arguments::Object(json),
            _ => Arguments::Text(value.to_owned()),
        },
    }
}

/// The arguments of a call that are the text of an object, or should be.
pub(crate) fn arguments_of_text(text: String) -> Arguments {
    if text.trim().is_empty() {
        return Arguments::Object(Json::empty_object());
    }
    match Json::parse(&text) {
        Ok(json) if json.as_str().starts_with('{') => Arguments::Object(json),
        _ => Arguments::Text(text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mistake_says_where_it_is() {
        let input = Path::ROOT.member("input");
        let third = input.item(3);
        let mut fields = Fields::read(r#"{"role": 7, "n": -1, "x": null}"#, third).unwrap();
        let failure = fields.text("role").unwrap_err();
        assert_eq!(failure.message, "input[3].role must be a string, but is a number.");
        assert_eq!(failure.param.as_deref(), Some("input[3].role"));
        assert_eq!(
            fields.count("n").unwrap_err().message,
            "input[3].n must be a whole number of 0 or more, but is a number."
        );
        assert_eq!(fields.text("x"), Ok(None));
        assert!(fields.rest().is_empty());
        assert_eq!(
            Fields::read("[1]", Path::ROOT).unwrap_err().message,
            "The request must be an object, but is a list."
        );
        assert!(Fields::read("{", Path::ROOT).unwrap_err().message.starts_with("The request is no JSON"));
    }

    #[test]
    fn what_nobody_took_is_left_over_as_it_stood() {
        let mut fields = Fields::read(r#"{"a":"x","b": [ 1.0 ],"a":2,"c":3.0}"#, Path::ROOT).unwrap();
        assert_eq!(fields.text("a"), Ok(Some("x".to_owned())));
        assert_eq!(fields.count("c"), Ok(Some(3)));
        assert_eq!(fields.rest(), [("b".to_owned(), Json::parse("[ 1.0 ]").unwrap())]);
    }
}
