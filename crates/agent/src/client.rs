//! Clients of models: one turn in, one reply out.
//!
//! The module of the upstream's dialect adds what helps its models; the request itself goes through the gateway's own way to models
//! ([`LlmFront`]): its table of models, keys, dialects, streams, upstreams to fall back on, and records.

use std::sync::Arc;

use futures_util::future::BoxFuture;
use toolwright_jsonrpc::Json;
use toolwright_llm::form::{Event, Message, Request, Response, Text, Tool, ToolChoice};
use toolwright_llm::{Dialect, Failure, dialects};
use toolwright_proxy::{LlmFront, OwnAsk};

/// Asks a model.
pub trait ModelClient: Send + Sync {
    /// The kind of the upstream that is asked.
    fn provider(&self) -> &'static str;

    /// Asks once. `hear` is told what comes, when it comes; when the future is dropped the upstream is cancelled.
    fn ask<'a>(
        &'a self,
        turn: &'a Turn<'a>,
        hear: &'a mut (dyn FnMut(&Event) + Send),
    ) -> BoxFuture<'a, Result<Reply, Failure>>;
}

/// What a model is asked: all that was said so far, and the tools.
#[derive(Clone, Copy, Debug)]
pub struct Turn<'a> {
    /// The model.
    pub model: &'a str,
    /// The instructions.
    pub system: &'a str,
    /// The conversation.
    pub messages: &'a [Message],
    /// The tools.
    pub tools: &'a [Tool],
    /// Which may or must be called.
    pub choice: &'a ToolChoice,
    /// The most tokens of the answer.
    pub answer_tokens: u64,
    /// How freely it answers.
    pub temperature: Option<f64>,
    /// Who asks, for records.
    pub client: &'a str,
    /// The way in, for records.
    pub front: &'static str,
    /// The conversation, for records.
    pub session: Option<&'a str>,
}

/// What a model replied.
#[derive(Clone, Debug)]
pub struct Reply {
    /// All of it.
    pub response: Response,
    /// The upstream that answered.
    pub upstream: String,
    /// The model, as it is called there.
    pub model: String,
}

impl Turn<'_> {
    /// The request that every provider understands.
    fn request(&self) -> Request {
        Request {
            model: self.model.to_owned(),
            system: vec![Text { text: self.system.to_owned(), extra: Vec::new() }],
            messages: self.messages.to_vec(),
            tools: self.tools.to_vec(),
            choice: (!self.tools.is_empty() && *self.choice != ToolChoice::Auto).then(|| self.choice.clone()),
            max_tokens: Some(self.answer_tokens),
            temperature: self.temperature.and_then(|number| Json::parse(&number.to_string()).ok()),
            is_stream: true,
            wants_usage: true,
            ..Request::default()
        }
    }
}

/// The client for a model: by what the upstream speaks that the model leads to first.
///
/// # Errors
/// When the model leads nowhere.
pub fn client_for(models: &Arc<LlmFront>, model: &str) -> Result<Arc<dyn ModelClient>, Failure> {
    let models = Arc::clone(models);
    let dialect = models.place_of(model)?.dialect;
    Ok(Arc::new(DialectClient::new(models, dialect)))
}

/// Asks models at upstreams of one dialect, through the gateway.
pub struct DialectClient {
    models: Arc<LlmFront>,
    /// The default dialect of the upstream's kind: requests are the same for all dialects of a kind.
    dialect: Dialect,
}

impl DialectClient {
    /// A client for upstreams that speak this dialect.
    pub fn new(models: Arc<LlmFront>, dialect: Dialect) -> DialectClient {
        DialectClient { models, dialect: Dialect::of_kind(dialect.kind()).unwrap_or(dialect) }
    }
}

impl ModelClient for DialectClient {
    fn provider(&self) -> &'static str {
        self.dialect.kind()
    }

    fn ask<'a>(
        &'a self,
        turn: &'a Turn<'a>,
        hear: &'a mut (dyn FnMut(&Event) + Send),
    ) -> BoxFuture<'a, Result<Reply, Failure>> {
        Box::pin(async move {
            let mut request = turn.request();
            request.dialect = Some(self.dialect);
            dialects::of(self.dialect).prepare_conversation(&mut request, turn.answer_tokens);
            let session = turn.session.map(str::to_owned);
            let ask = OwnAsk { request: &request, client: turn.client, front: turn.front, session };
            let heard = self.models.ask_for_ourselves(ask, hear).await?;
            Ok(Reply { response: heard.response, upstream: heard.place.upstream, model: heard.place.model })
        })
    }
}
