//! An answer in pieces: the upstream's bytes in, the client's out.

use super::events::EventStream;
use super::{Prepared, Report};
use crate::calls::CallStage;
use crate::form::Event;
use crate::pass::PassStream;
use crate::stream::Encode;
use crate::{Failure, dialects};

/// An answer in pieces.
pub struct AnswerStream {
    way: Way,
    report: Report,
}

enum Way {
    /// Both sides speak the same dialect.
    Passing(Box<PassStream>),
    Translating(Box<Translating>),
}

struct Translating {
    events: EventStream,
    stage: CallStage,
    encoder: Box<dyn Encode>,
    is_over: bool,
    /// Kept from piece to piece for their room.
    ordered: Vec<Event>,
    mended: Vec<Event>,
}

impl AnswerStream {
    pub(super) fn new(prepared: &Prepared) -> AnswerStream {
        let tool_names = if prepared.reads_text_calls { prepared.tool_names() } else { Vec::new() };
        let way = if prepared.passes_answers {
            let mender = std::sync::Arc::clone(&prepared.mender);
            Way::Passing(Box::new(PassStream::new(prepared.upstream, mender, &prepared.pass_options())))
        } else {
            let names = prepared.names.clone();
            Way::Translating(Box::new(Translating {
                events: EventStream::new(prepared.upstream, names, &tool_names, &prepared.reply.id),
                stage: CallStage::new(std::sync::Arc::clone(&prepared.mender)),
                encoder: dialects::of(prepared.front).encoder(prepared.reply.clone()),
                is_over: false,
                ordered: Vec::new(),
                mended: Vec::new(),
            }))
        };
        AnswerStream { way, report: Report::default() }
    }

    /// Takes bytes of the upstream and adds those for the client.
    pub fn push(&mut self, bytes: &[u8], out: &mut Vec<u8>) {
        match &mut self.way {
            Way::Passing(stream) => stream.push(bytes, out),
            Way::Translating(stream) => stream.push(bytes, out, &mut self.report),
        }
    }

    /// The upstream's connection is over: well, or because of something.
    pub fn end(&mut self, failure: Option<Failure>, out: &mut Vec<u8>) {
        match &mut self.way {
            Way::Passing(stream) => match failure {
                Some(failure) => stream.fail(&failure, out),
                None => stream.end(out),
            },
            Way::Translating(stream) => stream.end(failure, out, &mut self.report),
        }
    }

    /// Whether the answer has come to its end: nothing that follows matters.
    pub fn is_over(&self) -> bool {
        match &self.way {
            Way::Passing(stream) => stream.is_over(),
            Way::Translating(stream) => stream.is_over,
        }
    }

    /// Whether the upstream has said something of an answer: until then another could be asked.
    pub fn has_begun(&self) -> bool {
        match &self.way {
            Way::Passing(stream) => stream.report().has_begun,
            Way::Translating(_) => true,
        }
    }

    /// Writes something that says nothing, so that the client goes on waiting.
    pub fn ping(&mut self, out: &mut Vec<u8>) {
        match &mut self.way {
            Way::Passing(stream) if !stream.is_over() => stream.ping(out),
            Way::Passing(_) => {}
            Way::Translating(stream) if !stream.is_over => stream.encoder.ping(out),
            Way::Translating(_) => {}
        }
    }

    /// What became of it so far.
    pub fn report(&mut self) -> &Report {
        match &mut self.way {
            Way::Passing(stream) => {
                let told = stream.report();
                self.report.usage = told.usage;
                self.report.has_content = told.has_content;
                self.report.stop.clone_from(&told.stop);
                self.report.failure.clone_from(&told.failure);
                if self.report.failure.is_none() {
                    self.report.failure.clone_from(&told.upstream_error);
                }
                self.report.text_calls = told.text_calls;
                self.report.model.clone_from(&told.model);
                let known = self.report.calls.len();
                self.report.calls.extend_from_slice(&told.reports[known..]);
            }
            Way::Translating(stream) => {
                self.report.take(stream.stage.reports());
                self.report.text_calls = stream.events.text_calls();
            }
        }
        &self.report
    }
}

impl Translating {
    fn push(&mut self, bytes: &[u8], out: &mut Vec<u8>, report: &mut Report) {
        if !self.is_over {
            self.events.push(bytes, &mut self.ordered);
            self.pass_on(out, report);
        }
    }

    fn end(&mut self, failure: Option<Failure>, out: &mut Vec<u8>, report: &mut Report) {
        if !self.is_over {
            self.events.end(failure, &mut self.ordered);
            self.pass_on(out, report);
        }
    }

    fn pass_on(&mut self, out: &mut Vec<u8>, report: &mut Report) {
        for event in self.ordered.drain(..) {
            self.stage.push(event, &mut self.mended);
        }
        for event in self.mended.drain(..) {
            if self.is_over {
                break;
            }
            observe(&event, report);
            self.is_over = matches!(event, Event::Done | Event::Error(_));
            self.encoder.event(&event, out);
        }
        self.mended.clear();
    }
}

fn observe(event: &Event, report: &mut Report) {
    match event {
        Event::Start { model, usage, .. } => {
            report.model.clone_from(model);
            report.usage.update(usage);
        }
        Event::Usage(usage) => report.usage.update(usage),
        Event::Finish { stop, .. } => report.stop = Some(stop.clone()),
        Event::Error(failure) => report.failure = Some(failure.clone()),
        Event::Done => {}
        _ => report.has_content = true,
    }
}
