//! An upstream's answer as events of the form: names given back, calls that were written as text found, one call after
//! the other.

use std::mem::take;

use crate::fit::Names;
use crate::form::Event;
use crate::stream::{Decode, Frames, Sequencer, TextCalls};
use crate::{Dialect, Failure, FailureKind, dialects};

/// An answer in pieces: the upstream's bytes in, events out.
pub struct EventStream {
    frames: Frames,
    decoder: Box<dyn Decode>,
    names: Names,
    text_calls: Option<TextCalls>,
    sequencer: Sequencer,
    /// Kept from piece to piece for its room.
    read: Vec<Event>,
}

impl EventStream {
    /// For an upstream of this dialect. Calls that are written as text are looked for among `text_tools`, where there
    /// are any.
    pub(super) fn new(upstream: Dialect, names: Names, text_tools: &[String], id_seed: &str) -> EventStream {
        let module = dialects::of(upstream);
        EventStream {
            frames: module.frames(),
            decoder: module.decoder(id_seed),
            names,
            text_calls: (!text_tools.is_empty()).then(|| TextCalls::new(text_tools, id_seed)),
            sequencer: Sequencer::default(),
            read: Vec::new(),
        }
    }

    /// Takes bytes of the upstream and adds what they tell.
    pub fn push(&mut self, bytes: &[u8], out: &mut Vec<Event>) {
        let mut read = take(&mut self.read);
        let decoder = &mut self.decoder;
        let framed = self.frames.push(bytes, &mut |frame| decoder.frame(&frame, &mut read));
        if let Err(error) = framed {
            read.push(Event::Error(Failure::new(FailureKind::Api, error.to_string()).with_status(502)));
        }
        self.pass_on(read, out);
    }

    /// The upstream's connection is over: well, or because of something.
    pub fn end(&mut self, failure: Option<Failure>, out: &mut Vec<Event>) {
        let mut read = take(&mut self.read);
        let decoder = &mut self.decoder;
        self.frames.end(&mut |frame| decoder.frame(&frame, &mut read));
        let is_told =
            |read: &[Event]| read.iter().any(|event| matches!(event, Event::Done | Event::Error(_)));
        match failure {
            Some(failure) if !is_told(&read) => read.push(Event::Error(failure)),
            _ => {}
        }
        if !is_told(&read) {
            self.decoder.end(&mut read);
        }
        self.pass_on(read, out);
    }

    /// How many calls were written as text.
    pub fn text_calls(&self) -> usize {
        self.text_calls.as_ref().map_or(0, TextCalls::found)
    }

    fn pass_on(&mut self, mut read: Vec<Event>, out: &mut Vec<Event>) {
        for mut event in read.drain(..) {
            match &mut self.text_calls {
                Some(text_calls) => {
                    let mut seen = Vec::new();
                    text_calls.push(event, &mut seen);
                    for mut event in seen {
                        self.names.restore_event(&mut event);
                        self.sequencer.push(event, out);
                    }
                }
                None => {
                    self.names.restore_event(&mut event);
                    self.sequencer.push(event, out);
                }
            }
        }
        self.read = read;
    }
}
