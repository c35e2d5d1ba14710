//! Sets of JSON types.

use toolwright_jsonrpc::raw::{Kind, Node, Number};

/// A set of JSON Schema types; all of them if the schema names none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Types(u8);

impl Types {
    pub const NULL: Types = Types(1);
    pub const BOOLEAN: Types = Types(2);
    pub const INTEGER: Types = Types(4);
    /// Every number, including integers.
    pub const NUMBER: Types = Types(4 | 8);
    pub const STRING: Types = Types(16);
    pub const ARRAY: Types = Types(32);
    pub const OBJECT: Types = Types(64);
    pub const ALL: Types = Types(127);
    pub const NONE: Types = Types(0);

    const NAMES: [(Types, &'static str); 7] = [
        (Types::OBJECT, "object"),
        (Types::ARRAY, "array"),
        (Types::STRING, "string"),
        (Types(8), "number"),
        (Types::INTEGER, "integer"),
        (Types::BOOLEAN, "boolean"),
        (Types::NULL, "null"),
    ];

    /// The type with this name in JSON Schema.
    pub fn named(name: &str) -> Option<Types> {
        match name {
            "number" => Some(Types::NUMBER),
            _ => Self::NAMES.iter().find(|(_, known)| *known == name).map(|(types, _)| *types),
        }
    }

    pub fn union(self, other: Types) -> Types {
        Types(self.0 | other.0)
    }

    pub fn intersection(self, other: Types) -> Types {
        Types(self.0 & other.0)
    }

    /// Whether any of `other` is in the set.
    pub fn overlaps(self, other: Types) -> bool {
        self.0 & other.0 != 0
    }

    /// Whether the value's type is in the set.
    pub fn accept(self, value: &Node<'_>) -> bool {
        match value.kind {
            Kind::Null => self.overlaps(Types::NULL),
            Kind::Bool(_) => self.overlaps(Types::BOOLEAN),
            Kind::String(_) => self.overlaps(Types::STRING),
            Kind::Array(_) => self.overlaps(Types::ARRAY),
            Kind::Object(_) => self.overlaps(Types::OBJECT),
            Kind::Number(text) => {
                self.overlaps(Types(8)) || self.overlaps(Types::INTEGER) && is_integer(text)
            }
        }
    }

    /// The names in the set, for messages: `integer or null`.
    pub fn describe(self) -> String {
        if self == Types::ALL {
            return "any value".to_owned();
        }
        let names: Vec<&str> = Self::NAMES
            .iter()
            .filter(|(types, name)| self.overlaps(*types) && !(*name == "integer" && self.overlaps(Types(8))))
            .map(|(_, name)| *name)
            .collect();
        names.join(" or ")
    }
}

impl Default for Types {
    fn default() -> Self {
        Types::ALL
    }
}

fn is_integer(text: &str) -> bool {
    !text.bytes().any(|byte| matches!(byte, b'.' | b'e' | b'E'))
        || Number::parse(text).is_some_and(|number| number.is_integer())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_are_recognized_in_any_notation() {
        for (text, expected) in [("10", true), ("10.0", true), ("1e3", true), ("3.7", false)] {
            assert_eq!(Types::INTEGER.accept(&Node::built(Kind::Number(text))), expected, "{text}");
            assert!(Types::NUMBER.accept(&Node::built(Kind::Number(text))));
        }
    }

    #[test]
    fn sets_are_described_for_people() {
        assert_eq!(Types::INTEGER.union(Types::NULL).describe(), "integer or null");
        assert_eq!(Types::NUMBER.describe(), "number");
        assert_eq!(Types::ALL.describe(), "any value");
    }
}
