//! The pin file: approved definitions on disk.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::Path;

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use toolwright_base::{close_to_others, make_private_folder, replace_private};

use crate::definition::{Definition, Fingerprint, fingerprint_of};
use crate::pins::PinsError;
use crate::pins::state::{PinEntry, PinState, ServerPins};

/// The format version that this release reads and writes.
const VERSION: u64 = 1;

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct PinFile {
    version: u64,
    servers: BTreeMap<String, PinFileServer>,
}

#[derive(Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct PinFileServer {
    agreed: BTreeMap<String, PinFileEntry>,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    waiting: BTreeMap<String, PinFileEntry>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct PinFileEntry {
    fingerprint: String,
    command: String,
    since: u64,
    /// Missing if the definition was too large to store.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    definition: Option<Box<RawValue>>,
}

/// Reads the file. A missing file counts as empty.
pub(crate) fn read(path: &Path) -> Result<PinState, PinsError> {
    let failed = |source| PinsError::NotRead { file: path.to_owned(), source };
    let text = match fs::read_to_string(path) {
        Ok(text) => text,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(PinState::default()),
        Err(error) if error.kind() == io::ErrorKind::InvalidData => {
            return Err(invalid_file(path, "somewhere", "it is not UTF-8 text"));
        }
        Err(error) => return Err(failed(error)),
    };
    close_to_others(path).map_err(failed)?;
    let content: PinFile = serde_json::from_str(&text).map_err(|error| {
        let place = format!("line {}, column {}", error.line(), error.column());
        invalid_file(path, &place, &error.to_string())
    })?;
    if content.version != VERSION {
        let why =
            format!("version {} was written by another release; this one reads {VERSION}", content.version);
        return Err(invalid_file(path, "version", &why));
    }
    let mut state = PinState::default();
    for (name, server) in content.servers {
        let place = |part: &str, tool: &str| format!("servers / {name} / {part} / {tool}");
        let read_all = |part: &str, entries: BTreeMap<String, PinFileEntry>| {
            let read_one = |(tool, entry): (String, PinFileEntry)| match parse_entry(&tool, entry) {
                Ok(entry) => Ok((tool, entry)),
                Err(why) => Err(invalid_file(path, &place(part, &tool), why)),
            };
            entries.into_iter().map(read_one).collect::<Result<BTreeMap<_, _>, _>>()
        };
        let agreed = read_all("agreed", server.agreed)?;
        let waiting = read_all("waiting", server.waiting)?;
        state.servers.insert(name, ServerPins { agreed, waiting, above_limit: Default::default() });
    }
    Ok(state)
}

/// Serializes a state.
pub(crate) fn text(state: &PinState) -> Result<String, serde_json::Error> {
    let entries = |entries: &BTreeMap<String, PinEntry>| {
        entries
            .iter()
            .map(|(tool, entry)| Ok((tool.clone(), file_entry(entry)?)))
            .collect::<Result<_, serde_json::Error>>()
    };
    let mut servers = BTreeMap::new();
    for (name, server) in &state.servers {
        let content = PinFileServer { agreed: entries(&server.agreed)?, waiting: entries(&server.waiting)? };
        servers.insert(name.clone(), content);
    }
    serde_json::to_string_pretty(&PinFile { version: VERSION, servers }).map(|text| text + "\n")
}

/// Replaces the file atomically: a reader finds the old file or the new one.
pub(crate) fn write(path: &Path, text: &str) -> io::Result<()> {
    path.parent().map_or(Ok(()), make_private_folder)?;
    replace_private(path, text.as_bytes())
}

fn file_entry(entry: &PinEntry) -> Result<PinFileEntry, serde_json::Error> {
    Ok(PinFileEntry {
        fingerprint: entry.fingerprint.as_str().to_owned(),
        command: entry.command.clone(),
        since: entry.since,
        definition: entry.definition.clone().map(RawValue::from_string).transpose()?,
    })
}

fn parse_entry(tool: &str, entry: PinFileEntry) -> Result<PinEntry, &'static str> {
    let fingerprint =
        Fingerprint::parse(&entry.fingerprint).ok_or("the fingerprint is not 64 hexadecimal digits")?;
    let definition = match entry.definition {
        None => None,
        Some(raw) => {
            let definition = Definition::read(raw.get()).ok_or("the definition is no tool")?;
            if definition.name() != tool {
                return Err("the definition is that of another tool");
            }
            // As Toolwright wrote it, the raw text matches. The canonical form is for files that a user has
            // reformatted; there, long fractions may be rounded and then do not match.
            let fits = |text: &str| fingerprint_of(text, &entry.command) == fingerprint;
            let canonical =
                [raw.get().to_owned(), definition.canonical()].into_iter().find(|text| fits(text));
            if canonical.is_none() {
                return Err("the fingerprint does not fit the definition and the command");
            }
            canonical
        }
    };
    Ok(PinEntry { fingerprint, command: entry.command, since: entry.since, definition })
}

fn invalid_file(path: &Path, place: &str, why: &str) -> PinsError {
    PinsError::NotUnderstood { file: path.to_owned(), place: place.to_owned(), why: why.to_owned() }
}
