//! Writing a tree: untouched values as their source bytes, edited ones anew.

use super::{Kind, Node};

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
                    if member.raw_key.is_empty() {
                        write_quoted(member.key, out);
                    } else {
                        out.push('"');
                        out.push_str(member.raw_key);
                        out.push('"');
                    }
                    out.push(':');
                    member.value.write(out);
                }
                out.push('}');
            }
        }
    }

    /// The value's JSON text.
    pub fn to_json(&self) -> String {
        let mut out = String::new();
        self.write(&mut out);
        out
    }
}

/// Appends `text` as a JSON string; only what must be escaped is.
pub fn write_quoted(text: &str, out: &mut String) {
    out.push('"');
    let mut plain = 0;
    for (at, byte) in text.bytes().enumerate() {
        let escape: &str = match byte {
            b'"' => "\\\"",
            b'\\' => "\\\\",
            b'\n' => "\\n",
            b'\r' => "\\r",
            b'\t' => "\\t",
            0x08 => "\\b",
            0x0c => "\\f",
            0x00..0x20 => "",
            _ => continue,
        };
        out.push_str(&text[plain..at]);
        if escape.is_empty() {
            out.push_str(&format!("\\u{byte:04x}"));
        } else {
            out.push_str(escape);
        }
        plain = at + 1;
    }
    out.push_str(&text[plain..]);
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
    use super::super::{Member, parse};
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

    proptest! {
        #[test]
        fn quoted_text_reads_back(text in any::<String>()) {
            let arena = Bump::new();
            let json = arena.alloc_str(&quote(&text));
            prop_assert_eq!(parse(json, &arena).unwrap().root.as_text().unwrap(), text);
        }
    }
}
