//! Record of one exchange with a model.

use serde::{Deserialize, Serialize};

/// Request of a client, and its result. Time, client, session, sizes and the error are in the enclosing record.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Exchange {
    /// Dialect of the client.
    pub dialect: String,
    /// The upstream that responded, or the last one that was tried.
    pub upstream: String,
    /// Dialect of the upstream.
    pub upstream_dialect: String,
    /// Model that the client requested.
    pub model: String,
    /// Model that was requested from the upstream.
    pub upstream_model: String,
    /// Whether the client requested a stream.
    pub is_stream: bool,
    /// HTTP status of the response to the client.
    pub status: u16,
    /// Input tokens that were not read from a cache.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub input_tokens: Option<u64>,
    /// Input tokens that were read from a cache.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cache_read_tokens: Option<u64>,
    /// Input tokens that were written to a cache.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cache_write_tokens: Option<u64>,
    /// Output tokens, including reasoning.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output_tokens: Option<u64>,
    /// Reasoning tokens among the output tokens.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reasoning_tokens: Option<u64>,
    /// Time from the request to the first part of the response, in microseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub first_token_us: Option<u64>,
    /// Stop reason as the upstream reports it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stop: Option<String>,
    /// Tool calls in the response.
    pub calls: u32,
    /// Tool calls that were repaired.
    pub repaired: u32,
    /// Tool calls that could not be repaired.
    pub refused: u32,
    /// Tool calls of the earlier conversation that were repaired before the request went to the upstream.
    pub history_repaired: u32,
    /// Number of requests to upstreams.
    pub attempts: u32,
    /// Parts that the other dialect cannot express, and other notes.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    /// Body of the request, when bodies are recorded.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub request: Option<String>,
    /// Body of the response, when bodies are recorded.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub answer: Option<String>,
}
