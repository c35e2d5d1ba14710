//! What can be asked about calls, numbers, rules and what was learned: `/api/*`.
//!
//! One file for each subject. All of it reads what the ledger keeps; the only thing that changes something is a
//! decision about a suggestion. What each path answers is told to programs by `docs/openapi.json`, which is served
//! too. Limited tokens are for clients and see nothing of this.
//!
//! Start with [`Api`]; where a path leads is in `path.rs`, what may come in at all in `serve.rs`.

mod document;
mod health;
mod journal_page;
mod live;
mod moment;
mod normalizer;
mod numbers;
mod operation;
mod operations;
mod path;
mod patterns;
mod query;
mod rules;
mod serve;
mod status;
mod suggestions;

use std::sync::Arc;
use std::time::Instant;

use bytes::Bytes;
use http::header::CACHE_CONTROL;
use http::{HeaderValue, Response, StatusCode};
use serde::Serialize;
use toolwright_base::ConcurrencyLimit;
use toolwright_executor::ToolExecutor;
use toolwright_ledger::Ledger;
use toolwright_proxy::LlmFront;

use crate::inside::InsideBody;
use crate::refusal::{Refusal, response};
use crate::serve::Web;
use crate::status::StatusSource;

pub use health::LimitNow;
pub use path::API_ROUTES;
pub(crate) use path::Path;
pub use rules::builtin_rules_by_server;
pub(crate) use serve::{Asked, check_change, is_same_site, serve};

/// What is asked about.
pub struct Api {
    ledger: Option<Arc<Ledger>>,
    executor: Arc<ToolExecutor>,
    started: Instant,
    listeners: Arc<ConcurrencyLimit>,
    status: Option<Arc<StatusSource>>,
    llm: Option<Arc<LlmFront>>,
    voice: Option<Box<VoiceNow>>,
}

/// How the voice is doing; nothing while there is none.
type VoiceNow = dyn Fn() -> Option<serde_json::Value> + Send + Sync;

impl Api {
    /// Tells of this ledger, when there is one, and of the rules of this executor.
    pub fn new(ledger: Option<Arc<Ledger>>, executor: Arc<ToolExecutor>) -> Api {
        Api {
            ledger,
            executor,
            started: Instant::now(),
            listeners: Arc::default(),
            status: None,
            llm: None,
            voice: None,
        }
    }

    /// Tells how the gateway is doing by this.
    pub fn with_status(self, status: Arc<StatusSource>) -> Api {
        Api { status: Some(status), ..self }
    }

    /// Lists the rules that only calls of language models use as well.
    pub fn with_llm(self, llm: Option<Arc<LlmFront>>) -> Api {
        Api { llm, ..self }
    }

    /// Tells how the voice is doing as well.
    pub fn with_voice(self, now: impl Fn() -> Option<serde_json::Value> + Send + Sync + 'static) -> Api {
        Api { voice: Some(Box::new(now)), ..self }
    }

    fn ledger(&self) -> Result<&Arc<Ledger>, Refusal> {
        self.ledger.as_ref().ok_or_else(Refusal::no_ledger)
    }
}

/// How near each limit is; nothing where nobody may ask.
pub(crate) fn limits_now(web: &Web) -> Vec<LimitNow> {
    web.api.as_ref().map(|api| health::limits_now(web, api)).unwrap_or_default()
}

/// A whole answer of JSON that nobody keeps: it is another one in a moment.
fn json(value: &impl Serialize) -> Result<Response<InsideBody>, Refusal> {
    let text = serde_json::to_vec(value).map_err(|error| Refusal::broken(&error))?;
    Ok(json_text(text))
}

/// The same of JSON that is written already.
fn json_text(text: impl Into<Bytes>) -> Response<InsideBody> {
    let mut response = response(StatusCode::OK, "application/json", text);
    response.headers_mut().insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}

/// Does what may wait for a disk or take long where that holds up nobody.
async fn aside<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Result<T, Refusal> {
    tokio::task::spawn_blocking(work).await.map_err(|error| Refusal::broken(&error))
}
