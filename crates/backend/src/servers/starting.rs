//! How a server is started: its connector, its supervisor, and what it may say of the others.

use std::sync::{Arc, OnceLock, Weak};

use toolwright_config::{HttpKind, ProtocolFamily, ServerConfig, Toolbox, Transport};
use toolwright_mcp::http::{self, HttpTarget};
use toolwright_mcp::stdio::ChildCommand;
use toolwright_mcp::{Era, Host, PeerOptions, Protocol};
use toolwright_toolbox::{
    Beginning, Connector, HttpConnector, Policy, PrepareList, StdioConnector, StillWorks, Supervisor,
};

use super::server::Server;
use super::{ServerOptions, Servers};
use crate::definitions::Subject;
use crate::questions::ServerHost;

/// Whether two entries differ in nothing that a server is started with.
pub(super) fn is_same_process(old: &ServerConfig, new: &ServerConfig) -> bool {
    let mut new = new.clone();
    new.tool_filters = old.tool_filters.clone();
    new.timeout = old.timeout;
    new.builtin_rules = old.builtin_rules;
    *old == new
}

/// Starts the server of an entry. One that takes the place of another has its tools until it lists its own.
pub(super) fn started(
    (name, toolbox, entry): (String, &Toolbox, &ServerConfig),
    options: &ServerOptions,
    all: &Arc<OnceLock<Weak<Servers>>>,
    beginning: Beginning,
    old: Option<&Server>,
) -> Server {
    let others = {
        let (all, own, local) = (Arc::clone(all), name.clone(), options.local_tools.clone());
        move || still_works(all.get().and_then(Weak::upgrade).as_deref(), &own, &local)
    };
    let policy = Policy { idle: entry.idle.or(options.policy.idle), ..options.policy };
    let host = ServerHost::new(&name, Arc::clone(&options.host));
    let connector = connector(&name, entry, options, Arc::clone(&host) as Arc<dyn Host>);
    // Those of one that is switched off are no more.
    let known = old.filter(|_| !entry.is_disabled).map(|old| old.supervisor.tools()).unwrap_or_default();
    let subject = Arc::new(Subject::new(&toolbox.name, &name, entry));
    let prepare = options.definitions.clone().map(|definitions| -> PrepareList {
        let subject = Arc::clone(&subject);
        // Where nothing is hidden, a list is seen at once and looked at before its tools can be called.
        Arc::new(move |items| {
            if definitions.hides_some() {
                definitions.look_at(&subject, items);
            }
        })
    });
    let supervisor = Supervisor::begin(connector, policy, Arc::new(others), beginning, known, prepare);
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
        entry: Arc::new(entry.clone()),
        definitions: options.definitions.clone(),
        subject,
        host,
        unusable_tools: Arc::default(),
    }
}

fn connector(
    name: &str,
    entry: &ServerConfig,
    options: &ServerOptions,
    host: Arc<dyn Host>,
) -> Arc<dyn Connector> {
    let identity = options.identity.clone();
    let first = match &entry.transport {
        Transport::Stdio { .. } => Protocol::LegacyFirst,
        Transport::Http { .. } => Protocol::ModernFirst,
    };
    let protocol = match entry.protocol {
        ProtocolFamily::Auto => first,
        ProtocolFamily::Legacy => Protocol::Only(Era::Legacy),
        ProtocolFamily::Modern => Protocol::Only(Era::Modern),
    };
    let peer = PeerOptions { protocol, ..options.peer };
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
                max_response_bytes: entry.max_response_bytes,
            },
            identity,
            peer,
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
                max_response_bytes: entry.max_response_bytes,
            },
            identity,
            options: peer,
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
