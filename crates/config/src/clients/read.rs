//! The entries of a client, as ours.

use std::path::{Path, PathBuf};

use super::data::{Data, Node, Step, Value};
use super::document::Document;
use super::{Client, Ours, Scope};
use crate::read::is_known_of_server;

/// The order in which our keys are written.
const ORDER: &[&str] = &["command", "args", "env", "env_from", "cwd", "type", "url", "headers"];

/// Keys whose texts may hold variables.
const WITH_VARIABLES: &[&str] = &["command", "args", "env", "cwd", "url", "headers"];

/// A server that a client has.
#[derive(Clone, Debug)]
pub struct Found {
    /// The client's id.
    pub client: &'static str,
    /// What the client calls itself.
    pub title: &'static str,
    /// The file it stands in.
    pub file: PathBuf,
    /// The project it is for, where it is not for everything.
    pub project: Option<PathBuf>,
    /// Its name.
    pub name: String,
    /// Its entry in our words. Client-specific keys are under `x-CLIENT`.
    pub entry: Data,
    /// What should be known of it.
    pub notes: Vec<String>,
    /// Why it is not taken over, where it is not.
    pub left_out: Option<String>,
}

/// An entry that is being read.
pub(super) struct Entry<'v> {
    pub value: &'v Value,
    /// The whole file.
    pub root: &'v Value,
    pub name: String,
    /// Ours, so far.
    pub ours: Vec<(String, Data)>,
    /// What is the client's alone.
    pub aside: Vec<(String, Data)>,
    /// Headers that are in our words already.
    pub late_headers: Vec<(String, Data)>,
    pub is_disabled: bool,
    pub notes: Vec<String>,
    pub left_out: Option<String>,
}

/// Every server in a file of a client.
pub fn servers(client: &'static Client, document: &Document, file: &Path, scope: &Scope) -> Vec<Found> {
    let root = document.root();
    let project = match scope {
        Scope::User => None,
        Scope::Project(folder) => Some(folder.clone()),
    };
    let mut found = held(client, root, &client.holder(root), file, project.as_deref());
    for (folder, path) in (client.elsewhere)(root) {
        found.extend(held(client, root, &path, file, Some(&folder)));
    }
    found
}

/// Whether an entry, of a client or of ours, is this program.
pub fn is_toolwright(entry: &Data) -> bool {
    let text = |key: &str| entry.get(key).and_then(Data::as_text).unwrap_or_default();
    let mut words: Vec<&str> = ["command", "cmd"].map(text).into_iter().filter(|it| !it.is_empty()).collect();
    words.extend(entry.get("command").map(Data::as_texts).unwrap_or_default());
    // An older form of Zed.
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
    (is_program && serves) || is_ours || url.is_some() && holds_our_token(entry)
}

fn holds_our_token(data: &Data) -> bool {
    match data {
        Data::Text(text) => {
            let token = text.strip_prefix("Bearer ").unwrap_or(text);
            token.starts_with("tw_") || token.contains("TOOLWRIGHT_TOKEN")
        }
        Data::List(items) => items.iter().any(holds_our_token),
        Data::Map(members) => members.iter().any(|(_, value)| holds_our_token(value)),
        _ => false,
    }
}

fn held(
    client: &'static Client,
    root: &Value,
    holder: &[Step],
    file: &Path,
    project: Option<&Path>,
) -> Vec<Found> {
    let Some(holder) = root.at(holder) else { return Vec::new() };
    let named: Vec<(String, &Value)> = match &holder.node {
        Node::Map(pairs) if !client.is_list => {
            // Of a name that stands twice the last counts.
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
    named.into_iter().map(|(name, value)| found(client, root, name, value, file, project)).collect()
}

fn found(
    client: &'static Client,
    root: &Value,
    name: String,
    value: &Value,
    file: &Path,
    project: Option<&Path>,
) -> Found {
    let mut entry = Entry {
        value,
        root,
        name,
        ours: Vec::new(),
        aside: Vec::new(),
        late_headers: Vec::new(),
        is_disabled: false,
        notes: Vec::new(),
        left_out: None,
    };
    if let Node::Map(_) = value.node {
        entry.take_words(client);
        (client.special)(&mut entry);
        entry.take_variables(client, project);
        entry.settle(project);
    } else {
        entry.left_out = Some(format!("its entry is {}, not a map", value.a_kind()));
    }
    if is_toolwright(&value.data()) {
        entry.left_out = Some("this is Toolwright itself".to_owned());
    }
    let data = entry.finished(client);
    let Entry { name, notes, left_out, .. } = entry;
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

impl Entry<'_> {
    /// The value of one of our keys.
    pub fn get(&self, key: &str) -> Option<&Data> {
        self.ours.iter().find(|(name, _)| name == key).map(|(_, value)| value)
    }

    /// Writes one of our keys.
    pub fn set(&mut self, key: &str, value: Data) {
        self.ours.retain(|(name, _)| name != key);
        self.ours.push((key.to_owned(), value));
    }

    /// Takes one of our keys out.
    pub fn take(&mut self, key: &str) -> Option<Data> {
        let at = self.ours.iter().position(|(name, _)| name == key)?;
        Some(self.ours.remove(at).1)
    }

    /// Adds to a map of ours, such as the headers.
    pub fn add(&mut self, key: &str, members: impl IntoIterator<Item = (String, Data)>) {
        let mut there = self.take(key).map_or(Vec::new(), |data| data.members().to_vec());
        for (name, value) in members {
            there.retain(|(known, _)| *known != name);
            there.push((name, value));
        }
        self.set(key, Data::Map(there));
    }

    fn take_words(&mut self, client: &Client) {
        let Data::Map(members) = self.value.data() else { return };
        for (key, value) in members {
            let word = client.words.iter().find(|(word, _)| *word == key).map(|(_, ours)| *ours);
            match (word, &value) {
                (Some(Ours::Read), _) | (_, Data::Null) => {}
                (Some(Ours::Aside), _) => self.aside.push((key, value)),
                (Some(Ours::Key(ours)), _) => self.set(ours, value),
                (Some(Ours::Seconds(ours)), Data::Number(number)) => {
                    let seconds = number.parse::<f64>().unwrap_or_default() * 1000.0;
                    // A day is the longest that we wait.
                    if (1.0..=86_400_000.0).contains(&seconds) {
                        self.set(ours, Data::Number(format!("{}", seconds.round() as u64)));
                    } else {
                        self.aside.push((key, value));
                    }
                }
                (Some(Ours::Seconds(_)), _) => self.aside.push((key, value)),
                (None, Data::Bool(is_so)) if key == "disabled" => self.is_disabled |= is_so,
                (None, Data::Bool(is_so)) if key == "enabled" || key == "isActive" => {
                    self.is_disabled |= !is_so
                }
                (None, _) if is_known_of_server(&key) => self.set(&key, value),
                (None, _) => self.aside.push((key, value)),
            }
        }
    }

    fn take_variables(&mut self, client: &Client, project: Option<&Path>) {
        let folder = project.and_then(Path::to_str);
        let mut notes: Vec<String> = Vec::new();
        for (_, value) in self.ours.iter_mut().filter(|(key, _)| WITH_VARIABLES.contains(&key.as_str())) {
            translate(value, &mut |text| {
                let translated = client.variables.translate(text, folder);
                notes.extend(translated.notes);
                translated.text
            });
        }
        let late = std::mem::take(&mut self.late_headers);
        if !late.is_empty() {
            self.add("headers", late);
        }
        notes.retain(|note| !self.notes.contains(note));
        notes.dedup();
        self.notes.extend(notes);
    }

    /// One way to say a thing: a command and its arguments, no empty parts.
    fn settle(&mut self, project: Option<&Path>) {
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
        let said = self.get("type").and_then(Data::as_text).unwrap_or_default().to_ascii_lowercase();
        let is_plain =
            ["stdio", "local", "remote", "streamable_http", "streamable-http", "streamablehttp", "http"];
        if is_plain.contains(&said.as_str()) || is_command {
            self.take("type");
        }
        self.ours
            .retain(|(key, value)| !(value.is_empty() && ["args", "env", "headers"].contains(&key.as_str())));
        if !is_command && self.get("url").is_none() && self.left_out.is_none() {
            self.left_out = Some("it has neither a command nor an address".to_owned());
        }
        if let (true, Some(folder)) = (is_command, project) {
            self.settle_in(folder);
        }
    }

    /// A client runs the servers of a project in its folder.
    fn settle_in(&mut self, folder: &Path) {
        let said = self.get("cwd").and_then(Data::as_text).map(str::to_owned);
        let cwd = match said {
            Some(cwd) if cwd.starts_with(['/', '~', '$']) || Path::new(&cwd).is_absolute() => return,
            Some(cwd) => folder.join(cwd.strip_prefix("./").unwrap_or(&cwd)),
            None => folder.to_owned(),
        };
        let Some(cwd) = cwd.to_str() else { return };
        self.set("cwd", Data::text(cwd.replace("${", "$${")));
    }

    fn finished(&mut self, client: &Client) -> Data {
        let place = |key: &str| ORDER.iter().position(|known| *known == key).unwrap_or(ORDER.len());
        let mut members = std::mem::take(&mut self.ours);
        members.sort_by_key(|(key, _)| place(key));
        if self.is_disabled {
            members.push(("disabled".to_owned(), Data::Bool(true)));
        }
        if !self.aside.is_empty() {
            let names: Vec<&str> = self.aside.iter().map(|(key, _)| key.as_str()).collect();
            if self.left_out.is_none() {
                self.notes.push(format!("kept and not used here: {}", names.join(", ")));
            }
            let aside = std::mem::take(&mut self.aside);
            members.push((format!("x-{}", client.id), Data::Map(aside)));
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
