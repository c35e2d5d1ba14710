//! Servers for tests. `hostile-server` is a real child process with one bad habit for each tool.
//!
//! [`http`] lets a test decide about every byte of a server over HTTP; [`http_habits`], [`http_sse`] and [`http_rmcp`]
//! are such servers. Nothing of this ships.

pub mod http;
pub mod http_habits;
pub mod http_rmcp;
pub mod http_sse;

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
];
