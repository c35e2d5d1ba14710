//! The servers that the commands use: which file names them, and how they are started.

use std::collections::BTreeSet;
use std::io::{IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use toolwright_backend::{Definitions, Logins, ServerOptions, ServerView, Servers};
use toolwright_config::{Configuration, FoundBy, load, locate, process_environment};
use toolwright_endpoints::offered_capabilities;
use toolwright_executor::{RegistrationError, printable};
use toolwright_jsonrpc::Json;
use toolwright_mcp::guard::Guardian;
use toolwright_mcp::{Identity, NoHost, PeerOptions};
use toolwright_toolbox::{Beginning, Policy, StateName};

use crate::GUARD;
use crate::cli::ConfigOptions;
use crate::report::Report;

/// How long servers may take to be ready, or to have failed as often as they are tried at the start, before
/// a command goes on without them.
const TO_SETTLE: Duration = Duration::from_secs(45);
/// How one logs in to a server.
const LOGIN: &str = "toolwright servers login";
/// When a person who waits is told what for, and how often.
const FIRST_WORD: Duration = Duration::from_millis(500);
const NEXT_WORD: Duration = Duration::from_millis(250);

/// The configuration, if there is one. What is wrong with parts of it is said on standard error.
pub fn configuration(options: &ConfigOptions) -> Result<Option<Configuration>, Report> {
    let failed = |error: toolwright_config::ConfigError| Report::configuration(&error);
    let Some(located) = locate(options.config.as_deref(), &process_environment).map_err(failed)? else {
        return Ok(None);
    };
    if located.by == FoundBy::CurrentFolder {
        eprintln!("using {}, {}", located.file.display(), located.by.words());
    }
    let configuration = load(&located.file, &process_environment).map_err(failed)?;
    for problem in &configuration.problems {
        eprintln!("{}", printable(&problem.to_string(), &['\n', '\\']));
    }
    Ok(Some(configuration))
}

/// The same where nothing can be done without one.
pub fn needed_configuration(options: &ConfigOptions) -> Result<Configuration, Report> {
    configuration(options)?.ok_or_else(|| {
        Report::usage(
            "there is no configuration that names servers",
            "write one, such as {\"mcpServers\": {\"time\": {\"command\": \"uvx\", \"args\": [\"mcp-server-time\"]}}}, and name it with --config FILE",
        )
    })
}

/// Where this program keeps what must last: `$XDG_STATE_HOME/toolwright` or `~/.local/state/toolwright`.
pub fn state_folder() -> Option<PathBuf> {
    let set = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let folder = set("XDG_STATE_HOME").or_else(|| set("HOME").map(|home| home.join(".local/state")))?;
    Some(folder.join("toolwright"))
}

/// The logins of this user.
pub fn logins() -> Option<Logins> {
    state_folder().map(|folder| Logins::in_folder(folder.join("logins")))
}

/// Starts the servers that `wanted` wants. `local_tools` are what goes on without them. Must be called on a tokio
/// runtime.
pub fn start(
    configuration: &Configuration,
    wanted: impl Fn(&str) -> bool,
    timeout: Option<Duration>,
    local_tools: Vec<String>,
) -> Arc<Servers> {
    let options = ServerOptions { local_tools, ..options(Json::empty_object(), timeout) };
    Servers::start(configuration, wanted, &options)
}

/// Makes the servers that clients are connected to. Must be called on a tokio runtime.
pub fn serve(
    configuration: &Configuration,
    definitions: Option<Arc<Definitions>>,
    beginning: Beginning,
    local_tools: Vec<String>,
) -> Arc<Servers> {
    let is_lazy = beginning == Beginning::WhenAsked;
    let options =
        ServerOptions { is_lazy, definitions, local_tools, ..options(offered_capabilities(), None) };
    Servers::start(configuration, |_| true, &options)
}

/// How servers are started that are only looked at.
pub fn for_a_look() -> ServerOptions {
    options(Json::empty_object(), None)
}

fn options(capabilities: Json, timeout: Option<Duration>) -> ServerOptions {
    ServerOptions {
        identity: identity(capabilities),
        peer: PeerOptions::default(),
        policy: Policy::default(),
        host: Arc::new(NoHost),
        guardian: guardian(),
        logins: logins(),
        timeout,
        local_tools: Vec::new(),
        definitions: None,
        is_lazy: false,
    }
}

fn identity(capabilities: Json) -> Identity {
    let client = Json::empty_object()
        .with("name", &Json::text("toolwright"))
        .with("title", &Json::text("Toolwright"))
        .with("version", &Json::text(env!("CARGO_PKG_VERSION")));
    Identity { client, capabilities }
}

/// Who ends the servers when this process is killed. Without one they are left to notice it themselves.
fn guardian() -> Option<Guardian> {
    let started = std::env::current_exe().and_then(|own| Guardian::start(own, vec![GUARD.into()]));
    started
        .inspect_err(|error| {
            tracing::warn!("servers may outlive this process when it is killed: no guardian: {error}");
        })
        .ok()
}

/// Waits until all servers are ready or have failed, for so long at most. Whoever sits before a terminal sees
/// what is waited for.
pub async fn settle(servers: &Servers, patience: Option<Duration>) {
    let mut settled = std::pin::pin!(servers.settled(patience.unwrap_or(TO_SETTLE)));
    if !std::io::stderr().is_terminal() {
        settled.await;
        return;
    }
    let mut next = FIRST_WORD;
    let mut is_told = false;
    while tokio::time::timeout(next, &mut settled).await.is_err() {
        next = NEXT_WORD;
        is_told = true;
        eprint!("\r\x1b[K{}", waiting_for(&servers.views()));
        let _ = std::io::stderr().flush();
    }
    if is_told {
        eprint!("\r\x1b[K");
    }
}

fn waiting_for(views: &[ServerView]) -> String {
    let (usable, others): (Vec<_>, Vec<_>) = views.iter().partition(|view| view.is_usable());
    let others = others.iter().map(|view| match &view.detail {
        Some(detail) => format!("{} ({}, {detail})", view.name, view.state),
        None => format!("{} ({})", view.name, view.state),
    });
    let line = format!(
        "{} of {} servers ready; waiting for {}",
        usable.len(),
        views.len(),
        others.collect::<Vec<_>>().join(", ")
    );
    printable(&line.chars().take(100).collect::<String>(), &[]).into_owned()
}

/// Says which servers cannot be used, and why.
pub fn warn_of_unusable(views: &[ServerView]) {
    for view in views.iter().filter(|view| (!view.is_usable() || view.is_without_tools()) && !view.is_off()) {
        let what = if view.is_usable() { "offers no tools" } else { "cannot be used" };
        let why = view.last_error.as_deref().unwrap_or(view.state.as_str());
        let line = format!("warning: the server '{}' {what}: {why}", view.name);
        eprintln!("{}", printable(&line, &['\n', '\\']));
    }
}

/// A server that was asked for and cannot be used.
pub fn unusable(view: &ServerView, file: &Path) -> Report {
    let why = why(view);
    let what = format!("the server '{}' cannot be used: {why}", view.name);
    let again = format!("toolwright servers --config {}", file.display());
    let fix = match view.is_off() {
        true => format!("switch it on in {}", file.display()),
        false if view.wants_login() => format!("run {LOGIN} {} --config {}", view.name, file.display()),
        false if view.state == StateName::Starting => {
            // A start that takes longer than this is given up and tried again, however long the command waits.
            let limit = PeerOptions::default().start.as_secs();
            format!(
                "wait longer with --timeout, which helps up to {limit} s: a server that has not answered by then is \
                 started again; see what it does: {again}"
            )
        }
        false => format!("see to what it says; its entry is in {}; then look again: {again}", file.display()),
    };
    Report::found(what, fix)
}

/// Why a server cannot be used.
pub fn why(view: &ServerView) -> String {
    view.last_error.clone().unwrap_or_else(|| format!("it is {} and has not answered yet", view.state))
}

/// Says which tools are left out, and why.
pub fn warn_of_left_out(left_out: &[RegistrationError]) {
    for error in left_out {
        eprintln!("{}", printable(&format!("warning: {error}"), &['\\']));
    }
}

/// The names of all configured servers.
pub fn names(configuration: &Configuration) -> BTreeSet<String> {
    Servers::names_of(configuration).collect()
}
