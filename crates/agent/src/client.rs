//! Clients of models: one turn in, one reply out.
//!
//! The module of the upstream's dialect adds what its models need; the request itself goes through the
//! gateway's [`LlmFront`]: model table, keys, dialects, streams, fallback upstreams and records.

use std::sync::Arc;

use futures_util::future::BoxFuture;
use toolwright_jsonrpc::Json;
use toolwright_llm::form::{Event, Message, Request, Response, Text, Tool, ToolChoice};
use toolwright_llm::{Dialect, Failure, dialects};
use toolwright_proxy::{LlmFront, OwnAsk};

/// Sends requests to a model.
pub trait ModelClient: Send + Sync {
    /// The kind of the upstream.
    fn provider(&self) -> &'static str;

    /// Sends one request. `hear` receives the events of the stream; dropping the future cancels the
    /// upstream request.
    fn ask<'a>(
        &'a self,
        turn: &'a Turn<'a>,
        hear: &'a mut (dyn FnMut(&Event) + Send),
    ) -> BoxFuture<'a, Result<Reply, Failure>>;
}

/// A request to a model: the conversation so far, and the tools.
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
    /// Which tool the model may or must call.
    pub choice: &'a ToolChoice,
    /// The token limit of the answer.
    pub answer_tokens: u64,
    /// The sampling temperature.
    pub temperature: Option<f64>,
    /// The caller, for records.
    pub client: &'a str,
    /// The front, for records.
    pub front: &'static str,
    /// The conversation, for records.
    pub session: Option<&'a str>,
}

/// The reply of a model.
#[derive(Clone, Debug)]
pub struct Reply {
    /// The complete response.
    pub response: Response,
    /// The upstream that responded.
    pub upstream: String,
    /// The model, by its name at the upstream.
    pub model: String,
}

impl Turn<'_> {
    /// The provider-independent request.
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

/// The client for a model, by the dialect of its first upstream.
///
/// # Errors
/// When there is no route for the model.
pub fn client_for(models: &Arc<LlmFront>, model: &str) -> Result<Arc<dyn ModelClient>, Failure> {
    let models = Arc::clone(models);
    let dialect = models.place_of(model)?.dialect;
    Ok(Arc::new(DialectClient::new(models, dialect)))
}

/// Sends requests to upstreams of one dialect, through the gateway.
pub struct DialectClient {
    models: Arc<LlmFront>,
    /// The default dialect of the upstream's kind: requests are the same for all dialects of a kind.
    dialect: Dialect,
}

impl DialectClient {
    /// A client for upstreams of this dialect.
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
