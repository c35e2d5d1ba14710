//! Anthropic's models, by its Messages.

use std::sync::Arc;

use futures_util::future::BoxFuture;
use toolwright_gateway::llm::LlmFront;
use toolwright_jsonrpc::Json;
use toolwright_llm::form::{Block, Event, Members, Request};
use toolwright_llm::{Dialect, Failure};

use super::{ModelClient, Reply, Turn, send};

/// What marks the end of a part that is the same in the next round: Anthropic then reads it from its cache.
const CACHE_CONTROL: &str = "cache_control";
const EPHEMERAL: &str = r#"{"type":"ephemeral"}"#;

/// Asks Anthropic's models.
pub struct AnthropicClient {
    models: Arc<LlmFront>,
}

impl AnthropicClient {
    /// Asks through the gateway's way to models.
    pub fn new(models: Arc<LlmFront>) -> AnthropicClient {
        AnthropicClient { models }
    }

    /// Tools and instructions are the same in every round, and the conversation only grows.
    fn request(turn: &Turn<'_>) -> Request {
        let mut request = turn.request();
        request.dialect = Some(Dialect::AnthropicMessages);
        if let Some(text) = request.system.last_mut() {
            mark(&mut text.extra);
        }
        let last = request.messages.last_mut().and_then(|message| message.blocks.last_mut());
        match last {
            Some(Block::Text(text)) => mark(&mut text.extra),
            Some(Block::Result(result)) => mark(&mut result.extra),
            _ => {}
        }
        request
    }
}

fn mark(extra: &mut Members) {
    if let Ok(mark) = Json::parse(EPHEMERAL) {
        extra.push((CACHE_CONTROL.to_owned(), mark));
    }
}

impl ModelClient for AnthropicClient {
    fn provider(&self) -> &'static str {
        "anthropic"
    }

    fn ask<'a>(
        &'a self,
        turn: &'a Turn<'a>,
        hear: &'a mut (dyn FnMut(&Event) + Send),
    ) -> BoxFuture<'a, Result<Reply, Failure>> {
        Box::pin(async move { send(&self.models, &AnthropicClient::request(turn), turn, hear).await })
    }
}
