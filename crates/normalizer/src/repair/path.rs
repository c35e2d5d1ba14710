//! Positions in the arguments, written as JSON Pointers.

use std::borrow::Cow;
use std::fmt::{self, Write};

use toolwright_jsonrpc::raw::quote;

/// Longer keys are shortened in paths and messages.
const SHOWN_BYTES: usize = 256;

/// A position, as steps from the root.
#[derive(Clone, Copy, Debug)]
pub(crate) enum ValuePath<'p> {
    Root,
    Key(&'p ValuePath<'p>, &'p str),
    Item(&'p ValuePath<'p>, usize),
}

impl<'p> ValuePath<'p> {
    pub fn key(&'p self, key: &'p str) -> ValuePath<'p> {
        ValuePath::Key(self, key)
    }

    pub fn item(&'p self, index: usize) -> ValuePath<'p> {
        ValuePath::Item(self, index)
    }

    /// The keys on the path, the last one first.
    pub fn keys(&self) -> impl Iterator<Item = &'p str> {
        let mut at = Some(*self);
        std::iter::from_fn(move || {
            loop {
                match at? {
                    ValuePath::Root => at = None,
                    ValuePath::Item(parent, _) => at = Some(*parent),
                    ValuePath::Key(parent, key) => {
                        at = Some(*parent);
                        return Some(key);
                    }
                }
            }
        })
    }

    /// The subject of a sentence about the position: `"limit"`, `"tags/2"`, `the arguments`.
    pub fn subject(&self) -> String {
        match self {
            ValuePath::Root => "the arguments".to_owned(),
            ValuePath::Key(_, key) => quote(&shown(key)),
            ValuePath::Item(..) => quote(self.tail().trim_start_matches('/')),
        }
    }

    /// The subject with its verb: `"limit" is`, `the arguments are`.
    pub fn being(&self) -> String {
        format!("{} {}", self.subject(), if matches!(self, ValuePath::Root) { "are" } else { "is" })
    }

    /// The last key and the items within it.
    fn tail(&self) -> String {
        match self {
            ValuePath::Root => String::new(),
            ValuePath::Key(_, key) => shown(key).into_owned(),
            ValuePath::Item(parent, index) => format!("{}/{index}", parent.tail()),
        }
    }
}

impl fmt::Display for ValuePath<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ValuePath::Root => Ok(()),
            ValuePath::Key(parent, key) => {
                parent.fmt(f)?;
                f.write_char('/')?;
                let key = shown(key);
                if !key.contains(['~', '/']) {
                    return f.write_str(&key);
                }
                f.write_str(&key.replace('~', "~0").replace('/', "~1"))
            }
            ValuePath::Item(parent, index) => write!(f, "{parent}/{index}"),
        }
    }
}

/// A key for display: a very long one ends in `…`.
pub(crate) fn shown(key: &str) -> Cow<'_, str> {
    if key.len() <= SHOWN_BYTES {
        return Cow::Borrowed(key);
    }
    Cow::Owned(format!("{}…", &key[..key.floor_char_boundary(SHOWN_BYTES)]))
}
