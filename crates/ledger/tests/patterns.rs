//! Error patterns.

#[path = "patterns/grouping.rs"]
mod grouping;
#[path = "patterns/laws.rs"]
mod laws;
