//! The counts of tokens in a document, for who keeps the books.

use toolwright_jsonrpc::raw;

use crate::Dialect;
use crate::form::Usage;

/// The counts that stand in this object.
pub(super) fn usage(dialect: Dialect, object: &str) -> Usage {
    match dialect {
        Dialect::AnthropicMessages => Usage {
            input: count(object, &["input_tokens"]),
            cache_read: count(object, &["cache_read_input_tokens"]),
            cache_write: count(object, &["cache_creation_input_tokens"]),
            output: count(object, &["output_tokens"]),
            reasoning: None,
        },
        Dialect::OpenAiChat => {
            let cached = count(object, &["prompt_tokens_details", "cached_tokens"]);
            let written = count(object, &["prompt_tokens_details", "cache_write_tokens"]);
            Usage {
                input: count(object, &["prompt_tokens"]).map(|all| without(all, cached, written)),
                cache_read: cached,
                cache_write: written,
                output: count(object, &["completion_tokens"]),
                reasoning: count(object, &["completion_tokens_details", "reasoning_tokens"]),
            }
        }
        Dialect::OpenAiResponses => {
            let cached = count(object, &["input_tokens_details", "cached_tokens"]);
            let written = count(object, &["input_tokens_details", "cache_write_tokens"]);
            Usage {
                input: count(object, &["input_tokens"]).map(|all| without(all, cached, written)),
                cache_read: cached,
                cache_write: written,
                output: count(object, &["output_tokens"]),
                reasoning: count(object, &["output_tokens_details", "reasoning_tokens"]),
            }
        }
        Dialect::OllamaChat => Usage {
            input: count(object, &["prompt_eval_count"]),
            output: count(object, &["eval_count"]),
            ..Usage::default()
        },
    }
}

fn count(object: &str, path: &[&str]) -> Option<u64> {
    path.iter().try_fold(object, |object, key| raw::find(object, key))?.parse().ok()
}

fn without(all: u64, cached: Option<u64>, written: Option<u64>) -> u64 {
    all.saturating_sub(cached.unwrap_or(0)).saturating_sub(written.unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_cached_is_not_counted_twice() {
        let chat = r#"{"prompt_tokens":100,"completion_tokens":20,"prompt_tokens_details":{"cached_tokens":64},"completion_tokens_details":null}"#;
        let expected = Usage { input: Some(36), cache_read: Some(64), output: Some(20), ..Usage::default() };
        assert_eq!(usage(Dialect::OpenAiChat, chat), expected);
        let responses = r#"{"input_tokens":10,"input_tokens_details":{"cached_tokens":64},"output_tokens":2,"output_tokens_details":{"reasoning_tokens":1}}"#;
        let told = usage(Dialect::OpenAiResponses, responses);
        assert_eq!((told.input, told.cache_read, told.reasoning), (Some(0), Some(64), Some(1)));
    }

    #[test]
    fn counts_that_are_no_numbers_are_none() {
        assert_eq!(
            usage(Dialect::AnthropicMessages, r#"{"input_tokens":null,"output_tokens":"3"}"#),
            Usage::default()
        );
        assert_eq!(usage(Dialect::OllamaChat, "[]"), Usage::default());
    }
}
