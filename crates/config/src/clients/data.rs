//! Format-independent content of a client's file: values with their positions, and plain values.

use std::collections::HashMap;
use std::ops::Range;

use toolwright_jsonrpc::raw::write_quoted;

/// A value with its position in a text.
#[derive(Clone, Debug)]
pub struct Value {
    /// The byte range. A TOML table has the range of its header; a table made by dotted keys has an empty range.
    pub span: Range<usize>,
    /// The value.
    pub node: Node,
}

/// The kinds of values.
#[derive(Clone, Debug)]
pub enum Node {
    /// Null.
    Null,
    /// A boolean.
    Bool(bool),
    /// A number, as it was written.
    Number(String),
    /// A text, or a TOML date.
    Text(String),
    /// A list.
    List(Vec<Value>),
    /// A map, in the order of the file.
    Map(Vec<Pair>),
}

/// A member of a map.
#[derive(Clone, Debug)]
pub struct Pair {
    /// Its key.
    pub key: String,
    /// The byte range of the key, including its quotes.
    pub key_span: Range<usize>,
    /// Its value.
    pub value: Value,
}

/// A value without a position.
#[derive(Clone, Debug)]
pub enum Data {
    /// Null.
    Null,
    /// A boolean.
    Bool(bool),
    /// A number, as it was written.
    Number(String),
    /// A text.
    Text(String),
    /// A list.
    List(Vec<Data>),
    /// A map, in order.
    Map(Vec<(String, Data)>),
}

/// One step of a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// The member with this key.
    Key(String),
    /// The list item whose `name` is this.
    Item(String),
}

// === impl Value ===

impl Value {
    /// The members of a map; empty for other kinds.
    pub fn pairs(&self) -> &[Pair] {
        match &self.node {
            Node::Map(pairs) => pairs,
            _ => &[],
        }
    }

    /// The items of a list; empty for other kinds.
    pub fn items(&self) -> &[Value] {
        match &self.node {
            Node::List(items) => items,
            _ => &[],
        }
    }

    /// The text; `None` for other kinds.
    pub fn text(&self) -> Option<&str> {
        match &self.node {
            Node::Text(text) => Some(text),
            _ => None,
        }
    }

    /// The value of a member. If a key occurs twice, the last one is used, as clients do.
    pub fn get(&self, key: &str) -> Option<&Value> {
        self.pairs().iter().rev().find(|pair| pair.key == key).map(|pair| &pair.value)
    }

    /// The value after one step.
    pub fn step(&self, step: &Step) -> Option<&Value> {
        match step {
            Step::Key(key) => self.get(key),
            Step::Item(name) => {
                self.items().iter().find(|item| item.get("name").and_then(Value::text) == Some(name))
            }
        }
    }

    /// The value at a path.
    pub fn at(&self, path: &[Step]) -> Option<&Value> {
        path.iter().try_fold(self, |value, step| value.step(step))
    }

    /// The value without positions.
    pub fn data(&self) -> Data {
        match &self.node {
            Node::Null => Data::Null,
            Node::Bool(is_so) => Data::Bool(*is_so),
            Node::Number(number) => Data::Number(number.clone()),
            Node::Text(text) => Data::Text(text.clone()),
            Node::List(items) => Data::List(items.iter().map(Value::data).collect()),
            Node::Map(pairs) => {
                let mut members: Vec<(String, Data)> = Vec::with_capacity(pairs.len());
                let mut places: HashMap<&str, usize> = HashMap::with_capacity(pairs.len());
                for pair in pairs {
                    match places.get(pair.key.as_str()) {
                        Some(at) => members[*at].1 = pair.value.data(),
                        None => {
                            places.insert(&pair.key, members.len());
                            members.push((pair.key.clone(), pair.value.data()));
                        }
                    }
                }
                Data::Map(members)
            }
        }
    }

    /// The kind with its article, for messages.
    pub fn a_kind(&self) -> &'static str {
        match self.node {
            Node::Null => "nothing",
            Node::Bool(_) => "a boolean",
            Node::Number(_) => "a number",
            Node::Text(_) => "a text",
            Node::List(_) => "a list",
            Node::Map(_) => "a map",
        }
    }
}

// === impl Step ===

impl Step {
    /// The step to a member.
    pub fn key(key: impl Into<String>) -> Step {
        Step::Key(key.into())
    }

    /// The key or name of the step.
    pub fn name(&self) -> &str {
        match self {
            Step::Key(name) | Step::Item(name) => name,
        }
    }
}

// === impl Data ===

/// Maps are equal in any order.
impl PartialEq for Data {
    fn eq(&self, other: &Data) -> bool {
        match (self, other) {
            (Data::Null, Data::Null) => true,
            (Data::Bool(one), Data::Bool(other)) => one == other,
            (Data::Number(one), Data::Number(other)) | (Data::Text(one), Data::Text(other)) => one == other,
            (Data::List(one), Data::List(other)) => one == other,
            (Data::Map(one), Data::Map(other)) => {
                let other: HashMap<&str, &Data> =
                    other.iter().map(|(key, value)| (key.as_str(), value)).collect();
                one.len() == other.len()
                    && one.iter().all(|(key, value)| other.get(key.as_str()).is_some_and(|it| *it == value))
            }
            _ => false,
        }
    }
}

impl Data {
    /// Creates a text.
    pub fn text(text: impl Into<String>) -> Data {
        Data::Text(text.into())
    }

    /// Creates a list of texts.
    pub fn texts(texts: impl IntoIterator<Item = impl Into<String>>) -> Data {
        Data::List(texts.into_iter().map(Data::text).collect())
    }

    /// Creates a map.
    pub fn map(members: impl IntoIterator<Item = (&'static str, Data)>) -> Data {
        Data::Map(members.into_iter().map(|(key, value)| (key.to_owned(), value)).collect())
    }

    /// The members of a map; empty for other kinds.
    pub fn members(&self) -> &[(String, Data)] {
        match self {
            Data::Map(members) => members,
            _ => &[],
        }
    }

    /// The text; `None` for other kinds.
    pub fn as_text(&self) -> Option<&str> {
        match self {
            Data::Text(text) => Some(text),
            _ => None,
        }
    }

    /// The texts of a list.
    pub fn as_texts(&self) -> Vec<&str> {
        match self {
            Data::List(items) => items.iter().filter_map(Data::as_text).collect(),
            _ => Vec::new(),
        }
    }

    /// The value of a member.
    pub fn get(&self, key: &str) -> Option<&Data> {
        self.members().iter().find(|(name, _)| name == key).map(|(_, value)| value)
    }

    /// The value at a path.
    pub(super) fn at(&self, path: &[Step]) -> Option<&Data> {
        path.iter().try_fold(self, |data, step| match (step, data) {
            (Step::Key(key), data) => data.get(key),
            (Step::Item(name), Data::List(items)) => {
                items.iter().find(|item| item.get("name").and_then(Data::as_text) == Some(name))
            }
            _ => None,
        })
    }

    /// Whether it is null, an empty list or an empty map.
    pub fn is_empty(&self) -> bool {
        match self {
            Data::Null => true,
            Data::List(items) => items.is_empty(),
            Data::Map(members) => members.is_empty(),
            _ => false,
        }
    }

    /// Sets the value at a path and creates missing parents.
    pub fn set(&mut self, path: &[Step], value: Data) {
        let Some((step, rest)) = path.split_first() else {
            *self = value;
            return;
        };
        match step {
            Step::Key(key) => {
                if !matches!(self, Data::Map(_)) {
                    *self = Data::Map(Vec::new());
                }
                let Data::Map(members) = self else { return };
                match members.iter_mut().find(|(name, _)| name == key) {
                    Some((_, there)) => there.set(rest, value),
                    None => members.push((key.clone(), wrapped(rest, value))),
                }
            }
            Step::Item(name) => {
                if !matches!(self, Data::List(_)) {
                    *self = Data::List(Vec::new());
                }
                let Data::List(items) = self else { return };
                match items.iter_mut().find(|item| item.get("name").and_then(Data::as_text) == Some(name)) {
                    Some(there) => there.set(rest, value),
                    None => items.push(wrapped(rest, value)),
                }
            }
        }
    }

    /// Moves the last item of the list at a path to the front.
    pub(super) fn make_last_first(&mut self, path: &[Step]) {
        match (path, self) {
            ([], Data::List(items)) if !items.is_empty() => items.rotate_right(1),
            ([Step::Key(key), rest @ ..], Data::Map(members)) => {
                if let Some((_, there)) = members.iter_mut().find(|(name, _)| name == key) {
                    there.make_last_first(rest);
                }
            }
            _ => {}
        }
    }

    /// Removes the value at a path.
    pub fn remove(&mut self, path: &[Step]) {
        match (path, self) {
            ([Step::Key(key)], Data::Map(members)) => members.retain(|(name, _)| name != key),
            ([Step::Item(name)], Data::List(items)) => {
                let is_it = |item: &Data| item.get("name").and_then(Data::as_text) == Some(name);
                if let Some(at) = items.iter().position(is_it) {
                    items.remove(at);
                }
            }
            ([Step::Key(key), rest @ ..], Data::Map(members)) => {
                if let Some((_, there)) = members.iter_mut().find(|(name, _)| name == key) {
                    there.remove(rest);
                }
            }
            ([Step::Item(name), rest @ ..], Data::List(items)) => {
                let is_it = |item: &&mut Data| item.get("name").and_then(Data::as_text) == Some(name);
                if let Some(there) = items.iter_mut().find(is_it) {
                    there.remove(rest);
                }
            }
            _ => {}
        }
    }

    /// The value as one line of JSON.
    pub fn json(&self) -> String {
        let mut out = String::new();
        self.write_json(&mut out);
        out
    }

    fn write_json(&self, out: &mut String) {
        match self {
            Data::Null => out.push_str("null"),
            Data::Bool(is_so) => out.push_str(if *is_so { "true" } else { "false" }),
            Data::Number(number) if toolwright_jsonrpc::raw::is_json_number(number) => out.push_str(number),
            Data::Number(text) | Data::Text(text) => write_quoted(text, out),
            Data::List(items) => {
                out.push('[');
                for (at, item) in items.iter().enumerate() {
                    out.push_str(if at == 0 { "" } else { ", " });
                    item.write_json(out);
                }
                out.push(']');
            }
            Data::Map(members) => {
                out.push('{');
                for (at, (key, value)) in members.iter().enumerate() {
                    out.push_str(if at == 0 { "" } else { ", " });
                    write_quoted(key, out);
                    out.push_str(": ");
                    value.write_json(out);
                }
                out.push('}');
            }
        }
    }
}

/// Wraps a value into the maps and lists of a path.
pub(super) fn wrapped(path: &[Step], value: Data) -> Data {
    path.iter().rev().fold(value, |value, step| match step {
        Step::Key(key) => Data::Map(vec![(key.clone(), value)]),
        Step::Item(_) => Data::List(vec![value]),
    })
}
