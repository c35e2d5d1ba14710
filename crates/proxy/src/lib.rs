//! The front for clients of language models: any dialect to any upstream, with tool calls mended on the way back.
//!
//! A request passes: its dialect by the path, the model by the table of models, the upstream's dialect and quirks, and
//! then comes back the same way. Nothing here runs a tool: tools come with the request, and the client runs them.
//!
//! Start with [`LlmFront::new`] and [`LlmFront::answer`].
//!
//! # Files
//!
//! | where | what |
//! |---|---|
//! | `path.rs`, `ask.rs` | which request it is; one exchange from request to response |
//! | `router.rs`, `upstream.rs`, `thinking.rs` | which upstream a model is at, what it takes, and what it was found not to take |
//! | `carrier.rs`, `carrier/` | HTTP to upstreams: plainly to this machine over connections that the request drives, by TLS and proxies elsewhere |
//! | `streaming.rs` | a stream, read as fast as the client reads |
//! | `headers.rs`, `lists.rs`, `count.rs`, `said.rs` | headers, lists of models, token counts, responses of the proxy itself |
//! | `record.rs`, `record/`, `counter.rs` | the record of an exchange; numbers for `/metrics` |
//! | `own.rs`, `check.rs` | requests of Toolwright itself; whether an upstream can be used |

mod ask;
mod carrier;
mod check;
mod count;
mod counter;
mod headers;
mod lists;
mod own;
mod path;
mod record;
mod router;
mod said;
mod streaming;
mod thinking;
mod upstream;

use std::sync::Arc;

use arc_swap::ArcSwap;
use bytes::Bytes;
use http::{Method, Request, Response};
use toolwright_config::LlmSettings;
use toolwright_ledger::Ledger;
use toolwright_llm::calls::ToolCache;
use toolwright_llm::exchange::Mending;
use toolwright_llm::{Failure, FailureKind};
use toolwright_normalizer::ActiveRules;
use toolwright_normalizer::rules::Rule;

use router::Router;

/// The body of a response to a client.
pub type ProxyBody = http_body_util::combinators::UnsyncBoxBody<Bytes, std::convert::Infallible>;

pub use check::{Checked, CheckedUpstream, Found, Tried, check, failure_text};
pub use counter::{ExchangeCounter, TIMES, UpstreamNumbers};
pub use own::{Heard, OwnAsk, Place};
pub use path::LlmPath;
pub use router::UpstreamError;
pub use said::Visit;
pub use said::refusal;

/// What models are asked through.
pub struct LlmFront {
    router: ArcSwap<Router>,
    rules: Arc<ActiveRules>,
    cache: Arc<ToolCache>,
    ledger: Option<Arc<Ledger>>,
    counter: Arc<ExchangeCounter>,
}

impl LlmFront {
    /// The upstreams and models that the settings name. Calls are repaired with these rules.
    pub fn new(
        settings: &LlmSettings,
        rules: Arc<ActiveRules>,
        ledger: Option<Arc<Ledger>>,
    ) -> Result<LlmFront, UpstreamError> {
        Ok(LlmFront {
            router: ArcSwap::from_pointee(Router::new(settings)?),
            rules,
            cache: Arc::default(),
            ledger,
            counter: Arc::default(),
        })
    }

    /// The rules that are active now, for one exchange.
    fn mending(&self) -> Mending {
        let normalizer = Arc::clone(self.rules.load().model_call_normalizer());
        Mending { normalizer, cache: Arc::clone(&self.cache) }
    }

    /// The rules that are active for calls of language models only, in the order of application.
    pub fn own_rules(&self) -> Vec<Rule> {
        self.rules.load().model_call_rules().into_iter().cloned().collect()
    }

    /// Other settings from now on. Exchanges that run go on as they began.
    pub fn apply(&self, settings: &LlmSettings) -> Result<(), UpstreamError> {
        self.router.store(Arc::new(Router::new(settings)?));
        Ok(())
    }

    /// The names of the upstreams, for what is said at the start.
    pub fn upstreams(&self) -> Vec<String> {
        self.router.load().upstreams().map(|upstream| upstream.name().to_owned()).collect()
    }

    /// The models that the table names without a pattern, in its order.
    pub fn named_models(&self) -> Vec<String> {
        self.router.load().named_models()
    }

    /// What came of exchanges since the start.
    pub fn counter(&self) -> &ExchangeCounter {
        &self.counter
    }

    /// Answers a request of somebody who was let in.
    pub async fn answer(
        self: &Arc<LlmFront>,
        path: LlmPath,
        request: Request<Bytes>,
        visit: Visit,
    ) -> Response<ProxyBody> {
        let is_look = matches!(*request.method(), Method::GET | Method::HEAD);
        match path {
            LlmPath::Ask(dialect) => self.ask(dialect, request, visit).await,
            LlmPath::CountTokens(dialect) => self.count_tokens(dialect, request, visit).await,
            LlmPath::Models(_) | LlmPath::Model(..) if is_look => self.list(&path, &request, &visit).await,
            LlmPath::About(_, text) => said::json(200, text),
            LlmPath::ModelPage(dialect) if request.method() == Method::POST => {
                self.show(dialect, &request, &visit).await
            }
            LlmPath::ClientReport(_) => said::json(200, "{}"),
            LlmPath::Elsewhere(dialect) => {
                let what = format!(
                    "there is no {} here; models are asked at {}",
                    request.uri().path(),
                    LlmPath::routes().join(", ")
                );
                said::failure(dialect, &Failure::new(FailureKind::NotFound, what), &said::fresh().id)
            }
            path => said::wrong_method(path.dialect(), request.method(), path.methods(), &said::fresh().id),
        }
    }
}
