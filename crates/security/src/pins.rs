//! Which definitions people have agreed to, and what waits for them.

use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, RwLock, RwLockReadGuard};
use std::{fmt, io};

use serde::Serialize;
use toolwright_base::{IgnorePoison, unix_millis};

use crate::change::{Change, Class};
use crate::definition::{Definition, Fingerprint, Print};
use crate::file;
use state::{Entry, Offered, Server, State, judge};

pub(crate) mod state;

/// How many tools are kept for a server.
pub const MAX_TOOLS: usize = 10_000;

/// How large a definition may be of which more is kept than its fingerprint.
pub const MAX_DEFINITION_BYTES: usize = 1 << 20;

/// How much is kept of one list. Of what is beyond it, only fingerprints are kept.
const MAX_LIST_BYTES: usize = 32 << 20;

/// The definitions that people have agreed to. The first list of a server is agreed to as it is.
///
/// One process writes the file at a time: what another one wrote meanwhile is replaced.
pub struct Pins {
    file: Option<PathBuf>,
    state: RwLock<State>,
    /// Held while something changes and is written; says why the last writing failed. Taken before `state`.
    writing: Mutex<Option<String>>,
    now: Box<dyn Fn() -> u64 + Send + Sync>,
}

/// A tool in a list that is not, or not yet, as it was agreed to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Seen {
    /// The tool's name. Empty when it could not be read.
    pub tool: String,
    /// What was seen.
    pub sight: Sight,
}

/// What was seen of a tool.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Sight {
    /// The server is new, so its tool is agreed to.
    First,
    /// The server did not have this tool. It waits.
    Added,
    /// Its definition is another one. It waits.
    Changed(Change),
    /// Its definition is the same, but the server is started or reached in another way. It waits.
    Moved,
    /// Its definition means the same in another notation. It is agreed to.
    Respelled(Change),
    /// It is no object with a name, or nested too deeply. It was not looked at.
    Unreadable,
    /// It comes after the first [`MAX_TOOLS`]. It was not looked at, and counts as waiting.
    TooMany,
}

/// Why something waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// Nobody has agreed to a tool of this name.
    Added,
    /// The definition is another one.
    Changed,
    /// The server is started or reached in another way.
    Moved,
}

/// A tool that waits until somebody agrees to it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Waiting {
    /// The server's name.
    pub server: String,
    /// The tool's name.
    pub tool: String,
    /// Why it waits.
    pub kind: Kind,
    /// How much the change matters.
    pub class: Class,
    /// Where the change is. The word `command` stands for the server's command.
    pub fields: Vec<String>,
    /// What was agreed to, for people. `None` when there is none or it was too large to keep.
    pub agreed: Option<String>,
    /// What is offered, for people. `None` when it was too large to keep.
    pub offered: Option<String>,
    /// The command when it was agreed to.
    pub agreed_command: Option<String>,
    /// The command now.
    pub offered_command: String,
    /// Since when it waits, in milliseconds since 1970.
    pub since: u64,
    /// What [`Pins::approve`] asks for.
    pub fingerprint: Fingerprint,
}

/// A tool that was agreed to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Agreed {
    /// The server's name.
    pub server: String,
    /// The tool's name.
    pub tool: String,
    /// What stands for its definition and command.
    pub fingerprint: Fingerprint,
    /// Since when, in milliseconds since 1970.
    pub since: u64,
}

/// Why the file of agreed definitions is of no use.
#[derive(Debug, thiserror::Error)]
pub enum PinsError {
    /// It cannot be read.
    #[error("cannot read {}: {source}. Make it readable for this user, or name another file.", file.display())]
    NotRead {
        /// The file.
        file: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// It is not what was written.
    #[error(
        "cannot understand {} at {place}: {why}. It was left as it is. Correct it or put back a copy; or move it away, \
         and every server is agreed to as it is seen next.",
        file.display()
    )]
    NotUnderstood {
        /// The file.
        file: PathBuf,
        /// Where in the file.
        place: String,
        /// What is wrong there.
        why: String,
    },
    /// It cannot be written.
    #[error("cannot write {}: {why}. Nothing was changed.", file.display())]
    NotWritten {
        /// The file.
        file: PathBuf,
        /// What the system said.
        why: String,
    },
}

/// Why a definition was not agreed to.
#[derive(Debug, thiserror::Error)]
pub enum ApproveError {
    /// Nothing of this name waits.
    #[error("nothing waits for approval at {server} under the name {tool}")]
    NotWaiting {
        /// The server.
        server: String,
        /// The tool; `*` stands for all of them.
        tool: String,
    },
    /// Something else waits than what was looked at.
    #[error("{tool} of {server} has changed meanwhile; look at it again")]
    ChangedMeanwhile {
        /// The server.
        server: String,
        /// The tool.
        tool: String,
    },
    /// So many tools were agreed to already.
    #[error("{server} has {MAX_TOOLS} tools already; forget the server to begin anew")]
    TooMany {
        /// The server.
        server: String,
    },
    /// It could not be written down.
    #[error(transparent)]
    NotWritten(#[from] PinsError),
}

impl Pins {
    /// Reads the file, if there is one. Without a file, everything is forgotten at the end.
    pub fn open(file: Option<PathBuf>) -> Result<Self, PinsError> {
        Self::open_with(file, unix_millis)
    }

    /// The same with a clock, in milliseconds since 1970.
    pub fn open_with(
        file: Option<PathBuf>,
        now: impl Fn() -> u64 + Send + Sync + 'static,
    ) -> Result<Self, PinsError> {
        let state = file.as_deref().map_or_else(|| Ok(State::default()), file::read)?;
        Ok(Self { file, state: RwLock::new(state), writing: Mutex::new(None), now: Box::new(now) })
    }

    /// Compares a server's list of tools with what was agreed to, and says what is not as agreed.
    ///
    /// `command` is the command line or the address of the server. Call it whenever the list was read, with the whole
    /// list. Its text is kept as it is: leave secrets out of it. Whether the file could be written,
    /// [`unsaved`](Self::unsaved) says.
    pub fn see(&self, server: &str, command: &str, tools: &[String]) -> Vec<Seen> {
        let prints: Vec<Option<Print>> = tools.iter().map(|text| Print::read(text, command)).collect();
        let read: Vec<_> =
            tools.iter().zip(&prints).map(|(text, print)| (text.as_str(), print.as_ref())).collect();
        self.see_read(server, command, &read)
    }

    /// The same for entries that were read before, each with its text. `None` is one that cannot be read.
    pub fn see_read(&self, server: &str, command: &str, tools: &[(&str, Option<&Print>)]) -> Vec<Seen> {
        let mut offered = Offered::of(command, tools, (self.now)());
        // Nobody else changes the state while this is held, so what was read of it stays true.
        let mut problem = lock(&self.writing);
        offered.read_new(self.read().servers.get(server));
        let (seen, changed) = self.state.write().ignore_poison().see(server, offered);
        // What could not be written the last time is tried again.
        if changed || problem.is_some() {
            let text = self.text(&self.read());
            *problem = text.and_then(|text| self.write(&text)).err();
        }
        seen
    }

    /// What waits until somebody agrees to it.
    pub fn waiting(&self) -> Vec<Waiting> {
        let state = self.read();
        let of_server = |(name, server): (&String, &Server)| {
            let shown = |(tool, entry): (&String, &Entry)| shown(name, tool, server.agreed.get(tool), entry);
            server.waiting.iter().map(shown).collect::<Vec<_>>()
        };
        state.servers.iter().flat_map(of_server).collect()
    }

    /// Whether somebody must agree to a tool before it may be used.
    pub fn is_waiting(&self, server: &str, tool: &str) -> bool {
        let waits = |server: &Server| server.waiting.contains_key(tool) || server.unkept.contains(tool);
        self.read().servers.get(server).is_some_and(waits)
    }

    /// Whether a server has ever listed a tool whose name is so.
    pub fn has_listed(&self, server: &str, is_so: impl Fn(&str) -> bool) -> bool {
        let listed = |server: &Server| {
            let mut names = server.agreed.keys().chain(server.waiting.keys()).chain(&server.unkept);
            names.any(|name| is_so(name))
        };
        self.read().servers.get(server).is_some_and(listed)
    }

    /// What was agreed to.
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

    /// Agrees to what waits under this name, if it is still what the fingerprint stands for.
    pub fn approve(&self, server: &str, tool: &str, fingerprint: &str) -> Result<(), ApproveError> {
        self.change(server, |known| {
            let (server, tool) = (server.to_owned(), tool.to_owned());
            match known.as_mut().and_then(|known| known.waiting.get(&tool)) {
                None => Err(ApproveError::NotWaiting { server, tool }),
                Some(entry) if entry.fingerprint.as_str() != fingerprint => {
                    Err(ApproveError::ChangedMeanwhile { server, tool })
                }
                Some(_) => agree(known.as_mut(), &server, &[tool], (self.now)()).map(|_| ()),
            }
        })
    }

    /// Agrees to all that waits of a server, and says how many tools these were.
    pub fn approve_server(&self, server: &str) -> Result<usize, ApproveError> {
        self.change(server, |known| {
            let tools: Vec<String> =
                known.as_ref().map(|known| known.waiting.keys().cloned().collect()).unwrap_or_default();
            if tools.is_empty() {
                return Err(ApproveError::NotWaiting { server: server.to_owned(), tool: "*".to_owned() });
            }
            agree(known.as_mut(), server, &tools, (self.now)())
        })
    }

    /// Forgets a server: its next list is agreed to as it is. Says whether it was known.
    pub fn forget(&self, server: &str) -> Result<bool, PinsError> {
        self.change(server, |known| Ok(known.take().is_some()))
    }

    /// Why the file does not hold what is known here, when the last writing failed.
    pub fn unsaved(&self) -> Option<String> {
        lock(&self.writing).clone()
    }

    /// Changes what is known of a server, and undoes it when it cannot be written.
    fn change<R, E: From<PinsError>>(
        &self,
        server: &str,
        edit: impl FnOnce(&mut Option<Server>) -> Result<R, E>,
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

    fn read(&self) -> RwLockReadGuard<'_, State> {
        self.state.read().ignore_poison()
    }

    fn put(&self, name: &str, server: Option<Server>) {
        self.state.write().ignore_poison().put(name, server);
    }

    fn text(&self, state: &State) -> Result<String, String> {
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

fn agree(
    known: Option<&mut Server>,
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
            known.agreed.insert(tool.clone(), Entry { since: now, ..entry });
        }
    }
    Ok(tools.len())
}

fn shown(server: &str, tool: &str, agreed: Option<&Entry>, offered: &Entry) -> Waiting {
    let (kind, class, fields) = match judge(agreed, offered) {
        Some(Sight::Changed(change) | Sight::Respelled(change)) => {
            (Kind::Changed, change.class, change.fields)
        }
        Some(Sight::Moved) => (Kind::Moved, Class::Meaning, vec!["command".to_owned()]),
        _ => (Kind::Added, Class::Meaning, Vec::new()),
    };
    let pretty = |entry: &Entry| {
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

/// What a thread that panicked left behind is taken over: every change is whole before its lock is given back.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().ignore_poison()
}
