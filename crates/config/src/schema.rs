//! The JSON Schema of the configuration file, for editors.

/// Draft 2020-12. It describes Toolwright's keys; keys of other programs are allowed.
pub const JSON_SCHEMA: &str = include_str!("../toolwright.schema.json");
