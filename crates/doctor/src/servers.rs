//! Every server: found, started, asked who it is and what it has, and ended again.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use futures_util::future::join_all;
use toolwright_backend::{ServerOptions, Servers, named, offer};
use toolwright_config::{Configuration, Transport};
use toolwright_executor::ToolRegistry;
use toolwright_toolbox::Policy;

use crate::finding::{Check, Severity};
use crate::protocol::{self, Seen};
use crate::{Examined, elsewhere, process};

/// How long a server may go without an answer to the question of modern clients.
const PROBE: Duration = Duration::from_secs(5);

pub(crate) async fn check(
    configuration: &Configuration,
    examined: &Examined,
    watch: impl AsyncFnOnce(&Servers, Duration),
) -> Vec<Check> {
    let entries: Vec<_> = named(configuration).collect();
    let processes = join_all(
        entries.iter().map(|(name, toolbox, entry)| process::check(configuration, toolbox, entry, name)),
    )
    .await;
    let broken: HashMap<&str, bool> = entries
        .iter()
        .zip(&processes)
        .map(|((name, ..), check)| {
            (name.as_str(), check.as_ref().is_some_and(|check| check.worst() == Some(Severity::Error)))
        })
        .collect();
    let options = once(&examined.servers, examined.patience);
    let is_wanted = |name: &str| !broken.get(name).copied().unwrap_or(false);
    let servers = Servers::start(configuration, is_wanted, &options);
    watch(&servers, examined.patience + PROBE).await;
    // Registering says which tools cannot be used.
    offer(&servers, &Arc::new(ToolRegistry::new()));
    let mut checks = Vec::new();
    for ((name, toolbox, entry), process) in entries.iter().zip(processes) {
        let Some(server) = servers.get(name) else {
            checks.extend(process);
            continue;
        };
        let view = server.view();
        let is_lost = !view.is_usable() && !view.is_off();
        let is_http = matches!(entry.transport, Transport::Http { .. });
        let elsewhere = match is_http && is_lost && !view.wants_login() {
            true => elsewhere::look(configuration, entry, &options, PROBE).await,
            false => None,
        };
        let listed = server.supervisor.tools();
        let tools: Vec<String> = listed.items.iter().filter_map(|item| item.get_text("name")).collect();
        let seen = Seen { configuration, toolbox, server: entry, view: &view, tools: &tools, elsewhere };
        checks.extend(protocol::check(&seen, process));
    }
    servers.stop().await;
    checks
}

/// One attempt for each server, within this time.
fn once(options: &ServerOptions, patience: Duration) -> ServerOptions {
    let mut options = options.clone();
    options.policy = Policy { attempts: 1, ..options.policy };
    options.peer.probe = PROBE.min(patience);
    options.peer.start = patience;
    options.is_lazy = false;
    options.definitions = None;
    options
}
