//! Tool definitions, as their server describes them.

/// How the model's turn ended, as far as the caller knows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Finish {
    /// The caller does not know: text that ends early counts as truncated.
    #[default]
    Unknown,
    /// The model stopped by itself.
    Stop,
    /// The model reached its length limit.
    Length,
}

/// Where a tool comes from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Origin {
    /// A downstream MCP server: schema-driven repair and the built-in rule sets apply.
    #[default]
    Server,
    /// One of Toolwright's built-in tools: its arguments are validated and forwarded unchanged.
    BuiltIn,
}

/// A server's claims about its own tool. They are hints of an untrusted party: they can make Toolwright
/// more careful, never less.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Annotations {
    /// The server claims that the tool may destroy something.
    pub destructive: bool,
    /// The server claims that the tool changes nothing, or destroys nothing: it is safe to retry.
    pub harmless: bool,
}

/// Scope of the built-in rules for a tool.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum BuiltinRules {
    /// They apply unless the tool's schema contradicts them.
    #[default]
    Schema,
    /// They apply even against the schema, as long as a valid call stays valid.
    Always,
    /// They do not apply: only the schema and the user's rules repair calls.
    Off,
}

/// A tool definition with its schema as raw JSON text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ToolDefinition {
    /// The tool's own name.
    pub name: String,
    /// The server that provides it, if known.
    pub server: Option<String>,
    /// Its origin.
    pub origin: Origin,
    /// Its purpose, for people and models.
    pub description: String,
    /// The JSON Schema of its arguments, as the server sent it.
    pub input_schema: String,
    /// The JSON Schema of its structured result, if it has one.
    pub output_schema: Option<String>,
    /// The server's hints.
    pub annotations: Annotations,
    /// Scope of the built-in rules for it.
    pub builtin_rules: BuiltinRules,
}
