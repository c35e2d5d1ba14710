//! Security checks of tools, based on their definitions alone.
//!
//! [`Pins`] stores the definitions that users have approved, and holds back changed ones until a user has reviewed
//! them. [`compare`] and [`diff`] show the differences. [`scan_tool`] finds texts that give the model orders, hide
//! something or ask for secrets. This crate does not connect to servers, does not decide about the consequences of a
//! finding, and does not know how tools are displayed.
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
