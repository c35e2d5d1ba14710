//! Servers for tests, and the figures that connections to them must reach.
//!
//! `hostile-server` is a real child process with one bad habit for each tool. [`figures`] has one function
//! for each figure; tests call them in sizes that fit a test run, the program `soak` in full ones.
//!
//! [`http`] lets a test decide about every byte of a server over HTTP; [`http_habits`], [`http_sse`] and [`http_rmcp`]
//! are such servers. [`load`] drives a whole gateway, with the program `load-server` behind it.
//! [`authorization_server`] gives logins, and `conformance-client` performs the client scenarios of the protocol's
//! conformance suite, whose server scenarios have `conformance-server`. [`faithful`] is what `faithful-server` says.
//! [`llm_upstream`] is a model's server with one bad habit for each model.
//! [`house`] has Z-Wave devices, behind a real broker. Nothing of this ships.

pub mod authorization_server;
pub mod conformance;
pub mod faithful;
#[cfg(unix)]
pub mod house;
pub mod http;
pub mod http_habits;
pub mod http_rmcp;
pub mod http_sse;
pub mod llm_upstream;
pub mod load;

#[cfg(unix)]
pub mod figures;
pub mod servers;

/// Every way in which the hostile server spoils its stdout before, behind or around an answer.
pub const STDOUT_HABITS: &[&str] = &[
    "plain",
    "log-line",
    "many-log-lines",
    "half-json",
    "crlf",
    "byte-order-mark",
    "ansi-colours",
    "ansi-around",
    "nul-bytes",
    "bad-utf8-line",
    "bad-utf8-before",
    "utf16-line",
    "two-on-a-line",
    "batch",
    "unknown-id",
    "id-as-string",
    "id-as-fraction",
    "answers-twice",
    "text-before",
    "text-behind",
    "echoes-request",
    "json-log-line",
    "empty-lines",
    "spread-out",
    "long-line-before",
    "carriage-return-progress",
    "null-error",
    "pretty-printed",
    "id-with-exponent",
    "no-line-end",
];

/// Every way in which it breaks an answer so that it cannot be read, with a word of what is said of that. The call fails at
/// once.
pub const BROKEN_ANSWERS: &[(&str, &str)] = &[
    ("not-a-number", "not a JSON object"),
    ("trailing-comma", "not a JSON object"),
    ("cut-off", "not a JSON object"),
    ("result-and-error", "both \"result\" and \"error\""),
    ("neither", "neither \"result\" nor \"error\""),
    ("repeated-key", "\"result\" is present twice"),
    ("repeated-id", "\"id\" is present twice"),
    ("two-ids", "\"id\" is present twice"),
    ("no-id", "no \"id\""),
    ("error-as-text", "wrong type"),
    ("version-1", "\"jsonrpc\": \"2.0\""),
    ("no-version", "\"jsonrpc\": \"2.0\""),
    ("utf16", "UTF-16"),
];

/// What else it does: to its results, its requests and itself.
pub const OTHER_HABITS: &[&str] = &[
    "environment",
    "large",
    "deep",
    "hang",
    "answers-hung",
    "tracked",
    "tally",
    "tally-texts",
    "heartbeat",
    "asks-back",
    "asks-without-end",
    "die",
    "starts-children",
    "closes-stdout",
    "error-without-id",
];
