//! Objects that are read member by member, with the place of each for messages.

use std::fmt;

use toolwright_jsonrpc::raw::{self, RawMember};
use toolwright_jsonrpc::{Json, ObjectWriter};

use crate::Failure;
use crate::form::{Arguments, Members};

/// The longest number that a message shows.
const MOST_SHOWN: usize = 40;

/// Where a value stands in a body.
#[derive(Clone, Copy)]
pub(crate) enum Path<'p> {
    /// The whole body.
    Body,
    /// A member of the object there.
    Member(&'p Path<'p>, &'p str),
    /// An item of the list there.
    Item(&'p Path<'p>, usize),
}

impl<'p> Path<'p> {
    /// A member of what is here.
    pub(crate) fn member(&'p self, key: &'p str) -> Path<'p> {
        Path::Member(self, key)
    }

    /// An item of what is here.
    pub(crate) fn item(&'p self, at: usize) -> Path<'p> {
        Path::Item(self, at)
    }

    /// The failure of a request whose value here is not as it has to be.
    pub(crate) fn wrong(&self, wanted: &str, found: &str) -> Failure {
        self.mismatch(wanted, kind(found))
    }

    /// The failure of a request whose value here has to be a whole number. The number itself is shown, if it is one.
    fn not_whole(&self, found: &str) -> Failure {
        let is_number = raw::is_json_number(found) && found.len() <= MOST_SHOWN;
        self.mismatch("a whole number", if is_number { found } else { kind(found) })
    }

    fn mismatch(&self, wanted: &str, is: &str) -> Failure {
        Failure::invalid(format!("{self} has to be {wanted}, but it is {is}")).about(self.to_string())
    }
}

impl Path<'_> {
    /// The failure of a request that is wrong here in another way.
    pub(crate) fn fault(&self, why: impl fmt::Display) -> Failure {
        Failure::invalid(format!("{self} {why}")).about(self.to_string())
    }
}

impl fmt::Display for Path<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Path::Body => f.write_str("the body"),
            Path::Member(Path::Body, key) => f.write_str(key),
            Path::Member(parent, key) => write!(f, "{parent}.{key}"),
            Path::Item(parent, at) => write!(f, "{parent}[{at}]"),
        }
    }
}

/// What a value is, for messages.
fn kind(value: &str) -> &'static str {
    match value.trim_start().as_bytes().first() {
        Some(b'{') => "an object",
        Some(b'[') => "a list",
        Some(b'"') => "a string",
        Some(b't' | b'f') => "a boolean",
        Some(b'n') => "null",
        Some(_) => "a number",
        None => "missing",
    }
}

/// The members of one object, taken out one after the other. A member that is `null` is as one that is missing.
pub(crate) struct Fields<'a, 'p> {
    path: Path<'p>,
    members: Vec<RawMember<'a>>,
}

impl<'a, 'p> Fields<'a, 'p> {
    /// Reads an object.
    pub(crate) fn read(text: &'a str, path: Path<'p>) -> Result<Self, Failure> {
        match raw::members(text) {
            Ok(members) => Ok(Fields { path, members }),
            Err(error) if raw::check(text).is_err() => Err(Failure::invalid(format!(
                "{path} is not JSON that can be read: {error}. Send one JSON object."
            ))),
            Err(_) => Err(path.wrong("an object", text)),
        }
    }

    /// Reads an object that may be none: then it has no members.
    pub(crate) fn lenient(text: &'a str) -> Self {
        Fields { path: Path::Body, members: raw::members(text).unwrap_or_default() }
    }

    /// Where the object stands.
    pub(crate) fn path(&self) -> Path<'p> {
        self.path
    }

    /// The value of a member, without taking it out.
    pub(crate) fn peek(&self, key: &str) -> Option<&'a str> {
        let value = self.members.iter().find(|member| member.key == key)?.value;
        (value != "null").then_some(value)
    }

    /// Takes a member out. Of keys that repeat the first counts.
    pub(crate) fn take(&mut self, key: &str) -> Option<&'a str> {
        let at = self.members.iter().position(|member| member.key == key)?;
        let value = self.members.remove(at).value;
        self.members.retain(|member| member.key != key);
        (value != "null").then_some(value)
    }

    /// Takes out a member that is a string.
    pub(crate) fn text(&mut self, key: &str) -> Result<Option<String>, Failure> {
        let Some(value) = self.take(key) else { return Ok(None) };
        match decoded(value) {
            Some(text) => Ok(Some(text)),
            None => Err(self.path.member(key).wrong("a string", value)),
        }
    }

    /// Takes out a member that is a string and has to be there.
    pub(crate) fn needed_text(&mut self, key: &str) -> Result<String, Failure> {
        self.text(key)?.ok_or_else(|| self.path.member(key).wrong("a string", ""))
    }

    /// Takes out a member that is a whole number.
    pub(crate) fn count(&mut self, key: &str) -> Result<Option<u64>, Failure> {
        let Some(value) = self.take(key) else { return Ok(None) };
        match count(value) {
            Some(number) => Ok(Some(number)),
            None => Err(self.path.member(key).not_whole(value)),
        }
    }

    /// Takes out a member that is a number, as it was written.
    pub(crate) fn number(&mut self, key: &str) -> Result<Option<Json>, Failure> {
        let Some(value) = self.take(key) else { return Ok(None) };
        match Json::parse(value) {
            Ok(json) if raw::is_json_number(value) => Ok(Some(json)),
            _ => Err(self.path.member(key).wrong("a number", value)),
        }
    }

    /// Takes out a member that is true or false.
    pub(crate) fn flag(&mut self, key: &str) -> Result<Option<bool>, Failure> {
        match self.take(key) {
            None => Ok(None),
            Some("true") => Ok(Some(true)),
            Some("false") => Ok(Some(false)),
            Some(value) => Err(self.path.member(key).wrong("true or false", value)),
        }
    }

    /// Takes out a member that is a list.
    pub(crate) fn list(&mut self, key: &str) -> Result<Option<Vec<&'a str>>, Failure> {
        let Some(value) = self.take(key) else { return Ok(None) };
        match raw::items(value) {
            Ok(items) => Ok(Some(items)),
            Err(_) => Err(self.path.member(key).wrong("a list", value)),
        }
    }

    /// Takes out a member that is an object.
    pub(crate) fn object(&mut self, key: &str) -> Result<Option<Json>, Failure> {
        let Some(value) = self.take(key) else { return Ok(None) };
        match Json::parse(value) {
            Ok(json) if value.starts_with('{') => Ok(Some(json)),
            _ => Err(self.path.member(key).wrong("an object", value)),
        }
    }

    /// What nobody took.
    pub(crate) fn rest(self) -> Members {
        self.members.into_iter().map(|member| (member.key.to_string(), member.to_json())).collect()
    }

    /// What nobody took, as an object; nothing where that is nothing.
    pub(crate) fn rest_object(self) -> Option<Json> {
        let mut object = ObjectWriter::default();
        self.members.iter().for_each(|member| object.member(member));
        (!object.is_empty()).then(|| object.finish())
    }
}

/// The text that a string stands for.
pub(crate) fn decoded(value: &str) -> Option<String> {
    let inner = value.strip_prefix('"')?.strip_suffix('"')?;
    Some(raw::Str::from_escaped(inner).decode().into_owned())
}

/// A whole number, also one that is written `100.0`.
pub(crate) fn count(value: &str) -> Option<u64> {
    value.parse().ok().or_else(|| raw::Number::parse(value)?.to_string().parse().ok())
}

/// The arguments of a call, which stand as an object or as the text of one. Nothing means none.
pub(crate) fn arguments(value: Option<&str>) -> Arguments {
    let Some(value) = value else { return Arguments::read("") };
    Arguments::read(&decoded(value).unwrap_or_else(|| value.to_owned()))
}

/// The list of texts, or the one text, that a value is.
pub(crate) fn texts(value: &str, path: &Path<'_>) -> Result<Vec<String>, Failure> {
    if let Some(text) = decoded(value) {
        return Ok(vec![text]);
    }
    let items = raw::items(value).map_err(|_| path.wrong("a string or a list of strings", value))?;
    let one = |(at, item)| decoded(item).ok_or_else(|| path.item(at).wrong("a string", item));
    items.into_iter().enumerate().map(one).collect()
}

/// Writes what was carried.
pub(crate) fn write_members(object: &mut ObjectWriter, members: &Members) {
    members.iter().for_each(|(key, value)| object.value(key, value));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failure_says_what_where_and_why() {
        let body = Path::Body;
        let (messages, third) = (body.member("messages"), 3);
        let item = messages.item(third);
        let mut fields = Fields::read(r#"{"text": 5, "n": null}"#, item).unwrap_or_else(|_| panic!());
        assert_eq!(fields.text("n"), Ok(None));
        let failure = fields.text("text").unwrap_err();
        assert_eq!(failure.message, "messages[3].text has to be a string, but it is a number");
        assert_eq!(failure.param.as_deref(), Some("messages[3].text"));
    }

    #[test]
    fn whole_numbers_have_more_than_one_form() {
        assert_eq!((count("100"), count("1e2"), count("100.0")), (Some(100), Some(100), Some(100)));
        assert_eq!((count("1.5"), count("-1"), count("\"1\"")), (None, None, None));
    }
}
