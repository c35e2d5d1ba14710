//! The servers behind an endpoint: configured ones, and our own tools, which stand beside them as if they had a
//! server.

use std::sync::Arc;
use std::time::Duration;

use futures_util::StreamExt;
use futures_util::future::join_all;
use futures_util::stream::FuturesUnordered;
use tokio::time::timeout;
use toolwright_config::ServerConfig;
use toolwright_executor::registry::BUILT_IN;
use toolwright_executor::registry::FILES_SERVER;
use toolwright_executor::{RegisteredTool, ToolRegistry};
use toolwright_jsonrpc::{ErrorObject, INTERNAL_ERROR, Json};
use toolwright_mcp::{Era, Peer};
use toolwright_redact::known;
use toolwright_toolbox::naming::Identifier;
use toolwright_toolbox::{Listed, State};

use toolwright_backend::Server;
use toolwright_backend::offered::Offered;
use toolwright_backend::owner::Owner;

/// The toolbox of our own tools.
pub const OWN_TOOLBOX: &str = "builtin";

/// One server behind an endpoint.
#[derive(Clone)]
pub(crate) struct Member {
    /// The toolbox that it is in.
    pub toolbox: String,
    /// Its name there.
    pub server: String,
    pub kind: Kind,
}

#[derive(Clone)]
pub(crate) enum Kind {
    /// A configured server.
    Server(Box<Server>),
    /// Tools of our own.
    Own(Arc<Offered>),
}

impl Member {
    /// A configured server.
    pub fn configured(server: &Server) -> Member {
        Member {
            toolbox: server.toolbox.clone(),
            server: server.own_name.clone(),
            kind: Kind::Server(Box::new(server.clone())),
        }
    }

    /// Our own tools as the registry has them now, by their servers.
    pub fn own(registry: &ToolRegistry) -> Vec<Member> {
        let snapshot = registry.snapshot();
        let of = |server: &str| {
            let tools = snapshot.tools().iter().filter(|tool| tool.source() == server);
            let items: Vec<Json> = tools.filter_map(|tool| definition(tool)).collect();
            let listed = Arc::new(Listed { items: items.into(), is_current: true });
            let offered = Arc::new(Offered::read(listed, |_| true));
            Member { toolbox: OWN_TOOLBOX.to_owned(), server: server.to_owned(), kind: Kind::Own(offered) }
        };
        let members = [of(BUILT_IN), of(FILES_SERVER)];
        members.into_iter().filter(|member| !member.tools().items.is_empty()).collect()
    }

    /// Whether a tool is of this server.
    pub fn is(&self, tool: &Identifier) -> bool {
        self.toolbox == tool.toolbox && self.server == tool.server
    }

    /// Whether it is the same server.
    pub fn is_same(&self, other: &Member) -> bool {
        self.toolbox == other.toolbox && self.server == other.server
    }

    /// What the configuration says of it.
    pub fn entry(&self) -> Option<Arc<ServerConfig>> {
        self.configured_server().map(|server| Arc::clone(server.entry()))
    }

    /// What stands before its tools in the registry.
    pub fn registry_name(&self) -> &str {
        match &self.kind {
            Kind::Server(server) => &server.name,
            Kind::Own(_) => &self.server,
        }
    }

    /// Its tools, as they were last listed. Not all of them may be offered.
    pub fn tools(&self) -> Arc<Listed> {
        match &self.kind {
            Kind::Server(server) => server.supervisor.tools(),
            Kind::Own(offered) => Arc::clone(&offered.listed),
        }
    }

    /// Those of its tools that are offered.
    pub fn offered(&self) -> Arc<Offered> {
        match &self.kind {
            Kind::Server(server) => {
                let allows = |name: &str| server.allows(name);
                server.host.offered.of(server.entry(), server.supervisor.tools(), allows)
            }
            Kind::Own(offered) => Arc::clone(offered),
        }
    }

    /// Whether a tool of this name would be offered.
    pub fn allows(&self, tool: &str) -> bool {
        match &self.kind {
            Kind::Server(server) => server.allows(tool),
            Kind::Own(_) => true,
        }
    }

    /// Whether a task of this server belongs to a client.
    pub fn has_task(&self, owner: &Owner, id: &str) -> bool {
        self.configured_server().is_some_and(|server| server.host.tasks.is_of(owner, id))
    }

    /// The configured server.
    pub fn configured_server(&self) -> Option<&Server> {
        match &self.kind {
            Kind::Server(server) => Some(server),
            Kind::Own(_) => None,
        }
    }

    /// The same, for those who keep it.
    pub fn into_server(self) -> Option<Server> {
        match self.kind {
            Kind::Server(server) => Some(*server),
            Kind::Own(_) => None,
        }
    }

    /// Whether its tools were never listed and may still be: it rests before its first use, or is being reached.
    pub fn is_unknown(&self) -> bool {
        let Kind::Server(server) = &self.kind else { return false };
        let listed = server.supervisor.tools();
        let state = server.supervisor.snapshot().state;
        let is_hopeful = matches!(state, State::Starting { .. } | State::Resting | State::Ready);
        listed.items.is_empty() && !listed.is_current && is_hopeful
    }

    /// Whether it cannot be used now and may have a tool whose name is so. A server that never listed such a tool, not in
    /// an earlier run either, has none that a client can know of.
    pub fn may_have_unlisted(&self, is_so: impl Fn(&str) -> bool) -> bool {
        let Some(server) = self.configured_server().filter(|_| self.trouble().is_some()) else {
            return false;
        };
        server.definitions.as_ref().is_none_or(|definitions| definitions.has_listed(server, is_so))
    }

    /// Why it cannot be used; `None` when it can, or its tools are known from before.
    pub fn trouble(&self) -> Option<String> {
        let Kind::Server(server) = &self.kind else { return None };
        let listed = server.supervisor.tools();
        if listed.is_current || !listed.items.is_empty() {
            return None;
        }
        let snapshot = server.supervisor.snapshot();
        let reason = match (&snapshot.last_failure, snapshot.state) {
            (Some(failure), _) => failure.to_string(),
            (None, State::Resting) => "it has not been started yet".to_owned(),
            (None, state) => format!("it is {}", state.name()),
        };
        Some(known(&reason, &server.secrets).into_owned())
    }
}

/// Sees to it that the tools of these are known, for so long at most: those that rest before their first use are
/// started, all at once.
pub(crate) async fn make_known(members: &[Member], patience: Duration) {
    let unknown = members.iter().filter(|member| member.is_unknown());
    let servers: Vec<&Server> = unknown.filter_map(Member::configured_server).collect();
    if servers.is_empty() {
        return;
    }
    let settled = servers.iter().map(|server| async {
        let left = server.host.time_left(patience);
        // Being asked for is what starts it.
        let listed = async {
            let _ = server.supervisor.peer(left).await;
            server.settled().await;
        };
        let _ = timeout(left, listed).await;
    });
    join_all(settled).await;
}

/// Where none of these has told its tools yet, waits for the first that does, for so long at most: a list with
/// something in it is worth more than one at once.
pub(crate) async fn make_one_known(members: &[Member], patience: Duration) {
    let is_told = |member: &Member| member.tools().is_current || !member.tools().items.is_empty();
    if members.iter().any(is_told) {
        return;
    }
    let unknown = members.iter().filter(|member| member.is_unknown()).filter_map(Member::configured_server);
    let mut settled: FuturesUnordered<_> = unknown
        .map(|server| async { timeout(server.host.time_left(patience), server.settled()).await })
        .collect();
    while settled.next().await.is_some() {
        if members.iter().any(is_told) {
            return;
        }
    }
}

/// The server as a client of this family meets it, when it is there in time.
pub(crate) async fn reach(server: &Server, era: Era, patience: Duration) -> Result<Peer, ErrorObject> {
    let peer = server.supervisor.peer(patience).await.map_err(|error| {
        let message = format!("The server '{}' cannot be used. {error}", server.name);
        ErrorObject::new(INTERNAL_ERROR, known(&message, &server.secrets))
    })?;
    Ok(peer.for_client(era).await)
}

/// A tool of our own as a server would list it.
fn definition(tool: &RegisteredTool) -> Option<Json> {
    let raw = |text: &str| Json::parse(text).ok();
    let mut item = Json::empty_object()
        .with("name", &Json::text(tool.name()))
        .with("description", &Json::text(&tool.definition().description))
        .with("inputSchema", &raw(tool.input_schema())?);
    if let Some(schema) = tool.output_schema() {
        item = item.with("outputSchema", &raw(schema)?);
    }
    if tool.definition().annotations.destructive {
        item = item.with("annotations", &Json::empty_object().with("destructiveHint", &Json::yes()));
    }
    Some(item)
}
