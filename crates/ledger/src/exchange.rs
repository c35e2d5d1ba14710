//! What is written down of one exchange with a model.

use serde::{Deserialize, Serialize};

/// One request of a client, and what became of it. Time, client, session, sizes and the error are in its record.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Exchange {
    /// What the client speaks.
    pub dialect: String,
    /// Who answered, or was asked last.
    pub upstream: String,
    /// What that one speaks.
    pub upstream_dialect: String,
    /// The model that the client asked for.
    pub model: String,
    /// The model that was asked of the upstream.
    pub upstream_model: String,
    /// Whether the client asked for a stream.
    pub is_stream: bool,
    /// The HTTP status of the answer to the client.
    pub status: u16,
    /// What was read anew, in tokens; without what came from a cache.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub input_tokens: Option<u64>,
    /// What was read from a cache, in tokens.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cache_read_tokens: Option<u64>,
    /// What was written to a cache, in tokens.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cache_write_tokens: Option<u64>,
    /// What was written, thoughts among it, in tokens.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output_tokens: Option<u64>,
    /// How many of these were thoughts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reasoning_tokens: Option<u64>,
    /// From the request to the first piece of the answer, in microseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub first_token_us: Option<u64>,
    /// Why the answer ended, as the upstream said it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stop: Option<String>,
    /// How many calls of tools the answer has.
    pub calls: u32,
    /// How many of them were mended.
    pub repaired: u32,
    /// How many of them could not be mended.
    pub refused: u32,
    /// How many calls of the conversation before were mended on the way to the upstream.
    pub history_repaired: u32,
    /// How often an upstream was asked.
    pub attempts: u32,
    /// What could not be said in the other dialect, and what else is worth knowing.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    /// The request's body, when bodies are kept.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub request: Option<String>,
    /// The answer's body, when bodies are kept.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub answer: Option<String>,
}
