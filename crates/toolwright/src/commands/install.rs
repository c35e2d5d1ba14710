//! `toolwright install`: the gateway in a client, and out again.

mod change;
pub mod list;
mod models;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use tokio::runtime::Builder;
use toolwright_config::clients::{
    CLIENTS, Client, Document, Format, Gateway, Put, PutError, Scope, Secret, client, command_line,
    has_server, servers,
};
use toolwright_config::{locate, process_environment};
use toolwright_executor::printable;

use self::change::{Change, Said};
use super::import::places;
use super::status::USUAL;
use super::tui::found;
use crate::cli::{InstallOptions, InstallScope};
use crate::client_files::ClientFile;
use crate::gateway_source;
use crate::report::Report;

/// The variable that holds the token where a file is shared with others.
const TOKEN_VARIABLE: &str = "TOOLWRIGHT_TOKEN";

pub fn run(options: &InstallOptions) -> Result<ExitCode, Report> {
    if options.list {
        return list::run(options);
    }
    let word = options.client.as_deref().unwrap_or_default();
    if options.llm {
        return models::run(word, options);
    }
    let client = known_client(word)?;
    let scope = scope(client, options.scope)?;
    let file = ClientFile::open(&file_of(client, &scope)?)?;
    let change = Change { id: client.id, title: client.title, name: &options.name, file: &file };
    if options.undo {
        let take_out = |document: &mut Document, made: Option<usize>| {
            let path = client.path(document.root(), &options.name);
            // Without a record of ours, what does not look like us is somebody else's.
            let is_ours = made.is_some() || client.is_toolwright(document, &options.name);
            if document.root().at(&path).is_none() || !is_ours {
                return Ok(false);
            }
            client.take_out(document, &options.name, Put { made: made.unwrap_or(0) }).map(|()| true)
        };
        return change.undo(client.format, options, &take_out);
    }
    let gateway = gateway(client, &scope, options)?;
    if let Some(toolbox) = &options.toolbox {
        super::token::warn_of_unknown(std::slice::from_ref(toolbox), options.config.config.as_deref());
    }
    let mut document = parsed(client.format, &file)?;
    let without_us = without_us(client, &document, &options.name);
    let put =
        client.put(&mut document, &options.name, &gateway).map_err(|error| not_put(client, &file, error))?;
    let configuration = configuration(options)?;
    let moved = if options.replace {
        replace(client, &mut document, &file, &scope, configuration.as_deref())?
    } else {
        Vec::new()
    };
    let past = past(client, &document, &file, &scope, &options.name);
    let mut said = Said { next: Some(client.next_step), without_us, ..Said::default() };
    said.lines.push(match &gateway {
        Gateway::Stdio { command, args } => format!("It starts: {command} {}", args.join(" ")),
        Gateway::Http { url, .. } => format!("It reaches {url}: keep `toolwright serve` running."),
    });
    if let Gateway::Http { token: Secret::Variable(name), .. } = &gateway {
        said.lines.push(format!("The file names the token only: export {name}=\"$(toolwright token show)\" before the client starts."));
    }
    if !moved.is_empty() {
        said.lines.push(format!("Taken out, because Toolwright has them: {}.", moved.join(", ")));
    }
    if !past.is_empty() {
        let names = past.join(", ");
        said.lines.push(format!(
            "These servers go past Toolwright: {names}. Take them over: toolwright import {}; then toolwright install {} --replace takes them out there.",
            client.id, client.id
        ));
    }
    said.past = past;
    said.moved = moved;
    said.holds_token = matches!(&gateway, Gateway::Http { token: Secret::Token(_), .. });
    said.is_shared = matches!(scope, Scope::Project(_));
    change.carry_out(&document, put.made, &said, options)
}

/// The client that a word means.
pub fn known_client(word: &str) -> Result<&'static Client, Report> {
    client(word).map_err(|near| {
        let names: Vec<&str> = CLIENTS.iter().map(|client| client.id).collect();
        let meant = near.map(|near| format!("did you mean {}? ", near.id)).unwrap_or_default();
        Report::usage(
            format!("there is no client \"{word}\""),
            format!("{meant}use one of {}", names.join(", ")),
        )
    })
}

fn scope(client: &Client, wanted: InstallScope) -> Result<Scope, Report> {
    match wanted {
        InstallScope::User => Ok(Scope::User),
        InstallScope::Project if !client.has_projects() => {
            let what = format!("{} has no files for single projects", client.title);
            Err(Report::usage(what, "leave out --scope project"))
        }
        InstallScope::Project => {
            let here = std::env::current_dir();
            Ok(Scope::Project(here.map_err(|error| Report::io("find", Path::new("."), &error))?))
        }
    }
}

/// The file that is changed: the first that is there, or the usual one.
fn file_of(client: &Client, scope: &Scope) -> Result<PathBuf, Report> {
    let files = client.files(&places()?, scope);
    let there = files.iter().find(|file| file.symlink_metadata().is_ok());
    let with_folder = || files.iter().find(|file| file.parent().is_some_and(Path::is_dir));
    let file = there.or_else(with_folder).or_else(|| files.first());
    file.cloned().ok_or_else(|| Report::usage(format!("{} has no file here", client.title), "set HOME"))
}

/// What a file says; one that is not there says nothing.
fn parsed(format: Format, file: &ClientFile) -> Result<Document, Report> {
    let text = file.text.as_deref().unwrap_or_default();
    Document::parse(text, format, &file.path).map_err(|problem| Report::client_file(&problem))
}

/// The file that names our servers, absolute: clients start us wherever they like.
fn configuration(options: &InstallOptions) -> Result<Option<PathBuf>, Report> {
    let located = locate(options.config.config.as_deref(), &process_environment);
    let located = located.map_err(|error| Report::configuration(&error))?;
    Ok(located.map(|located| std::path::absolute(&located.file).unwrap_or(located.file)))
}

/// Where the gateway listens: as the user says, or the one that runs with this configuration, or the usual address.
fn gateway_url(options: &InstallOptions) -> String {
    if let Some(url) = &options.url {
        return url.clone();
    }
    let config = options.config.config.clone();
    let running = Builder::new_current_thread().enable_all().build().ok().and_then(|runtime| {
        let found = runtime.block_on(found(None, config, USUAL.to_owned()));
        found.ok().map(|place| place.url)
    });
    running.unwrap_or_else(|| USUAL.to_owned())
}

/// Toolwright, as this client reaches it.
fn gateway(client: &Client, scope: &Scope, options: &InstallOptions) -> Result<Gateway, Report> {
    if options.http {
        let given = gateway_url(options);
        let base = given.trim_end_matches('/').trim_end_matches("/mcp");
        if !base.starts_with("http://") && !base.starts_with("https://") {
            let what = format!("\"{given}\" is no address of a gateway");
            return Err(Report::usage(what, "write it as http://127.0.0.1:8484"));
        }
        let url = match (&options.toolbox, options.all) {
            (Some(name), _) => format!("{base}/mcp/t/{name}"),
            (None, true) => format!("{base}/mcp/all"),
            (None, false) => format!("{base}/mcp"),
        };
        // A file of a project goes to everybody who has the project.
        let token = match scope {
            Scope::Project(_) if client.takes_variables() => Secret::Variable(TOKEN_VARIABLE.to_owned()),
            _ => Secret::Token(own_token()?),
        };
        return Ok(Gateway::Http { url, token });
    }
    let program = std::env::current_exe().map_err(|error| Report::cannot_start(&error))?;
    let mut args = vec!["stdio".to_owned()];
    match (&options.toolbox, options.all) {
        (Some(name), _) => args.extend(["--toolbox".to_owned(), name.clone()]),
        (None, true) => args.push("--all".to_owned()),
        (None, false) => {}
    }
    if let Some(file) = configuration(options)? {
        args.extend(["--config".to_owned(), file.display().to_string()]);
    }
    Ok(Gateway::Stdio { command: program.display().to_string(), args })
}

/// This install's own token; it is made when there is none.
fn own_token() -> Result<String, Report> {
    let folder = gateway_source::token_folder()
        .ok_or_else(|| Report::usage("there is no folder to keep tokens in", "set HOME or XDG_STATE_HOME"))?;
    folder.own().map_err(super::token::report)
}

/// The file without our entry, when that is in it.
fn without_us(client: &Client, document: &Document, name: &str) -> Option<String> {
    let mut document = document.clone();
    document.root().at(&client.path(document.root(), name))?;
    client.take_out(&mut document, name, Put { made: 0 }).ok()?;
    Some(document.to_text())
}

/// Takes out what our configuration has as well.
fn replace(
    client: &'static Client,
    document: &mut Document,
    file: &ClientFile,
    scope: &Scope,
    configuration: Option<&Path>,
) -> Result<Vec<String>, Report> {
    let Some(configuration) = configuration else {
        let fix = format!("take the servers over first: toolwright import {}", client.id);
        return Err(Report::usage("there is no configuration that could have the client's servers", fix));
    };
    let ours = ClientFile::open(configuration)?;
    let ours = parsed(Format::Json, &ours)?;
    let mut moved: Vec<String> = Vec::new();
    for found in servers(client, document, &file.path, scope) {
        let is_of_file = document.root().at(&client.path(document.root(), &found.name)).is_some();
        let is_here = found.project.is_none() || matches!(scope, Scope::Project(_));
        if found.left_out.is_none() && is_of_file && is_here && has_server(&ours, &found.entry) {
            client
                .take_out(document, &found.name, Put { made: 0 })
                .map_err(|error| not_put(client, file, PutError::Edit(error)))?;
            moved.push(found.name);
        }
    }
    Ok(moved)
}

/// The servers of the file that are not reached through us.
fn past(
    client: &'static Client,
    document: &Document,
    file: &ClientFile,
    scope: &Scope,
    name: &str,
) -> Vec<String> {
    let found = servers(client, document, &file.path, scope).into_iter();
    let is_past = |found: &toolwright_config::clients::Found| found.left_out.is_none() && found.name != name;
    found
        .filter(is_past)
        .filter(|found| found.entry.get("disabled").is_none())
        .map(|found| found.name)
        .collect()
}

fn not_put(client: &Client, file: &ClientFile, error: PutError) -> Report {
    let fix = match &error {
        PutError::StdioOnly(_) => format!("leave out --http: toolwright install {}", client.id),
        PutError::NameTaken(name) => format!("give it another name: --name {name}-gateway"),
        PutError::Edit(_) => {
            "add it by hand: toolwright stdio is the command that the client has to start".to_owned()
        }
    };
    Report::usage(format!("{} is left alone: {error}", file.path.display()), fix)
}

/// Text that may be shown on a terminal.
fn shown(text: &str) -> String {
    printable(text, &['\n', '\\', '\t']).into_owned()
}

/// What an entry of ours says, in one line.
fn entry_line(entry: &toolwright_config::clients::Data) -> String {
    command_line(entry, toolwright_config::clients::Secrets::Hidden).into_iter().next().unwrap_or_default()
}
