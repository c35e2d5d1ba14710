//! How a model's turn ended, in the words of the contract and of the common APIs.

use toolwright_model::Finish;

/// The words that say that the model ended by itself; the first is the contract's.
const STOP: &[&str] =
    &["stop", "tool_calls", "function_call", "tool_use", "end_turn", "stop_sequence", "completed", "eos"];
/// The words that say that the text was cut off; the first is the contract's.
const LENGTH: &[&str] = &[
    "length",
    "max_tokens",
    "max_output_tokens",
    "model_length",
    "model_context_window_exceeded",
    "incomplete",
    "content_filter",
    "safety",
    "recitation",
    "refusal",
];

/// Reads the word for how a turn ended, in either case; the error says which words are known.
pub fn parse(word: &str) -> Result<Finish, String> {
    let is_in = |words: &[&str]| words.iter().any(|known| known.eq_ignore_ascii_case(word));
    if is_in(STOP) {
        return Ok(Finish::Stop);
    }
    if is_in(LENGTH) {
        return Ok(Finish::Length);
    }
    Err(format!(
        "{word:?} is no known way to finish; use \"stop\" (also {}) or \"length\" (also {})",
        STOP[1..].join(", "),
        LENGTH[1..].join(", ")
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_words_of_the_apis_mean_stop_or_length() {
        for word in ["stop", "STOP", "tool_calls", "tool_use", "end_turn", "stop_sequence"] {
            assert_eq!(parse(word), Ok(Finish::Stop), "{word}");
        }
        for word in ["length", "max_tokens", "MAX_TOKENS", "content_filter"] {
            assert_eq!(parse(word), Ok(Finish::Length), "{word}");
        }
        assert!(parse("error").is_err_and(|message| message.contains("\"stop\"")));
    }
}
