//! The gateway's endpoints over real child servers, and a client that remembers what it hears.

#![allow(dead_code, reason = "every test file uses its part of it")]

use std::path::Path;
use std::process::Stdio;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::process::{Child, Command};
use tokio::time::{Instant, sleep, timeout};
use toolwright_backend::{ServerOptions, Servers, offer};
use toolwright_config::parse;
use toolwright_endpoints::{Endpoint, Gateway, GatewayOptions, offered_capabilities};
use toolwright_executor::{CallObserver, ToolExecutor, ToolRegistry};
use toolwright_jsonrpc::{ErrorObject, Json, Notification};
use toolwright_mcp::front::{Asked, Back, Client, Listening, Service, SessionId, Visitor, WayBack};
use toolwright_mcp::{Answer, Era, Filter, Identity, NoHost, PeerOptions};
use toolwright_toolbox::Policy;

/// Longer than anything here takes, so that a hang is a failure and not a wait.
pub const PATIENCE: Duration = Duration::from_secs(20);
pub const ERA_SERVER: &str = env!("CARGO_BIN_EXE_era-server");
pub const HOSTILE_SERVER: &str = env!("CARGO_BIN_EXE_hostile-server");
pub const CONFORMANCE_SERVER: &str = env!("CARGO_BIN_EXE_conformance-server");
pub const RMCP_SERVER: &str = env!("CARGO_BIN_EXE_rmcp-server");

/// What must arrive as it was sent.
pub const ODD: &str =
    r#"{"z":1.0,"a":12345678901234567890,"m":1e2,"\u00e9":"\u00e9\/","deep":[[ ],{ "b":-0 }]}"#;

pub struct Stage {
    pub servers: Arc<Servers>,
    pub gateway: Arc<Gateway>,
}

/// An entry of a server as a child process.
pub fn entry(program: &str, args: &[&str]) -> String {
    format!(r#"{{"command": {}, "args": {}}}"#, Json::text(program), Json::texts(args))
}

/// The gateway over the servers of a configuration.
pub async fn staged(configuration: &str, options: GatewayOptions) -> Stage {
    stage(configuration, options, &server_options(false), None)
}

/// The same, with somebody who hears of every call.
pub fn staged_with(configuration: &str, options: GatewayOptions, observer: Arc<dyn CallObserver>) -> Stage {
    stage(configuration, options, &server_options(false), Some(observer))
}

/// The same, each server started when it is needed.
pub async fn staged_lazily(configuration: &str, options: GatewayOptions) -> Stage {
    stage(configuration, options, &server_options(true), None)
}

/// The same, looked after by this policy.
pub fn staged_by(configuration: &str, policy: Policy) -> Stage {
    let servers = ServerOptions { policy, ..server_options(false) };
    stage(configuration, GatewayOptions::default(), &servers, None)
}

fn stage(
    configuration: &str,
    options: GatewayOptions,
    servers: &ServerOptions,
    observer: Option<Arc<dyn CallObserver>>,
) -> Stage {
    let configuration = parse(configuration, Path::new("/servers.json"), &|_| None).expect("a configuration");
    assert!(configuration.problems.is_empty(), "{:?}", configuration.problems);
    let servers = Servers::start(&configuration, |_| true, servers);
    let registry = Arc::new(ToolRegistry::new());
    offer(&servers, &registry);
    let mut executor = ToolExecutor::new(registry);
    if let Some(observer) = observer {
        executor = executor.with_observer(observer);
    }
    let executor = Arc::new(executor);
    let gateway = Gateway::new(Arc::clone(&servers), executor, options);
    Stage { servers, gateway }
}

/// How the servers of a test are started.
pub fn server_options(is_lazy: bool) -> ServerOptions {
    let client = json(r#"{"name":"toolwright","version":"0"}"#);
    ServerOptions {
        identity: Identity { client, capabilities: offered_capabilities() },
        peer: PeerOptions { probe: Duration::from_secs(2), ..PeerOptions::default() },
        policy: Policy { base_delay: Duration::from_millis(20), ..Policy::default() },
        host: Arc::new(NoHost),
        guardian: None,
        logins: None,
        timeout: None,
        local_tools: Vec::new(),
        definitions: None,
        is_lazy,
    }
}

/// One server of this name in the toolbox `default`.
pub async fn one(program: &str, args: &[&str]) -> (Stage, Arc<dyn Service>) {
    let text = format!(r#"{{"mcpServers": {{"one": {}}}}}"#, entry(program, args));
    let stage = staged(&text, GatewayOptions::default()).await;
    assert!(stage.servers.settled(PATIENCE).await, "{:?}", stage.servers.views());
    let service = stage.service(&Endpoint::Toolbox("default".into()));
    (stage, service)
}

impl Stage {
    pub fn service(&self, endpoint: &Endpoint) -> Arc<dyn Service> {
        self.gateway.service(endpoint).expect("it is there")
    }

    /// Waits until a server has written this to stderr.
    pub async fn wrote(&self, server: &str, text: &str) {
        let server = self.servers.get(server).expect("it is there").clone();
        until(text, || server.supervisor.stderr().contains(text)).await;
    }
}

/// A server over HTTP, and its address.
pub async fn over_http(program: &str, arguments: &[&str]) -> (Child, String) {
    let mut child = Command::new(program)
        .args(arguments)
        .args(["--http", "0"])
        .stderr(Stdio::piped())
        .kill_on_drop(true)
        .spawn()
        .expect("it starts");
    let mut lines = BufReader::new(child.stderr.take().expect("a pipe")).lines();
    let line = timeout(PATIENCE, lines.next_line()).await.expect("in time").expect("a line").expect("one");
    // What else it says is nobody's matter.
    tokio::spawn(async move { while let Ok(Some(_)) = lines.next_line().await {} });
    (child, line)
}

pub fn json(text: &str) -> Json {
    Json::parse(text).expect("JSON")
}

/// Waits until something is so.
pub async fn until(what: &str, is_so: impl Fn() -> bool) {
    let deadline = Instant::now() + PATIENCE;
    while !is_so() {
        assert!(Instant::now() < deadline, "{what} did not come");
        sleep(Duration::from_millis(5)).await;
    }
}

/// A client of a test.
#[derive(Clone)]
pub struct Script {
    pub client: Arc<Client>,
    pub way: Arc<Way>,
    pub log_level: Option<String>,
}

/// What a client hears, and what it answers.
#[derive(Default)]
pub struct Way {
    pub told: Mutex<Vec<Notification>>,
    pub asked: Mutex<Vec<(String, Option<Json>)>>,
    pub answer: Mutex<Option<Json>>,
}

impl WayBack for Way {
    fn notify(&self, notification: Notification) {
        self.told.lock().expect("no panic before").push(notification);
    }

    fn ask<'w>(&'w self, method: &'w str, params: Option<Json>) -> Answer<'w> {
        self.asked.lock().expect("no panic before").push((method.to_owned(), params));
        let answer = self.answer.lock().expect("no panic before").clone();
        Box::pin(async move {
            match answer {
                Some(answer) => Ok(answer),
                None => std::future::pending().await,
            }
        })
    }
}

impl Script {
    /// A client that can do everything for a server.
    pub fn new(era: Era, session: u128) -> Script {
        Script::with(era, session, r#"{"sampling":{},"elicitation":{"form":{}},"roots":{}}"#)
    }

    pub fn with(era: Era, session: u128, capabilities: &str) -> Script {
        let client = Client {
            visitor: Visitor::everywhere("test"),
            era,
            revision: if era == Era::Modern { "2026-07-28" } else { "2025-11-25" }.to_owned(),
            info: None,
            capabilities: json(capabilities),
            session: (era == Era::Legacy).then_some(SessionId(session)),
            is_resumed: false,
        };
        Script { client: Arc::new(client), way: Arc::default(), log_level: None }
    }

    pub fn allowed(self, toolboxes: &[&str]) -> Script {
        let toolboxes: Vec<String> = toolboxes.iter().map(|name| (*name).to_owned()).collect();
        let mut client = Client::clone(&self.client);
        client.visitor.toolboxes = Some(toolboxes.into());
        Script { client: Arc::new(client), ..self }
    }

    /// The same with another token.
    pub fn with_token(self, name: &str) -> Script {
        let mut client = Client::clone(&self.client);
        client.visitor.name = name.into();
        Script { client: Arc::new(client), ..self }
    }

    pub fn answering(self, answer: &str) -> Script {
        *self.way.answer.lock().expect("no panic before") = Some(json(answer));
        self
    }

    pub async fn ask(
        &self,
        service: &Arc<dyn Service>,
        method: &str,
        params: &str,
    ) -> Result<Json, ErrorObject> {
        let params = Some(params).filter(|params| !params.is_empty()).map(json);
        let back = Back::new(Arc::clone(&self.client), Arc::clone(&self.way) as Arc<dyn WayBack>);
        let asked = Asked {
            client: Arc::clone(&self.client),
            method: method.to_owned(),
            params,
            log_level: self.log_level.clone(),
            trace: None,
            back,
        };
        timeout(PATIENCE, service.request(asked)).await.expect("it is answered in time")
    }

    pub async fn call(&self, service: &Arc<dyn Service>, tool: &str, arguments: &str) -> Json {
        let params = format!(r#"{{"name":{},"arguments":{arguments}}}"#, Json::text(tool));
        self.ask(service, "tools/call", &params).await.expect("a result")
    }

    /// The names in the list of tools.
    pub async fn tools(&self, service: &Arc<dyn Service>) -> Vec<String> {
        let list = self.ask(service, "tools/list", "").await.expect("a list");
        names(&list, "tools")
    }

    pub async fn listen(&self, service: &Arc<dyn Service>, filter: Filter) -> Listening {
        service.listen(Arc::clone(&self.client), filter, true).await.expect("it tells")
    }

    pub fn asked(&self) -> Vec<(String, Option<Json>)> {
        self.way.asked.lock().expect("no panic before").clone()
    }

    pub fn told(&self, method: &str) -> Vec<Json> {
        let told = self.way.told.lock().expect("no panic before");
        let params = |told: &Notification| told.params.clone().unwrap_or_else(Json::empty_object);
        told.iter().filter(|told| told.method == method).map(params).collect()
    }
}

pub fn names(list: &Json, key: &str) -> Vec<String> {
    let items = list.get(key).and_then(|items| items.items()).expect("items");
    items.iter().filter_map(|item| item.get_text("name")).collect()
}

/// The text of a result's first block.
pub fn text(result: &Json) -> String {
    let blocks = result.get("content").and_then(|content| content.items()).expect("content");
    blocks.first().and_then(|block| block.get_text("text")).expect("a text")
}

pub fn is_error(result: &Json) -> bool {
    result.get("isError").is_some_and(|value| value.as_str() == "true")
}

/// The next notification of a kind.
pub async fn heard(listening: &mut Listening, method: &str) -> Notification {
    loop {
        let next = timeout(PATIENCE, listening.notifications.recv()).await.expect("in time").expect("more");
        if next.method == method {
            return next;
        }
    }
}
