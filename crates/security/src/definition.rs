//! Tool definitions in canonical form, and their fingerprints.

use std::fmt;

use aws_lc_rs::digest;
use serde::Serialize;
use serde_json::Value;

use crate::canonical;

/// The version prefix of the hashed bytes: a later canonical form gives other fingerprints.
const HASH_PREFIX: &[u8] = b"toolwright definition 1\0";

/// The definition of a tool as its server lists it: every field except `_meta`, in canonical form.
///
/// Keys are sorted by their bytes and there is no whitespace between tokens. `1` and `1.0` stay different here;
/// [`compare`](crate::compare) treats them as equal. Integers beyond 64 bits and fractions of more than 15 digits are
/// rounded: a change in the lost digits is not detected. `_meta` is excluded because servers put times and counters
/// there.
#[derive(Clone, Debug, PartialEq)]
pub struct Definition {
    name: String,
    value: Value,
}

/// SHA-256 of a definition and its server's command, in hexadecimal.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(transparent)]
pub struct Fingerprint(String);

/// The fingerprint of a listed tool with its name and size: enough to detect whether its definition is the approved
/// one. Parsing takes most of the time of a list, so callers cache this value for unchanged entries.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Print {
    pub(crate) name: String,
    pub(crate) fingerprint: Fingerprint,
    /// The size of the canonical form.
    pub(crate) bytes: usize,
}

impl Print {
    /// Parses a tool as its server lists it; `command` starts or reaches that server. `None` if the text is not an
    /// object with a `name`, or is nested too deeply.
    pub fn read(tool_json: &str, command: &str) -> Option<Self> {
        let definition = Definition::read(tool_json)?;
        let canonical = definition.canonical();
        let fingerprint = fingerprint_of(&canonical, command);
        Some(Self { name: definition.name, fingerprint, bytes: canonical.len() })
    }

    /// The name of the tool.
    pub fn name(&self) -> &str {
        &self.name
    }
}

impl Definition {
    /// Parses a tool as its server lists it. `None` if the text is not an object with a `name`, or is nested too
    /// deeply.
    pub fn read(tool_json: &str) -> Option<Self> {
        let Value::Object(mut fields) = canonical::read(tool_json)? else { return None };
        // Not `remove`: it would move the last key to this position.
        fields.shift_remove("_meta");
        let name = fields.get("name")?.as_str()?.to_owned();
        Some(Self { name, value: Value::Object(fields) })
    }

    /// The name of the tool.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The definition as one line of JSON. Equal definitions give equal bytes.
    pub fn canonical(&self) -> String {
        self.value.to_string()
    }

    /// The definition as indented JSON, for display.
    pub fn pretty(&self) -> String {
        serde_json::to_string_pretty(&self.value).unwrap_or_else(|_| self.canonical())
    }

    /// The fingerprint of this definition when a server offers it that `command` starts or reaches.
    pub fn fingerprint(&self, command: &str) -> Fingerprint {
        fingerprint_of(&self.canonical(), command)
    }

    pub(crate) fn value(&self) -> &Value {
        &self.value
    }
}

impl Fingerprint {
    /// The 64 hexadecimal digits.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Parses a text of 64 hexadecimal digits.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let is_fingerprint =
            text.len() == 64 && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
        is_fingerprint.then(|| Self(text.to_owned()))
    }
}

impl fmt::Display for Fingerprint {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

pub(crate) fn fingerprint_of(canonical: &str, command: &str) -> Fingerprint {
    let mut hash = digest::Context::new(&digest::SHA256);
    hash.update(HASH_PREFIX);
    // The length prefix separates the two texts, so that no other pair hashes the same bytes.
    hash.update(&(canonical.len() as u64).to_be_bytes());
    hash.update(canonical.as_bytes());
    hash.update(command.as_bytes());
    let hex = hash.finish().as_ref().iter().map(|byte| format!("{byte:02x}")).collect();
    Fingerprint(hex)
}
