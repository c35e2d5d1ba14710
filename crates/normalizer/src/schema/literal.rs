//! Values of `const` and `enum`.

use bumpalo::Bump;
use toolwright_jsonrpc::raw::{Kind, Node, Number, parse, same_value};

use super::Types;

/// One allowed value.
#[derive(Clone, Debug)]
pub(crate) enum Literal {
    Text(Box<str>),
    /// Anything else, as JSON text.
    Json(Box<str>),
}

impl Literal {
    pub fn of(node: &Node<'_>) -> Literal {
        match node.as_text() {
            Some(text) => Literal::Text(text.into()),
            None => Literal::Json(node.to_json().into()),
        }
    }

    /// Whether the value equals this one.
    pub fn equals(&self, value: &Node<'_>) -> bool {
        match (self, value.kind) {
            (Literal::Text(text), Kind::String(sent)) => sent.raw() == &**text || sent.decode() == **text,
            (Literal::Text(_), _) | (Literal::Json(_), Kind::String(_)) => false,
            (Literal::Json(json), Kind::Null) => &**json == "null",
            (Literal::Json(json), Kind::Bool(sent)) => &**json == if sent { "true" } else { "false" },
            (Literal::Json(json), Kind::Number(sent)) => {
                **json == *sent || self.as_number().is_some_and(|number| Number::parse(sent) == Some(number))
            }
            (Literal::Json(json), Kind::Array(_) | Kind::Object(_)) => {
                let arena = Bump::new();
                parse(json, &arena).is_ok_and(|parsed| same_value(&parsed.root, value))
            }
        }
    }

    pub fn as_text(&self) -> Option<&str> {
        match self {
            Literal::Text(text) => Some(text),
            Literal::Json(_) => None,
        }
    }

    pub fn as_number(&self) -> Option<Number> {
        match self {
            Literal::Text(_) => None,
            Literal::Json(json) => Number::parse(json),
        }
    }

    /// The type of the value.
    pub fn types(&self) -> Types {
        match self {
            Literal::Text(_) => Types::STRING,
            Literal::Json(json) => match json.as_bytes().first() {
                Some(b'{') => Types::OBJECT,
                Some(b'[') => Types::ARRAY,
                Some(b't' | b'f') => Types::BOOLEAN,
                Some(b'n') => Types::NULL,
                _ => Types::NUMBER,
            },
        }
    }

    /// The value as JSON text, for messages.
    pub fn to_json(&self) -> String {
        match self {
            Literal::Text(text) => toolwright_jsonrpc::raw::quote(text),
            Literal::Json(json) => json.to_string(),
        }
    }
}
