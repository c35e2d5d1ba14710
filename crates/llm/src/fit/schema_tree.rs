//! A schema that is taken apart and put together again. Scalars keep their text.

use bumpalo::Bump;
use toolwright_jsonrpc::Json;
use toolwright_jsonrpc::raw::{self, Kind, Node};

/// A JSON value that can be changed.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Tree {
    /// A number, a string, `true`, `false` or `null`, as it was written.
    Scalar(String),
    List(Vec<Tree>),
    Object(Vec<(String, Tree)>),
}

impl Tree {
    /// The tree of a value.
    pub fn of(json: &Json) -> Tree {
        let arena = Bump::new();
        match raw::parse(json.as_str(), &arena) {
            Ok(parsed) => Tree::of_node(&parsed.root),
            Err(_) => Tree::Scalar("null".to_owned()),
        }
    }

    fn of_node(node: &Node<'_>) -> Tree {
        match node.kind {
            Kind::Object(members) => Tree::Object(
                members.iter().map(|member| (member.key.to_owned(), Tree::of_node(&member.value))).collect(),
            ),
            Kind::Array(items) => Tree::List(items.iter().map(Tree::of_node).collect()),
            _ => {
                let mut text = String::new();
                node.write(&mut text);
                Tree::Scalar(text)
            }
        }
    }

    /// A string.
    pub fn text(text: &str) -> Tree {
        Tree::Scalar(raw::quote(text))
    }

    /// `true`
    pub fn yes() -> Tree {
        Tree::Scalar("true".to_owned())
    }

    /// A list of strings.
    pub fn texts<T: AsRef<str>>(texts: &[T]) -> Tree {
        Tree::List(texts.iter().map(|text| Tree::text(text.as_ref())).collect())
    }

    /// A schema that says a type and nothing else.
    pub fn typed(name: &str) -> Tree {
        Tree::Object(vec![("type".to_owned(), Tree::text(name))])
    }

    pub fn members(&self) -> Option<&[(String, Tree)]> {
        match self {
            Tree::Object(members) => Some(members),
            _ => None,
        }
    }

    pub fn items(&self) -> Option<&[Tree]> {
        match self {
            Tree::List(items) => Some(items),
            _ => None,
        }
    }

    /// The value of a member; of keys that repeat the first.
    pub fn get(&self, key: &str) -> Option<&Tree> {
        self.members()?.iter().find(|(name, _)| name == key).map(|(_, value)| value)
    }

    /// The text, when it is a string.
    pub fn as_text(&self) -> Option<String> {
        let Tree::Scalar(text) = self else { return None };
        let inner = text.strip_prefix('"')?.strip_suffix('"')?;
        Some(raw::Str::from_escaped(inner).decode().into_owned())
    }

    /// Whether it is this word, number or quoted string.
    pub fn is_scalar(&self, text: &str) -> bool {
        matches!(self, Tree::Scalar(own) if own == text)
    }

    /// Whether it is a string.
    pub fn is_text(&self) -> bool {
        matches!(self, Tree::Scalar(text) if text.starts_with('"'))
    }

    /// Adds a member, when the value is an object without it.
    pub fn add(&mut self, key: &str, value: Tree) {
        if let Tree::Object(members) = self
            && !members.iter().any(|(name, _)| name == key)
        {
            members.push((key.to_owned(), value));
        }
    }

    fn write(&self, out: &mut String) {
        match self {
            Tree::Scalar(text) => out.push_str(text),
            Tree::List(items) => {
                out.push('[');
                for (at, item) in items.iter().enumerate() {
                    if at > 0 {
                        out.push(',');
                    }
                    item.write(out);
                }
                out.push(']');
            }
            Tree::Object(members) => {
                out.push('{');
                for (at, (key, value)) in members.iter().enumerate() {
                    if at > 0 {
                        out.push(',');
                    }
                    raw::write_quoted(key, out);
                    out.push(':');
                    value.write(out);
                }
                out.push('}');
            }
        }
    }

    /// The value as JSON.
    pub fn to_json(&self) -> Option<Json> {
        let mut out = String::new();
        self.write(&mut out);
        Json::parse(&out).ok()
    }
}
