//! Which tool is meant: its toolbox, its server and its own name.

use std::fmt;

/// A tool among all toolboxes. Its three parts are never joined and taken apart again: each of them may hold
/// any separator.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Identifier {
    /// The toolbox.
    pub toolbox: String,
    /// The server's name in the toolbox.
    pub server: String,
    /// The tool's name as its server gave it.
    pub name: String,
}

impl Identifier {
    /// The tool of these three names.
    pub fn new(toolbox: impl Into<String>, server: impl Into<String>, name: impl Into<String>) -> Self {
        Identifier { toolbox: toolbox.into(), server: server.into(), name: name.into() }
    }
}

/// For messages only.
impl fmt::Display for Identifier {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}/{}", self.toolbox, self.server, self.name)
    }
}
