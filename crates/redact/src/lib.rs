//! What may be shown of text that may hold secrets.
//!
//! [`is_secret_key`] and [`holds_secret`] judge keys and texts; [`lines`] hides the parts of a program's
//! output that are secrets and keeps the rest, which somebody needs to find a fault; [`harmless`] takes
//! away what would command a terminal. It is better to hide too much than too little. Nothing here knows
//! where a text comes from.
//!
//! [`Redactor`] does more for what is kept: it reads JSON, looks through what secrets are wrapped in, and leaves a
//! salted hash of each.
//!
//! Start with [`Redactor`]; for what is only shown, with [`lines`] and [`is_secret_key`].

mod harmless;
mod key_names;
mod known;
mod lines;
mod redactor;
mod secret;

pub use harmless::{does_not_print, harmless};
pub use known::known;
pub use lines::lines;
pub use redactor::{MAX_NAMED, MAX_PATTERNS, NamedValues, OptionsError, RedactOptions, Redactor};
pub use secret::{holds_secret, is_secret_key};

/// What stands where a secret was.
pub const HIDDEN: &str = "[redacted]";
