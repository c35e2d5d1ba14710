//! What the tests share: tools made of closures, a log that can be read, futures that can be counted.
#![allow(dead_code)] // each test file uses its own part

use std::fmt::Write;
use std::future::Future;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, Once};

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use toolwright_executor::{ToolExecutor, ToolFailure, ToolFunction, ToolOutput, ToolRegistry};
use toolwright_model::{Origin, ToolDefinition};
use tracing::field::{Field, Visit};
use tracing::subscriber::DefaultGuard;
use tracing_subscriber::layer::{Context, Layer, SubscriberExt};

pub type Answer = Result<ToolOutput, ToolFailure>;

struct Closure<F>(F);

impl<F, R> ToolFunction for Closure<F>
where
    F: Fn(String) -> R + Send + Sync + 'static,
    R: Future<Output = Answer> + Send + 'static,
{
    fn call(self: Arc<Self>, arguments: String) -> BoxFuture<'static, Answer> {
        (self.0)(arguments).boxed()
    }
}

/// A tool that is a closure.
pub fn function<F, R>(call: F) -> Arc<dyn ToolFunction>
where
    F: Fn(String) -> R + Send + Sync + 'static,
    R: Future<Output = Answer> + Send + 'static,
{
    Arc::new(Closure(call))
}

/// A tool that answers with its arguments.
pub fn echo() -> Arc<dyn ToolFunction> {
    function(|arguments| async move { Ok(ToolOutput::text(arguments)) })
}

/// A tool that always answers this.
pub fn answers(text: &'static str) -> Arc<dyn ToolFunction> {
    function(move |_| async move { Ok(ToolOutput::text(text)) })
}

/// A tool that fails like this.
pub fn fails(failure: ToolFailure) -> Arc<dyn ToolFunction> {
    function(move |_| std::future::ready(Err(failure.clone())))
}

pub const ANY_OBJECT: &str = r#"{"type":"object"}"#;

pub const ZWAVE: &str = r#"{"type":"object","properties":{
    "deviceName":{"type":"string"},"action":{"type":"string","enum":["on","off","dim"]},
    "level":{"type":"integer","minimum":0,"maximum":100}},
    "required":["deviceName","action"],"additionalProperties":false}"#;

/// A tool of a server.
pub fn of_server(server: &str, name: &str, schema: &str) -> ToolDefinition {
    ToolDefinition { server: Some(server.to_owned()), origin: Origin::Server, ..built_in(name, schema) }
}

/// One of our own tools.
pub fn built_in(name: &str, schema: &str) -> ToolDefinition {
    ToolDefinition {
        name: name.to_owned(),
        origin: Origin::BuiltIn,
        description: format!("Does what {name} says."),
        input_schema: schema.to_owned(),
        ..ToolDefinition::default()
    }
}

/// A registry with these tools.
pub fn registry(
    tools: impl IntoIterator<Item = (ToolDefinition, Arc<dyn ToolFunction>)>,
) -> Arc<ToolRegistry> {
    let registry = ToolRegistry::new();
    for (definition, function) in tools {
        registry.register(definition, function).expect("the definition is in order");
    }
    Arc::new(registry)
}

/// An executor of one tool, `demo/<name>`.
pub fn executor_of(name: &str, schema: &str, function: Arc<dyn ToolFunction>) -> ToolExecutor {
    ToolExecutor::new(registry([(of_server("demo", name, schema), function)]))
}

// === The log ===

/// The lines that were written since it was made, on this thread.
pub struct Log {
    lines: Arc<Mutex<Vec<String>>>,
    _guard: DefaultGuard,
}

struct Capture(Arc<Mutex<Vec<String>>>);

struct Line(String);

impl Log {
    /// Reads what this thread writes, until it is dropped.
    pub fn new() -> Self {
        // While there is one subscriber only, whether a line is written at all is decided for good by the thread
        // that comes to it first. A test without a log must not decide so for the others.
        static LISTENING: Once = Once::new();
        LISTENING.call_once(|| {
            tracing::subscriber::set_global_default(tracing_subscriber::registry()).expect("no other is set");
        });
        let lines = Arc::default();
        let subscriber = tracing_subscriber::registry().with(Capture(Arc::clone(&lines)));
        Log { lines, _guard: tracing::subscriber::set_default(subscriber) }
    }

    pub fn lines(&self) -> Vec<String> {
        self.lines.lock().expect("no test panics with it").clone()
    }

    /// The first line with all of these words.
    #[track_caller]
    pub fn line(&self, words: &[&str]) -> String {
        let lines = self.lines();
        let found = lines.iter().find(|line| words.iter().all(|word| line.contains(word)));
        found.unwrap_or_else(|| panic!("no line with {words:?} in {lines:#?}")).clone()
    }

    #[track_caller]
    pub fn has_no(&self, word: &str) {
        let lines = self.lines();
        assert!(!lines.iter().any(|line| line.contains(word)), "{word:?} is in {lines:#?}");
    }
}

impl<S: tracing::Subscriber> Layer<S> for Capture {
    fn on_event(&self, event: &tracing::Event<'_>, _: Context<'_, S>) {
        let mut line = Line(event.metadata().level().to_string());
        event.record(&mut line);
        self.0.lock().expect("no test panics with it").push(line.0);
    }
}

impl Visit for Line {
    fn record_debug(&mut self, field: &Field, value: &dyn std::fmt::Debug) {
        let _ = match field.name() {
            "message" => write!(self.0, " {value:?}"),
            name => write!(self.0, " {name}={value:?}"),
        };
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        let _ = write!(self.0, " {}={value}", field.name());
    }
}

// === Futures that can be counted ===

/// How many guards are alive.
#[derive(Clone, Default)]
pub struct Alive(Arc<AtomicUsize>);

pub struct AliveGuard(Alive);

impl Alive {
    pub fn guard(&self) -> AliveGuard {
        self.0.fetch_add(1, Ordering::SeqCst);
        AliveGuard(self.clone())
    }

    pub fn count(&self) -> usize {
        self.0.load(Ordering::SeqCst)
    }

    /// A tool that never answers.
    pub fn hangs(&self) -> Arc<dyn ToolFunction> {
        let alive = self.clone();
        function(move |_| {
            let guard = alive.guard();
            async move {
                let _guard = guard;
                std::future::pending().await
            }
        })
    }
}

impl Drop for AliveGuard {
    fn drop(&mut self) {
        self.0.0.fetch_sub(1, Ordering::SeqCst);
    }
}
