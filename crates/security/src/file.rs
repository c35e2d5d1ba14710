//! The file in which agreed definitions are kept.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::Path;

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use toolwright_base::{close_to_others, make_private_folder, replace_private};

use crate::definition::{Definition, Fingerprint, fingerprint_of};
use crate::pins::PinsError;
use crate::pins::state::{Entry, Server, State};

/// The form of the file that this version reads and writes.
const VERSION: u64 = 1;

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Kept {
    version: u64,
    servers: BTreeMap<String, KeptServer>,
}

#[derive(Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct KeptServer {
    agreed: BTreeMap<String, KeptEntry>,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    waiting: BTreeMap<String, KeptEntry>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct KeptEntry {
    fingerprint: String,
    command: String,
    since: u64,
    /// Missing when the definition was too large to keep.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    definition: Option<Box<RawValue>>,
}

/// Reads the file. A file that is not there is an empty one.
pub(crate) fn read(path: &Path) -> Result<State, PinsError> {
    let failed = |source| PinsError::NotRead { file: path.to_owned(), source };
    let text = match fs::read_to_string(path) {
        Ok(text) => text,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(State::default()),
        Err(error) if error.kind() == io::ErrorKind::InvalidData => {
            return Err(not_understood(path, "somewhere", "it is not UTF-8 text"));
        }
        Err(error) => return Err(failed(error)),
    };
    close_to_others(path).map_err(failed)?;
    let kept: Kept = serde_json::from_str(&text).map_err(|error| {
        let place = format!("line {}, column {}", error.line(), error.column());
        not_understood(path, &place, &error.to_string())
    })?;
    if kept.version != VERSION {
        let why =
            format!("version {} was written by another release; this one reads {VERSION}", kept.version);
        return Err(not_understood(path, "version", &why));
    }
    let mut state = State::default();
    for (name, server) in kept.servers {
        let place = |part: &str, tool: &str| format!("servers / {name} / {part} / {tool}");
        let read_all = |part: &str, entries: BTreeMap<String, KeptEntry>| {
            let read_one = |(tool, entry): (String, KeptEntry)| match understood(&tool, entry) {
                Ok(entry) => Ok((tool, entry)),
                Err(why) => Err(not_understood(path, &place(part, &tool), why)),
            };
            entries.into_iter().map(read_one).collect::<Result<BTreeMap<_, _>, _>>()
        };
        let agreed = read_all("agreed", server.agreed)?;
        let waiting = read_all("waiting", server.waiting)?;
        state.servers.insert(name, Server { agreed, waiting, unkept: Default::default() });
    }
    Ok(state)
}

/// The file's text for a state.
pub(crate) fn text(state: &State) -> Result<String, serde_json::Error> {
    let entries = |entries: &BTreeMap<String, Entry>| {
        entries
            .iter()
            .map(|(tool, entry)| Ok((tool.clone(), kept(entry)?)))
            .collect::<Result<_, serde_json::Error>>()
    };
    let mut servers = BTreeMap::new();
    for (name, server) in &state.servers {
        let kept = KeptServer { agreed: entries(&server.agreed)?, waiting: entries(&server.waiting)? };
        servers.insert(name.clone(), kept);
    }
    serde_json::to_string_pretty(&Kept { version: VERSION, servers }).map(|text| text + "\n")
}

/// Puts the text in the file's place, so that a reader finds the old file or the new one.
pub(crate) fn write(path: &Path, text: &str) -> io::Result<()> {
    path.parent().map_or(Ok(()), make_private_folder)?;
    replace_private(path, text.as_bytes())
}

fn kept(entry: &Entry) -> Result<KeptEntry, serde_json::Error> {
    Ok(KeptEntry {
        fingerprint: entry.fingerprint.as_str().to_owned(),
        command: entry.command.clone(),
        since: entry.since,
        definition: entry.definition.clone().map(RawValue::from_string).transpose()?,
    })
}

fn understood(tool: &str, entry: KeptEntry) -> Result<Entry, &'static str> {
    let fingerprint =
        Fingerprint::parse(&entry.fingerprint).ok_or("the fingerprint is not 64 hexadecimal digits")?;
    let definition = match entry.definition {
        None => None,
        Some(raw) => {
            let definition = Definition::read(raw.get()).ok_or("the definition is no tool")?;
            if definition.name() != tool {
                return Err("the definition is that of another tool");
            }
            // As it was written, it fits as it is. Read again, long fractions may come out otherwise; that is only
            // for files that somebody has formatted.
            let fits = |text: &str| fingerprint_of(text, &entry.command) == fingerprint;
            let canonical =
                [raw.get().to_owned(), definition.canonical()].into_iter().find(|text| fits(text));
            if canonical.is_none() {
                return Err("the fingerprint does not fit the definition and the command");
            }
            canonical
        }
    };
    Ok(Entry { fingerprint, command: entry.command, since: entry.since, definition })
}

fn not_understood(path: &Path, place: &str, why: &str) -> PinsError {
    PinsError::NotUnderstood { file: path.to_owned(), place: place.to_owned(), why: why.to_owned() }
}
