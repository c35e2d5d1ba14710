//! Adding Toolwright to a client's servers, and removing it.

use super::data::{Data, Step, Value};
use super::document::{Document, EditError};
use super::read::is_toolwright;
use super::{Client, Ways};

/// How a client connects to Toolwright.
#[derive(Clone, Debug)]
pub enum Gateway {
    /// The client starts it as a child process.
    Stdio {
        /// The program.
        command: String,
        /// Its arguments.
        args: Vec<String>,
    },
    /// It listens at an address.
    Http {
        /// The address.
        url: String,
        /// The bearer token.
        token: Secret,
    },
}

/// The token that a client sends.
#[derive(Clone)]
pub enum Secret {
    /// The token itself.
    Token(String),
    /// The environment variable with the token, if the client supports variables.
    Variable(String),
}

/// The result of adding Toolwright to a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Put {
    /// The number of path steps that were missing before; removal deletes only those, and only if they are empty.
    pub made: usize,
}

/// The reason why Toolwright cannot be added to a file.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PutError {
    /// The client supports stdio only.
    #[error("{0} supports stdio only and ignores servers with an address")]
    StdioOnly(&'static str),
    /// Another server has that name.
    #[error("there is a server \"{0}\" already, and it is not Toolwright")]
    NameTaken(String),
    /// The text cannot be edited.
    #[error(transparent)]
    Edit(#[from] EditError),
}

/// Keys that the user may have changed in Toolwright's entry: they are written if missing, and never overwritten.
const USER_KEYS: &[&str] = &["enabled", "disabled", "timeout", "description", "env", "envs"];

impl Client {
    /// Writes Toolwright's entry under this name. Keys that the user added to the entry stay.
    pub fn put(&self, document: &mut Document, name: &str, gateway: &Gateway) -> Result<Put, PutError> {
        if let (Ways::StdioOnly, Gateway::Http { .. }) = (self.ways, gateway) {
            return Err(PutError::StdioOnly(self.title));
        }
        let path = self.path(document.root(), name);
        let entry = (self.entry)(name, gateway);
        let missing = (0..path.len()).filter(|at| document.root().at(&path[..=*at]).is_none()).count();
        let Some(there) = document.root().at(&path) else {
            document.set(&path, &entry)?;
            return Ok(Put { made: missing });
        };
        // The program may be installed under another name.
        let program = |entry: &Data| ["command", "cmd"].iter().find_map(|key| entry.get(key).cloned());
        let is_same = program(&entry).is_some() && program(&entry) == program(&there.data());
        if !is_same && !is_toolwright(&there.data()) {
            return Err(PutError::NameTaken(name.to_owned()));
        }
        let written: Vec<String> = there.pairs().iter().map(|pair| pair.key.clone()).collect();
        let other = (self.entry)(name, &other_transport(gateway));
        for key in written {
            let is_ours = other.get(&key).is_some() && !USER_KEYS.contains(&key.as_str());
            if is_ours && entry.get(&key).is_none() {
                document.remove(&join(&path, &key))?;
            }
        }
        for (key, value) in entry.members() {
            merge_value(document, &join(&path, key), value)?;
        }
        Ok(Put { made: 0 })
    }

    /// Whether the server of this name is recognisably Toolwright.
    pub fn is_toolwright(&self, document: &Document, name: &str) -> bool {
        let there = document.root().at(&self.path(document.root(), name));
        there.is_some_and(|there| is_toolwright(&there.data()))
    }

    /// Removes the server of this name, and empty parents that were created for it.
    pub fn take_out(&self, document: &mut Document, name: &str, put: Put) -> Result<(), EditError> {
        let path = self.path(document.root(), name);
        document.remove(&path)?;
        for length in (path.len().saturating_sub(put.made.saturating_sub(1))..path.len()).rev() {
            let is_empty = |value: &Value| value.data().is_empty();
            if length > 0 && document.root().at(&path[..length]).is_some_and(is_empty) {
                document.remove(&path[..length])?;
            }
        }
        Ok(())
    }
}

impl Secret {
    /// The `Authorization` header for a client.
    pub(super) fn header(&self, client: &Client) -> Data {
        let value = match self {
            Secret::Token(token) => token.clone(),
            Secret::Variable(name) => client.variables.reference(name).unwrap_or_else(|| name.clone()),
        };
        Data::map([("Authorization", Data::text(format!("Bearer {value}")))])
    }
}

/// The token is not part of the debug output.
impl std::fmt::Debug for Secret {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Secret::Token(_) => f.write_str("Token([hidden])"),
            Secret::Variable(name) => f.debug_tuple("Variable").field(name).finish(),
        }
    }
}

fn merge_value(document: &mut Document, path: &[Step], value: &Data) -> Result<(), EditError> {
    let key = path.last().map_or("", |step| step.name());
    match document.root().at(path) {
        Some(_) if USER_KEYS.contains(&key) => Ok(()),
        Some(there) if !there.pairs().is_empty() && !value.members().is_empty() => {
            value.members().iter().try_for_each(|(key, value)| merge_value(document, &join(path, key), value))
        }
        _ => document.set(path, value),
    }
}

fn join(path: &[Step], key: &str) -> Vec<Step> {
    path.iter().cloned().chain([Step::key(key)]).collect()
}

fn other_transport(gateway: &Gateway) -> Gateway {
    match gateway {
        Gateway::Stdio { .. } => Gateway::Http { url: String::new(), token: Secret::Token(String::new()) },
        Gateway::Http { .. } => Gateway::Stdio { command: String::new(), args: Vec::new() },
    }
}
