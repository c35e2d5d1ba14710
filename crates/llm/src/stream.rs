//! What streams are made of: frames out of bytes, events out of frames, calls one after the other, and back.
//!
//! On the way from an upstream to a client that speaks another dialect:
//! bytes → [`Frames`] → a dialect's [`Decode`] → [`TextCalls`] → [`Sequencer`] →
//! [`CallStage`](crate::calls::CallStage) → a dialect's [`Encode`] → bytes.

mod frames;
mod gathered;
pub(crate) mod halves;
pub(crate) mod progress;
mod replay;
mod sequencer;
mod text_calls;
pub(crate) mod told;

pub use frames::{Frame, FrameError, Frames, MOST_FRAME_BYTES};
pub use gathered::Gathered;
pub use replay::events_of;
pub use sequencer::Sequencer;
pub use text_calls::{TextCalls, calls_in_text};
pub(crate) use text_calls::{calls_of, may_be_calls};

use crate::form::Event;

/// Reads the frames of one stream of a dialect.
pub trait Decode: Send {
    /// What a frame tells. Pieces of calls may interleave.
    fn frame(&mut self, frame: &Frame<'_>, out: &mut Vec<Event>);

    /// The connection has ended. Gives [`Event::Done`] or [`Event::Error`] unless one of them was given before: a
    /// stream that ended without its proper end is an error.
    fn end(&mut self, out: &mut Vec<Event>);
}

/// Writes one stream of a dialect. Takes calls one after the other.
pub trait Encode: Send {
    /// Writes what an event says.
    fn event(&mut self, event: &Event, out: &mut Vec<u8>);

    /// Writes something that says nothing, so that the client goes on waiting.
    fn ping(&mut self, out: &mut Vec<u8>);
}
