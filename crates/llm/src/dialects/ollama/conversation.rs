//! What Toolwright's own conversations with models in Ollama have besides: room for the conversation, and a model that
//! stays loaded.

use toolwright_jsonrpc::{Json, ObjectWriter};

use crate::form::Request;
use crate::tokens;

/// How long the model stays in memory after an answer: loading it takes longer than a question should.
const KEEP_ALIVE: &str = "30m";
/// The room for a conversation, in tokens. What does not fit Ollama leaves out without a word.
const LEAST_ROOM: u64 = 4_096;
const MOST_ROOM: u64 = 32_768;

/// Asks for room for the conversation and its answer.
pub(super) fn make_room(request: &mut Request, answer_tokens: u64) {
    let mut options = ObjectWriter::default();
    options.number("num_ctx", room_for(tokens::estimate(request) + answer_tokens));
    request.extra.push(("options".to_owned(), options.finish()));
    request.extra.push(("keep_alive".to_owned(), Json::text(KEEP_ALIVE)));
}

/// A power of two: with another room the model is loaded again, so it should grow rarely.
fn room_for(tokens: u64) -> u64 {
    // Counts are estimates.
    let needed = tokens.saturating_add(tokens / 4);
    needed.checked_next_power_of_two().unwrap_or(MOST_ROOM).clamp(LEAST_ROOM, MOST_ROOM)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_room_grows_in_steps_and_not_without_end() {
        assert_eq!(room_for(100), LEAST_ROOM);
        assert_eq!(room_for(4_000), 8_192);
        assert_eq!(room_for(6_000), 8_192);
        assert_eq!(room_for(u64::MAX), MOST_ROOM);
    }
}
