//! One JSON value as the text it was sent as.

use std::fmt;
use std::sync::Arc;

use crate::raw::{self, ParseError, RawMember};

/// The text of one JSON value, checked to be strict JSON. Cheap to clone.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Json(Arc<str>);

impl Json {
    /// Parses a text that is one JSON value; surrounding white space is dropped.
    pub fn parse(text: &str) -> Result<Json, ParseError> {
        raw::check(text).map(|()| Json(text.trim_matches([' ', '\n', '\r', '\t']).into()))
    }

    /// A string.
    pub fn text(text: &str) -> Json {
        Json(raw::quote(text).into())
    }

    /// `{}`
    pub fn empty_object() -> Json {
        Json("{}".into())
    }

    /// `true`
    pub fn yes() -> Json {
        Json("true".into())
    }

    /// A list of strings.
    pub fn texts<T: AsRef<str>>(texts: &[T]) -> Json {
        let quoted: Vec<String> = texts.iter().map(|text| raw::quote(text.as_ref())).collect();
        Json(format!("[{}]", quoted.join(",")).into())
    }

    /// A list of values.
    pub fn list<'j>(items: impl IntoIterator<Item = &'j Json>) -> Json {
        let mut out = String::from("[");
        for item in items {
            if out.len() > 1 {
                out.push(',');
            }
            out.push_str(&item.0);
        }
        out.push(']');
        Json(out.into())
    }

    /// Text that the scanner has already validated.
    pub(crate) fn scanned(text: &str) -> Json {
        Json(text.into())
    }

    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The members, when the value is an object.
    pub fn members(&self) -> Option<Vec<RawMember<'_>>> {
        raw::members(&self.0).ok()
    }

    /// The value of a member, if the value is an object that has it. If a key repeats, the first one counts.
    pub fn get(&self, key: &str) -> Option<Json> {
        raw::find(&self.0, key).map(Json::scanned)
    }

    /// The value of a member that is a string.
    pub fn get_text(&self, key: &str) -> Option<String> {
        decoded(raw::find(&self.0, key)?)
    }

    /// The items, when the value is a list.
    pub fn items(&self) -> Option<Vec<Json>> {
        Some(raw::items(&self.0).ok()?.into_iter().map(Json::scanned).collect())
    }

    /// The decoded text, when the value is a string.
    pub fn to_text(&self) -> Option<String> {
        decoded(&self.0)
    }

    /// Returns the object with one member replaced, or appended. Everything else keeps its text.
    /// A value that is not an object is returned unchanged.
    pub fn with(&self, key: &str, value: &Json) -> Json {
        let Some(members) = self.members() else { return self.clone() };
        let mut out = String::with_capacity(self.0.len() + key.len() + value.0.len() + 8);
        out.push('{');
        let mut is_there = false;
        for member in &members {
            let is_match = member.key == key;
            // A repeated key is written once.
            if is_match && is_there {
                continue;
            }
            is_there |= is_match;
            push_member(&mut out, &member.key, if is_match { &value.0 } else { member.value });
        }
        if !is_there {
            push_member(&mut out, key, &value.0);
        }
        out.push('}');
        Json(out.into())
    }

    /// Returns the object with another value for a member that it has. Every other byte stays the same,
    /// white space included.
    pub fn replaced(&self, key: &str, value: &Json) -> Json {
        let Some(before) = raw::find(&self.0, key) else { return self.clone() };
        // `before` is a slice of this text, so the difference of the pointers is its offset.
        let start = before.as_ptr() as usize - self.0.as_ptr() as usize;
        let end = start + before.len();
        Json([&self.0[..start], &value.0, &self.0[end..]].concat().into())
    }

    /// Returns the object without a member.
    pub fn without(&self, key: &str) -> Json {
        let Some(members) = self.members().filter(|members| members.iter().any(|member| member.key == key))
        else {
            return self.clone();
        };
        let mut out = String::with_capacity(self.0.len());
        out.push('{');
        for member in members.iter().filter(|member| member.key != key) {
            push_member(&mut out, &member.key, member.value);
        }
        out.push('}');
        Json(out.into())
    }
}

fn decoded(text: &str) -> Option<String> {
    let inner = text.strip_prefix('"')?.strip_suffix('"')?;
    Some(raw::Str::from_escaped(inner).decode().into_owned())
}

impl RawMember<'_> {
    /// The value, to be stored beyond the lifetime of the text.
    pub fn to_json(&self) -> Json {
        Json::scanned(self.value)
    }
}

/// Appends a member and the comma before it.
pub(crate) fn push_member(out: &mut String, key: &str, value: &str) {
    if !out.ends_with('{') {
        out.push(',');
    }
    raw::write_quoted(key, out);
    out.push(':');
    out.push_str(value);
}

impl fmt::Debug for Json {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Display for Json {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn json(text: &str) -> Json {
        Json::parse(text).unwrap()
    }

    #[test]
    fn replaced_changes_only_its_member() {
        let object = json(r#"{ "b" : 1.0 ,"name": "x\u0020" , "c":[ ] }"#);
        assert_eq!(
            object.replaced("name", &Json::text("y")).as_str(),
            r#"{ "b" : 1.0 ,"name": "y" , "c":[ ] }"#
        );
        assert_eq!(object.replaced("d", &Json::yes()), object);
        assert_eq!(Json::list(&[json("1.0"), Json::text("a")]).as_str(), r#"[1.0,"a"]"#);
        assert_eq!(Json::list(&[]).as_str(), "[]");
    }

    #[test]
    fn get_finds_first_member_by_decoded_key() {
        let object = json(r#"{ "\u0061" : "\u00e4" ,"b":[1, {"c":2}], "b":3,"":0}"#);
        assert_eq!(object.get_text("a").as_deref(), Some("ä"));
        assert_eq!(object.get("b"), Some(json(r#"[1, {"c":2}]"#)));
        assert_eq!(object.get(""), Some(json("0")));
        assert_eq!(object.get("c"), None);
        assert_eq!(object.get_text("b"), None);
        assert_eq!((json("{}").get("a"), json("[1]").get("a"), json("\"a\"").get("a")), (None, None, None));
    }

    #[test]
    fn a_value_keeps_its_text() {
        for text in ["1.0", r#"{"b" : 12345678901234567890123, "a": "\u00e4"}"#, "null", "[]"] {
            assert_eq!(json(&format!(" {text}\n")).as_str(), text);
        }
        assert!(Json::parse("{a: 1}").is_err());
    }

    #[test]
    fn with_keeps_other_members_unchanged() {
        let value = json(r#"{"b": 1.0, "a" : [ 2 ]}"#);
        assert_eq!(value.with("b", &json("3")).as_str(), r#"{"b":3,"a":[ 2 ]}"#);
        assert_eq!(value.with("c", &Json::text("ä\"")).as_str(), r#"{"b":1.0,"a":[ 2 ],"c":"ä\""}"#);
        assert_eq!(value.without("b").as_str(), r#"{"a":[ 2 ]}"#);
        assert_eq!(value.without("x"), value);
        assert_eq!(json("[1]").with("a", &json("2")).as_str(), "[1]");
        assert_eq!(json("{}").with("a", &json("2")).as_str(), r#"{"a":2}"#);
    }

    #[test]
    fn members_are_found_by_their_decoded_key() {
        let value = json(r#"{"\u0061": "x\ny", "list": [1, "b"]}"#);
        assert_eq!(value.get_text("a").as_deref(), Some("x\ny"));
        assert_eq!(value.get("list").unwrap().items().unwrap(), [json("1"), json("\"b\"")]);
        assert_eq!(value.get("b"), None);
    }
}
