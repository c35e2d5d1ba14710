//! How dialects read the counts of tokens in a document.

use toolwright_jsonrpc::raw;

/// The count at a path of members.
pub(crate) fn count(object: &str, path: &[&str]) -> Option<u64> {
    path.iter().try_fold(object, |object, key| raw::find(object, key))?.parse().ok()
}

/// What of all tokens was neither read from a cache nor written to one.
pub(crate) fn without(all: u64, cached: Option<u64>, written: Option<u64>) -> u64 {
    all.saturating_sub(cached.unwrap_or(0)).saturating_sub(written.unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use crate::form::Usage;
    use crate::{Dialect, dialects};

    fn usage(dialect: Dialect, object: &str) -> Usage {
        dialects::of(dialect).read_usage(object)
    }

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
