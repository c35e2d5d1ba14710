//! Places in the arguments, written as JSON Pointers.

use std::fmt;

use toolwright_jsonrpc::raw::quote;

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

    /// What stands at the place, for the start of a sentence: `"limit"`, `"tags/2"`, `the arguments`.
    pub fn subject(&self) -> String {
        match self {
            Path::Root => "the arguments".to_owned(),
            Path::Key(_, key) => quote(key),
            Path::Item(..) => quote(self.tail().trim_start_matches('/')),
        }
    }

    /// The last key and the items within it.
    fn tail(&self) -> String {
        match self {
            Path::Root => String::new(),
            Path::Key(_, key) => (*key).to_owned(),
            Path::Item(parent, index) => format!("{}/{index}", parent.tail()),
        }
    }
}

impl fmt::Display for Path<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Path::Root => Ok(()),
            Path::Key(parent, key) => write!(f, "{parent}/{}", key.replace('~', "~0").replace('/', "~1")),
            Path::Item(parent, index) => write!(f, "{parent}/{index}"),
        }
    }
}
