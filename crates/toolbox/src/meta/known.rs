//! What is known of toolboxes while a call is read.

use super::Identifier;
use super::names::is_destructive;

/// The toolboxes as one client may see them. A server that was never asked has no tools here: that they are
/// not known is no sign that there are none.
pub trait Known {
    /// All toolboxes, in their order.
    fn toolboxes(&self) -> Vec<String>;

    /// The servers of a toolbox, in their order; none of a toolbox that does not exist.
    fn servers(&self, toolbox: &str) -> Vec<String>;

    /// The tools of a server that may be used, as far as they are known.
    fn tools(&self, toolbox: &str, server: &str) -> Vec<String>;

    /// Every configured server with its toolbox, also those that the client may not use: a name that starts with
    /// one of them is never repaired into a tool of another.
    fn configured(&self) -> Vec<(String, String)>;

    /// Whether a tool can destroy something, by its name or by what its server says of it.
    fn is_destructive(&self, tool: &Identifier) -> bool {
        is_destructive(&tool.name)
    }

    /// The schema of a tool's arguments, as its server sent it.
    fn input_schema(&self, tool: &Identifier) -> Option<String>;
}
