//! The caller of a tool.

/// Name of the token that this installation creates for itself.
pub const OWN_TOKEN: &str = "default";
/// Name of callers without a token, where no token is required.
pub const ANYONE: &str = "anyone";
/// Name of the client that started the gateway and uses stdin and stdout; also the name of that front.
pub const STDIO: &str = "stdio";

/// The caller of a tool, for records and statistics.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Caller {
    /// Name of its token, or else of its program.
    pub client: String,
    /// Name of the token that it authenticated with, if authorization depends on a token; `None` if the caller is
    /// Toolwright itself.
    pub principal: Option<String>,
    /// The session of the call, if the protocol has sessions.
    pub session: Option<String>,
    /// The front: `mcp`, `stdio`, `llm`, `ask`, `voice` or `cli`.
    pub front: &'static str,
    /// The toolbox of the call.
    pub toolbox: Option<String>,
}
