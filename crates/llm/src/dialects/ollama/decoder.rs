//! An upstream's stream, read: every line is an object.

use toolwright_jsonrpc::raw;

use super::response::Line;
use crate::dialects::error_shapes;
use crate::dialects::fields::Fields;
use crate::form::{Event, Stop, Usage};
use crate::stream::halves::{Halves, TextOf};
use crate::stream::{Decode, Frame};
use crate::{Failure, FailureKind};

/// Reads one stream.
#[derive(Debug)]
pub struct Decoder {
    id_seed: String,
    calls: usize,
    halves: Halves,
    is_started: bool,
    is_over: bool,
}

impl Decoder {
    /// Begins a stream. Ids that the upstream does not give are made of the seed.
    pub fn new(id_seed: &str) -> Decoder {
        Decoder {
            id_seed: id_seed.to_owned(),
            calls: 0,
            halves: Halves::default(),
            is_started: false,
            is_over: false,
        }
    }

    fn fail(&mut self, failure: Failure, out: &mut Vec<Event>) {
        self.is_over = true;
        out.push(Event::Error(failure));
    }
}

impl Decode for Decoder {
    fn frame(&mut self, frame: &Frame<'_>, out: &mut Vec<Event>) {
        let data = frame.data.trim();
        if self.is_over || data.is_empty() {
            return;
        }
        if raw::members(data).is_err() {
            let failure = Failure::new(FailureKind::Api, "The upstream sent a line that is no JSON object.");
            return self.fail(failure, out);
        }
        if error_shapes::is_error(&Fields::lenient(data)) {
            return self.fail(error_shapes::read(200, data), out);
        }
        let line = Line::read(data);
        if !self.is_started {
            self.is_started = true;
            out.push(Event::Start {
                id: None,
                model: line.model,
                created: line.created,
                usage: Usage::default(),
            });
        }
        if let Some(said) = line.message {
            let thinking = said.thinking.and_then(|text| self.halves.text(TextOf::Thinking, text, out));
            out.extend(thinking.map(|text| Event::Thinking(text.into_owned())));
            let content = said.content.and_then(|text| self.halves.text(TextOf::Answer, text, out));
            out.extend(content.map(|text| Event::Text(text.into_owned())));
            if !said.calls.is_empty() {
                self.halves.end_words(out);
            }
            for given in said.calls {
                let call = self.calls;
                self.calls += 1;
                let id = given.id.unwrap_or_else(|| format!("call_{}_{call}", self.id_seed));
                out.push(Event::CallStart { call, id, name: given.name });
                let text = given.arguments.as_str().to_owned();
                out.push(Event::CallArguments { call, text });
                out.push(Event::CallEnd { call });
            }
        }
        if line.is_done {
            self.halves.end_words(out);
            if line.usage != Usage::default() {
                out.push(Event::Usage(line.usage));
            }
            out.push(Event::Finish { stop: line.stop.unwrap_or(Stop::EndTurn), stop_sequence: None });
            out.push(Event::Done);
            self.is_over = true;
        }
    }

    fn end(&mut self, out: &mut Vec<Event>) {
        if self.is_over {
            return;
        }
        let message = "The upstream's stream ended before its answer did (no line with \"done\":true).";
        self.fail(Failure::new(FailureKind::Api, message).with_status(502), out);
    }
}
