//! An answer in pieces.

use super::{Stop, Usage};
use crate::Failure;

/// What happens in a stream. Empty pieces are no events.
///
/// Calls have numbers, 0, 1, 2 in the order in which they began. What a decoder gives may interleave their
/// arguments; what an encoder takes may not: between them stands [`Sequencer`](crate::stream::Sequencer).
#[derive(Clone, Debug, PartialEq)]
pub enum Event {
    /// The first event.
    Start {
        /// The id of the answer.
        id: Option<String>,
        /// The model, as the upstream calls it.
        model: Option<String>,
        /// When it was made, in seconds since 1970.
        created: Option<u64>,
        /// What is known of the input already.
        usage: Usage,
    },
    /// A piece of text.
    Text(String),
    /// A piece of a thought.
    Thinking(String),
    /// The signature, or encrypted form, of the thought that was told last. It ends that thought.
    Signature(String),
    /// A thought without words.
    RedactedThinking(String),
    /// A piece of a refusal.
    Refusal(String),
    /// A call begins. Its name is whole.
    CallStart {
        /// Its number.
        call: usize,
        /// Its id; made up by the decoder where the upstream gave none.
        id: String,
        /// The tool.
        name: String,
    },
    /// A piece of a call's arguments: text of JSON.
    CallArguments {
        /// Its number.
        call: usize,
        /// The piece.
        text: String,
    },
    /// The arguments of a call are complete, as far as the upstream says.
    CallEnd {
        /// Its number.
        call: usize,
    },
    /// Why the answer ends. More usage may follow.
    Finish {
        /// Why.
        stop: Stop,
        /// The text that ended it.
        stop_sequence: Option<String>,
    },
    /// What is known of tokens by now. Counts are cumulative.
    Usage(Usage),
    /// The good end.
    Done,
    /// The bad end: nothing follows.
    Error(Failure),
}
