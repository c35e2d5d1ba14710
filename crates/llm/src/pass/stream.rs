//! Streams: frames pass as they come; what is in doubt, and all behind it, waits until it is decided.

mod calls;
mod held;
mod state;
mod text;

use std::sync::Arc;

use self::state::State;
use super::PassOptions;
use super::mend::{CallReport, Mender};
use crate::form::{Stop, Usage};
use crate::stream::{Frame, Frames};
use crate::{Dialect, Failure, FailureKind, Notes, dialects};

pub(crate) use calls::{FoundCall, PassCalls};

/// The most bytes that wait. A call whose mistake needs more is an error.
const MOST_HELD_BYTES: usize = 32 * 1024 * 1024;

/// One stream from an upstream to a client that speak the same dialect.
#[derive(Debug)]
pub struct PassStream {
    frames: Frames,
    state: State,
}

/// What is known of a stream so far.
#[derive(Clone, Debug, Default)]
pub struct PassReport {
    /// What it cost.
    pub usage: Usage,
    /// Why it ended, corrected.
    pub stop: Option<Stop>,
    /// What was found and done about its calls, one report for each.
    pub reports: Vec<CallReport>,
    /// What else was corrected.
    pub notes: Notes,
    /// The model, as the upstream calls it.
    pub model: Option<String>,
    /// Whether something was said, thought or called.
    pub has_content: bool,
    /// The error that was appended because the stream ended badly.
    pub failure: Option<Failure>,
    /// The error that the upstream told itself.
    pub upstream_error: Option<Failure>,
    /// Whether there was anything of an answer: not only comments, pages or errors.
    pub has_begun: bool,
    /// So many of the calls were written as text.
    pub text_calls: usize,
}

impl PassStream {
    /// A stream that begins.
    pub fn new(dialect: Dialect, mender: Arc<Mender>, options: &PassOptions) -> PassStream {
        PassStream { frames: dialects::of(dialect).frames(), state: State::new(dialect, mender, options) }
    }

    /// Takes bytes of the upstream, and writes what may leave.
    pub fn push(&mut self, bytes: &[u8], out: &mut Vec<u8>) {
        if self.state.report.failure.is_some() {
            return;
        }
        let state = &mut self.state;
        let result = self.frames.push(bytes, &mut |frame: Frame<'_>| state.frame(&frame, out));
        if let Err(error) = result {
            self.fail(&Failure::new(FailureKind::Api, format!("the upstream's stream broke: {error}")), out);
        } else if self.state.has_too_many_calls() {
            let message = format!("the upstream began more than {} calls in one answer", calls::MOST_CALLS);
            self.fail(&Failure::new(FailureKind::Api, message), out);
        } else if self.state.held_bytes() > MOST_HELD_BYTES {
            let message = format!(
                "a tool call of the upstream has more than {MOST_HELD_BYTES} bytes and cannot be mended"
            );
            self.fail(&Failure::new(FailureKind::Api, message), out);
        }
    }

    /// The connection has ended. A stream that did not come to its proper end gets an error.
    pub fn end(&mut self, out: &mut Vec<u8>) {
        if self.state.report.failure.is_some() {
            return;
        }
        let mut last = Vec::new();
        let state = &mut self.state;
        self.frames.end(&mut |frame: Frame<'_>| state.frame(&frame, &mut last));
        if self.is_over() || self.state.report.upstream_error.is_some() {
            out.append(&mut last);
            out.extend_from_slice(self.frames.rest());
            out.extend_from_slice(self.state.missing_closing_frame().unwrap_or_default().as_bytes());
            return;
        }
        // A frame that nobody ended would run into the error: it is left out.
        let message = "the upstream's stream broke off before its end";
        self.fail(&Failure::new(FailureKind::Api, message), out);
    }

    /// Ends the stream with this error, unless it is over already. What is held is dropped.
    pub fn fail(&mut self, failure: &Failure, out: &mut Vec<u8>) {
        let report = &self.state.report;
        if report.failure.is_some() || report.upstream_error.is_some() || self.is_over() {
            return;
        }
        self.state.give_up(out);
        let frame = dialects::of(self.state.dialect).write_error_frame(self.state.head(), failure);
        out.extend_from_slice(frame.as_bytes());
        self.state.report.failure = Some(failure.clone());
    }

    /// Whether something waits.
    pub fn is_holding(&self) -> bool {
        self.state.is_holding()
    }

    /// Whether the stream has come to its proper end.
    pub fn is_over(&self) -> bool {
        self.state.is_over()
    }

    /// Writes something that says nothing, so that the client goes on waiting.
    pub fn ping(&mut self, out: &mut Vec<u8>) {
        if self.state.report.failure.is_none() {
            let frame = dialects::of(self.state.dialect).write_ping_frame(self.state.head());
            out.extend_from_slice(frame.as_bytes());
        }
    }

    /// What is known so far.
    pub fn report(&self) -> &PassReport {
        &self.state.report
    }
}
