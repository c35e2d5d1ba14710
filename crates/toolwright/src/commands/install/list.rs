//! `toolwright install --list`: which clients there are, and whether Toolwright is in them.

use std::path::PathBuf;
use std::process::ExitCode;

use serde_json::json;
use toolwright_config::clients::{
    CLIENTS, Client, Document, Found, Node, Scope, Ways, is_toolwright, servers,
};
use toolwright_config::read_client_file;

use super::{entry_line, shown};
use crate::cli::InstallOptions;
use crate::commands::import::places;
use crate::commands::print;
use crate::report::Report;

/// What is known of one file of a client.
pub struct Row {
    pub client: &'static Client,
    pub file: PathBuf,
    pub scope: Scope,
    pub state: State,
}

/// What a file of a client says of us.
pub enum State {
    /// There is no such file.
    NoFile,
    /// It cannot be read: line and column, where they are known.
    Broken(String),
    /// Read: how we are in it, and which servers go past us.
    Read { ours: Vec<(String, String)>, past: Vec<Found> },
}

pub fn run(options: &InstallOptions) -> Result<ExitCode, Report> {
    let rows = rows()?;
    if options.json {
        let said: Vec<_> = rows.iter().map(Row::json).collect();
        print(&serde_json::Value::from(said).to_string())?;
    } else {
        let width = rows.iter().map(|row| row.client.id.len()).max().unwrap_or(0);
        let lines = rows.iter().map(|row| {
            format!("{:width$}  {}\n{:width$}    {}", row.client.id, row.file.display(), "", row.told())
        });
        print(&shown(&lines.collect::<Vec<_>>().join("\n")))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Every file of a client that is there, for this person and for the folder we are in; of a client without one, the
/// usual one.
pub fn rows() -> Result<Vec<Row>, Report> {
    let places = places()?;
    let here = std::env::current_dir().unwrap_or_default();
    let mut rows: Vec<Row> = Vec::new();
    for client in CLIENTS {
        let files = client.files(&places, &Scope::User);
        let there: Vec<&PathBuf> = files.iter().filter(|file| file.exists()).collect();
        match (there.is_empty(), files.first()) {
            (true, Some(usual)) => {
                rows.push(Row { client, file: usual.clone(), scope: Scope::User, state: State::NoFile });
            }
            _ => rows.extend(there.into_iter().map(|file| row(client, file.clone(), Scope::User))),
        }
        let scope = Scope::Project(here.clone());
        for file in client.files(&places, &scope).into_iter().filter(|file| file.exists()) {
            if rows.iter().all(|row| row.file != file) {
                rows.push(row(client, file, scope.clone()));
            }
        }
    }
    Ok(rows)
}

fn row(client: &'static Client, file: PathBuf, scope: Scope) -> Row {
    let state = match read_client_file(&file) {
        Ok(None) => State::NoFile,
        Err(error) => State::Broken(error.to_string().lines().next().unwrap_or_default().to_owned()),
        Ok(Some(text)) => match Document::parse(&text, client.format, &file) {
            Ok(document) => read(client, &document, &file, &scope),
            Err(problem) => State::Broken(format!(
                "line {}, column {}: {}",
                problem.line, problem.column, problem.message
            )),
        },
    };
    Row { client, file, scope, state }
}

fn read(client: &'static Client, document: &Document, file: &std::path::Path, scope: &Scope) -> State {
    let holder = document.root().at(&client.holder(document.root()));
    let mut ours: Vec<(String, String)> = Vec::new();
    let entries: Vec<(String, toolwright_config::clients::Data)> = match holder.map(|holder| &holder.node) {
        Some(Node::Map(pairs)) => pairs.iter().map(|pair| (pair.key.clone(), pair.value.data())).collect(),
        Some(Node::List(items)) => {
            let name = |item: &toolwright_config::clients::Value| {
                item.get("name").and_then(|name| name.text()).unwrap_or_default().to_owned()
            };
            items.iter().map(|item| (name(item), item.data())).collect()
        }
        _ => Vec::new(),
    };
    let found = servers(client, document, file, scope);
    for (name, entry) in entries.iter().filter(|(_, entry)| is_toolwright(entry)) {
        let translated = found.iter().find(|found| found.name == *name).map(|found| entry_line(&found.entry));
        ours.push((name.clone(), translated.unwrap_or_else(|| entry_line(entry))));
    }
    let is_past = |found: &Found| found.left_out.is_none() && found.entry.get("disabled").is_none();
    State::Read { ours, past: found.into_iter().filter(is_past).collect() }
}

/// What servers are called.
fn names(servers: &[Found]) -> Vec<String> {
    servers.iter().map(|found| found.name.clone()).collect()
}

impl Row {
    fn told(&self) -> String {
        match &self.state {
            State::NoFile => "no file".to_owned(),
            State::Broken(why) => format!("cannot be read: {why}"),
            State::Read { ours, past } => {
                let mut parts: Vec<String> =
                    ours.iter().map(|(name, line)| format!("in, as \"{name}\": {line}")).collect();
                if parts.is_empty() {
                    parts.push("not in".to_owned());
                }
                if !past.is_empty() {
                    parts.push(format!("past it: {}", names(past).join(", ")));
                }
                parts.join("; ")
            }
        }
    }

    fn json(&self) -> serde_json::Value {
        let (state, ours, past) = match &self.state {
            State::NoFile => ("no file", Vec::new(), Vec::new()),
            State::Broken(_) => ("broken", Vec::new(), Vec::new()),
            State::Read { ours, past } => {
                let own = ours.iter().map(|(name, _)| name.clone()).collect();
                (if ours.is_empty() { "not in" } else { "in" }, own, names(past))
            }
        };
        let ways = if self.client.ways == Ways::Both { vec!["stdio", "http"] } else { vec!["stdio"] };
        json!({
            "client": self.client.id,
            "title": self.client.title,
            "file": self.file.display().to_string(),
            "state": state,
            "names": ours,
            "past": past,
            "ways": ways,
            "why": if let State::Broken(why) = &self.state { why.as_str().into() } else { serde_json::Value::Null },
        })
    }
}
