//! The ways in, one file each.

pub mod hermes;
pub mod mqtt;
pub mod wyoming;

mod repeats;

use jiff::Timestamp;

/// What we are called in messages.
pub(crate) const SOURCE: &str = "toolwright";

/// Now, as messages have it.
pub(crate) fn now() -> String {
    format!("{:.3}", Timestamp::now())
}
