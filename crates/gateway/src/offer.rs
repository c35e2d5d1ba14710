//! The tools of servers, kept in the registry as the servers list them.

use std::sync::Arc;

use toolwright_toolbox::Listed;
use toolwright_tools::{RegistrationError, ToolFunction, ToolRegistry};

use crate::definition;
use crate::server_tool::ServerTool;
use crate::servers::{Server, Servers};

/// Registers the tools of all servers, now and whenever a list changes. The tasks end with the servers.
/// Tells which tools are left out now. Must be called on a tokio runtime.
pub fn offer(servers: &Servers, registry: &Arc<ToolRegistry>) -> Vec<RegistrationError> {
    let mut left_out = Vec::new();
    for server in servers.iter() {
        let (server, registry) = (server.clone(), Arc::clone(registry));
        // Taken before: what is listed meanwhile is registered by the task.
        let known = server.supervisor.tools();
        left_out.extend(register(&server, &registry));
        let ended = servers.ended().clone();
        tokio::spawn(async move {
            tokio::select! {
                () = keep(server, registry, known) => {}
                () = ended.cancelled() => {}
            }
        });
    }
    left_out
}

/// Registers what a server lists, as often as that changes from what is known.
async fn keep(server: Server, registry: Arc<ToolRegistry>, mut known: Arc<Listed>) {
    let mut changes = server.supervisor.subscribe();
    loop {
        let listed = server.supervisor.tools();
        if !Arc::ptr_eq(&listed, &known) && listed.items != known.items {
            register(&server, &registry);
        }
        known = listed;
        if changes.changed().await.is_err() {
            return;
        }
    }
}

/// Registers what a server lists now.
pub(crate) fn register(server: &Server, registry: &ToolRegistry) -> Vec<RegistrationError> {
    let listed = server.supervisor.tools();
    let tools = listed.items.iter().filter_map(|item| {
        let definition = definition::of(&server.name, item)?;
        if !server.allows(&definition.name) {
            return None;
        }
        let tool = ServerTool::new(server.supervisor.clone(), &definition.name, server.timeout);
        let tool = tool.hiding(Arc::clone(&server.secrets)).heard_by(Arc::clone(&server.host));
        let function: Arc<dyn ToolFunction> = Arc::new(tool);
        Some((definition, function))
    });
    let left_out = registry.replace_server(&server.name, tools);
    for error in &left_out {
        tracing::warn!(server = %server.name, "{error}");
    }
    left_out
}
