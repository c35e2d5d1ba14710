//! Why an answer ended, settled by the calls that were delivered.

use toolwright_model::Finish;

use crate::form::Stop;

/// The calls of an answer, counted.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Calls {
    /// How many the client got.
    pub delivered: usize,
    /// Whether one was cut off.
    pub is_cut: bool,
}

/// How the turn ended for a call that was its last.
pub fn finish_of(stop: Option<&Stop>) -> Finish {
    match stop {
        Some(Stop::EndTurn | Stop::ToolUse) => Finish::Stop,
        Some(Stop::MaxTokens | Stop::ContextWindow) => Finish::Length,
        // A filter or a stop sequence may have cut it anywhere.
        Some(Stop::StopSequence | Stop::Refusal | Stop::PauseTurn | Stop::Other(_)) | None => Finish::Unknown,
    }
}

/// Many upstreams say `stop` after a call, some `tool_calls` without one, and some nothing at all.
pub(super) fn settled(stop: Option<Stop>, calls: Calls) -> Stop {
    let stop = stop.unwrap_or(Stop::EndTurn);
    match stop {
        Stop::ContextWindow => stop,
        _ if calls.is_cut => Stop::MaxTokens,
        Stop::EndTurn if calls.delivered > 0 => Stop::ToolUse,
        Stop::ToolUse if calls.delivered == 0 => Stop::EndTurn,
        _ => stop,
    }
}
