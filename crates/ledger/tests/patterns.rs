//! Errors that are alike.

#[path = "patterns/grouping.rs"]
mod grouping;
#[path = "patterns/laws.rs"]
mod laws;
