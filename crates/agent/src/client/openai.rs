//! OpenAI's models and all that are asked as they are, by Chat Completions or Responses.

use std::sync::Arc;

use futures_util::future::BoxFuture;
use toolwright_gateway::llm::LlmFront;
use toolwright_llm::form::Event;
use toolwright_llm::{Dialect, Failure};

use super::{ModelClient, Reply, Turn, send};

/// Asks models that are asked as OpenAI's are.
pub struct OpenAiClient {
    models: Arc<LlmFront>,
}

impl OpenAiClient {
    /// Asks through the gateway's way to models.
    pub fn new(models: Arc<LlmFront>) -> OpenAiClient {
        OpenAiClient { models }
    }
}

impl ModelClient for OpenAiClient {
    fn provider(&self) -> &'static str {
        "openai"
    }

    fn ask<'a>(
        &'a self,
        turn: &'a Turn<'a>,
        hear: &'a mut (dyn FnMut(&Event) + Send),
    ) -> BoxFuture<'a, Result<Reply, Failure>> {
        Box::pin(async move {
            let mut request = turn.request();
            request.dialect = Some(Dialect::OpenAiChat);
            send(&self.models, &request, turn, hear).await
        })
    }
}
