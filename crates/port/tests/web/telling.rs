//! A port with a ledger behind it that is fed, indexed and learned from, and calls that were made.

use std::sync::Arc;
use std::time::Duration;

use futures_util::future::BoxFuture;
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio_util::sync::CancellationToken;
use toolwright_backend::{ServerOptions, Servers};
use toolwright_config::parse;
use toolwright_endpoints::{Gateway, GatewayOptions};
use toolwright_executor::{ToolExecutor, ToolFailure, ToolFunction, ToolOutput, ToolRegistry};
use toolwright_jsonrpc::Json;
use toolwright_ledger::learn::Definitions;
use toolwright_ledger::{Change, Failure, Hidden, Ledger, LedgerOptions, Reached, Record, Stages};
use toolwright_mcp::{Identity, NoHost, PeerOptions};
use toolwright_model::ToolDefinition;
use toolwright_normalizer::ActiveRules;
use toolwright_port::status::{StatusParts, StatusSource};
use toolwright_port::{Allowed, Api, WebLimits};
use toolwright_toolbox::Policy;

use crate::port::{Answer, Doors, Port, port_telling};

/// Everything, and what ends it.
pub struct Telling {
    pub port: Port,
    pub ledger: Arc<Ledger>,
    pub executor: Arc<ToolExecutor>,
    stop: CancellationToken,
    _state: TempDir,
}

impl Drop for Telling {
    fn drop(&mut self) {
        self.stop.cancel();
    }
}

/// The one tool that is learned about. It returns the arguments that it gets.
struct OneTool;

impl OneTool {
    fn definition() -> ToolDefinition {
        ToolDefinition {
            name: "send_note".into(),
            server: Some("notes".into()),
            description: "Sends a note.".into(),
            input_schema: r#"{"type":"object","properties":{"prose":{"type":"string"}},"required":["prose"],"additionalProperties":false}"#.into(),
            ..ToolDefinition::default()
        }
    }
}

impl ToolFunction for OneTool {
    fn call(self: Arc<Self>, arguments: String) -> BoxFuture<'static, Result<ToolOutput, ToolFailure>> {
        Box::pin(async move { Ok(ToolOutput::text(arguments)) })
    }
}

impl Definitions for OneTool {
    fn definition(&self, record: &Record) -> Option<ToolDefinition> {
        (record.tool == "send_note").then(OneTool::definition)
    }

    fn generation(&self) -> u64 {
        1
    }
}

/// Whether there is an index.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Index {
    Kept,
    None,
}

pub async fn telling(index: Index) -> Telling {
    telling_at(index, Doors::Locked, Allowed::default()).await
}

pub async fn telling_at(index: Index, doors: Doors, allowed: Allowed) -> Telling {
    let state = tempfile::tempdir().expect("a folder");
    let rules: Arc<ActiveRules> = Arc::default();
    let options = LedgerOptions {
        folder: state.path().to_path_buf(),
        rules: Arc::clone(&rules),
        ..LedgerOptions::default()
    };
    let (ledger, _) = Ledger::open(options).expect("a ledger");
    let (ledger, stop) = (Arc::new(ledger), CancellationToken::new());
    if index == Index::Kept {
        // It ends with `stop`, or with the runtime of the test.
        drop(tokio::spawn(Arc::clone(&ledger).keep(Arc::new(OneTool), stop.clone())));
    }
    let registry = ToolRegistry::new();
    registry.register(OneTool::definition(), Arc::new(OneTool)).expect("a tool");
    let executor = Arc::new(ToolExecutor::new(Arc::new(registry)).with_rules(rules));
    let status = status(&ledger, &executor);
    let api = Api::new(Some(Arc::clone(&ledger)), Arc::clone(&executor)).with_status(status);
    let port = port_telling(doors, WebLimits::default(), allowed, Some(api)).await;
    Telling { port, ledger, executor, stop, _state: state }
}

/// How a gateway without servers is doing, that writes to this ledger.
fn status(ledger: &Arc<Ledger>, executor: &Arc<ToolExecutor>) -> Arc<StatusSource> {
    let file = std::path::Path::new("toolwright.json");
    let configuration = parse(r#"{"mcpServers": {}}"#, file, &|_: &str| None).expect("a configuration");
    let nothing = Json::empty_object;
    let options = ServerOptions {
        identity: Identity { client: nothing(), capabilities: nothing() },
        peer: PeerOptions::default(),
        policy: Policy::default(),
        host: Arc::new(NoHost),
        guardian: None,
        logins: None,
        timeout: None,
        local_tools: Vec::new(),
        definitions: None,
        is_lazy: true,
    };
    let servers = Servers::start(&configuration, |_| true, &options);
    let gateway = Gateway::new(Arc::clone(&servers), Arc::clone(executor), GatewayOptions::default());
    StatusSource::new(StatusParts {
        gateway: &gateway,
        servers: &servers,
        executor,
        ledger: Some(ledger),
        llm: None,
        configuration: None,
        is_demo: false,
    })
}

impl Telling {
    /// Writes down a call that ended.
    pub fn call(&self, record: Record, arguments: &str) {
        self.ledger.end(record, self.ledger.hide(arguments), Hidden::default());
    }

    /// Calls of several kinds: good ones, mended ones, failures, and one that was only begun.
    pub fn calls(&self) {
        let passed = Stages { transport: Reached::Passed, protocol: Reached::Passed, tool: Reached::Passed };
        for number in 0..30_u64 {
            let change = Change {
                code: "N3".into(),
                path: "/path".into(),
                from: Some("\"file_path\"".into()),
                to: Some("\"path\"".into()),
                rule: Some("alias".into()),
                rule_type: Some("param_alias".into()),
            };
            let error = Failure {
                code: "tool_error".into(),
                message: format!("cannot open \"/srv/data/{number}.txt\": no such file"),
                parameters: vec!["/path".into()],
                is_from_tool: true,
            };
            let record = Record {
                changes: if number % 3 == 0 { vec![change] } else { Vec::new() },
                error: (number % 5 == 0).then_some(error),
                stages: passed,
                duration_us: 1_000 + number * 100,
                bytes_in: 20,
                bytes_out: 30,
                ..record(number, "read_file")
            };
            self.call(record, &format!(r#"{{"path": "{number}.txt", "words": "milk{number}"}}"#));
        }
        let begun = record(99, "delete_file");
        self.ledger.begin(begun, self.ledger.hide("{}")).expect("written");
    }

    /// The same mistake and its correction, in a conversation of its own.
    pub fn corrects_itself(&self, session: &str) {
        let of = |tool: &str| Record {
            session: Some(session.into()),
            server: Some("notes".into()),
            call: format!("{session}-{tool}"),
            ..record(0, "send_note")
        };
        let error = Failure {
            code: "invalid_arguments".into(),
            message: "\"payload\" is not known; \"prose\" is missing".into(),
            parameters: vec!["/prose".into()],
            is_from_tool: false,
        };
        self.call(Record { error: Some(error), ..of("wrong") }, &format!(r#"{{"payload":"for {session}"}}"#));
        self.call(of("right"), &format!(r#"{{"prose":"for {session}"}}"#));
    }

    pub async fn get(&self, path: &str) -> Answer {
        self.port.ask("GET", path, "", "").await
    }

    /// The answer to a question that has one.
    pub async fn told(&self, path: &str) -> Value {
        let answer = self.get(path).await;
        assert_eq!(answer.status, 200, "{path}: {}", answer.body);
        serde_json::from_str(&answer.body).unwrap_or_else(|error| panic!("{error}: {}", answer.body))
    }

    pub async fn post(&self, path: &str, body: &str) -> (u16, Value) {
        let answer = self.port.ask("POST", path, "Content-Type: application/json\r\n", body).await;
        (answer.status, serde_json::from_str(&answer.body).unwrap_or(json!(answer.body)))
    }

    /// Waits until everything that was written down can be looked up.
    pub async fn indexed(&self) {
        for _ in 0..1_000 {
            let health = self.told("/api/health").await;
            if health["index"]["behind"] == json!(0) {
                return;
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        panic!("the index stays behind: {}", self.told("/api/health").await);
    }

    /// The suggestion that two corrections lead to.
    pub async fn suggestion(&self) -> Value {
        self.corrects_itself("one");
        self.corrects_itself("two");
        for _ in 0..1_000 {
            let told = self.told("/api/suggestions").await;
            if let Some(suggestion) = told["suggestions"].get(0) {
                return suggestion.clone();
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        panic!("nothing is suggested");
    }
}

pub fn record(number: u64, tool: &str) -> Record {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).expect("a time");
    Record {
        ts: i64::try_from(now.as_micros()).expect("small"),
        call: format!("call{number}"),
        client: Some(if number.is_multiple_of(2) { "editor" } else { "shell" }.into()),
        session: Some(format!("s{}", number % 4)),
        front: "mcp".into(),
        toolbox: Some("dev".into()),
        server: Some("files".into()),
        tool: tool.into(),
        ..Record::default()
    }
}
