//! Models that run in Ollama.

use std::sync::Arc;

use futures_util::future::BoxFuture;
use toolwright_gateway::llm::LlmFront;
use toolwright_jsonrpc::{Json, ObjectWriter};
use toolwright_llm::form::{Event, Request};
use toolwright_llm::{Dialect, Failure, tokens};

use super::{ModelClient, Reply, Turn, send};

/// How long the model stays in memory after an answer: loading it takes longer than a question should.
const KEEP_ALIVE: &str = "30m";
/// The room for a conversation, in tokens. What does not fit Ollama leaves out without a word.
const LEAST_ROOM: u64 = 4_096;
const MOST_ROOM: u64 = 32_768;

/// Asks models that run in Ollama.
pub struct OllamaClient {
    models: Arc<LlmFront>,
}

impl OllamaClient {
    /// Asks through the gateway's way to models.
    pub fn new(models: Arc<LlmFront>) -> OllamaClient {
        OllamaClient { models }
    }

    fn request(turn: &Turn<'_>) -> Request {
        let mut request = turn.request();
        request.dialect = Some(Dialect::OllamaChat);
        let mut options = ObjectWriter::default();
        options.number("num_ctx", room_for(tokens::estimate(&request) + turn.answer_tokens));
        request.extra.push(("options".to_owned(), options.finish()));
        request.extra.push(("keep_alive".to_owned(), Json::text(KEEP_ALIVE)));
        request
    }
}

/// A power of two: another room has the model loaded anew, so it should grow rarely.
fn room_for(tokens: u64) -> u64 {
    // Counts are estimates.
    let needed = tokens.saturating_add(tokens / 4);
    needed.checked_next_power_of_two().unwrap_or(MOST_ROOM).clamp(LEAST_ROOM, MOST_ROOM)
}

impl ModelClient for OllamaClient {
    fn provider(&self) -> &'static str {
        "ollama"
    }

    fn ask<'a>(
        &'a self,
        turn: &'a Turn<'a>,
        hear: &'a mut (dyn FnMut(&Event) + Send),
    ) -> BoxFuture<'a, Result<Reply, Failure>> {
        Box::pin(async move { send(&self.models, &OllamaClient::request(turn), turn, hear).await })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_room_grows_in_steps_and_not_without_end() {
        assert_eq!(room_for(100), LEAST_ROOM);
        assert_eq!(room_for(4_000), 8_192);
        assert_eq!(room_for(6_000), 8_192);
        assert_eq!(room_for(u64::MAX), MOST_ROOM);
    }
}
