//! Writer for an object, member by member, from JSON that is already parsed.

use crate::Json;
use crate::json::push_member;
use crate::raw::{self, RawMember};

/// An object that is being written. Its members are already parsed, so it is not validated again.
#[derive(Debug)]
pub struct ObjectWriter(String);

impl ObjectWriter {
    /// Starts an object of about `bytes` bytes.
    pub fn with_capacity(bytes: usize) -> ObjectWriter {
        let mut out = String::with_capacity(bytes + 2);
        out.push('{');
        ObjectWriter(out)
    }

    /// Writes a value.
    pub fn value(&mut self, key: &str, value: &Json) {
        push_member(&mut self.0, key, value.as_str());
    }

    /// Writes a member of another object unchanged.
    pub fn member(&mut self, member: &RawMember<'_>) {
        debug_assert!(raw::check(member.value).is_ok(), "{} is no JSON", member.value);
        push_member(&mut self.0, &member.key, member.value);
    }

    /// Writes a string.
    pub fn text(&mut self, key: &str, text: &str) {
        push_member(&mut self.0, key, &raw::quote(text));
    }

    /// Writes an array of values.
    pub fn list(&mut self, key: &str, items: impl IntoIterator<Item = Json>) {
        push_member(&mut self.0, key, "[");
        for (at, item) in items.into_iter().enumerate() {
            if at > 0 {
                self.0.push(',');
            }
            self.0.push_str(item.as_str());
        }
        self.0.push(']');
    }

    /// Writes an integer.
    pub fn number(&mut self, key: &str, number: u64) {
        push_member(&mut self.0, key, &number.to_string());
    }

    /// Whether no member was written yet.
    pub fn is_empty(&self) -> bool {
        self.0.len() == 1
    }

    /// The object.
    pub fn finish(mut self) -> Json {
        self.0.push('}');
        Json::scanned(&self.0)
    }
}

impl Default for ObjectWriter {
    fn default() -> Self {
        ObjectWriter::with_capacity(62)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_are_written_in_order_unchanged() {
        let mut object = ObjectWriter::default();
        assert!(object.is_empty());
        object.text("a\"", "ä\n");
        object.number("n", u64::MAX);
        let other = Json::parse(r#"{"x\u0020": [ 1.0 ]}"#).expect("JSON");
        for member in other.members().expect("an object") {
            object.member(&member);
        }
        object.list("none", []);
        object.list("two", [Json::yes(), Json::text("b")]);
        object.value("other", &other);
        assert!(!object.is_empty());
        let whole = object.finish();
        let expected = r#"{"a\"":"ä\n","n":18446744073709551615,"x ":[ 1.0 ],"none":[],"two":[true,"b"],"other":{"x\u0020": [ 1.0 ]}}"#;
        assert_eq!(whole.as_str(), expected);
        assert_eq!(Json::parse(whole.as_str()).as_ref(), Ok(&whole));
        assert_eq!(ObjectWriter::default().finish(), Json::empty_object());
    }
}
