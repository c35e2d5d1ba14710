//! What clients are connected to, with real servers behind it and a scripted client before it.

mod families;
mod flat;
mod names;
mod own;
mod owned;
mod questions;
mod stage;
mod toolboxes;
mod transparent;
