//! The programs that have MCP servers of their own: where their files are, how their entries are read into ours, and
//! how ours is written among theirs.
//!
//! One file for each client, [`CLIENTS`] is the table of them. Nothing here touches a disk: folders come in by
//! [`Places`], texts by [`Document`].

mod claude_code;
mod claude_desktop;
mod cline;
mod codex;
mod continue_dev;
mod cursor;
mod danger;
mod data;
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
mod shown;
mod variables;
mod vs_code;
mod windsurf;
mod zed;

use std::path::{Path, PathBuf};

use toolwright_base::closest_name;

pub use danger::dangers;
pub use data::{Data, Node, Pair, Step, Value};
pub use document::{Document, EditError, Format};
pub use gateway::{Gateway, Put, PutError, Secret};
pub use llm::{LlmClient, LlmPlace, llm_client, llm_clients};
pub use merge::{Fate, Merge, MergeError, Merged, has_server, merge};
pub use places::{Places, System};
pub use read::{Found, is_toolwright, servers};
pub use shown::{Secrets, command_line, secret_texts};
pub use variables::Variables;

/// A program that has servers.
pub struct Client {
    /// What it is called on the command line.
    pub id: &'static str,
    /// What it calls itself.
    pub title: &'static str,
    /// Other words for it.
    aliases: &'static [&'static str],
    /// The format of its files.
    pub format: Format,
    /// What kinds of servers it can have.
    pub ways: Ways,
    /// How it writes variables.
    pub variables: Variables,
    /// What is to be done until it knows of a new server.
    pub next_step: &'static str,
    /// Its files for everything, the usual one first.
    user_files: fn(&Places) -> Vec<PathBuf>,
    /// Its files for one project, the usual one first.
    project_files: &'static [&'static str],
    /// Where in a file the servers are.
    holder: fn(&Value) -> Vec<Step>,
    /// Whether they are a list of entries with names, and not a map.
    is_list: bool,
    /// Its words for ours.
    words: &'static [(&'static str, Ours)],
    /// What else is special about its entries.
    special: fn(&mut read::Entry<'_>),
    /// Servers that stand elsewhere in its files, with the folder that they are for.
    elsewhere: fn(&Value) -> Vec<ForFolder>,
    /// How we are written among its servers.
    entry: fn(&str, &Gateway) -> Data,
}

/// Servers for one folder: the folder, and where in the file they are.
type ForFolder = (PathBuf, Vec<Step>);

/// What kinds of servers a client can have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ways {
    /// Only those that it starts itself.
    StdioOnly,
    /// Those at an address as well.
    Both,
}

/// What a word of a client means.
#[derive(Clone, Copy, Debug)]
enum Ours {
    /// This key of ours.
    Key(&'static str),
    /// This key of ours, in seconds there and in milliseconds here.
    Seconds(&'static str),
    /// Something for the client alone, under a word that means something else to us.
    Aside,
    /// Something that is read in another way.
    Read,
}

/// Which of a client's files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Scope {
    /// Those for everything that a person does.
    User,
    /// Those of the project in this folder.
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

/// Finds a client by any word for it; otherwise the one that was probably meant.
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

/// The client whose file this most probably is: by its name, then by what stands in it.
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
    /// Its files in a scope, the usual one first, whether they are there or not.
    pub fn files(&self, places: &Places, scope: &Scope) -> Vec<PathBuf> {
        match scope {
            Scope::User => (self.user_files)(places),
            Scope::Project(folder) => self.project_files.iter().map(|file| folder.join(file)).collect(),
        }
    }

    /// Whether it has files for single projects.
    pub fn has_projects(&self) -> bool {
        !self.project_files.is_empty()
    }

    /// Whether a variable can stand where a token belongs.
    pub fn takes_variables(&self) -> bool {
        // Codex has a key for it, and no variables in texts.
        self.variables != Variables::None || self.id == codex::CLIENT.id
    }

    /// Where in a file of its the servers are.
    pub fn holder(&self, root: &Value) -> Vec<Step> {
        (self.holder)(root)
    }

    /// Where in a file of its the server of this name is.
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

/// Most clients have servers under `mcpServers`.
fn mcp_servers(_: &Value) -> Vec<Step> {
    vec![Step::key("mcpServers")]
}

/// Most clients have nothing else that is special.
fn nothing_special(_: &mut read::Entry<'_>) {}

/// Most clients have servers in one place only.
fn nowhere(_: &Value) -> Vec<ForFolder> {
    Vec::new()
}

/// What most clients write for a program that they start.
fn stdio_entry(command: &str, args: &[String]) -> Data {
    Data::map([("command", Data::text(command)), ("args", Data::texts(args.iter().cloned()))])
}
