//! The configured servers, each under a supervisor of its own.

use std::sync::{Arc, OnceLock, Weak};
use std::time::Duration;

use futures_util::future::join_all;
use tokio::time::timeout;
use tokio_util::sync::{CancellationToken, DropGuard};
use toolwright_config::{Configuration, HttpKind, ServerConfig, ToolFilters, Toolbox, Transport};
use toolwright_mcp::guard::Guardian;
use toolwright_mcp::http::{self, HttpTarget};
use toolwright_mcp::stdio::ChildCommand;
use toolwright_mcp::{Host, Identity, PeerOptions};
use toolwright_toolbox::{
    Connector, HttpConnector, Policy, Seen, State, StdioConnector, StillWorks, Supervisor,
};
use toolwright_tools::builtin::FILES_SERVER;
use toolwright_tools::registry::{BUILT_IN, UNNAMED_SERVER};

use crate::ServerView;
use crate::endpoints::questions::ServerHost;
use crate::login::Logins;

/// How long a restart is waited for before its state is told as it is.
const RESTART: Duration = Duration::from_secs(30);
/// How long servers may take to end before the program goes on without them.
const END: Duration = Duration::from_secs(7);

/// What all servers share.
#[derive(Clone)]
pub struct ServerOptions {
    /// Who we are.
    pub identity: Identity,
    /// How servers are met.
    pub peer: PeerOptions,
    /// How often they are tried; what a server's entry says counts more.
    pub policy: Policy,
    /// Who answers what servers ask when it belongs to no call of a client.
    pub host: Arc<dyn Host>,
    /// The program that sees to it that no child outlives this process.
    pub guardian: Option<Guardian>,
    /// Where logins are kept.
    pub logins: Option<Logins>,
    /// The time of every call, whatever a server's entry says.
    pub timeout: Option<Duration>,
    /// The tools that work without any server, for messages.
    pub local_tools: Vec<String>,
}

/// All servers. They end with it.
pub struct Servers {
    list: Vec<Server>,
    guardian: Option<Guardian>,
    ended: CancellationToken,
    _end: DropGuard,
}

/// One server.
#[derive(Clone)]
pub struct Server {
    /// Its name; `toolbox.name` where several toolboxes have one of the name, or we have it ourselves.
    pub name: String,
    /// The toolbox that it is in.
    pub toolbox: String,
    /// Its name there, as the configuration has it.
    pub own_name: String,
    /// What keeps it alive.
    pub supervisor: Supervisor,
    /// The time of its calls.
    pub timeout: Option<Duration>,
    /// What no message may show of it.
    pub secrets: Arc<[String]>,
    attempts: u32,
    filters: ToolFilters,
    /// Who hears what it says by itself.
    pub(crate) host: Arc<ServerHost>,
}

impl Servers {
    /// Starts every server of the configuration that `wanted` wants, all at once. Must be called on a tokio
    /// runtime.
    pub fn start(
        configuration: &Configuration,
        wanted: impl Fn(&str) -> bool,
        options: &ServerOptions,
    ) -> Arc<Servers> {
        let entries: Vec<(String, &Toolbox, &ServerConfig)> =
            named(configuration).filter(|(name, ..)| wanted(name)).collect();
        let all: Arc<OnceLock<Weak<Servers>>> = Arc::default();
        let list = entries
            .into_iter()
            .map(|(name, toolbox, entry)| {
                let others = {
                    let (all, own, local) = (Arc::clone(&all), name.clone(), options.local_tools.clone());
                    move || still_works(all.get().and_then(Weak::upgrade).as_deref(), &own, &local)
                };
                let policy = Policy { idle: entry.idle.or(options.policy.idle), ..options.policy };
                let host = ServerHost::new(&name, Arc::clone(&options.host));
                let connector = connector(&name, entry, options, Arc::clone(&host) as Arc<dyn Host>);
                let supervisor = Supervisor::start_beside(connector, policy, Arc::new(others));
                if entry.is_disabled {
                    supervisor.disable();
                }
                Server {
                    name,
                    toolbox: toolbox.name.clone(),
                    own_name: entry.name.clone(),
                    supervisor,
                    timeout: options.timeout.or(entry.timeout),
                    secrets: entry.secrets().into(),
                    attempts: policy.attempts,
                    filters: entry.tool_filters.clone(),
                    host,
                }
            })
            .collect();
        let ended = CancellationToken::new();
        let servers = Arc::new(Servers {
            list,
            guardian: options.guardian.clone(),
            _end: ended.clone().drop_guard(),
            ended,
        });
        // Set once, here, before anything can ask.
        let _ = all.set(Arc::downgrade(&servers));
        servers
    }

    /// The names that the servers of a configuration have here.
    pub fn names_of(configuration: &Configuration) -> impl Iterator<Item = String> {
        named(configuration).map(|(name, ..)| name)
    }

    /// What a configuration says of the server of this name.
    pub fn entry_of<'c>(configuration: &'c Configuration, name: &str) -> Option<&'c ServerConfig> {
        named(configuration).find(|(known, ..)| known == name).map(|(_, _, entry)| entry)
    }

    /// Every server, in the order of the file.
    pub fn iter(&self) -> impl Iterator<Item = &Server> {
        self.list.iter()
    }

    /// The server of this name.
    pub fn get(&self, name: &str) -> Option<&Server> {
        self.list.iter().find(|server| server.name == name)
    }

    /// All names.
    pub fn names(&self) -> Vec<String> {
        self.list.iter().map(|server| server.name.clone()).collect()
    }

    /// Every server as it is now.
    pub fn views(&self) -> Vec<ServerView> {
        self.list.iter().map(Server::view).collect()
    }

    /// Waits until each server is ready, or has failed as often as it is tried at the start. `false` when
    /// that takes longer than this.
    pub async fn settled(&self, patience: Duration) -> bool {
        timeout(patience, join_all(self.list.iter().map(Server::settled))).await.is_ok()
    }

    /// Ends all servers and waits for that, for a bounded time.
    pub async fn stop(&self) {
        self.ended.cancel();
        self.list.iter().for_each(|server| server.supervisor.disable());
        let ends = self.list.iter().map(|server| server.supervisor.ended());
        if timeout(END, join_all(ends)).await.is_err() {
            tracing::warn!("some servers did not end in time and are left to the guardian");
        } else if let Some(guardian) = self.guardian.clone() {
            // It is gone in a moment.
            guardian.dismiss();
        }
    }

    /// Cancelled when the servers end.
    pub(crate) fn ended(&self) -> &CancellationToken {
        &self.ended
    }
}

impl Server {
    /// What can be seen of it now.
    pub fn view(&self) -> ServerView {
        ServerView::of(self)
    }

    /// Whether the configuration lets a tool of it be offered.
    pub fn allows(&self, tool: &str) -> bool {
        self.filters.allows(tool)
    }

    /// Waits until it is ready, switched off, or has failed as often as it is tried at the start.
    pub async fn settled(&self) {
        let mut seen = self.supervisor.subscribe();
        let _ = seen.wait_for(|seen| is_settled(seen, self.attempts)).await;
    }

    /// Ends it, starts it anew, and waits for what comes of it.
    pub async fn restart(&self) {
        let mut seen = self.supervisor.subscribe();
        seen.mark_unchanged();
        self.supervisor.restart();
        let _ = timeout(RESTART, async {
            // It is seen to go before it is seen to come.
            let _ = seen.changed().await;
            self.settled().await;
        })
        .await;
    }
}

fn is_settled(seen: &Seen, attempts: u32) -> bool {
    match &seen.snapshot.state {
        State::Starting { .. } => false,
        // Its tools are listed right after it is ready.
        State::Ready => seen.tools.is_current,
        State::Backoff { failures, .. } => *failures >= attempts || seen.snapshot.is_lasting,
        State::Degraded { .. } | State::Resting | State::Quarantined | State::Disabled => true,
    }
}

/// Names of our own among servers.
const TAKEN: &[&str] = &[BUILT_IN, UNNAMED_SERVER, FILES_SERVER];

/// Every entry with a name that nobody else has and that can stand before a tool's.
fn named(configuration: &Configuration) -> impl Iterator<Item = (String, &Toolbox, &ServerConfig)> {
    let mut given: Vec<String> = Vec::new();
    configuration.servers().map(move |(toolbox, entry)| {
        let is_shared = configuration
            .servers()
            .any(|(other, same)| same.name == entry.name && other.name != toolbox.name);
        let mut name = entry.name.clone();
        if is_shared || TAKEN.contains(&name.as_str()) {
            name = format!("{}.{name}", toolbox.name);
        }
        let mut name = name.replace(|c: char| c == '/' || c.is_control(), "-");
        while given.contains(&name) {
            name.push_str("-2");
        }
        given.push(name.clone());
        (name, toolbox, entry)
    })
}

fn connector(
    name: &str,
    entry: &ServerConfig,
    options: &ServerOptions,
    host: Arc<dyn Host>,
) -> Arc<dyn Connector> {
    let identity = options.identity.clone();
    match &entry.transport {
        Transport::Stdio { command, args, env, env_from, cwd } => Arc::new(StdioConnector::new(
            name,
            ChildCommand {
                program: command.clone(),
                args: args.iter().map(Into::into).collect(),
                env: env.clone(),
                env_from: env_from.clone(),
                cwd: cwd.clone(),
                secrets: entry.secrets(),
                guardian: options.guardian.clone(),
            },
            identity,
            options.peer,
            host,
        )),
        Transport::Http { url, headers, kind, login } => Arc::new(HttpConnector {
            name: name.to_owned(),
            target: HttpTarget {
                url: url.clone(),
                headers: headers.clone(),
                kind: match kind {
                    HttpKind::Auto => http::HttpKind::Auto,
                    HttpKind::Streamable => http::HttpKind::Streamable,
                    HttpKind::Sse => http::HttpKind::Sse,
                },
                authorizer: options
                    .logins
                    .as_ref()
                    .and_then(|logins| logins.authorizer(name, url, headers, login)),
            },
            identity,
            options: options.peer,
            host,
            secrets: entry.secrets(),
        }),
    }
}

/// What works while one server does not.
fn still_works(all: Option<&Servers>, own: &str, local: &[String]) -> StillWorks {
    let servers = all.into_iter().flat_map(Servers::iter);
    let usable = servers.filter(|server| server.name != own && server.view().is_usable());
    StillWorks { local: local.to_vec(), servers: usable.map(|server| server.name.clone()).collect() }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    #[test]
    fn every_server_has_a_name_of_its_own() {
        let entry = r#"{"command": "x"}"#;
        let text = format!(
            r#"{{"mcpServers": {{"a": {entry}, "files": {entry}, "b/c": {entry}, "b-c": {entry}}},
                "toolboxes": {{"t": {{"description": "d", "mcpServers": {{"a": {entry}}}}}}}}}"#
        );
        let configuration = toolwright_config::parse(&text, Path::new("f"), &|_| None).expect("it is right");
        let names: Vec<String> = Servers::names_of(&configuration).collect();
        assert_eq!(names, ["default.a", "default.files", "b-c", "b-c-2", "t.a"]);
    }
}
