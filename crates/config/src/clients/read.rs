//! Conversion of a client's server entries to Toolwright's.

use std::path::{Path, PathBuf};

use super::data::{Data, Node, Step, Value};
use super::document::Document;
use super::{Client, KeyMeaning, Scope};
use crate::read::is_known_of_server;

/// The order in which Toolwright's keys are written.
const ORDER: &[&str] = &["command", "args", "env", "env_from", "cwd", "type", "url", "headers"];

/// Keys whose texts may contain variables.
const WITH_VARIABLES: &[&str] = &["command", "args", "env", "cwd", "url", "headers"];

/// A server in a client's configuration.
#[derive(Clone, Debug)]
pub struct Found {
    /// The id of the client.
    pub client: &'static str,
    /// The display name of the client.
    pub title: &'static str,
    /// The file of the entry.
    pub file: PathBuf,
    /// The project of the server, if it is not a user-level one.
    pub project: Option<PathBuf>,
    /// The name of the server.
    pub name: String,
    /// Its entry, converted to Toolwright's keys. Client-specific keys are under `x-CLIENT`.
    pub entry: Data,
    /// Notes for the user.
    pub notes: Vec<String>,
    /// The reason why the server is not imported, if it is not.
    pub left_out: Option<String>,
}

/// An entry during its conversion.
pub(super) struct EntryConversion<'v> {
    pub value: &'v Value,
    /// The whole file.
    pub root: &'v Value,
    pub name: String,
    /// The converted members so far.
    pub converted: Vec<(String, Data)>,
    /// Client-specific members.
    pub client_only: Vec<(String, Data)>,
    /// Headers that need no conversion of variables.
    pub converted_headers: Vec<(String, Data)>,
    pub is_disabled: bool,
    pub notes: Vec<String>,
    pub left_out: Option<String>,
}

/// All servers in a file of a client.
pub fn servers(client: &'static Client, document: &Document, file: &Path, scope: &Scope) -> Vec<Found> {
    let root = document.root();
    let project = match scope {
        Scope::User => None,
        Scope::Project(folder) => Some(folder.clone()),
    };
    let mut found = entries_at(client, root, &client.holder(root), file, project.as_deref());
    for (folder, path) in (client.other_paths)(root) {
        found.extend(entries_at(client, root, &path, file, Some(&folder)));
    }
    found
}

/// Whether an entry, of a client or of Toolwright, is Toolwright itself.
pub fn is_toolwright(entry: &Data) -> bool {
    let text = |key: &str| entry.get(key).and_then(Data::as_text).unwrap_or_default();
    let mut words: Vec<&str> = ["command", "cmd"].map(text).into_iter().filter(|it| !it.is_empty()).collect();
    words.extend(entry.get("command").map(Data::as_texts).unwrap_or_default());
    // An older format of Zed.
    words.extend(entry.get("command").and_then(|command| command.get("path")?.as_text()));
    let arguments = entry.get("args").map(Data::as_texts).unwrap_or_default();
    let program = words.first().and_then(|program| program.rsplit(['/', '\\']).next()).unwrap_or_default();
    let is_program = program.strip_suffix(".exe").unwrap_or(program).eq_ignore_ascii_case("toolwright");
    let serves = words.iter().skip(1).chain(&arguments).any(|word| *word == "stdio");
    let url = ["url", "uri", "httpUrl", "serverUrl"].map(text).into_iter().find(|url| !url.is_empty());
    let is_ours = url.is_some_and(|url| {
        let rest = url.strip_prefix("http://").unwrap_or_default();
        let (host, path) = rest.split_once('/').unwrap_or((rest, ""));
        ["127.0.0.1:8484", "localhost:8484", "[::1]:8484"].contains(&host) && path.starts_with("mcp")
    });
    (is_program && serves) || is_ours || url.is_some() && has_toolwright_token(entry)
}

fn has_toolwright_token(data: &Data) -> bool {
    match data {
        Data::Text(text) => {
            let token = text.strip_prefix("Bearer ").unwrap_or(text);
            token.starts_with("tw_") || token.contains("TOOLWRIGHT_TOKEN")
        }
        Data::List(items) => items.iter().any(has_toolwright_token),
        Data::Map(members) => members.iter().any(|(_, value)| has_toolwright_token(value)),
        _ => false,
    }
}

fn entries_at(
    client: &'static Client,
    root: &Value,
    holder: &[Step],
    file: &Path,
    project: Option<&Path>,
) -> Vec<Found> {
    let Some(holder) = root.at(holder) else { return Vec::new() };
    let named: Vec<(String, &Value)> = match &holder.node {
        Node::Map(pairs) if !client.is_list => {
            // If a name occurs twice, the last one is used.
            let is_last = |at: usize, key: &str| pairs[at + 1..].iter().all(|pair| pair.key != key);
            let last = pairs.iter().enumerate().filter(|(at, pair)| is_last(*at, &pair.key));
            last.map(|(_, pair)| (pair.key.clone(), &pair.value)).collect()
        }
        Node::List(items) => {
            let name = |at: usize, item: &Value| {
                item.get("name")
                    .and_then(Value::text)
                    .map_or_else(|| format!("server-{}", at + 1), str::to_owned)
            };
            items.iter().enumerate().map(|(at, item)| (name(at, item), item)).collect()
        }
        _ => Vec::new(),
    };
    named.into_iter().map(|(name, value)| convert_entry(client, root, name, value, file, project)).collect()
}

fn convert_entry(
    client: &'static Client,
    root: &Value,
    name: String,
    value: &Value,
    file: &Path,
    project: Option<&Path>,
) -> Found {
    let mut entry = EntryConversion {
        value,
        root,
        name,
        converted: Vec::new(),
        client_only: Vec::new(),
        converted_headers: Vec::new(),
        is_disabled: false,
        notes: Vec::new(),
        left_out: None,
    };
    if let Node::Map(_) = value.node {
        entry.convert_keys(client);
        (client.convert)(&mut entry);
        entry.convert_variables(client, project);
        entry.normalize(project);
    } else {
        entry.left_out = Some(format!("its entry is {}, not a map", value.a_kind()));
    }
    if is_toolwright(&value.data()) {
        entry.left_out = Some("this is Toolwright itself".to_owned());
    }
    let data = entry.build_data(client);
    let EntryConversion { name, notes, left_out, .. } = entry;
    let project = project.map(Path::to_owned);
    Found {
        client: client.id,
        title: client.title,
        file: file.to_owned(),
        project,
        name,
        entry: data,
        notes,
        left_out,
    }
}

impl EntryConversion<'_> {
    /// The value of a converted key.
    pub fn get(&self, key: &str) -> Option<&Data> {
        self.converted.iter().find(|(name, _)| name == key).map(|(_, value)| value)
    }

    /// Sets a converted key.
    pub fn set(&mut self, key: &str, value: Data) {
        self.converted.retain(|(name, _)| name != key);
        self.converted.push((key.to_owned(), value));
    }

    /// Removes a converted key.
    pub fn take(&mut self, key: &str) -> Option<Data> {
        let at = self.converted.iter().position(|(name, _)| name == key)?;
        Some(self.converted.remove(at).1)
    }

    /// Adds members to a converted map, such as the headers.
    pub fn add(&mut self, key: &str, members: impl IntoIterator<Item = (String, Data)>) {
        let mut there = self.take(key).map_or(Vec::new(), |data| data.members().to_vec());
        for (name, value) in members {
            there.retain(|(known, _)| *known != name);
            there.push((name, value));
        }
        self.set(key, Data::Map(there));
    }

    fn convert_keys(&mut self, client: &Client) {
        let Data::Map(members) = self.value.data() else { return };
        for (key, value) in members {
            let word = client.key_meanings.iter().find(|(word, _)| *word == key).map(|(_, meaning)| *meaning);
            match (word, &value) {
                (Some(KeyMeaning::Special), _) | (_, Data::Null) => {}
                (Some(KeyMeaning::ClientOnly), _) => self.client_only.push((key, value)),
                (Some(KeyMeaning::Key(name)), _) => self.set(name, value),
                (Some(KeyMeaning::Seconds(name)), Data::Number(number)) => {
                    let seconds = number.parse::<f64>().unwrap_or_default() * 1000.0;
                    // One day is the longest timeout of the configuration.
                    if (1.0..=86_400_000.0).contains(&seconds) {
                        self.set(name, Data::Number(format!("{}", seconds.round() as u64)));
                    } else {
                        self.client_only.push((key, value));
                    }
                }
                (Some(KeyMeaning::Seconds(_)), _) => self.client_only.push((key, value)),
                (None, Data::Bool(is_so)) if key == "disabled" => self.is_disabled |= is_so,
                (None, Data::Bool(is_so)) if key == "enabled" || key == "isActive" => {
                    self.is_disabled |= !is_so
                }
                (None, _) if is_known_of_server(&key) => self.set(&key, value),
                (None, _) => self.client_only.push((key, value)),
            }
        }
    }

    fn convert_variables(&mut self, client: &Client, project: Option<&Path>) {
        let folder = project.and_then(Path::to_str);
        let mut notes: Vec<String> = Vec::new();
        for (_, value) in self.converted.iter_mut().filter(|(key, _)| WITH_VARIABLES.contains(&key.as_str()))
        {
            translate(value, &mut |text| {
                let translated = client.variables.translate(text, folder);
                notes.extend(translated.notes);
                translated.text
            });
        }
        let late = std::mem::take(&mut self.converted_headers);
        if !late.is_empty() {
            self.add("headers", late);
        }
        notes.retain(|note| !self.notes.contains(note));
        notes.dedup();
        self.notes.extend(notes);
    }

    /// Normalizes the entry: a command and its arguments, no empty parts.
    fn normalize(&mut self, project: Option<&Path>) {
        if let Some(Data::List(words)) = self.get("command") {
            let mut words = words.clone();
            let rest = self.take("args");
            self.take("command");
            if !words.is_empty() {
                self.set("command", words.remove(0));
                if let Some(Data::List(rest)) = rest {
                    words.extend(rest);
                }
                self.set("args", Data::List(words));
            }
        }
        for key in ["url", "command"] {
            if self.get(key).and_then(Data::as_text).is_some_and(|text| text.trim().is_empty()) {
                self.take(key);
            }
        }
        let is_command = self.get("command").is_some();
        let kind = self.get("type").and_then(Data::as_text).unwrap_or_default().to_ascii_lowercase();
        let is_plain =
            ["stdio", "local", "remote", "streamable_http", "streamable-http", "streamablehttp", "http"];
        if is_plain.contains(&kind.as_str()) || is_command {
            self.take("type");
        }
        self.converted
            .retain(|(key, value)| !(value.is_empty() && ["args", "env", "headers"].contains(&key.as_str())));
        if !is_command && self.get("url").is_none() && self.left_out.is_none() {
            self.left_out = Some("it has neither a command nor an address".to_owned());
        }
        if let (true, Some(folder)) = (is_command, project) {
            self.set_working_folder(folder);
        }
    }

    /// Sets the working directory: a client runs the servers of a project in its folder.
    fn set_working_folder(&mut self, folder: &Path) {
        let declared = self.get("cwd").and_then(Data::as_text).map(str::to_owned);
        let cwd = match declared {
            Some(cwd) if cwd.starts_with(['/', '~', '$']) || Path::new(&cwd).is_absolute() => return,
            Some(cwd) => folder.join(cwd.strip_prefix("./").unwrap_or(&cwd)),
            None => folder.to_owned(),
        };
        let Some(cwd) = cwd.to_str() else { return };
        self.set("cwd", Data::text(cwd.replace("${", "$${")));
    }

    fn build_data(&mut self, client: &Client) -> Data {
        let place = |key: &str| ORDER.iter().position(|known| *known == key).unwrap_or(ORDER.len());
        let mut members = std::mem::take(&mut self.converted);
        members.sort_by_key(|(key, _)| place(key));
        if self.is_disabled {
            members.push(("disabled".to_owned(), Data::Bool(true)));
        }
        if !self.client_only.is_empty() {
            let names: Vec<&str> = self.client_only.iter().map(|(key, _)| key.as_str()).collect();
            if self.left_out.is_none() {
                self.notes.push(format!("stored but not used by Toolwright: {}", names.join(", ")));
            }
            let client_only = std::mem::take(&mut self.client_only);
            members.push((format!("x-{}", client.id), Data::Map(client_only)));
        }
        Data::Map(members)
    }
}

/// Changes every text of a value.
fn translate(data: &mut Data, change: &mut dyn FnMut(&str) -> String) {
    match data {
        Data::Text(text) => *text = change(text),
        Data::List(items) => items.iter_mut().for_each(|item| translate(item, change)),
        Data::Map(members) => members.iter_mut().for_each(|(_, value)| translate(value, change)),
        _ => {}
    }
}
