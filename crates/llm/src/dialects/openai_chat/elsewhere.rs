//! What a request asks for that no other dialect has.

use crate::dialects::fields::count;
use crate::form::Request;
use crate::{Dialect, Failure};

/// Refuses what only Chat can answer: several answers, and probabilities.
pub(super) fn refuse(request: &Request) -> Result<(), Failure> {
    if request.dialect != Some(Dialect::OpenAiChat) {
        return Ok(());
    }
    for (key, value) in &request.extra {
        let why = match key.as_str() {
            "n" if count(value.as_str()).is_none_or(|n| n > 1) => "more than one answer",
            "logprobs" if value.as_str() == "true" => "probabilities of tokens",
            "top_logprobs" if count(value.as_str()).is_none_or(|n| n > 0) => "probabilities of tokens",
            _ => continue,
        };
        let words = format!("{key} is {value}, but this model's API does not give {why}. Leave {key} out.");
        return Err(Failure::invalid(words).about(key.clone()));
    }
    Ok(())
}
