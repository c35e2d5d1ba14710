//! What clients are connected to, with real servers behind it and a scripted client before it.

mod families;
mod flat;
mod names;
mod own;
mod owned;
mod questions;
mod stage;
#[cfg(unix)]
mod stopped;
mod toolboxes;
mod transparent;
