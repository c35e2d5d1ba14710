//! Putting Toolwright among a client's servers, and taking it out.

use super::data::{Data, Step, Value};
use super::document::{Document, EditError};
use super::read::is_toolwright;
use super::{Client, Ways};

/// Toolwright, as a client reaches it.
#[derive(Clone, Debug)]
pub enum Gateway {
    /// The client starts it.
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
        /// What opens it.
        token: Secret,
    },
}

/// What a client sends to be let in.
#[derive(Clone)]
pub enum Secret {
    /// The token itself.
    Token(String),
    /// The variable that holds it, where the client has variables.
    Variable(String),
}

/// What became of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Put {
    /// How many steps of the path were missing before; only empty ones of those are taken away again.
    pub made: usize,
}

/// Why Toolwright is not put into a file.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PutError {
    /// The client starts servers itself, and knows no addresses.
    #[error("{0} starts its servers itself and leaves out those with an address")]
    StdioOnly(&'static str),
    /// A server of that name is there, and it is another one.
    #[error("there is a server \"{0}\" already, and it is not Toolwright")]
    NameTaken(String),
    /// The text cannot be changed.
    #[error(transparent)]
    Edit(#[from] EditError),
}

/// What a person may have changed in our entry: it is written where it is missing, and not changed.
const CHOICES: &[&str] = &["enabled", "disabled", "timeout", "description", "env", "envs"];

impl Client {
    /// Writes Toolwright among the servers of a file, under this name. What somebody added to the entry stays.
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
        // The program may have another name here.
        let program = |entry: &Data| ["command", "cmd"].iter().find_map(|key| entry.get(key).cloned());
        let is_same = program(&entry).is_some() && program(&entry) == program(&there.data());
        if !is_same && !is_toolwright(&there.data()) {
            return Err(PutError::NameTaken(name.to_owned()));
        }
        let written: Vec<String> = there.pairs().iter().map(|pair| pair.key.clone()).collect();
        let other = (self.entry)(name, &other_way(gateway));
        for key in written {
            let is_ours = other.get(&key).is_some() && !CHOICES.contains(&key.as_str());
            if is_ours && entry.get(&key).is_none() {
                document.remove(&join(&path, &key))?;
            }
        }
        for (key, value) in entry.members() {
            put_in(document, &join(&path, key), value)?;
        }
        Ok(Put { made: 0 })
    }

    /// Whether the server of this name in a file can be seen to be Toolwright.
    pub fn is_toolwright(&self, document: &Document, name: &str) -> bool {
        let there = document.root().at(&self.path(document.root(), name));
        there.is_some_and(|there| is_toolwright(&there.data()))
    }

    /// Takes the server of this name out of a file, with what was made for it and is empty now.
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
    /// The header that a client sends.
    pub(super) fn header(&self, client: &Client) -> Data {
        let value = match self {
            Secret::Token(token) => token.clone(),
            Secret::Variable(name) => client.variables.reference(name).unwrap_or_else(|| name.clone()),
        };
        Data::map([("Authorization", Data::text(format!("Bearer {value}")))])
    }
}

/// Shown without what is secret.
impl std::fmt::Debug for Secret {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Secret::Token(_) => f.write_str("Token([hidden])"),
            Secret::Variable(name) => f.debug_tuple("Variable").field(name).finish(),
        }
    }
}

fn put_in(document: &mut Document, path: &[Step], value: &Data) -> Result<(), EditError> {
    let key = path.last().map_or("", |step| step.name());
    match document.root().at(path) {
        Some(_) if CHOICES.contains(&key) => Ok(()),
        Some(there) if !there.pairs().is_empty() && !value.members().is_empty() => {
            value.members().iter().try_for_each(|(key, value)| put_in(document, &join(path, key), value))
        }
        _ => document.set(path, value),
    }
}

fn join(path: &[Step], key: &str) -> Vec<Step> {
    path.iter().cloned().chain([Step::key(key)]).collect()
}

fn other_way(gateway: &Gateway) -> Gateway {
    match gateway {
        Gateway::Stdio { .. } => Gateway::Http { url: String::new(), token: Secret::Token(String::new()) },
        Gateway::Http { .. } => Gateway::Stdio { command: String::new(), args: Vec::new() },
    }
}
