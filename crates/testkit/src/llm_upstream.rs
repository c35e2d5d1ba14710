//! A model's server that misbehaves on purpose: the scenarios of the LLM proxy's acceptance suite.
//!
//! It speaks four dialects as an upstream does: `/v1/chat/completions`, `/v1/responses`, `/v1/messages` (with
//! `/v1/messages/count_tokens`) and `/api/chat`, besides `/v1/models` and `/api/tags`. The model that is asked for names
//! the scenario and how its bytes are sent: `s4-interleaved+split=1+cut=200+reset`; [`Order`] has the words. Every exchange
//! is remembered, with how it ended; `GET /seen` tells them to programs in other languages. A model can have a script
//! ([`LlmUpstream::script`]): then it says one thing after the other, whatever it is asked.

mod answer;
mod anthropic;
mod chat;
mod ollama;
mod order;
mod responses;
mod scenario;
mod script;
mod wire;

use std::io;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio::task::JoinHandle;
use toolwright_base::IgnorePoison;

pub use order::{End, Order};
pub use scenario::{Finish, Habit, Part, Scenario, scenarios};
pub use script::Said;

use self::script::{Next, Scripts};
use crate::http::Asked;

/// The dialects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dialect {
    /// OpenAI Chat Completions.
    Chat,
    /// OpenAI Responses.
    Responses,
    /// Anthropic Messages.
    Anthropic,
    /// Ollama's chat.
    Ollama,
}

impl Dialect {
    /// The dialect that is spoken at a path.
    fn of(path: &str) -> Option<Dialect> {
        match path.split('?').next()? {
            "/v1/chat/completions" => Some(Dialect::Chat),
            "/v1/responses" => Some(Dialect::Responses),
            "/v1/messages" => Some(Dialect::Anthropic),
            "/api/chat" => Some(Dialect::Ollama),
            _ => None,
        }
    }
}

/// How an exchange ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// It has not.
    Runs,
    /// Every byte was written.
    Whole,
    /// The server cut it, as it was asked to.
    Cut,
    /// Who asked went away first.
    Gone,
}

/// A request that came, and what became of its answer.
#[derive(Clone, Debug)]
pub struct Exchange {
    /// The request.
    pub asked: Asked,
    /// The body of the answer, where it is one of a script.
    pub answer: String,
    /// How many bytes of the answer's body were handed to the network.
    pub written: u64,
    /// How it ended.
    pub ended: Ended,
}

/// The server. It ends with its owner.
pub struct LlmUpstream {
    /// Its address, without a path.
    pub url: String,
    shared: Arc<Shared>,
    task: JoinHandle<()>,
}

impl Drop for LlmUpstream {
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// What the connections share.
#[derive(Default)]
struct Shared {
    exchanges: Mutex<Vec<Exchange>>,
    scripts: Mutex<Scripts>,
    /// Whether requests are remembered at all; a bench does without.
    forgets: bool,
}

impl Shared {
    fn exchanges(&self) -> MutexGuard<'_, Vec<Exchange>> {
        self.exchanges.lock().ignore_poison()
    }

    fn scripts(&self) -> MutexGuard<'_, Scripts> {
        self.scripts.lock().ignore_poison()
    }

    /// The next line of the script of the model that is asked for.
    fn next_line(&self, asked: &Asked) -> Next {
        match (Dialect::of(&asked.path), asked.json("/model").as_str()) {
            (Some(_), Some(model)) => self.scripts().next(model),
            _ => Next::None,
        }
    }

    fn begin(&self, asked: &Asked, answer: String) -> usize {
        if self.forgets {
            return usize::MAX;
        }
        let mut exchanges = self.exchanges();
        exchanges.push(Exchange { asked: asked.clone(), answer, written: 0, ended: Ended::Runs });
        exchanges.len() - 1
    }

    fn note(&self, number: usize, written: u64, ended: Ended) {
        if self.forgets {
            return;
        }
        if let Some(exchange) = self.exchanges().get_mut(number) {
            (exchange.written, exchange.ended) = (written, ended);
        }
    }

    fn told(&self) -> Value {
        let exchanges = self.exchanges();
        let told = exchanges.iter().map(|exchange| {
            let headers: serde_json::Map<String, Value> =
                exchange.asked.headers.iter().map(|(name, value)| (name.clone(), json!(value))).collect();
            json!({
                "method": exchange.asked.method, "path": exchange.asked.path, "headers": headers,
                "body": exchange.asked.body, "written": exchange.written, "ended": format!("{:?}", exchange.ended),
            })
        });
        told.collect()
    }
}

impl LlmUpstream {
    /// Starts one at a free port. Must be called on a tokio runtime.
    pub async fn start() -> io::Result<LlmUpstream> {
        LlmUpstream::start_on(TcpListener::bind("127.0.0.1:0").await?)
    }

    /// Starts one at a port that is held already.
    pub fn start_on(listener: TcpListener) -> io::Result<LlmUpstream> {
        LlmUpstream::start_sharing(listener, Shared::default())
    }

    /// Starts one that remembers nothing, so that it can be asked without end.
    pub fn start_forgetful(listener: TcpListener) -> io::Result<LlmUpstream> {
        LlmUpstream::start_sharing(listener, Shared { forgets: true, ..Shared::default() })
    }

    fn start_sharing(listener: TcpListener, shared: Shared) -> io::Result<LlmUpstream> {
        let url = format!("http://{}", listener.local_addr()?);
        let shared = Arc::new(shared);
        let own = Arc::clone(&shared);
        let task = tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(wire::serve(stream, Arc::clone(&own)));
            }
        });
        Ok(LlmUpstream { url, shared, task })
    }

    /// The model of this name says these things, one after the other. Whoever asks it once too often gets an error.
    pub fn script(&self, model: &str, turns: Vec<Said>) {
        self.shared.scripts().add(model, turns);
    }

    /// How much of a script was not said yet.
    pub fn unsaid(&self, model: &str) -> usize {
        self.shared.scripts().left(model)
    }

    /// Every exchange so far.
    pub fn exchanges(&self) -> Vec<Exchange> {
        self.shared.exchanges().clone()
    }

    /// The exchanges so far that asked for a model whose name begins like this.
    pub fn asked_for(&self, model: &str) -> Vec<Exchange> {
        let mut exchanges = self.exchanges();
        exchanges.retain(|exchange| {
            exchange.asked.json("/model").as_str().is_some_and(|name| name.starts_with(model))
        });
        exchanges
    }

    /// Waits until something is so of its exchanges, and gives them.
    pub async fn until(
        &self,
        what: &str,
        patience: Duration,
        mut is_so: impl FnMut(&[Exchange]) -> bool,
    ) -> Vec<Exchange> {
        let deadline = tokio::time::Instant::now() + patience;
        loop {
            let exchanges = self.exchanges();
            if is_so(&exchanges) {
                return exchanges;
            }
            assert!(tokio::time::Instant::now() < deadline, "{what} did not come to be: {exchanges:?}");
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    }
}
