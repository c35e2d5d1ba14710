//! Pinned tool definitions: those that users have approved, and those that wait for approval.

use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, RwLock, RwLockReadGuard};
use std::{fmt, io};

use serde::Serialize;
use toolwright_base::{IgnorePoison, unix_millis};

use crate::change::{Change, Class};
use crate::definition::{Definition, Fingerprint, Print};
use crate::file;
use state::{OfferedList, PinEntry, PinState, ServerPins, compare_entry};

pub(crate) mod state;

/// The most tools that are stored per server.
pub const MAX_TOOLS: usize = 10_000;

/// The largest definition that is stored in full. Of a larger one, only the fingerprint is stored.
pub const MAX_DEFINITION_BYTES: usize = 1 << 20;

/// The most bytes of definitions that are stored per list. Beyond it, only fingerprints are stored.
const MAX_LIST_BYTES: usize = 32 << 20;

/// The approved definitions. The first list of a server is approved as it is (trust on first use).
///
/// Only one process may write the file at a time: changes that another process wrote in between are overwritten.
pub struct Pins {
    file: Option<PathBuf>,
    state: RwLock<PinState>,
    /// The error of the last write. Held during every change and write. Lock order: `writing` before `state`.
    writing: Mutex<Option<String>>,
    now: Box<dyn Fn() -> u64 + Send + Sync>,
}

/// A listed tool that differs from its approved definition, or has none.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Seen {
    /// The name of the tool. Empty if the entry could not be parsed.
    pub tool: String,
    /// The result of the comparison.
    pub sight: Sight,
}

/// The result of comparing a listed tool with its approved definition.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Sight {
    /// The server is new, so the tool is approved.
    First,
    /// The server is known, the tool is new. It waits for approval.
    Added,
    /// The definition has changed. It waits for approval.
    Changed(Change),
    /// The definition is the same, but the command or address of the server has changed. It waits for approval.
    Moved,
    /// The definition has changed in notation only. It is approved.
    Respelled(Change),
    /// The entry is not an object with a name, or is nested too deeply. It was not checked.
    Unreadable,
    /// The tool comes after the first [`MAX_TOOLS`]. It was not checked, and counts as waiting.
    TooMany,
}

/// The reason why a tool waits for approval.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// No tool of this name is approved.
    Added,
    /// The definition has changed.
    Changed,
    /// The command or address of the server has changed.
    Moved,
}

/// A tool that waits for approval.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Waiting {
    /// The name of the server.
    pub server: String,
    /// The name of the tool.
    pub tool: String,
    /// The reason why it waits.
    pub kind: Kind,
    /// How much the change matters.
    pub class: Class,
    /// The paths of the changed fields. `command` stands for the server's command.
    pub fields: Vec<String>,
    /// The approved definition as indented JSON. `None` if there is none or it was too large to store.
    pub agreed: Option<String>,
    /// The offered definition as indented JSON. `None` if it was too large to store.
    pub offered: Option<String>,
    /// The command at the time of approval.
    pub agreed_command: Option<String>,
    /// The current command.
    pub offered_command: String,
    /// The start of waiting, in milliseconds since the Unix epoch.
    pub since: u64,
    /// The fingerprint to pass to [`Pins::approve`].
    pub fingerprint: Fingerprint,
}

/// An approved tool.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Agreed {
    /// The name of the server.
    pub server: String,
    /// The name of the tool.
    pub tool: String,
    /// The fingerprint of its definition and command.
    pub fingerprint: Fingerprint,
    /// The time of approval, in milliseconds since the Unix epoch.
    pub since: u64,
}

/// Error of the pin file.
#[derive(Debug, thiserror::Error)]
pub enum PinsError {
    /// The file cannot be read.
    #[error("cannot read {}: {source}. Make it readable for this user, or name another file.", file.display())]
    NotRead {
        /// The file.
        file: PathBuf,
        /// The error of the operating system.
        source: io::Error,
    },
    /// The content of the file is invalid.
    #[error(
        "{} is invalid at {place}: {why}. It stays unchanged. Correct it or restore a copy; or move it away: then the \
         next list of every server is approved as it is.",
        file.display()
    )]
    NotUnderstood {
        /// The file.
        file: PathBuf,
        /// The position in the file.
        place: String,
        /// The reason.
        why: String,
    },
    /// The file cannot be written.
    #[error("cannot write {}: {why}. Nothing was changed.", file.display())]
    NotWritten {
        /// The file.
        file: PathBuf,
        /// The error of the operating system.
        why: String,
    },
}

/// Error of an approval.
#[derive(Debug, thiserror::Error)]
pub enum ApproveError {
    /// No tool of this name waits for approval.
    #[error("no tool {tool} of server {server} waits for approval")]
    NotWaiting {
        /// The server.
        server: String,
        /// The tool; `*` means all tools.
        tool: String,
    },
    /// The definition has changed since it was reviewed.
    #[error("{tool} of {server} has changed since you reviewed it; review it again")]
    ChangedMeanwhile {
        /// The server.
        server: String,
        /// The tool.
        tool: String,
    },
    /// The server has the maximum number of approved tools.
    #[error("{server} has {MAX_TOOLS} approved tools, which is the maximum; forget the server to start over")]
    TooMany {
        /// The server.
        server: String,
    },
    /// The pin file cannot be written.
    #[error(transparent)]
    NotWritten(#[from] PinsError),
}

impl Pins {
    /// Opens the pin file. Without a file, approvals are lost at shutdown.
    pub fn open(file: Option<PathBuf>) -> Result<Self, PinsError> {
        Self::open_with(file, unix_millis)
    }

    /// Like [`open`](Self::open), with a clock that returns milliseconds since the Unix epoch.
    pub fn open_with(
        file: Option<PathBuf>,
        now: impl Fn() -> u64 + Send + Sync + 'static,
    ) -> Result<Self, PinsError> {
        let state = file.as_deref().map_or_else(|| Ok(PinState::default()), file::read)?;
        Ok(Self { file, state: RwLock::new(state), writing: Mutex::new(None), now: Box::new(now) })
    }

    /// Compares a server's tool list with the approved definitions. Returns the tools that differ.
    ///
    /// `command` is the command line or the address of the server. It is stored unchanged, so it must not contain
    /// secrets. Call this with the whole list each time the list was read. [`unsaved`](Self::unsaved) returns the
    /// error if the file could not be written.
    pub fn see(&self, server: &str, command: &str, tools: &[String]) -> Vec<Seen> {
        let prints: Vec<Option<Print>> = tools.iter().map(|text| Print::read(text, command)).collect();
        let read: Vec<_> =
            tools.iter().zip(&prints).map(|(text, print)| (text.as_str(), print.as_ref())).collect();
        self.see_read(server, command, &read)
    }

    /// Like [`see`](Self::see), for parsed entries, each with its text. `None` is an entry that could not be parsed.
    pub fn see_read(&self, server: &str, command: &str, tools: &[(&str, Option<&Print>)]) -> Vec<Seen> {
        let mut offered = OfferedList::of(command, tools, (self.now)());
        // This lock excludes all other writers, so what is read from the state stays valid until the write.
        let mut problem = lock(&self.writing);
        offered.parse_changed(self.read().servers.get(server));
        let (seen, changed) = self.state.write().ignore_poison().see(server, offered);
        // Retries the write if the last one failed.
        if changed || problem.is_some() {
            let text = self.text(&self.read());
            *problem = text.and_then(|text| self.write(&text)).err();
        }
        seen
    }

    /// The tools that wait for approval.
    pub fn waiting(&self) -> Vec<Waiting> {
        let state = self.read();
        let of_server = |(name, server): (&String, &ServerPins)| {
            let to_waiting =
                |(tool, entry): (&String, &PinEntry)| to_waiting(name, tool, server.agreed.get(tool), entry);
            server.waiting.iter().map(to_waiting).collect::<Vec<_>>()
        };
        state.servers.iter().flat_map(of_server).collect()
    }

    /// Whether a tool must be approved before it may be used.
    pub fn is_waiting(&self, server: &str, tool: &str) -> bool {
        let waits =
            |server: &ServerPins| server.waiting.contains_key(tool) || server.above_limit.contains(tool);
        self.read().servers.get(server).is_some_and(waits)
    }

    /// Whether a server has ever listed a tool whose name matches.
    pub fn has_listed(&self, server: &str, is_so: impl Fn(&str) -> bool) -> bool {
        let listed = |server: &ServerPins| {
            let mut names = server.agreed.keys().chain(server.waiting.keys()).chain(&server.above_limit);
            names.any(|name| is_so(name))
        };
        self.read().servers.get(server).is_some_and(listed)
    }

    /// The approved tools.
    pub fn agreed(&self) -> Vec<Agreed> {
        let state = self.read();
        let entries = state
            .servers
            .iter()
            .flat_map(|(name, server)| server.agreed.iter().map(move |(tool, entry)| (name, tool, entry)));
        entries
            .map(|(server, tool, entry)| Agreed {
                server: server.clone(),
                tool: tool.clone(),
                fingerprint: entry.fingerprint.clone(),
                since: entry.since,
            })
            .collect()
    }

    /// Approves a waiting tool if its definition still has this fingerprint.
    pub fn approve(&self, server: &str, tool: &str, fingerprint: &str) -> Result<(), ApproveError> {
        self.change(server, |known| {
            let (server, tool) = (server.to_owned(), tool.to_owned());
            match known.as_mut().and_then(|known| known.waiting.get(&tool)) {
                None => Err(ApproveError::NotWaiting { server, tool }),
                Some(entry) if entry.fingerprint.as_str() != fingerprint => {
                    Err(ApproveError::ChangedMeanwhile { server, tool })
                }
                Some(_) => approve_tools(known.as_mut(), &server, &[tool], (self.now)()).map(|_| ()),
            }
        })
    }

    /// Approves all waiting tools of a server. Returns their number.
    pub fn approve_server(&self, server: &str) -> Result<usize, ApproveError> {
        self.change(server, |known| {
            let tools: Vec<String> =
                known.as_ref().map(|known| known.waiting.keys().cloned().collect()).unwrap_or_default();
            if tools.is_empty() {
                return Err(ApproveError::NotWaiting { server: server.to_owned(), tool: "*".to_owned() });
            }
            approve_tools(known.as_mut(), server, &tools, (self.now)())
        })
    }

    /// Removes a server: its next list is approved as it is. Returns whether the server was known.
    pub fn forget(&self, server: &str) -> Result<bool, PinsError> {
        self.change(server, |known| Ok(known.take().is_some()))
    }

    /// The error of the last write, if the file is out of date.
    pub fn unsaved(&self) -> Option<String> {
        lock(&self.writing).clone()
    }

    /// Changes the entries of a server. Undoes the change if the file cannot be written.
    fn change<R, E: From<PinsError>>(
        &self,
        server: &str,
        edit: impl FnOnce(&mut Option<ServerPins>) -> Result<R, E>,
    ) -> Result<R, E> {
        let mut problem = lock(&self.writing);
        let before = self.read().servers.get(server).cloned();
        let mut known = before.clone();
        let result = edit(&mut known)?;
        self.put(server, known);
        let text = self.text(&self.read());
        if let Err(why) = text.and_then(|text| self.write(&text)) {
            self.put(server, before);
            let file = self.file.clone().unwrap_or_default();
            return Err(PinsError::NotWritten { file, why }.into());
        }
        *problem = None;
        Ok(result)
    }

    fn read(&self) -> RwLockReadGuard<'_, PinState> {
        self.state.read().ignore_poison()
    }

    fn put(&self, name: &str, server: Option<ServerPins>) {
        self.state.write().ignore_poison().put(name, server);
    }

    fn text(&self, state: &PinState) -> Result<String, String> {
        match self.file {
            Some(_) => file::text(state).map_err(|error| error.to_string()),
            None => Ok(String::new()),
        }
    }

    fn write(&self, text: &str) -> Result<(), String> {
        self.file.as_ref().map_or(Ok(()), |path| file::write(path, text).map_err(|error| error.to_string()))
    }
}

impl fmt::Debug for Pins {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Pins").field("file", &self.file).finish_non_exhaustive()
    }
}

fn approve_tools(
    known: Option<&mut ServerPins>,
    server: &str,
    tools: &[String],
    now: u64,
) -> Result<usize, ApproveError> {
    let Some(known) = known else { return Ok(0) };
    for tool in tools {
        if known.agreed.len() >= MAX_TOOLS && !known.agreed.contains_key(tool) {
            return Err(ApproveError::TooMany { server: server.to_owned() });
        }
        if let Some(entry) = known.waiting.remove(tool) {
            known.agreed.insert(tool.clone(), PinEntry { since: now, ..entry });
        }
    }
    Ok(tools.len())
}

fn to_waiting(server: &str, tool: &str, agreed: Option<&PinEntry>, offered: &PinEntry) -> Waiting {
    let (kind, class, fields) = match compare_entry(agreed, offered) {
        Some(Sight::Changed(change) | Sight::Respelled(change)) => {
            (Kind::Changed, change.class, change.fields)
        }
        Some(Sight::Moved) => (Kind::Moved, Class::Meaning, vec!["command".to_owned()]),
        _ => (Kind::Added, Class::Meaning, Vec::new()),
    };
    let pretty = |entry: &PinEntry| {
        entry.definition.as_deref().and_then(Definition::read).map(|definition| definition.pretty())
    };
    Waiting {
        server: server.to_owned(),
        tool: tool.to_owned(),
        kind,
        class,
        fields,
        agreed: agreed.and_then(pretty),
        offered: pretty(offered),
        agreed_command: agreed.map(|entry| entry.command.clone()),
        offered_command: offered.command.clone(),
        since: offered.since,
        fingerprint: offered.fingerprint.clone(),
    }
}

/// Ignores poisoning: every change is complete before its lock is released.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().ignore_poison()
}
