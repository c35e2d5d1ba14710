//! MCP clients: the locations of their configuration files, the conversion of their server entries, and the entry that
//! adds Toolwright to them.
//!
//! Each client has one file, and [`CLIENTS`] lists all of them. This module does no I/O: [`Places`] provides the
//! folders and [`Document`] the texts.

mod claude_code;
mod claude_desktop;
mod cline;
mod codex;
mod continue_dev;
mod cursor;
mod data;
mod display;
mod document;
mod gateway;
mod gemini;
mod goose;
mod kiro;
mod llm;
mod lm_studio;
mod merge;
mod opencode;
mod places;
mod read;
mod risks;
mod variables;
mod vs_code;
mod windsurf;
mod zed;

use std::path::{Path, PathBuf};

use toolwright_base::closest_name;

pub use data::{Data, Node, Pair, Step, Value};
pub use display::{Secrets, command_line, secret_texts};
pub use document::{Document, EditError, Format};
pub use gateway::{Gateway, Put, PutError, Secret};
pub use llm::{LlmClient, LlmPlace, llm_client, llm_clients};
pub use merge::{Fate, Merge, MergeError, Merged, has_server, merge};
pub use places::{Places, System};
pub use read::{Found, is_toolwright, servers};
pub use risks::dangers;
pub use variables::Variables;

/// An MCP client program.
pub struct Client {
    /// Its name on the command line.
    pub id: &'static str,
    /// Its display name.
    pub title: &'static str,
    /// Alternative names.
    aliases: &'static [&'static str],
    /// The format of its configuration files.
    pub format: Format,
    /// The transports that it supports.
    pub ways: Ways,
    /// Its syntax for variables.
    pub variables: Variables,
    /// The steps after which the client uses a new server.
    pub next_step: &'static str,
    /// Its user-level files, the default one first.
    user_files: fn(&Places) -> Vec<PathBuf>,
    /// Its project-level files, the default one first.
    project_files: &'static [&'static str],
    /// The path of the servers in a file.
    holder: fn(&Value) -> Vec<Step>,
    /// Whether the servers are a list of entries with names instead of a map.
    is_list: bool,
    /// The meaning of its keys that differ from Toolwright's.
    key_meanings: &'static [(&'static str, KeyMeaning)],
    /// Client-specific conversion of an entry.
    convert: fn(&mut read::EntryConversion<'_>),
    /// Servers at other paths of its files, with the folder that they apply to.
    other_paths: fn(&Value) -> Vec<FolderServers>,
    /// The entry that adds Toolwright to the client.
    entry: fn(&str, &Gateway) -> Data,
}

/// The servers of one folder: the folder, and the path of the servers in the file.
type FolderServers = (PathBuf, Vec<Step>);

/// The transports that a client supports.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ways {
    /// Only stdio.
    StdioOnly,
    /// Stdio and HTTP.
    Both,
}

/// The meaning of a client's key.
#[derive(Clone, Copy, Debug)]
enum KeyMeaning {
    /// The same as this Toolwright key.
    Key(&'static str),
    /// The same as this Toolwright key, in seconds instead of milliseconds.
    Seconds(&'static str),
    /// A setting of the client that Toolwright ignores, although it has a key of the same name.
    ClientOnly,
    /// A key that the client-specific conversion reads.
    Special,
}

/// The level of a client's files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Scope {
    /// The user-level files.
    User,
    /// The files of the project in this folder.
    Project(PathBuf),
}

/// All clients.
pub const CLIENTS: [&Client; 14] = [
    &claude_desktop::CLIENT,
    &claude_code::CLIENT,
    &cursor::CLIENT,
    &vs_code::CLIENT,
    &cline::CLIENT,
    &windsurf::CLIENT,
    &gemini::CLIENT,
    &zed::CLIENT,
    &continue_dev::CLIENT,
    &goose::CLIENT,
    &opencode::CLIENT,
    &lm_studio::CLIENT,
    &codex::CLIENT,
    &kiro::CLIENT,
];

/// Finds a client by any of its names. The error is the closest match, if there is one.
pub fn client(word: &str) -> Result<&'static Client, Option<&'static Client>> {
    let folded = |text: &str| text.to_ascii_lowercase().replace([' ', '_', '.'], "-");
    let wanted = folded(word);
    let is_it = |client: &&&Client| {
        client.id == wanted || folded(client.title) == wanted || client.aliases.contains(&wanted.as_str())
    };
    CLIENTS.iter().find(is_it).copied().ok_or_else(|| {
        let near = closest_name(&wanted, CLIENTS.iter().map(|client| client.id))?;
        CLIENTS.iter().find(|client| client.id == near).copied()
    })
}

/// The client that most probably owns a file, by the file name, then by its keys.
pub fn client_of(file: &Path, root: &Value) -> &'static Client {
    let name = file.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let by_name = [
        ("claude_desktop_config.json", &claude_desktop::CLIENT),
        (".claude.json", &claude_code::CLIENT),
        (".mcp.json", &claude_code::CLIENT),
        ("cline_mcp_settings.json", &cline::CLIENT),
        ("mcp_config.json", &windsurf::CLIENT),
    ];
    if let Some((_, client)) = by_name.iter().find(|(known, _)| *known == name) {
        return client;
    }
    let by_key = [
        ("context_servers", &zed::CLIENT),
        ("extensions", &goose::CLIENT),
        ("mcp_servers", &codex::CLIENT),
        ("servers", &vs_code::CLIENT),
        ("mcp", &opencode::CLIENT),
    ];
    let has = |key: &str| root.get(key).is_some();
    match by_key.iter().find(|(key, _)| has(key) && !has("mcpServers")) {
        Some((_, client)) => client,
        None if root.get("mcpServers").is_some_and(|it| !it.items().is_empty()) => &continue_dev::CLIENT,
        None => &cursor::CLIENT,
    }
}

impl Client {
    /// Its files in a scope, the default one first, whether they exist or not.
    pub fn files(&self, places: &Places, scope: &Scope) -> Vec<PathBuf> {
        match scope {
            Scope::User => (self.user_files)(places),
            Scope::Project(folder) => self.project_files.iter().map(|file| folder.join(file)).collect(),
        }
    }

    /// Whether it has project-level files.
    pub fn has_projects(&self) -> bool {
        !self.project_files.is_empty()
    }

    /// Whether a token can be given as a variable.
    pub fn takes_variables(&self) -> bool {
        // Codex has a separate key for it, and does not expand variables in texts.
        self.variables != Variables::None || self.id == codex::CLIENT.id
    }

    /// The path of the servers in one of its files.
    pub fn holder(&self, root: &Value) -> Vec<Step> {
        (self.holder)(root)
    }

    /// The path of a server in one of its files.
    pub fn path(&self, root: &Value, name: &str) -> Vec<Step> {
        let mut path = self.holder(root);
        path.push(if self.is_list { Step::Item(name.to_owned()) } else { Step::key(name) });
        path
    }
}

impl std::fmt::Debug for Client {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Client").field(&self.id).finish()
    }
}

/// The default path: most clients have their servers under `mcpServers`.
fn mcp_servers(_: &Value) -> Vec<Step> {
    vec![Step::key("mcpServers")]
}

/// The default conversion: most clients need none.
fn no_conversion(_: &mut read::EntryConversion<'_>) {}

/// The default: most clients have their servers at one path only.
fn no_other_paths(_: &Value) -> Vec<FolderServers> {
    Vec::new()
}

/// The stdio entry that most clients use.
fn stdio_entry(command: &str, args: &[String]) -> Data {
    Data::map([("command", Data::text(command)), ("args", Data::texts(args.iter().cloned()))])
}
