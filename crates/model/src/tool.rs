//! A tool as its server describes it.

/// How the model's turn ended, as far as the caller knows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Finish {
    /// The caller does not know: text that ends early counts as cut off.
    #[default]
    Unknown,
    /// The model stopped by itself.
    Stop,
    /// The model ran into its length limit.
    Length,
}

/// Where a tool comes from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Origin {
    /// A downstream MCP server: schema-driven repair and the built-in rule sets apply.
    #[default]
    Server,
    /// One of our own tools: its arguments are checked and passed through unchanged.
    BuiltIn,
}

/// What a server says about its own tool. Hints of an untrusted party: they can make us more
/// careful, never less.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Annotations {
    /// The server says that the tool may destroy something.
    pub destructive: bool,
    /// The server says that the tool changes nothing, or destroys nothing: it may be called again.
    pub harmless: bool,
}

/// How far the built-in rules go for a tool.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum BuiltinRules {
    /// They apply wherever the tool's schema does not contradict them.
    #[default]
    Schema,
    /// They apply whatever the schema says, as long as a valid call stays valid.
    Always,
    /// They do not apply: the schema alone repairs calls, with the rules of the user.
    Off,
}

/// A tool definition with its schema as raw JSON text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ToolDefinition {
    /// The tool's own name.
    pub name: String,
    /// The server that offers it, when known.
    pub server: Option<String>,
    /// Where it comes from.
    pub origin: Origin,
    /// What it does, for people and models.
    pub description: String,
    /// The JSON Schema of its arguments, as the server sent it.
    pub input_schema: String,
    /// The JSON Schema of its structured result, when it has one.
    pub output_schema: Option<String>,
    /// The server's hints.
    pub annotations: Annotations,
    /// How far the built-in rules go for it.
    pub builtin_rules: BuiltinRules,
}
