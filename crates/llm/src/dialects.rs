//! One module per dialect: requests, answers, errors and streams, read and written.

pub mod anthropic;
pub mod ollama;
pub mod openai_chat;
pub mod openai_responses;

pub(crate) mod base64;
pub(crate) mod data_url;
pub(crate) mod error_shapes;
pub(crate) mod fields;
pub(crate) mod history;
pub(crate) mod offer;
pub(crate) mod prompt;
pub(crate) mod system;
