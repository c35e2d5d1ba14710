//! One module per dialect: requests, answers, errors and streams, read and written.

pub mod anthropic;
pub mod ollama;
pub mod openai_chat;
pub mod openai_responses;

mod data_url;
mod members;
mod prompt;
mod told_error;
