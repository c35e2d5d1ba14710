//! `toolwright import`: the servers that clients have, taken over.

use std::collections::HashSet;
use std::io::{IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use serde_json::{Value as Json, json};
use toolwright_base::Readers;
use toolwright_config::clients::{
    CLIENTS, Client, Data, Document, Fate, Format, Found, Merge, MergeError, Merged, Places, Scope, Secrets,
    System, client_of, command_line, dangers, merge, secret_texts, servers,
};
use toolwright_config::{Problem, file_of_user, locate, process_environment, read_client_file};
use toolwright_executor::printable;

use super::install::known_client;
use super::{print, print_text};
use crate::cli::ImportOptions;
use crate::client_files::{ClientFile, back_up};
use crate::report::{EXIT_FOUND, Report};

/// A file that is to be looked at.
struct Source {
    client: Option<&'static Client>,
    file: PathBuf,
    scope: Scope,
}

/// What was found in all files.
#[derive(Default)]
struct Looked {
    found: Vec<Found>,
    /// Files that were read, with the client that each is of.
    read: Vec<(PathBuf, &'static str)>,
    /// Files that could not be read.
    broken: Vec<Broken>,
}

enum Broken {
    Text(Box<Problem>),
    File(PathBuf, String),
}

pub fn run(options: &ImportOptions) -> Result<ExitCode, Report> {
    let looked = look(&sources(options)?);
    let target = target(options)?;
    let file = ClientFile::open(&target)?;
    let into = Merge { text: file.text.as_deref(), file: &target, toolbox: options.toolbox.as_deref() };
    let merged = merge(&into, looked.found).map_err(|error| not_merged(&target, error))?;
    let added = merged.fates.iter().filter(|(_, fate)| matches!(fate, Fate::Added(_))).count();
    let secrets = if options.show_secrets { Secrets::Shown } else { Secrets::Hidden };
    let done = if looked.broken.is_empty() { ExitCode::SUCCESS } else { ExitCode::from(EXIT_FOUND) };
    if options.json {
        let is_written = options.yes && added > 0;
        let backup = if is_written { write(&file, &merged)?.backup } else { None };
        let mut said = as_json(&target, &merged, &looked.broken, secrets);
        said["written"] = is_written.into();
        said["backup"] = backup.map(|path| path.display().to_string()).into();
        print(&said.to_string())?;
        return Ok(done);
    }
    print_text(&printable(&preview(&looked.read, &merged, secrets), &['\n', '\\']))?;
    for broken in &looked.broken {
        eprintln!("{}", printable(&broken.told(), &['\n', '\\']));
    }
    if added == 0 {
        let has_some = merged.fates.iter().any(|(_, fate)| matches!(fate, Fate::Same(_)));
        let why = if has_some { format!(": {} has it all", target.display()) } else { String::new() };
        print(&format!("Nothing to take over{why}."))?;
        return Ok(done);
    }
    let plural = if added == 1 { "server" } else { "servers" };
    if options.dry_run {
        print(&format!(
            "{added} {plural} would be taken over into {}. Nothing was written.",
            target.display()
        ))?;
        return Ok(done);
    }
    if !options.yes && !is_wanted(&format!("Take {added} {plural} over into {}?", target.display()))? {
        print("Nothing was written.")?;
        return Ok(done);
    }
    let Written { backup, folders } = write(&file, &merged)?;
    print(&format!("Took {added} {plural} over into {}. Nothing was started.", target.display()))?;
    if let Some(backup) = backup {
        print(&format!("What was there before is in {}.", backup.display()))?;
    }
    if let (Some(folder), Some(_)) = (folders.last(), &options.into) {
        print(&format!("The folder {} was made for it.", folder.display()))?;
    }
    // A file that was named is not found by itself.
    let named = options.into.as_ref().map(|file| format!(" --config {}", file.display())).unwrap_or_default();
    print(&format!(
        "next: toolwright servers{named} shows whether they start; toolwright install CLIENT{named} puts them into a client",
    ))?;
    Ok(done)
}

/// The files to look at: those that are there.
fn sources(options: &ImportOptions) -> Result<Vec<Source>, Report> {
    let clients = options.clients.iter().map(|word| known_client(word)).collect::<Result<Vec<_>, _>>()?;
    if let Some(file) = &options.file {
        if clients.len() > 1 {
            return Err(Report::usage("one file is of one client", "name one client, or none"));
        }
        if !file.exists() {
            let error = std::io::Error::from(std::io::ErrorKind::NotFound);
            return Err(Report::io("read", file, &error));
        }
        let client = clients.first().copied();
        return Ok(vec![Source { client, file: file.clone(), scope: Scope::User }]);
    }
    let places = places()?;
    let here = std::env::current_dir().map_err(|error| Report::io("find", Path::new("."), &error))?;
    let wanted: Vec<&'static Client> = if clients.is_empty() { CLIENTS.to_vec() } else { clients };
    let mut seen: HashSet<PathBuf> = HashSet::new();
    let mut sources: Vec<Source> = Vec::new();
    for scope in [Scope::User, Scope::Project(here)] {
        for client in &wanted {
            for file in client.files(&places, &scope) {
                // What cannot be looked at is there as well: reading it says why.
                let is_there = file.try_exists().unwrap_or(true);
                let real = std::fs::canonicalize(&file).unwrap_or_else(|_| file.clone());
                if is_there && seen.insert(real) {
                    sources.push(Source { client: Some(client), file, scope: scope.clone() });
                }
            }
        }
    }
    Ok(sources)
}

/// The folders of this person.
pub fn places() -> Result<Places, Report> {
    Places::new(System::here(), &process_environment)
        .ok_or_else(|| Report::usage("there is no home folder to look in", "set HOME"))
}

/// Reads every file. One that cannot be read is told of, and the others are read.
fn look(sources: &[Source]) -> Looked {
    let mut looked = Looked::default();
    for source in sources {
        let text = match read_client_file(&source.file) {
            Ok(Some(text)) => text,
            Ok(None) => continue,
            Err(error) => {
                looked.broken.push(Broken::File(source.file.clone(), error.to_string()));
                continue;
            }
        };
        let format = match source.client {
            // A file that was named may be of any format.
            Some(client) if Format::of(&source.file) == Format::Json || source.scope != Scope::User => {
                client.format
            }
            _ => Format::of(&source.file),
        };
        match Document::parse(&text, format, &source.file) {
            Ok(document) => {
                let client = source.client.unwrap_or_else(|| client_of(&source.file, document.root()));
                looked.read.push((source.file.clone(), client.title));
                looked.found.extend(servers(client, &document, &source.file, &source.scope));
            }
            Err(problem) => looked.broken.push(Broken::Text(problem)),
        }
    }
    looked
}

/// The configuration that gets the servers.
fn target(options: &ImportOptions) -> Result<PathBuf, Report> {
    if let Some(file) = &options.into {
        return Ok(file.clone());
    }
    let located = locate(None, &process_environment).map_err(|error| Report::configuration(&error))?;
    let of_user = || file_of_user(&process_environment);
    located.map(|located| located.file).or_else(of_user).ok_or_else(|| {
        Report::usage("there is no folder for a configuration", "name a file: --into toolwright.json")
    })
}

/// What writing left behind.
struct Written {
    /// What was there before.
    backup: Option<PathBuf>,
    /// Folders that were made.
    folders: Vec<PathBuf>,
}

fn write(file: &ClientFile, merged: &Merged) -> Result<Written, Report> {
    let backup = file.text.as_deref().map(|text| back_up(&file.path, text)).transpose()?;
    // Entries of clients hold secrets.
    let folders = file.write(&merged.text, Readers::Owner)?;
    if file.is_open_to_others() && holds_secrets(&file.path, &merged.text) {
        let path = file.path.display();
        eprintln!(
            "warning: others on this machine can read {path}, and it holds secrets now: chmod 600 {path}"
        );
    }
    Ok(Written { backup, folders })
}

fn holds_secrets(file: &Path, text: &str) -> bool {
    let document = Document::parse(text, Format::Json, file);
    document.is_ok_and(|document| !secret_texts(document.root()).is_empty())
}

fn not_merged(file: &Path, error: MergeError) -> Report {
    match error {
        MergeError::Wrong(problem) => Report::client_file(&problem),
        MergeError::Edit(error) => {
            let what = format!("{} cannot be changed: {error}", file.display());
            Report::usage(what, "name another file: --into toolwright.json")
        }
    }
}

/// Asks; without a terminal nobody answers.
fn is_wanted(question: &str) -> Result<bool, Report> {
    if !std::io::stdin().is_terminal() {
        let fix = "look at the list above, then add --yes (or --dry-run to only look)";
        return Err(Report::usage("nothing is written without an answer, and nobody can be asked here", fix));
    }
    eprint!("{} [y/N] ", printable(question, &['\\']));
    let _ = std::io::stderr().flush();
    let mut answer = String::new();
    std::io::stdin()
        .read_line(&mut answer)
        .map_err(|error| Report::io("read", Path::new("standard input"), &error))?;
    Ok(["y", "yes"].contains(&answer.trim().to_ascii_lowercase().as_str()))
}

fn preview(read: &[(PathBuf, &'static str)], merged: &Merged, secrets: Secrets) -> String {
    if read.is_empty() {
        return "No client has a file here.\n".to_owned();
    }
    let mut out = String::new();
    for (file, title) in read {
        out.push_str(&format!("{title}  {}\n", file.display()));
        let of_file = merged.fates.iter().filter(|(found, _)| found.file == *file);
        let mut count = 0;
        for (found, fate) in of_file {
            count += 1;
            out.push_str(&told(found, fate, secrets));
        }
        if count == 0 {
            out.push_str("  no servers\n");
        }
    }
    out
}

fn told(found: &Found, fate: &Fate, secrets: Secrets) -> String {
    let name = &found.name;
    let mut out = match fate {
        Fate::Added(as_name) if as_name == name => format!("  + {name}"),
        Fate::Added(as_name) => format!("  + {name}  as {as_name}: another server has its name"),
        Fate::Same(as_name) => return format!("  = {name}  the same as {as_name}\n"),
        Fate::LeftOut(why) => return format!("  - {name}  left out: {why}\n"),
    };
    if found.entry.get("disabled").is_some() {
        out.push_str("  (switched off)");
    }
    out.push('\n');
    let lines = command_line(&found.entry, secrets);
    lines.iter().for_each(|line| out.push_str(&format!("      {line}\n")));
    let dangers = dangers(&found.entry);
    dangers.iter().for_each(|danger| out.push_str(&format!("      ! dangerous: {danger}\n")));
    found.notes.iter().for_each(|note| out.push_str(&format!("      note: {note}\n")));
    out
}

fn as_json(target: &Path, merged: &Merged, broken: &[Broken], secrets: Secrets) -> Json {
    let server = |(found, fate): &(Found, Fate)| {
        let (outcome, name, why) = match fate {
            Fate::Added(name) => ("added", Some(name), None),
            Fate::Same(name) => ("same", Some(name), None),
            Fate::LeftOut(why) => ("left_out", None, Some(why)),
        };
        json!({
            "client": found.client,
            "file": found.file.display().to_string(),
            "project": found.project.as_ref().map(|folder| folder.display().to_string()),
            "name": found.name,
            "outcome": outcome,
            "as": name,
            "why": why,
            "disabled": found.entry.get("disabled").is_some_and(|is_off| *is_off == Data::Bool(true)),
            "shown": command_line(&found.entry, secrets),
            "dangers": dangers(&found.entry),
            "notes": found.notes,
        })
    };
    json!({
        "into": target.display().to_string(),
        "servers": merged.fates.iter().map(server).collect::<Vec<_>>(),
        "problems": broken.iter().map(Broken::json).collect::<Vec<_>>(),
    })
}

impl Broken {
    fn told(&self) -> String {
        match self {
            Broken::Text(problem) => {
                Report::client_file(problem).to_string().replacen("error:", "warning:", 1)
            }
            Broken::File(_, why) => format!("warning: {why}"),
        }
    }

    fn json(&self) -> Json {
        match self {
            Broken::Text(problem) => json!({
                "file": problem.file.display().to_string(),
                "line": problem.line,
                "column": problem.column,
                "message": problem.message,
                "fix": problem.fix,
            }),
            Broken::File(file, why) => json!({ "file": file.display().to_string(), "message": why }),
        }
    }
}
