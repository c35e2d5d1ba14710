//! Why an answer ends, where the upstream's word contradicts what it sent.

use toolwright_model::Finish;

use crate::form::Stop;
use crate::{Dialect, Notes, dialects};

/// What a choice of an answer has had so far.
#[derive(Clone, Debug, Default)]
pub struct Said {
    /// Calls that the client is to make.
    pub calls: usize,
    /// Whether one of them was written in the old way.
    pub has_function_call: bool,
    /// Something that may be a call of a kind that is not known here.
    pub has_unknown: bool,
    /// Whether the upstream told why it ended.
    pub is_finished: bool,
}

impl Said {
    /// The stop that is meant, and the word that has to replace the upstream's where that says otherwise.
    pub fn corrected(&self, dialect: Dialect, stop: &Stop) -> (Stop, Option<&'static str>) {
        let has_calls = self.calls > 0;
        let meant = match stop {
            Stop::EndTurn if has_calls => Stop::ToolUse,
            Stop::ToolUse if !has_calls && !self.has_unknown => Stop::EndTurn,
            same => return (same.clone(), None),
        };
        let word = dialects::of(dialect).correct_stop_word(&meant, self);
        (meant, word)
    }
}

/// Notes that the upstream's word was replaced.
pub(super) fn note_correction(notes: &mut Notes, sent: &str, word: &str) {
    let message =
        format!("the upstream ended with {sent}, which what it sent contradicts: {word} was told instead");
    notes.add("stop_reason_corrected", message);
}

/// Notes that a text was nothing but calls.
pub(super) fn note_text_calls(notes: &mut Notes, calls: usize) {
    notes.add(
        "calls_in_text",
        format!("the model wrote {calls} of its calls as text: they were told as calls"),
    );
}

/// How the turn ended for its last call.
pub(super) fn finish_of(stop: &Stop) -> Finish {
    match stop {
        Stop::EndTurn | Stop::ToolUse => Finish::Stop,
        Stop::MaxTokens | Stop::ContextWindow => Finish::Length,
        // A filter or a stop sequence may have cut it anywhere.
        Stop::StopSequence | Stop::Refusal | Stop::PauseTurn | Stop::Other(_) => Finish::Unknown,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_contradictions_are_corrected() {
        let called = Said { calls: 1, ..Said::default() };
        let silent = Said::default();
        let unknown = Said { has_unknown: true, ..Said::default() };
        let old = Said { has_function_call: true, ..called.clone() };
        let word = |said: &Said, dialect, stop: Stop| said.corrected(dialect, &stop).1;
        use Dialect::{AnthropicMessages, OllamaChat, OpenAiChat};
        assert_eq!(word(&called, OpenAiChat, Stop::EndTurn), Some("tool_calls"));
        assert_eq!(word(&old, OpenAiChat, Stop::EndTurn), Some("function_call"));
        assert_eq!(word(&called, AnthropicMessages, Stop::EndTurn), Some("tool_use"));
        assert_eq!(word(&silent, AnthropicMessages, Stop::ToolUse), Some("end_turn"));
        assert_eq!(word(&unknown, AnthropicMessages, Stop::ToolUse), None);
        assert_eq!(word(&called, OpenAiChat, Stop::MaxTokens), None);
        assert_eq!(word(&called, OllamaChat, Stop::EndTurn), None);
        assert_eq!(called.corrected(OllamaChat, &Stop::EndTurn).0, Stop::ToolUse);
    }
}
