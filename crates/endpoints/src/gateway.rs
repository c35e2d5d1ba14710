//! Everything behind the endpoints, and one service for each of them.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, OnceLock};
use std::time::Duration;

use toolwright_backend::{Server, Servers};
use toolwright_base::IgnorePoison;
use toolwright_executor::ToolExecutor;
use toolwright_jsonrpc::Json;
use toolwright_mcp::HEADER_ANNOTATION;
use toolwright_mcp::front::Service;
use toolwright_telemetry::Telemetry;

use crate::flat::Flat;
use crate::members::{Member, OWN_TOOLBOX};
use crate::status::StatusReport;
use crate::toolboxes::Toolboxes;
use crate::transparent::Transparent;

/// Where a client can be connected to.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Endpoint {
    /// The meta-tools over all toolboxes.
    Toolboxes,
    /// Every tool of every toolbox, under flat names.
    All,
    /// One toolbox: its server as it is when it has one, else its tools under flat names.
    Toolbox(String),
}

/// How clients are served.
#[derive(Clone, Debug)]
pub struct GatewayOptions {
    /// Our version, as clients see it.
    pub version: String,
    /// Whether our own tools are offered, in a toolbox of their own. The configuration decides when absent: where
    /// it does not say, they are offered when it names no servers.
    pub serves_builtin_tools: Option<bool>,
    /// How long lists wait for servers whose tools are not known yet, all of them together.
    pub list_patience: Duration,
    /// How long opening a toolbox waits for its servers.
    pub open_patience: Duration,
    /// What tells others of calls, when something does.
    pub telemetry: Option<Arc<Telemetry>>,
}

impl Default for GatewayOptions {
    fn default() -> Self {
        GatewayOptions {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            serves_builtin_tools: None,
            list_patience: Duration::from_secs(5),
            open_patience: Duration::from_secs(30),
            telemetry: None,
        }
    }
}

/// What clients are connected to.
pub struct Gateway {
    hub: Arc<Hub>,
    services: Mutex<HashMap<Endpoint, Kept>>,
}

/// A service, and what it was made for.
struct Kept {
    is_transparent: bool,
    service: Arc<dyn Service>,
}

/// What all services share.
pub(crate) struct Hub {
    pub servers: Arc<Servers>,
    pub executor: Arc<ToolExecutor>,
    pub options: GatewayOptions,
    /// Who tells how the gateway is doing, once somebody does.
    pub status: OnceLock<Arc<dyn StatusReport>>,
    own: Vec<Member>,
}

/// What our own tools are for.
const OWN_DESCRIPTION: &str = "Toolwright's own tools: date and time, web search, volume, and files";

/// What legacy servers are told that clients can do. Which client can, is found out when one is asked.
pub fn offered_capabilities() -> Json {
    let empty = Json::empty_object;
    let roots = empty().with("listChanged", &Json::yes());
    empty().with("sampling", &empty()).with("elicitation", &empty()).with("roots", &roots)
}

impl Gateway {
    /// The endpoints over these servers. Our own tools are those that the executor's registry has now.
    pub fn new(servers: Arc<Servers>, executor: Arc<ToolExecutor>, options: GatewayOptions) -> Arc<Gateway> {
        let own = Member::own(executor.registry());
        let hub = Arc::new(Hub { servers, executor, options, status: OnceLock::new(), own });
        Arc::new(Gateway { hub, services: Mutex::default() })
    }

    /// What is behind an endpoint; `None` when there is no such toolbox now. It is the same for the same
    /// endpoint for as long as that is of the same kind.
    pub fn service(&self, endpoint: &Endpoint) -> Option<Arc<dyn Service>> {
        let is_transparent = match endpoint {
            Endpoint::Toolboxes | Endpoint::All => false,
            Endpoint::Toolbox(name) => match &self.hub.toolbox(name)[..] {
                [] => {
                    self.services().remove(endpoint);
                    return None;
                }
                [one] => one.configured_server().is_some(),
                _ => false,
            },
        };
        let mut services = self.services();
        if let Some(kept) = services.get(endpoint).filter(|kept| kept.is_transparent == is_transparent) {
            return Some(Arc::clone(&kept.service));
        }
        let hub = Arc::clone(&self.hub);
        let service: Arc<dyn Service> = match endpoint {
            Endpoint::Toolbox(name) if is_transparent => Arc::new(Transparent::new(hub, name)),
            Endpoint::Toolbox(name) => Arc::new(Flat::new(hub, Some(name.clone()))),
            Endpoint::All => Arc::new(Flat::new(hub, None)),
            Endpoint::Toolboxes => Arc::new(Toolboxes::new(hub)),
        };
        services.insert(endpoint.clone(), Kept { is_transparent, service: Arc::clone(&service) });
        Some(service)
    }

    /// Lets agents read how the gateway is doing. Only the first one counts: a gateway has one.
    pub fn tell_status(&self, status: Arc<dyn StatusReport>) {
        let _ = self.hub.status.set(status);
    }

    /// How many tools are offered in all.
    pub fn offered_tools(&self) -> usize {
        self.hub.members().iter().map(|member| member.offered().tools.len()).sum()
    }

    fn services(&self) -> std::sync::MutexGuard<'_, HashMap<Endpoint, Kept>> {
        self.services.lock().ignore_poison()
    }
}

impl fmt::Debug for Gateway {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Gateway").field("options", &self.hub.options).finish_non_exhaustive()
    }
}

impl Hub {
    /// All members, in the order of the configuration, our own last.
    pub fn members(&self) -> Vec<Member> {
        self.members_of(|_| true)
    }

    /// The members of one toolbox.
    pub fn toolbox(&self, name: &str) -> Vec<Member> {
        self.members_of(|toolbox| toolbox == name)
    }

    fn members_of(&self, is_meant: impl Fn(&str) -> bool) -> Vec<Member> {
        let current = self.servers.current();
        let is_said = self.options.serves_builtin_tools;
        let serves_own = is_said.unwrap_or_else(|| current.configuration.serves_own_tools());
        let own: &[Member] = if serves_own { &self.own } else { &[] };
        let servers = current.list.iter().filter(|server| is_meant(&server.toolbox)).map(Member::configured);
        servers.chain(own.iter().filter(|member| is_meant(&member.toolbox)).cloned()).collect()
    }

    /// What a toolbox is for.
    pub fn description(&self, toolbox: &str) -> Option<String> {
        let current = self.servers.current();
        let configured = current.configuration.toolboxes.iter().find(|known| known.name == toolbox);
        match configured {
            Some(configured) => configured.description.clone(),
            None => (toolbox == OWN_TOOLBOX).then(|| OWN_DESCRIPTION.to_owned()),
        }
    }

    /// Whether `use_tool` takes calls to the letter of its contract only.
    pub fn is_strict(&self) -> bool {
        self.servers.current().configuration.is_strict
    }

    /// Whether the old key of a tool's name in `use_tool` is taken for the new one.
    pub fn accepts_legacy_tool_key(&self) -> bool {
        self.servers.current().configuration.accepts_legacy_tool_key
    }

    /// The schema of a tool's arguments, when some of them may come as headers.
    pub fn schema_with_headers(&self, member: &Member, tool: &str) -> Option<Json> {
        let tool = self.executor.registry().get(&format!("{}/{tool}", member.registry_name()))?;
        let schema = tool.input_schema();
        schema.contains(HEADER_ANNOTATION).then(|| Json::parse(schema).ok()).flatten()
    }

    /// How long a request to a server may go without a sign of it.
    pub fn limit(&self, server: &Server) -> Duration {
        server.timeout.unwrap_or(self.executor.limits().timeout)
    }
}
