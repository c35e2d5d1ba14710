//! Models that do not think: what is asked of an upstream before that is known, and once it is.

use std::sync::Arc;

use super::{Asked, Fresh, Mending, OwnQuestion, Prepared};
use crate::{Dialect, Failure, Target, Thinks, dialects};

impl Asked {
    /// Whether an upstream of this dialect is asked to think, or not to, in words that we choose. What goes on in the
    /// client's own words is the client's.
    pub fn speaks_of_thinking(&self, upstream: Dialect) -> bool {
        let is_written = self.front() != upstream || self.is_made;
        is_written && self.request().is_ok_and(|request| request.reasoning.is_some())
    }
}

impl Prepared {
    /// Whether the parameter that asks the model to think is sent without knowing whether the model takes it.
    pub fn tries_thinking(&self) -> bool {
        self.tries_thinking
    }

    /// The same request without that parameter, where this error of the upstream says that the model does not take it.
    /// Nothing for any other error, or where there is nothing to leave out.
    pub fn without_thinking(
        &self,
        status: u16,
        body: &[u8],
        mending: &Mending,
        fresh: &Fresh,
    ) -> Option<Result<Prepared, Failure>> {
        if !self.tries_thinking || !is_refused(self.upstream, status, body) {
            return None;
        }
        let reading = Arc::clone(self.asked.as_ref()?);
        let asked = Asked {
            model: self.alias.clone().unwrap_or_else(|| self.target.model.clone()),
            is_stream: self.reply.request.is_stream,
            is_made: reading.body.is_empty(),
            reading,
        };
        let target = Target { thinks: Thinks::No, ..self.target.clone() };
        Some(asked.prepare(&target, mending, fresh))
    }
}

impl OwnQuestion {
    /// Whether this error of the upstream says that the model does not take the parameter that asks it to think, which
    /// was sent without knowing.
    pub fn is_thinking_refused(&self, status: u16, body: &[u8]) -> bool {
        self.tries_thinking && is_refused(self.upstream, status, body)
    }

    /// Whether the parameter that asks the model to think is sent without knowing whether the model takes it.
    pub fn tries_thinking(&self) -> bool {
        self.tries_thinking
    }
}

fn is_refused(upstream: Dialect, status: u16, body: &[u8]) -> bool {
    // Whoever refuses a parameter says so with one of these.
    if !matches!(status, 400 | 422) {
        return false;
    }
    let Ok(text) = std::str::from_utf8(body) else { return false };
    dialects::of(upstream).refuses_thinking(&dialects::of(upstream).read_error(status, text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_refusal_of_thinking_is_one() {
        use Dialect::{OllamaChat, OpenAiChat, OpenAiResponses};
        let openai = |param: &str, code: &str, message: &str| {
            format!(
                r#"{{"error":{{"message":"{message}","type":"invalid_request_error","param":{param},"code":{code}}}}}"#
            )
        };
        let unsupported = "Unsupported parameter: 'reasoning_effort' is not supported with this model.";
        let unrecognized = "Unrecognized request argument supplied: reasoning_effort";
        let refusals = [
            (OpenAiChat, 400, openai("\"reasoning_effort\"", "\"unsupported_parameter\"", unsupported)),
            (OpenAiChat, 400, openai("null", "null", unrecognized)),
            (OpenAiChat, 400, openai("\"reasoning_effort\"", "null", "`reasoning_effort` is not supported with this model")),
            (OpenAiChat, 400, r#"{"code":"Client specified an invalid argument","error":"Argument not supported on this model: reasoningEffort"}"#.to_owned()),
            (
                OpenAiChat,
                422,
                r#"{"detail":[{"type":"extra_forbidden","loc":["body","reasoning_effort"],"msg":"Extra inputs are not permitted"}]}"#
                    .to_owned(),
            ),
            (OpenAiResponses, 400, openai("\"reasoning.effort\"", "\"unsupported_parameter\"", "Unsupported parameter")),
            (OllamaChat, 400, r#"{"error":"\"llama3.2\" does not support thinking"}"#.to_owned()),
        ];
        for (dialect, status, body) in refusals {
            assert!(is_refused(dialect, status, body.as_bytes()), "{dialect:?}: {body}");
            // The same words with another status are another error.
            for status in [200, 401, 429, 500] {
                assert!(!is_refused(dialect, status, body.as_bytes()), "{dialect:?} {status}: {body}");
            }
        }
        let others = [
            (
                OpenAiChat,
                openai(
                    "\"reasoning_effort\"",
                    "\"unsupported_value\"",
                    "Unsupported value: 'reasoning_effort'",
                ),
            ),
            (
                OpenAiChat,
                openai(
                    "\"reasoning_effort\"",
                    "null",
                    "`reasoning_effort` must be one of `none` or `default`",
                ),
            ),
            (
                OpenAiChat,
                openai("\"temperature\"", "\"unsupported_parameter\"", "is not supported with this model"),
            ),
            (
                OpenAiChat,
                openai("null", "null", "The text: Unrecognized request argument supplied: reasoning_effort"),
            ),
            (OpenAiResponses, openai("\"reasoning_other\"", "\"unsupported_parameter\"", "m")),
            (OpenAiResponses, openai("null", "null", unrecognized)),
            (OllamaChat, r#"{"error":"does not support thinking"}"#.to_owned()),
            (OllamaChat, r#"{"error":"\"x\" does not support tools"}"#.to_owned()),
            (OllamaChat, r#"{"error":"the model said \"x\" does not support thinking"}"#.to_owned()),
            (Dialect::AnthropicMessages, openai("\"thinking\"", "\"unsupported_parameter\"", "m")),
        ];
        for (dialect, body) in others {
            assert!(!is_refused(dialect, 400, body.as_bytes()), "{dialect:?}: {body}");
        }
    }
}
