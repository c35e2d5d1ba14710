//! Behaviour tests of this crate, one module per subject, linked as one program: one program per file costs minutes
//! and gigabytes.

mod client_homes;
mod client_laws;
mod clients;
mod docs;
mod every_setting;
mod expansion;
mod files;
mod laws;
mod llm;
mod pasted;
mod schema;
mod secrets;
mod settings;
mod support;
mod voice;
mod wrong;
mod wrong_cases;
