//! Taking servers over: into our configuration, each once, none lost.

use std::path::Path;

use super::data::{Data, Step, Value};
use super::document::{Document, EditError, Format};
use super::read::Found;
use crate::Problem;
use crate::configuration::DEFAULT_TOOLBOX;

/// What is to be taken over, and into what.
#[derive(Debug)]
pub struct Merge<'m> {
    /// The configuration as it is; nothing when there is none yet.
    pub text: Option<&'m str>,
    /// Its file.
    pub file: &'m Path,
    /// The toolbox that gets the servers; those of everybody when absent.
    pub toolbox: Option<&'m str>,
}

/// The configuration with what was taken over.
#[derive(Debug)]
pub struct Merged {
    /// Its text.
    pub text: String,
    /// What became of every server, in their order.
    pub fates: Vec<(Found, Fate)>,
}

/// What becomes of a server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fate {
    /// It is taken over, under this name.
    Added(String),
    /// It is there already, as this: a name, or toolbox/name.
    Same(String),
    /// It is not taken over, for this reason.
    LeftOut(String),
}

/// Why nothing can be taken over.
#[derive(Debug, thiserror::Error)]
pub enum MergeError {
    /// The configuration cannot be read.
    #[error("{0}")]
    Wrong(Box<Problem>),
    /// It cannot be changed.
    #[error(transparent)]
    Edit(#[from] EditError),
}

/// A server that is in the configuration.
struct There {
    toolbox: String,
    name: String,
    path: Vec<Step>,
    signature: Data,
    is_new: bool,
}

/// What says which server an entry is. Whether it is switched on, and what is a client's own, is no part of it.
const SAME: &[&[&str]] = &[
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

/// Takes servers over.
pub fn merge(into: &Merge<'_>, found: Vec<Found>) -> Result<Merged, MergeError> {
    let text = into.text.unwrap_or_default();
    let mut document = Document::parse(text, Format::Json, into.file).map_err(MergeError::Wrong)?;
    let mut there = servers_of(document.root());
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
        if let Some(same) = there.iter().find(|there| there.signature == signature) {
            let is_on = found.entry.get("disabled").is_none();
            if same.is_new && is_on {
                // Somewhere it is in use.
                let off = same.path.iter().cloned().chain([Step::key("disabled")]).collect::<Vec<_>>();
                document.remove(&off)?;
            }
            let name = &same.name;
            let is_here = same.toolbox == toolbox;
            let said = if is_here { name.clone() } else { format!("{}/{name}", same.toolbox) };
            fates.push((found, Fate::Same(said)));
            continue;
        }
        if let (Some(name), None) = (into.toolbox, document.root().at(&holder[..holder.len() - 1])) {
            let new = Data::map([
                ("description", Data::text(format!("Servers taken over into {name}"))),
                ("mcpServers", Data::Map(Vec::new())),
            ]);
            document.set(&holder[..2], &new)?;
        }
        let name = free_name(&found, &there, &toolbox);
        let path: Vec<Step> = holder.iter().cloned().chain([Step::key(&name)]).collect();
        match document.set(&path, &found.entry) {
            Err(EditError::NotPlain) => {
                // One odd entry must not keep the others out.
                fates.push((found, Fate::LeftOut("it cannot be written as JSON just so".to_owned())));
                continue;
            }
            done => done?,
        }
        there.push(There { toolbox: toolbox.clone(), name: name.clone(), path, signature, is_new: true });
        fates.push((found, Fate::Added(name)));
    }
    Ok(Merged { text: document.to_text(), fates })
}

/// Whether a configuration has the server of this entry.
pub fn has_server(configuration: &Document, entry: &Data) -> bool {
    let wanted = signature(entry);
    servers_of(configuration.root()).iter().any(|there| there.signature == wanted)
}

/// What says which server an entry is.
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
    for keys in SAME {
        let value = keys.iter().find_map(|key| entry.get(key)).filter(|value| !value.is_empty());
        members.extend(value.map(|value| (keys[0].to_owned(), value.clone())));
    }
    Data::Map(members)
}

/// Where new servers go.
fn holder(root: &Value, toolbox: Option<&str>) -> Vec<Step> {
    let word = |holder: Option<&Value>| {
        let has = |key: &str| holder.is_some_and(|holder| holder.get(key).is_some());
        Step::key(if has("servers") && !has("mcpServers") { "servers" } else { "mcpServers" })
    };
    match toolbox {
        None => vec![word(Some(root))],
        Some(name) => {
            let there = root.get("toolboxes").and_then(|toolboxes| toolboxes.get(name));
            vec![Step::key("toolboxes"), Step::key(name), word(there)]
        }
    }
}

fn servers_of(root: &Value) -> Vec<There> {
    let mut there: Vec<There> = Vec::new();
    let mut take = |toolbox: &str, path: Vec<Step>| {
        for pair in root.at(&path).map(Value::pairs).unwrap_or_default() {
            let path = path.iter().cloned().chain([Step::key(&pair.key)]).collect();
            let signature = signature(&pair.value.data());
            let (toolbox, name) = (toolbox.to_owned(), pair.key.clone());
            there.push(There { toolbox, name, path, signature, is_new: false });
        }
    };
    for key in ["mcpServers", "servers"] {
        take(DEFAULT_TOOLBOX, vec![Step::key(key)]);
        for toolbox in root.get("toolboxes").map(Value::pairs).unwrap_or_default() {
            take(&toolbox.key, vec![Step::key("toolboxes"), Step::key(&toolbox.key), Step::key(key)]);
        }
    }
    there
}

/// Its own name; that and the client's where another server has it.
fn free_name(found: &Found, there: &[There], toolbox: &str) -> String {
    let is_free = |name: &str| there.iter().all(|there| there.toolbox != toolbox || there.name != name);
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
