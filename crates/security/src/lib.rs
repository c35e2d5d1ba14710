//! What can be told about a tool from its definition alone.
//!
//! [`Pins`] remembers the definitions that people have agreed to, and holds back what differs from them until
//! somebody has looked. [`compare`] and [`diff`] say what differs. [`scan_tool`] finds texts that give the model
//! orders, hide something or ask for secrets. Nothing here talks to a server, decides what a finding leads to, or
//! knows how tools are shown.
//!
//! Start with [`Pins::see`], [`Definition::read`] and [`scan_tool`].

#![forbid(unsafe_code)]

mod canonical;
mod change;
mod definition;
mod diff;
mod file;
mod pins;
mod scan;

pub use change::{Change, Class, MAX_FIELDS, compare};
pub use definition::{Definition, Fingerprint, Print};
pub use diff::{Line, diff};
pub use pins::{
    Agreed, ApproveError, Kind, MAX_DEFINITION_BYTES, MAX_TOOLS, Pins, PinsError, Seen, Sight, Waiting,
};
pub use scan::{Context, Finding, MAX_FINDINGS, MAX_TEXT_BYTES, Severity, scan, scan_tool};
