//! All integration tests of the TUI, one module per subject, in one binary.

mod keys;
mod laws;
mod sample;
mod views;
mod watching;
