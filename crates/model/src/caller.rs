//! Who calls a tool.

/// Who calls a tool, for records and numbers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Caller {
    /// The name of its token, or else of its program.
    pub client: String,
    /// The name of the token that it came with, where a token decides who may do what; `None` where the caller is
    /// Toolwright itself.
    pub principal: Option<String>,
    /// The conversation that the call belongs to, when the protocol has such a thing.
    pub session: Option<String>,
    /// The way in: `mcp`, `stdio`, `llm`, `ask`, `voice` or `cli`.
    pub front: &'static str,
    /// The toolbox that the tool was called in.
    pub toolbox: Option<String>,
}
