//! The JSON Schema of the file, for editors.

/// Draft 2020-12. It describes what we read; keys that other programs write beside ours are allowed.
pub const JSON_SCHEMA: &str = include_str!("../toolwright.schema.json");
