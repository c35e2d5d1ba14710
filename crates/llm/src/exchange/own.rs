//! A question of our own: asked in the form, answered in events of the form.
//!
//! No calls are mended here: whoever asks runs them, and his executor mends them by the tools themselves.

use super::events::EventStream;
use super::{Fresh, judge, text_calls_of, unreadable};
use crate::fit::{self, Names};
use crate::form::{Event, Request};
use crate::{Dialect, Failure, Notes, Target, Thinks, dialects, stream};

/// What is sent to an upstream, and what its answer will be read with.
pub struct OwnQuestion {
    /// The body for the upstream.
    pub body: String,
    /// What could not be said there.
    pub notes: Notes,
    pub(super) upstream: Dialect,
    names: Names,
    /// The tools whose calls are looked for in texts.
    text_tools: Vec<String>,
    id: String,
    /// Whether the model is asked to think without knowing whether it can.
    pub(super) tries_thinking: bool,
}

impl OwnQuestion {
    /// Writes a request for an upstream.
    ///
    /// # Errors
    /// When the upstream has no words for what is asked.
    pub fn new(request: &Request, target: &Target, fresh: &Fresh) -> Result<OwnQuestion, Failure> {
        let mut notes = Notes::default();
        let mut fitted = request.clone();
        let names = fit::fit(&mut fitted, target, &mut notes)?;
        let body = dialects::write_request(&fitted, target, &mut notes)?;
        let tools = request.tools.iter().filter(|_| target.reads_text_calls);
        let sent: Vec<String> = match target.reads_text_calls {
            true => names.sent().map(str::to_owned).collect(),
            false => Vec::new(),
        };
        Ok(OwnQuestion {
            body,
            notes,
            upstream: target.dialect,
            names,
            text_tools: tools.map(|tool| tool.name.clone()).chain(sent).collect(),
            id: fresh.id.clone(),
            tries_thinking: target.thinks == Thinks::Untried && request.reasoning.is_some(),
        })
    }

    /// The upstream's answer in pieces.
    pub fn stream(&self) -> EventStream {
        EventStream::new(self.upstream, self.names.clone(), &self.text_tools, &self.id)
    }

    /// The upstream's whole answer, told as if it came in pieces.
    ///
    /// # Errors
    /// When it is an error, or no answer at all.
    pub fn whole(&self, status: u16, body: &[u8]) -> Result<Vec<Event>, Failure> {
        let text = std::str::from_utf8(body).map_err(|_| unreadable("is not UTF-8"))?;
        if !(200..300).contains(&status) {
            return Err(dialects::of(self.upstream).read_error(status, text));
        }
        if let Some(fault) = judge::fault(self.upstream, text) {
            return Err(fault);
        }
        let mut response = dialects::of(self.upstream).read_response(text)?;
        text_calls_of(&mut response, &self.text_tools, &self.id);
        self.names.restore(&mut response);
        response.tell_calls_apart();
        Ok(stream::events_of(&response, &self.id))
    }
}
