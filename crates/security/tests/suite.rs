//! Behaviour tests of this crate, one module per subject, linked as one program.

#[path = "suite/corpus.rs"]
mod corpus;
#[path = "suite/definitions.rs"]
mod definitions;
#[path = "suite/laws.rs"]
mod laws;
#[path = "suite/mutations.rs"]
mod mutations;
#[path = "suite/pins.rs"]
mod pins;
#[path = "suite/scans.rs"]
mod scans;
