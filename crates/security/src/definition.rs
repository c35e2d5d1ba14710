//! A tool's definition in one form, and its fingerprint.

use std::fmt;

use aws_lc_rs::digest;
use serde::Serialize;
use serde_json::Value;

use crate::canonical;

/// What stands in front of everything that is hashed, so that a later form gives other fingerprints.
const FORM: &[u8] = b"toolwright definition 1\0";

/// What a server says about one of its tools: every field except `_meta`, in one form.
///
/// Keys are sorted by their bytes and there is no space between tokens. `1` and `1.0` are kept apart here;
/// [`compare`](crate::compare) says that they mean the same. Integers beyond 64 bits and fractions
/// of more than 15 digits are rounded: a change in what is lost is not seen. `_meta` is left out because servers put times and counters there.
#[derive(Clone, Debug, PartialEq)]
pub struct Definition {
    name: String,
    value: Value,
}

/// SHA-256 over a definition and its server's command, in hexadecimal.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(transparent)]
pub struct Fingerprint(String);

/// What stands for one entry of a list: enough to see that its definition is the one that was agreed to. Reading it
/// takes most of the time that a list takes, so callers store it for entries that come again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Print {
    pub(crate) name: String,
    pub(crate) fingerprint: Fingerprint,
    /// How long the definition is in its one form.
    pub(crate) bytes: usize,
}

impl Print {
    /// Reads a tool as a server that is started or reached by `command` lists it. `None` when the text is no object
    /// with a `name`, or is nested too deeply.
    pub fn read(tool_json: &str, command: &str) -> Option<Self> {
        let definition = Definition::read(tool_json)?;
        let canonical = definition.canonical();
        let fingerprint = fingerprint_of(&canonical, command);
        Some(Self { name: definition.name, fingerprint, bytes: canonical.len() })
    }

    /// The tool's name.
    pub fn name(&self) -> &str {
        &self.name
    }
}

impl Definition {
    /// Reads a tool as a server lists it. `None` when the text is no object with a `name`, or is nested too deeply.
    pub fn read(tool_json: &str) -> Option<Self> {
        let Value::Object(mut fields) = canonical::read(tool_json)? else { return None };
        // Not `remove`: that would move the last key to this place.
        fields.shift_remove("_meta");
        let name = fields.get("name")?.as_str()?.to_owned();
        Some(Self { name, value: Value::Object(fields) })
    }

    /// The tool's name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The definition as one line of JSON. The same definition gives the same bytes.
    pub fn canonical(&self) -> String {
        self.value.to_string()
    }

    /// The definition as indented JSON, for people.
    pub fn pretty(&self) -> String {
        serde_json::to_string_pretty(&self.value).unwrap_or_else(|_| self.canonical())
    }

    /// What stands for this definition, offered by a server that is started or reached by `command`.
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

    /// Takes a text that is a fingerprint.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let is_one = text.len() == 64 && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
        is_one.then(|| Self(text.to_owned()))
    }
}

impl fmt::Display for Fingerprint {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

pub(crate) fn fingerprint_of(canonical: &str, command: &str) -> Fingerprint {
    let mut hash = digest::Context::new(&digest::SHA256);
    hash.update(FORM);
    // With its length in front, the one text cannot run into the other.
    hash.update(&(canonical.len() as u64).to_be_bytes());
    hash.update(canonical.as_bytes());
    hash.update(command.as_bytes());
    let hex = hash.finish().as_ref().iter().map(|byte| format!("{byte:02x}")).collect();
    Fingerprint(hex)
}
