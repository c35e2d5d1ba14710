//! What was looked at, what is wrong with it, and what mends it.

use std::path::PathBuf;

use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};

/// Everything that was looked at.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Checkup {
    /// In the order of the areas.
    pub checks: Vec<Check>,
}

/// One thing that was looked at.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Check {
    /// What of the whole it belongs to.
    pub area: Area,
    /// The server, upstream or journal; nothing where there is only one.
    pub subject: Option<String>,
    /// What was seen, in a few words.
    pub said: String,
    /// What is wrong; empty when all is well.
    pub findings: Vec<Finding>,
}

/// What a check belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Area {
    /// The file that names the servers.
    Configuration,
    /// Whether a server's program can be found and started.
    Process,
    /// Whether a server answers as the protocol wants it.
    Protocol,
    /// What a server offers: its tools, and whether it lets us in.
    Backend,
    /// The language models.
    Models,
    /// Those whom others are told by: the collector of telemetry.
    Network,
    /// The broker and the ports of the voice.
    Voice,
    /// The files of clients, and who goes past us in them.
    Clients,
    /// Where calls are written down and looked up.
    Store,
    /// The port.
    Port,
    /// Who may read what is secret.
    Permissions,
    /// The rules.
    Rules,
    /// What tools were agreed to be.
    Definitions,
    /// The clock.
    Clock,
    /// What the system allows.
    Machine,
}

/// How bad it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// It works, but not as it was meant, or not for long.
    Warning,
    /// It does not work.
    Error,
}

/// One thing that is wrong.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// Its name, the same for ever.
    pub id: &'static str,
    /// How bad it is.
    pub severity: Severity,
    /// What is wrong.
    pub what: String,
    /// Where: a file with line and column, a folder, an address.
    #[serde(rename = "where")]
    pub place: Option<String>,
    /// Why that is so, or why it matters.
    pub why: String,
    /// What mends it.
    pub fix: Fix,
}

/// What mends a finding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fix {
    /// A command for a shell, as it is.
    Run(String),
    /// A value to write into a JSON file.
    Set {
        /// The file.
        file: PathBuf,
        /// Where in it, as a JSON pointer.
        at: String,
        /// What, as JSON.
        value: String,
    },
    /// Something for a person.
    Do(String),
}

impl Checkup {
    /// With what others saw, in the order of the areas.
    pub fn and(mut self, more: impl IntoIterator<Item = Check>) -> Checkup {
        self.checks.extend(more);
        self.checks.sort_by_key(|check| check.area.place());
        self
    }

    /// Everything that is wrong, with what it is wrong with.
    pub fn findings(&self) -> impl Iterator<Item = (&Check, &Finding)> {
        self.checks.iter().flat_map(|check| check.findings.iter().map(move |finding| (check, finding)))
    }
}

impl Check {
    /// Something that was seen, with nothing wrong.
    pub fn new(area: Area, subject: Option<&str>, said: impl Into<String>) -> Check {
        Check { area, subject: subject.map(str::to_owned), said: said.into(), findings: Vec::new() }
    }

    /// With what is wrong.
    pub fn with(mut self, findings: impl IntoIterator<Item = Finding>) -> Check {
        self.findings.extend(findings);
        self
    }

    /// The worst of what is wrong; nothing when all is well.
    pub fn worst(&self) -> Option<Severity> {
        self.findings.iter().map(|finding| finding.severity).max()
    }
}

impl Finding {
    /// Something that does not work.
    pub fn error(id: &'static str, what: impl Into<String>, why: impl Into<String>, fix: Fix) -> Finding {
        Finding { id, severity: Severity::Error, what: what.into(), place: None, why: why.into(), fix }
    }

    /// Something that works, but not as it was meant.
    pub fn warning(id: &'static str, what: impl Into<String>, why: impl Into<String>, fix: Fix) -> Finding {
        Finding { severity: Severity::Warning, ..Finding::error(id, what, why, fix) }
    }

    /// With its place.
    pub fn at(self, place: impl ToString) -> Finding {
        Finding { place: Some(place.to_string()), ..self }
    }
}

impl Area {
    /// Where it stands. What is told of one server stays together.
    fn place(self) -> usize {
        match self {
            Area::Configuration => 0,
            Area::Process | Area::Protocol | Area::Backend => 1,
            Area::Models => 2,
            Area::Network => 3,
            Area::Voice => 4,
            Area::Clients => 5,
            Area::Store => 6,
            Area::Port => 7,
            Area::Permissions => 8,
            Area::Rules => 9,
            Area::Definitions => 10,
            Area::Clock => 11,
            Area::Machine => 12,
        }
    }

    /// The word for it.
    pub fn word(self) -> &'static str {
        match self {
            Area::Configuration => "configuration",
            Area::Process => "process",
            Area::Protocol => "protocol",
            Area::Backend => "backend",
            Area::Models => "models",
            Area::Network => "network",
            Area::Voice => "voice",
            Area::Clients => "clients",
            Area::Store => "store",
            Area::Port => "port",
            Area::Permissions => "permissions",
            Area::Rules => "rules",
            Area::Definitions => "definitions",
            Area::Clock => "clock",
            Area::Machine => "machine",
        }
    }
}

impl Fix {
    /// A file moved out of the way: nothing of it is lost.
    pub(super) fn put_aside(file: &std::path::Path) -> Fix {
        let aside = format!("{}.damaged", file.display());
        Fix::Run(format!("mv {} {}", quoted(&file.display().to_string()), quoted(&aside)))
    }
}

/// A word for a shell, in quotes where it needs them.
pub fn quoted(word: &str) -> String {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_./:=@%+,".contains(&byte);
    match !word.is_empty() && word.bytes().all(is_plain) {
        true => word.to_owned(),
        false => format!("'{}'", word.replace('\'', r"'\''")),
    }
}

impl Serialize for Fix {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        match self {
            Fix::Run(command) => map.serialize_entry("run", command)?,
            Fix::Do(words) => map.serialize_entry("do", words)?,
            Fix::Set { file, at, value } => {
                map.serialize_entry("file", &file.display().to_string())?;
                map.serialize_entry("at", at)?;
                // What is not JSON, which should not be, is told as a text.
                match serde_json::from_str::<serde_json::Value>(value) {
                    Ok(value) => map.serialize_entry("value", &value)?,
                    Err(_) => map.serialize_entry("value", value)?,
                }
            }
        }
        map.end()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_for_a_shell_are_quoted_where_they_need_it() {
        for (word, written) in [
            ("/home/me/toolwright.json", "/home/me/toolwright.json"),
            ("a b", "'a b'"),
            ("it's", r"'it'\''s'"),
            ("$HOME", "'$HOME'"),
            ("", "''"),
        ] {
            assert_eq!(quoted(word), written);
        }
    }

    #[test]
    fn a_fix_is_one_of_three_for_programs() {
        let told = |fix: Fix| serde_json::to_string(&fix).expect("JSON");
        assert_eq!(told(Fix::Run("chmod 600 a".into())), r#"{"run":"chmod 600 a"}"#);
        assert_eq!(told(Fix::Do("log in".into())), r#"{"do":"log in"}"#);
        let set = Fix::Set { file: "t.json".into(), at: "/mcpServers/a/args".into(), value: "[1]".into() };
        assert_eq!(told(set), r#"{"file":"t.json","at":"/mcpServers/a/args","value":[1]}"#);
    }
}
