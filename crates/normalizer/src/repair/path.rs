//! Places in the arguments, written as JSON Pointers.

use std::fmt;

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
