//! Import of servers into Toolwright's configuration: each server once, none lost.

use std::path::Path;

use super::data::{Data, Step, Value};
use super::document::{Document, EditError, Format};
use super::read::Found;
use crate::Problem;
use crate::configuration::DEFAULT_TOOLBOX;

/// The target of an import.
#[derive(Debug)]
pub struct Merge<'m> {
    /// The current configuration; `None` if there is none yet.
    pub text: Option<&'m str>,
    /// Its file.
    pub file: &'m Path,
    /// The toolbox for the servers; the default one if absent.
    pub toolbox: Option<&'m str>,
}

/// The result of an import.
#[derive(Debug)]
pub struct Merged {
    /// The new text of the configuration.
    pub text: String,
    /// The outcome of every server, in order.
    pub fates: Vec<(Found, Fate)>,
}

/// The outcome of one server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fate {
    /// Added under this name.
    Added(String),
    /// Already present under this name, or toolbox/name.
    Same(String),
    /// Not imported, for this reason.
    LeftOut(String),
}

/// The reason why nothing can be imported.
#[derive(Debug, thiserror::Error)]
pub enum MergeError {
    /// The configuration cannot be parsed.
    #[error("{0}")]
    Wrong(Box<Problem>),
    /// The configuration cannot be edited.
    #[error(transparent)]
    Edit(#[from] EditError),
}

/// A server in the configuration.
struct ExistingServer {
    toolbox: String,
    name: String,
    path: Vec<Step>,
    signature: Data,
    is_new: bool,
}

/// Keys that identify a server, with their aliases. Whether it is disabled, and client-specific keys, are not part of
/// it.
const IDENTITY_KEYS: &[&[&str]] = &[
    &["env", "environment"],
    &["env_from", "envFrom"],
    &["cwd"],
    &["url", "httpUrl", "serverUrl", "baseUrl"],
    &["headers"],
    &["oauth"],
    &["toolFilters"],
    &["tools", "includeTools", "allowedTools", "enabledTools"],
    &["excludeTools", "disabledTools", "blockedTools"],
];

/// Imports servers.
pub fn merge(into: &Merge<'_>, found: Vec<Found>) -> Result<Merged, MergeError> {
    let text = into.text.unwrap_or_default();
    let mut document = Document::parse(text, Format::Json, into.file).map_err(MergeError::Wrong)?;
    let mut existing = servers_of(document.root());
    let holder = holder(document.root(), into.toolbox);
    let toolbox = into.toolbox.unwrap_or(DEFAULT_TOOLBOX).to_owned();
    let mut fates: Vec<(Found, Fate)> = Vec::with_capacity(found.len());
    for found in found {
        if let Some(why) = &found.left_out {
            let fate = Fate::LeftOut(why.clone());
            fates.push((found, fate));
            continue;
        }
        let signature = signature(&found.entry);
        if let Some(same) = existing.iter().find(|existing| existing.signature == signature) {
            let is_on = found.entry.get("disabled").is_none();
            if same.is_new && is_on {
                // One client has it enabled, so it must not stay disabled.
                let off = same.path.iter().cloned().chain([Step::key("disabled")]).collect::<Vec<_>>();
                document.remove(&off)?;
            }
            let name = &same.name;
            let is_here = same.toolbox == toolbox;
            let name_shown = if is_here { name.clone() } else { format!("{}/{name}", same.toolbox) };
            fates.push((found, Fate::Same(name_shown)));
            continue;
        }
        if let (Some(name), None) = (into.toolbox, document.root().at(&holder[..holder.len() - 1])) {
            let new = Data::map([
                ("description", Data::text(format!("Servers imported into {name}"))),
                ("mcpServers", Data::Map(Vec::new())),
            ]);
            document.set(&holder[..2], &new)?;
        }
        let name = free_name(&found, &existing, &toolbox);
        let path: Vec<Step> = holder.iter().cloned().chain([Step::key(&name)]).collect();
        match document.set(&path, &found.entry) {
            Err(EditError::NotPlain) => {
                // One entry that cannot be written must not block the others.
                fates.push((found, Fate::LeftOut("it cannot be represented in JSON".to_owned())));
                continue;
            }
            done => done?,
        }
        existing.push(ExistingServer {
            toolbox: toolbox.clone(),
            name: name.clone(),
            path,
            signature,
            is_new: true,
        });
        fates.push((found, Fate::Added(name)));
    }
    Ok(Merged { text: document.to_text(), fates })
}

/// Whether a configuration contains the server of this entry.
pub fn has_server(configuration: &Document, entry: &Data) -> bool {
    let wanted = signature(entry);
    servers_of(configuration.root()).iter().any(|existing| existing.signature == wanted)
}

/// The identifying part of an entry.
fn signature(entry: &Data) -> Data {
    let mut members: Vec<(String, Data)> = Vec::new();
    let mut words: Vec<Data> = match entry.get("command") {
        Some(Data::List(words)) => words.clone(),
        Some(command) => vec![command.clone()],
        None => Vec::new(),
    };
    if let Some(Data::List(args)) = entry.get("args") {
        words.extend(args.iter().cloned());
    }
    members.push(("command".to_owned(), Data::List(words)));
    for keys in IDENTITY_KEYS {
        let value = keys.iter().find_map(|key| entry.get(key)).filter(|value| !value.is_empty());
        members.extend(value.map(|value| (keys[0].to_owned(), value.clone())));
    }
    Data::Map(members)
}

/// The path for new servers.
fn holder(root: &Value, toolbox: Option<&str>) -> Vec<Step> {
    let word = |holder: Option<&Value>| {
        let has = |key: &str| holder.is_some_and(|holder| holder.get(key).is_some());
        Step::key(if has("servers") && !has("mcpServers") { "servers" } else { "mcpServers" })
    };
    match toolbox {
        None => vec![word(Some(root))],
        Some(name) => {
            let existing = root.get("toolboxes").and_then(|toolboxes| toolboxes.get(name));
            vec![Step::key("toolboxes"), Step::key(name), word(existing)]
        }
    }
}

fn servers_of(root: &Value) -> Vec<ExistingServer> {
    let mut existing: Vec<ExistingServer> = Vec::new();
    let mut take = |toolbox: &str, path: Vec<Step>| {
        for pair in root.at(&path).map(Value::pairs).unwrap_or_default() {
            let path = path.iter().cloned().chain([Step::key(&pair.key)]).collect();
            let signature = signature(&pair.value.data());
            let (toolbox, name) = (toolbox.to_owned(), pair.key.clone());
            existing.push(ExistingServer { toolbox, name, path, signature, is_new: false });
        }
    };
    for key in ["mcpServers", "servers"] {
        take(DEFAULT_TOOLBOX, vec![Step::key(key)]);
        for toolbox in root.get("toolboxes").map(Value::pairs).unwrap_or_default() {
            take(&toolbox.key, vec![Step::key("toolboxes"), Step::key(&toolbox.key), Step::key(key)]);
        }
    }
    existing
}

/// The server's own name; with the client's name appended if another server has it.
fn free_name(found: &Found, existing: &[ExistingServer], toolbox: &str) -> String {
    let is_free =
        |name: &str| existing.iter().all(|existing| existing.toolbox != toolbox || existing.name != name);
    let mut own: String = found.name.chars().map(|c| if c.is_control() { '-' } else { c }).collect();
    if own.trim().is_empty() {
        own = format!("server-of-{}", found.client);
    }
    let own = own.replace("${", "$${");
    let with_client = format!("{own}-{}", found.client);
    let numbered = (2..).map(|number| format!("{with_client}-{number}"));
    let names = [own.clone(), with_client.clone()].into_iter().chain(numbered);
    names.into_iter().find(|name| is_free(name)).unwrap_or(own)
}
