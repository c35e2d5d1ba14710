//! Who calls a tool.

/// The name of this installation's own token.
pub const OWN_TOKEN: &str = "default";
/// The name of callers without a token, where none is needed.
pub const ANYONE: &str = "anyone";
/// The name of the program that started the gateway and speaks over stdin and stdout; also the name of that front.
pub const STDIO: &str = "stdio";

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
