//! `toolwright servers`: the servers there are, in which state, and what they said.

mod table;
mod watch;

use std::future::Future;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;

use tokio::runtime::{Builder, Runtime};
use toolwright_backend::{Servers, offer};
use toolwright_config::{Configuration, Transport};
use toolwright_executor::{ToolRegistry, printable};
use toolwright_mcp::oauth::{LoginError, open_in_browser};
use toolwright_port::control::{self, ControlError, Question, Reply};

use super::{print, print_text};
use crate::cli::{ServersCommand, ServersOptions};
use crate::report::{EXIT_FOUND, Report};
use crate::server_source;

/// What logs may hold besides text.
const KEPT: &[char] = &['\n', '\t', '\\'];

pub fn run(options: &ServersOptions) -> Result<ExitCode, Report> {
    let configuration = server_source::needed_configuration(&options.config)?;
    let runtime = runtime()?;
    match &options.command {
        None => list(&runtime, &configuration, options.json),
        Some(ServersCommand::Logs { name }) => logs(&runtime, &configuration, name),
        Some(ServersCommand::Restart { name }) => restart(&runtime, &configuration, name, options.json),
        Some(ServersCommand::Login { name }) => login(&runtime, &configuration, name),
        Some(ServersCommand::Watch) => watch::run(&runtime, &configuration),
    }
}

fn runtime() -> Result<Runtime, Report> {
    let runtime = Builder::new_current_thread().enable_all().build();
    runtime.map_err(|error| Report::cannot_start(&error))
}

fn list(runtime: &Runtime, configuration: &Configuration, json: bool) -> Result<ExitCode, Report> {
    let views = match ask(runtime, &configuration.file, &Question::Servers)? {
        Some(Reply::Servers(views)) => views,
        Some(_) => return Err(strange()),
        None => looked_at(runtime, configuration, |_| true, |servers| async move { servers.views() }),
    };
    if json {
        print(&as_json(&views)?)?;
    } else if views.is_empty() {
        print(&format!("{} names no server that can be started.", configuration.file.display()))?;
    } else {
        print_text(&printable(&table::of(&views), KEPT))?;
    }
    let is_well = !configuration.has_errors() && views.iter().all(|view| view.is_usable() || view.is_off());
    Ok(if is_well { ExitCode::SUCCESS } else { ExitCode::from(EXIT_FOUND) })
}

fn logs(runtime: &Runtime, configuration: &Configuration, name: &str) -> Result<ExitCode, Report> {
    check_name(configuration, name)?;
    let text = match ask(runtime, &configuration.file, &Question::Logs { server: name.to_owned() })? {
        Some(Reply::Logs(text)) => text,
        Some(_) => return Err(strange()),
        None => looked_at(
            runtime,
            configuration,
            |server| server == name,
            |servers| async move {
                servers.get(name).map(|server| server.supervisor.stderr()).unwrap_or_default()
            },
        ),
    };
    if text.trim().is_empty() {
        eprintln!("the server '{name}' wrote nothing to stderr");
    }
    print_text(&printable(&text, KEPT))?;
    Ok(ExitCode::SUCCESS)
}

fn restart(
    runtime: &Runtime,
    configuration: &Configuration,
    name: &str,
    json: bool,
) -> Result<ExitCode, Report> {
    check_name(configuration, name)?;
    let question = Question::Restart { server: name.to_owned() };
    let view = match ask(runtime, &configuration.file, &question)? {
        Some(Reply::Restarted(view)) => *view,
        Some(_) => return Err(strange()),
        None => {
            let fix = "start one: toolwright serve; without it every command starts its servers anew";
            return Err(Report::usage(ControlError::NobodyThere.to_string(), fix));
        }
    };
    if json {
        print(&as_json(&view)?)?;
    } else {
        print_text(&printable(&table::of(std::slice::from_ref(&view)), KEPT))?;
    }
    Ok(if view.is_usable() { ExitCode::SUCCESS } else { ExitCode::from(EXIT_FOUND) })
}

fn login(runtime: &Runtime, configuration: &Configuration, name: &str) -> Result<ExitCode, Report> {
    check_name(configuration, name)?;
    let entry = Servers::entry_of(configuration, name);
    let Some(Transport::Http { url, login, .. }) = entry.map(|entry| &entry.transport) else {
        let what = format!("the server '{name}' is a program on this machine and wants no login");
        return Err(Report::usage(what, "give it what it needs by \"env\" in the configuration"));
    };
    let Some(logins) = server_source::logins() else {
        return Err(Report::usage("there is no folder to keep the login in", "set HOME or XDG_STATE_HOME"));
    };
    let open = |page: &toolwright_mcp::oauth::Url| {
        eprintln!("Log in on this page; it opens in your browser if there is one:\n{page}");
        if let Err(error) = open_in_browser(page) {
            eprintln!("(no browser could be opened: {error})");
        }
    };
    let done = runtime.block_on(logins.login(name, url, login, open));
    done.map_err(|error: LoginError| {
        let why = entry.map_or_else(|| error.to_string(), |entry| entry.redacted(&error.to_string()));
        let again = format!("toolwright servers --config {}", configuration.file.display());
        Report::found(
            format!("the login to the server '{name}' failed: {why}"),
            format!(
                "see whether it runs and wants a login: {again}; a fixed token is one of its \"headers\""
            ),
        )
    })?;
    print(&format!("Logged in to the server '{name}'. See what it offers: toolwright servers"))?;
    Ok(ExitCode::SUCCESS)
}

/// Asks the gateway that runs with this configuration. `None` when there is none.
fn ask(runtime: &Runtime, file: &Path, question: &Question) -> Result<Option<Reply>, Report> {
    let asked = || {
        let door = control::door_of(file)?;
        runtime.block_on(control::ask(&door, question))
    };
    match asked() {
        Ok(Reply::NoSuchServer(names)) => Err(Report::usage(
            "the gateway that runs has no such server",
            format!("start it anew, or use one of {}", names.join(", ")),
        )),
        Ok(reply) => Ok(Some(reply)),
        Err(ControlError::NobodyThere | ControlError::NoFolder) => Ok(None),
        Err(error) => Err(Report::found(error.to_string(), "end that gateway and start it anew")),
    }
}

fn strange() -> Report {
    Report::found(ControlError::NotUnderstood.to_string(), "end that gateway and start it anew")
}

/// Starts servers, waits until they are ready or have failed, takes a look, and ends them.
fn looked_at<T, F: Future<Output = T>>(
    runtime: &Runtime,
    configuration: &Configuration,
    wanted: impl Fn(&str) -> bool,
    look: impl FnOnce(Arc<Servers>) -> F,
) -> T {
    runtime.block_on(async {
        let servers = server_source::start(configuration, wanted, None, Vec::new());
        server_source::settle(&servers, None).await;
        // Registering says which tools cannot be used.
        offer(&servers, &Arc::new(ToolRegistry::new()));
        let seen = look(Arc::clone(&servers)).await;
        servers.stop().await;
        seen
    })
}

fn check_name(configuration: &Configuration, name: &str) -> Result<(), Report> {
    let names = server_source::names(configuration);
    if names.contains(name) {
        return Ok(());
    }
    let what = format!("there is no server \"{name}\" in {}", configuration.file.display());
    let fix = match names.len() {
        0 => "add it under \"mcpServers\"".to_owned(),
        _ => format!("use one of {}", Vec::from_iter(names).join(", ")),
    };
    Err(Report::usage(what, fix))
}

fn as_json(value: &impl serde::Serialize) -> Result<String, Report> {
    serde_json::to_string(value).map_err(|error| Report::usage(error.to_string(), "report this"))
}
