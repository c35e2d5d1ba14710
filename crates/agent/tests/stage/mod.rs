//! Test fixtures: an agent with a scripted model and test tools.
#![allow(dead_code, reason = "each test file uses its own part")]

use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use serde_json::Value;
use toolwright_agent::{Agent, AgentSettings, Called, Front, Listener, Question};
use toolwright_config::{Destination, LlmSettings, ModelRoute, SecretText, UpstreamKey, UpstreamSettings};
use toolwright_executor::{ToolExecutor, ToolFailure, ToolFunction, ToolOutput, ToolRegistry};
use toolwright_model::{Annotations, Origin, ToolDefinition};
use toolwright_proxy::LlmFront;
use toolwright_testkit::llm_upstream::{Dialect, Exchange, LlmUpstream, Said};

/// The requested model.
pub const MODEL: &str = "scripted";

/// The key of the upstream, which must not appear in any answer.
pub const KEY: &str = "sk-upstream-9f2b7c";

/// The dialects with a client.
pub const DIALECTS: [Dialect; 3] = [Dialect::Anthropic, Dialect::Chat, Dialect::Ollama];

pub const ZWAVE: &str = r#"{"type":"object","properties":{
    "deviceName":{"type":"string"},"action":{"type":"string","enum":["on","off","dim"]},
    "level":{"type":"integer","minimum":0,"maximum":100}},
    "required":["deviceName","action"],"additionalProperties":false}"#;

pub const ANY: &str = r#"{"type":"object","properties":{"n":{"type":"integer"}}}"#;

pub type Done = Result<ToolOutput, ToolFailure>;

struct Closure<F>(F);

impl<F, R> ToolFunction for Closure<F>
where
    F: Fn(String) -> R + Send + Sync + 'static,
    R: Future<Output = Done> + Send + 'static,
{
    fn call(self: Arc<Self>, arguments: String) -> BoxFuture<'static, Done> {
        (self.0)(arguments).boxed()
    }
}

/// A tool of the server `home`, as a closure.
pub fn tool<F, R>(name: &str, schema: &str, call: F) -> (ToolDefinition, Arc<dyn ToolFunction>)
where
    F: Fn(String) -> R + Send + Sync + 'static,
    R: Future<Output = Done> + Send + 'static,
{
    let definition = ToolDefinition {
        name: name.to_owned(),
        server: Some("home".to_owned()),
        origin: Origin::Server,
        description: format!("Does what {name} says."),
        input_schema: schema.to_owned(),
        ..ToolDefinition::default()
    };
    (definition, Arc::new(Closure(call)))
}

/// Adds the destructive annotation to a tool.
pub fn destructive(
    (definition, function): (ToolDefinition, Arc<dyn ToolFunction>),
) -> (ToolDefinition, Arc<dyn ToolFunction>) {
    let annotations = Annotations { destructive: true, ..definition.annotations };
    (ToolDefinition { annotations, ..definition }, function)
}

/// Records the arguments of tool calls, in the order of their start.
#[derive(Clone, Default)]
pub struct Runs(Arc<Mutex<Vec<String>>>);

impl Runs {
    /// A switch that records its arguments.
    pub fn switch(&self) -> (ToolDefinition, Arc<dyn ToolFunction>) {
        let runs = self.clone();
        tool("control_zwave_device", ZWAVE, move |arguments| {
            runs.add(&arguments);
            async { Ok(ToolOutput::text("Successfully sent command to turn on Switch One")) }
        })
    }

    pub fn add(&self, text: &str) {
        self.0.lock().expect("no test broke").push(text.to_owned());
    }

    pub fn all(&self) -> Vec<String> {
        self.0.lock().expect("no test broke").clone()
    }
}

/// The complete fixture.
pub struct Stage {
    pub upstream: LlmUpstream,
    pub executor: Arc<ToolExecutor>,
    pub models: Arc<LlmFront>,
    pub agent: Agent,
}

/// A listener that records everything.
#[derive(Debug, Default)]
pub struct RecordingListener {
    pub pieces: Vec<String>,
    /// Texts and calls in the order of their arrival.
    pub events: Vec<String>,
}

impl Listener for RecordingListener {
    fn text(&mut self, piece: &str) {
        self.pieces.push(piece.to_owned());
        match self.events.last_mut() {
            Some(last) if last.starts_with('"') => last.push_str(piece),
            _ => self.events.push(format!("\"{piece}")),
        }
    }

    fn text_ended(&mut self) {
        self.events.push("--".to_owned());
    }

    fn call_started(&mut self, name: &str, _: &str) {
        self.events.push(format!("{name} begins"));
    }

    fn call_ended(&mut self, call: &Called) {
        self.events.push(format!("{} ends", call.sent_name));
    }
}

pub type Tools = Vec<(ToolDefinition, Arc<dyn ToolFunction>)>;

pub fn registry(tools: Tools) -> Arc<ToolRegistry> {
    let registry = ToolRegistry::new();
    for (definition, function) in tools {
        registry.register(definition, function).expect("the definition is in order");
    }
    Arc::new(registry)
}

/// The dialect of the scripted upstream.
pub fn spoken(dialect: Dialect) -> toolwright_llm::Dialect {
    match dialect {
        Dialect::Chat => toolwright_llm::Dialect::OpenAiChat,
        Dialect::Responses => toolwright_llm::Dialect::OpenAiResponses,
        Dialect::Anthropic => toolwright_llm::Dialect::AnthropicMessages,
        Dialect::Ollama => toolwright_llm::Dialect::OllamaChat,
    }
}

/// The settings of an upstream of this dialect.
pub fn upstream_settings(name: &str, dialect: Dialect, url: &str) -> UpstreamSettings {
    UpstreamSettings {
        name: name.to_owned(),
        dialect: spoken(dialect),
        url: url.to_owned(),
        key: UpstreamKey::Text(SecretText::new(KEY)),
        headers: Vec::new(),
        first_byte: Duration::from_secs(20),
        idle: Duration::from_secs(20),
        reads_text_calls: None,
        quirks: Default::default(),
    }
}

/// Routes every model to these upstreams, in order.
pub fn llm_settings(upstreams: Vec<UpstreamSettings>) -> LlmSettings {
    let destinations = upstreams
        .iter()
        .map(|upstream| Destination { upstream: upstream.name.clone(), model: None })
        .collect();
    let models = vec![ModelRoute { pattern: "*".to_owned(), destinations }];
    LlmSettings { upstreams, models, reask: 0, keeps_bodies: false }
}

pub fn usual() -> AgentSettings {
    AgentSettings { model: Some(MODEL.to_owned()), ..AgentSettings::default() }
}

/// An agent with these tools and a model with this script.
pub async fn stage(dialect: Dialect, said: Vec<Said>, tools: Tools) -> Stage {
    stage_with(dialect, said, tools, usual()).await
}

pub async fn stage_with(dialect: Dialect, said: Vec<Said>, tools: Tools, settings: AgentSettings) -> Stage {
    stage_of(dialect, said, ToolExecutor::new(registry(tools)), settings).await
}

pub async fn stage_of(
    dialect: Dialect,
    said: Vec<Said>,
    executor: ToolExecutor,
    settings: AgentSettings,
) -> Stage {
    let upstream = LlmUpstream::start().await.expect("a port");
    upstream.script(MODEL, said);
    let executor = Arc::new(executor);
    let llm = llm_settings(vec![upstream_settings("scripted", dialect, &upstream.url)]);
    let models = Arc::new(LlmFront::new(&llm, Arc::clone(executor.rules()), None).expect("in order"));
    let agent = Agent::new(Arc::clone(&models), Arc::clone(&executor), settings);
    Stage { upstream, executor, models, agent }
}

/// A question of the command line.
pub fn ask(text: &str) -> Question {
    Question::new(Front::Ask, text)
}

/// The requests and responses of the upstream, in readable form.
pub fn recorded(exchanges: &[Exchange]) -> String {
    let mut out = String::new();
    for exchange in exchanges {
        let asked = &exchange.asked;
        out.push_str(&format!("=== {} {}\n", asked.method, asked.path));
        for name in ["anthropic-version", "x-api-key", "authorization", "content-type"] {
            if let Some(value) = asked.header(name) {
                out.push_str(&format!("{name}: {value}\n"));
            }
        }
        let body: Value = serde_json::from_str(&asked.body).expect("JSON");
        out.push_str(&format!("\n{}\n", serde_json::to_string_pretty(&body).expect("JSON")));
        out.push_str(&format!("\n--- answered\n{}\n\n", exchange.answer.trim_end()));
    }
    out
}
