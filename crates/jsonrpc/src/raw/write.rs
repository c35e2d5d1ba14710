//! Serialization of a tree: untouched values as their source bytes, edited ones rewritten.

use super::cursor::plain_run;
use super::{Kind, Member, Node};

impl Node<'_> {
    /// Appends the value's JSON text.
    pub fn write(&self, out: &mut String) {
        if let Some(source) = self.source() {
            out.push_str(source);
            return;
        }
        match self.kind {
            Kind::Null => out.push_str("null"),
            Kind::Bool(true) => out.push_str("true"),
            Kind::Bool(false) => out.push_str("false"),
            Kind::Number(text) => out.push_str(text),
            Kind::String(text) => {
                out.push('"');
                out.push_str(text.raw());
                out.push('"');
            }
            Kind::Array(items) => {
                out.push('[');
                for (index, item) in items.iter().enumerate() {
                    if index > 0 {
                        out.push(',');
                    }
                    item.write(out);
                }
                out.push(']');
            }
            Kind::Object(members) => {
                out.push('{');
                for (index, member) in members.iter().enumerate() {
                    if index > 0 {
                        out.push(',');
                    }
                    member.write_key(out);
                    member.value.write(out);
                }
                out.push('}');
            }
        }
    }

    /// Appends about as much of the value's JSON text as the limit allows. Returns false if text is left.
    pub fn write_at_most(&self, out: &mut String, limit: usize) -> bool {
        if let Some(source) = self.source() {
            let mut end = source.len().min((limit + 4).saturating_sub(out.len()));
            while !source.is_char_boundary(end) {
                end -= 1;
            }
            out.push_str(&source[..end]);
            return end == source.len() && out.len() <= limit;
        }
        match self.kind {
            Kind::Array(items) => {
                for (index, item) in items.iter().enumerate() {
                    out.push(if index == 0 { '[' } else { ',' });
                    if !item.write_at_most(out, limit) {
                        return false;
                    }
                }
                out.push_str(if items.is_empty() { "[]" } else { "]" });
            }
            Kind::Object(members) => {
                for (index, member) in members.iter().enumerate() {
                    out.push(if index == 0 { '{' } else { ',' });
                    member.write_key(out);
                    if !member.value.write_at_most(out, limit) {
                        return false;
                    }
                }
                out.push_str(if members.is_empty() { "{}" } else { "}" });
            }
            Kind::String(text) if text.raw().len() > limit => {
                let mut end = limit;
                while !text.raw().is_char_boundary(end) {
                    end -= 1;
                }
                out.push('"');
                out.push_str(&text.raw()[..end]);
                return false;
            }
            _ => self.write(out),
        }
        out.len() <= limit
    }

    /// The value's JSON text.
    pub fn to_json(&self) -> String {
        let mut out = String::with_capacity(self.source().map_or(128, str::len));
        self.write(&mut out);
        out
    }
}

impl Member<'_> {
    /// Appends the key with its quotes and colon.
    fn write_key(&self, out: &mut String) {
        if self.raw_key.is_empty() {
            write_quoted(self.key, out);
        } else {
            out.push('"');
            out.push_str(self.raw_key);
            out.push('"');
        }
        out.push(':');
    }
}

/// Appends `text` as a JSON string; escapes only what must be escaped.
pub fn write_quoted(text: &str, out: &mut String) {
    out.push('"');
    let mut rest = text;
    loop {
        let (plain, special) = rest.split_at(plain_run(rest.as_bytes()));
        out.push_str(plain);
        let Some(&byte) = special.as_bytes().first() else { break };
        match byte {
            b'"' => out.push_str("\\\""),
            b'\\' => out.push_str("\\\\"),
            b'\n' => out.push_str("\\n"),
            b'\r' => out.push_str("\\r"),
            b'\t' => out.push_str("\\t"),
            0x08 => out.push_str("\\b"),
            0x0c => out.push_str("\\f"),
            other => out.push_str(&format!("\\u{other:04x}")),
        }
        // Every special character is one byte in UTF-8.
        rest = &special[1..];
    }
    out.push('"');
}

/// `text` as a JSON string.
pub fn quote(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    write_quoted(text, &mut out);
    out
}

#[cfg(test)]
mod tests {
    use super::super::parse;
    use super::*;
    use bumpalo::Bump;
    use proptest::prelude::*;

    #[test]
    fn an_edited_object_keeps_the_bytes_of_its_untouched_members() {
        let arena = Bump::new();
        let root = parse(r#"{"a": [1.0, 2 ], "n": 12345678901234567890123}"#, &arena).unwrap().root;
        let members = root.as_object().unwrap();
        let edited = arena.alloc_slice_copy(&[Member::new("b\"c", members[0].value), members[1]]);
        assert_eq!(
            Node::built(Kind::Object(edited)).to_json(),
            r#"{"b\"c":[1.0, 2 ],"n":12345678901234567890123}"#
        );
    }

    #[test]
    fn a_long_value_is_written_up_to_a_limit() {
        let arena = Bump::new();
        let text = format!(r#"{{"a":["{}",1]}}"#, "ä".repeat(100));
        let root = parse(&text, &arena).unwrap().root;
        let mut out = String::new();
        assert!(!root.write_at_most(&mut out, 20) && out.len() <= 24 && text.starts_with(&out));
        let rebuilt = Node::built(root.kind);
        let mut whole = String::new();
        assert!(rebuilt.write_at_most(&mut whole, 1000) && whole == text);
    }

    proptest! {
        #[test]
        fn quoted_text_reads_back(text in any::<String>()) {
            let arena = Bump::new();
            let json = arena.alloc_str(&quote(&text));
            prop_assert_eq!(parse(json, &arena).unwrap().root.as_text().unwrap(), text);
        }
    }
}
