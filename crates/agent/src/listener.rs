//! Who hears of an answer while it is made.

use crate::Called;

/// Hears of an answer while it is made, on the task that asks: what it does takes time from the answer.
pub trait Listener: Send {
    /// A piece of text. Pieces are joined as they are: they end within words, and nothing belongs between them.
    fn text(&mut self, piece: &str) {
        let _ = piece;
    }

    /// What was said since the last such mark is whole; what follows is said after tools were called.
    fn text_ended(&mut self) {}

    /// The model has sent a call, under this name and with these arguments.
    fn call_started(&mut self, name: &str, arguments: &str) {
        let _ = (name, arguments);
    }

    /// A call has come to its end. Calls end in the order in which they were sent.
    fn call_ended(&mut self, call: &Called) {
        let _ = call;
    }
}

/// Hears nothing.
#[derive(Clone, Copy, Debug)]
pub struct Silent;

impl Listener for Silent {}
