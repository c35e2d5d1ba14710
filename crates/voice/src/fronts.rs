//! The front ends, one file each.

pub mod hermes;
pub mod mqtt;
pub mod wyoming;

mod repeats;

use jiff::Timestamp;

/// The `source` field of published messages.
pub(crate) const SOURCE: &str = "toolwright";

/// The current time in the format of the messages.
pub(crate) fn now() -> String {
    format!("{:.3}", Timestamp::now())
}
