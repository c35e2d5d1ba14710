//! Places in the arguments, written as JSON Pointers.

use std::borrow::Cow;
use std::fmt::{self, Write};

use toolwright_jsonrpc::raw::quote;

/// Longer keys are shortened in paths and messages.
const SHOWN_BYTES: usize = 256;

/// A place, as steps from the root.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Path<'p> {
    Root,
    Key(&'p Path<'p>, &'p str),
    Item(&'p Path<'p>, usize),
}

impl<'p> Path<'p> {
    pub fn key(&'p self, key: &'p str) -> Path<'p> {
        Path::Key(self, key)
    }

    pub fn item(&'p self, index: usize) -> Path<'p> {
        Path::Item(self, index)
    }

    /// The keys on the way to the place, the last one first.
    pub fn keys(&self) -> impl Iterator<Item = &'p str> {
        let mut at = Some(*self);
        std::iter::from_fn(move || {
            loop {
                match at? {
                    Path::Root => at = None,
                    Path::Item(parent, _) => at = Some(*parent),
                    Path::Key(parent, key) => {
                        at = Some(*parent);
                        return Some(key);
                    }
                }
            }
        })
    }

    /// What stands at the place, for the start of a sentence: `"limit"`, `"tags/2"`, `the arguments`.
    pub fn subject(&self) -> String {
        match self {
            Path::Root => "the arguments".to_owned(),
            Path::Key(_, key) => quote(&shown(key)),
            Path::Item(..) => quote(self.tail().trim_start_matches('/')),
        }
    }

    /// The same with its verb: `"limit" is`, `the arguments are`.
    pub fn being(&self) -> String {
        format!("{} {}", self.subject(), if matches!(self, Path::Root) { "are" } else { "is" })
    }

    /// The last key and the items within it.
    fn tail(&self) -> String {
        match self {
            Path::Root => String::new(),
            Path::Key(_, key) => shown(key).into_owned(),
            Path::Item(parent, index) => format!("{}/{index}", parent.tail()),
        }
    }
}

impl fmt::Display for Path<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Path::Root => Ok(()),
            Path::Key(parent, key) => {
                parent.fmt(f)?;
                f.write_char('/')?;
                let key = shown(key);
                if !key.contains(['~', '/']) {
                    return f.write_str(&key);
                }
                f.write_str(&key.replace('~', "~0").replace('/', "~1"))
            }
            Path::Item(parent, index) => write!(f, "{parent}/{index}"),
        }
    }
}

/// A key as it is shown: a very long one ends in `…`.
pub(crate) fn shown(key: &str) -> Cow<'_, str> {
    if key.len() <= SHOWN_BYTES {
        return Cow::Borrowed(key);
    }
    Cow::Owned(format!("{}…", &key[..key.floor_char_boundary(SHOWN_BYTES)]))
}
