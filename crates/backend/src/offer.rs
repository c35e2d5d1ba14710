//! The tools of servers, kept in the registry as the servers list them.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard};

use tokio_util::sync::{CancellationToken, DropGuard};
use toolwright_base::{IgnorePoison, lock_off_async, off_async};
use toolwright_executor::{RegistrationError, ToolFunction, ToolRegistry};
use toolwright_toolbox::Listed;

use crate::definition;
use crate::server_tool::ServerTool;
use crate::servers::{Server, Servers};

/// How many tools that are left out are logged one by one for one list.
const MAX_WARNINGS: usize = 20;

/// The tools of servers in a registry, and the tasks that keep them there.
pub struct Offer {
    registry: Arc<ToolRegistry>,
    kept: Mutex<HashMap<String, Kept>>,
    /// Who registers something holds it: a task that is over must not put its tools back.
    turn: Arc<Mutex<()>>,
}

/// A server whose tools are kept in step, while this lives.
struct Kept {
    server: Server,
    _end: DropGuard,
}

/// Registers the tools of all servers, now and whenever a list or the servers change. The tasks end with the
/// servers. Tells which tools are left out now. Must be called on a tokio runtime.
pub fn offer(servers: &Servers, registry: &Arc<ToolRegistry>) -> Vec<RegistrationError> {
    let offer = Offer { registry: Arc::clone(registry), kept: Mutex::default(), turn: Arc::default() };
    servers.offered(offer)
}

impl Offer {
    /// Offers the tools of servers that are new or different. The others stay.
    pub fn add(&self, list: &[Server], ended: &CancellationToken) -> Vec<RegistrationError> {
        let mut kept = self.kept();
        let mut left_out = Vec::new();
        for server in list {
            if kept.get(&server.name).is_some_and(|kept| kept.server.is_offered_as(server)) {
                continue;
            }
            let _turn = lock_off_async(&self.turn);
            kept.remove(&server.name);
            // Taken before: what is listed meanwhile is registered by the task.
            let known = server.supervisor.tools();
            left_out.extend(register(server, &self.registry));
            let end = ended.child_token();
            let over = end.clone();
            let (server_of_task, registry, turn) =
                (server.clone(), Arc::clone(&self.registry), Arc::clone(&self.turn));
            tokio::spawn(async move {
                tokio::select! {
                    () = over.cancelled() => {}
                    () = keep(&server_of_task, known, || {
                        let _turn = lock_off_async(&turn);
                        if !over.is_cancelled() {
                            register(&server_of_task, &registry);
                        }
                    }) => {}
                }
            });
            kept.insert(server.name.clone(), Kept { server: server.clone(), _end: end.drop_guard() });
        }
        left_out
    }

    /// Offers the tools of servers anew: which of them are hidden is different now.
    pub fn again(&self, list: &[Server]) {
        for server in list {
            let _turn = lock_off_async(&self.turn);
            register(server, &self.registry);
        }
    }

    /// Takes away the tools of servers that have none of these names.
    pub fn retain(&self, names: &[String]) {
        let mut kept = self.kept();
        let gone: Vec<String> = kept.keys().filter(|name| !names.contains(name)).cloned().collect();
        for name in gone {
            let _turn = lock_off_async(&self.turn);
            kept.remove(&name);
            self.registry.remove_server(&name);
        }
    }

    fn kept(&self) -> MutexGuard<'_, HashMap<String, Kept>> {
        self.kept.lock().ignore_poison()
    }
}

/// Registers what a server lists, as often as that changes from what is known.
async fn keep(server: &Server, mut known: Arc<Listed>, register: impl Fn()) {
    let mut changes = server.supervisor.subscribe();
    loop {
        let listed = server.supervisor.tools();
        if !Arc::ptr_eq(&listed.items, &known.items) {
            register();
        }
        if !Arc::ptr_eq(&listed, &known)
            && let Some(definitions) = &server.definitions
        {
            off_async(listed.bytes(), || definitions.look(server));
        }
        known = listed;
        if changes.changed().await.is_err() {
            return;
        }
    }
}

/// Registers what a server lists now.
pub fn register(server: &Server, registry: &ToolRegistry) -> Vec<RegistrationError> {
    let listed = server.supervisor.tools();
    off_async(listed.bytes(), || register_list(server, &listed, registry))
}

fn register_list(server: &Server, listed: &Listed, registry: &ToolRegistry) -> Vec<RegistrationError> {
    // Before its tools can be called: what is known of a server decides whose a name is when it is away.
    if let Some(definitions) = &server.definitions {
        definitions.look(server);
    }
    let tools = listed.items.iter().filter_map(|item| {
        let mut definition = definition::of(&server.name, item)?;
        definition.builtin_rules = server.builtin_rules();
        if !server.allows(&definition.name) {
            return None;
        }
        let function: Arc<dyn ToolFunction> = Arc::new(ServerTool::of(server, &definition.name));
        Some((definition, function))
    });
    let left_out = registry.replace_server(&server.name, tools);
    for error in left_out.iter().take(MAX_WARNINGS) {
        tracing::warn!(server = %server.name, "{error}");
    }
    *server.unusable_tools.lock().ignore_poison() = left_out.iter().map(ToString::to_string).collect();
    if left_out.len() > MAX_WARNINGS {
        let more = left_out.len() - MAX_WARNINGS;
        tracing::warn!(server = %server.name, "{more} more tools cannot be registered");
    }
    left_out
}
