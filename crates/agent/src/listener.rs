//! Progress of an answer.

use crate::Called;

/// Receives the progress of an answer, on the task of the question: its work delays the answer.
pub trait Listener: Send {
    /// A piece of text. Pieces may end within words and are joined without a separator.
    fn text(&mut self, piece: &str) {
        let _ = piece;
    }

    /// The text since the last such event is complete; what follows comes after tool calls.
    fn text_ended(&mut self) {}

    /// The model has sent a call with this name and these arguments.
    fn call_started(&mut self, name: &str, arguments: &str) {
        let _ = (name, arguments);
    }

    /// A call has ended. Calls end in the order in which they were sent.
    fn call_ended(&mut self, call: &Called) {
        let _ = call;
    }
}

/// Ignores the progress.
#[derive(Clone, Copy, Debug)]
pub struct Silent;

impl Listener for Silent {}
