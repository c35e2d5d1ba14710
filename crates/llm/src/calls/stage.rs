//! Mends the calls of a stream of events, and holds back what is in doubt.

use std::sync::Arc;

use toolwright_jsonrpc::raw;
use toolwright_model::Finish;

use super::stop::{Calls, finish_of, settled};
use super::{CallReport, GrowingCall, Mender, as_text};
use crate::form::Event;

/// Stands between a stream's sequencer and its encoder. Takes calls one after the other, and gives them mended: what
/// fits leaves while it is written, what does not leaves when it is decided. A call that the length limit cut off
/// before anything of it left is not told at all. Here alone is settled why the answer ended.
#[derive(Debug)]
pub struct CallStage {
    mender: Arc<Mender>,
    open: Option<OpenCall>,
    calls: Calls,
    /// It was told why the answer ended.
    is_settled: bool,
    reports: Vec<CallReport>,
    /// The call that is told as text, because no calls are allowed: its name and its arguments so far.
    written: Option<(String, String)>,
}

/// A call that is not decided.
#[derive(Debug)]
struct OpenCall {
    call: usize,
    id: String,
    arguments: GrowingCall,
    is_started: bool,
    /// Its end came, and what follows says how it ended.
    has_ended: bool,
}

impl CallStage {
    /// A stage at the start of a stream.
    pub fn new(mender: Arc<Mender>) -> CallStage {
        CallStage {
            mender,
            open: None,
            calls: Calls::default(),
            is_settled: false,
            reports: Vec::new(),
            written: None,
        }
    }

    /// Takes an event and gives what follows from it.
    pub fn push(&mut self, event: Event, out: &mut Vec<Event>) {
        if !self.mender.allows_calls() {
            return self.push_without_calls(event, out);
        }
        self.push_allowed(event, out);
    }

    /// The same where no calls are allowed: they are text.
    fn push_without_calls(&mut self, event: Event, out: &mut Vec<Event>) {
        match event {
            Event::CallStart { name, .. } => {
                self.tell_written(out);
                self.written = Some((name, String::new()));
            }
            Event::CallArguments { text, .. } => {
                if let Some((_, arguments)) = &mut self.written {
                    arguments.push_str(&text);
                }
            }
            Event::CallEnd { .. } => self.tell_written(out),
            Event::Error(_) => {
                self.written = None;
                self.push_allowed(event, out);
            }
            Event::Usage(_) => out.push(event),
            event => {
                self.tell_written(out);
                self.push_allowed(event, out);
            }
        }
    }

    fn tell_written(&mut self, out: &mut Vec<Event>) {
        if let Some((name, arguments)) = self.written.take() {
            out.push(Event::Text(as_text(&name, &arguments)));
        }
    }

    fn push_allowed(&mut self, event: Event, out: &mut Vec<Event>) {
        match event {
            Event::CallStart { call, id, name } => {
                self.decide(Finish::Stop, out);
                let arguments = self.mender.growing(&self.mender.name(&name));
                self.open = Some(OpenCall { call, id, arguments, is_started: false, has_ended: false });
            }
            Event::CallArguments { call, text } => self.arguments(call, &text, out),
            Event::CallEnd { call } => self.end(call, out),
            Event::Finish { stop, stop_sequence } => {
                self.decide(finish_of(Some(&stop)), out);
                self.is_settled = true;
                out.push(Event::Finish { stop: settled(Some(stop), self.calls), stop_sequence });
            }
            Event::Done => {
                self.decide(Finish::Unknown, out);
                if !std::mem::replace(&mut self.is_settled, true) {
                    out.push(Event::Finish { stop: settled(None, self.calls), stop_sequence: None });
                }
                out.push(event);
            }
            // What was held back of a call is lost with the stream.
            Event::Error(_) => {
                self.open = None;
                out.push(event);
            }
            // Says nothing of how a call ended.
            Event::Usage(_) | Event::Start { .. } => out.push(event),
            _ => {
                self.decide(Finish::Stop, out);
                out.push(event);
            }
        }
    }

    /// Whether something is held back, so that the client may have to wait.
    pub fn is_holding(&self) -> bool {
        self.open.is_some() || self.written.is_some()
    }

    /// The calls that were decided since this was asked last.
    pub fn reports(&mut self) -> Vec<CallReport> {
        std::mem::take(&mut self.reports)
    }

    fn arguments(&mut self, call: usize, text: &str, out: &mut Vec<Event>) {
        let Some(open) = self.open.as_mut().filter(|open| open.call == call && !open.has_ended) else {
            return;
        };
        open.arguments.push(text);
        if let Some(text) = open.arguments.take_safe() {
            open.start(out);
            out.push(Event::CallArguments { call, text });
        }
    }

    /// What is whole is decided at once; for the rest it matters how the answer ended.
    fn end(&mut self, call: usize, out: &mut Vec<Event>) {
        let Some(open) = self.open.as_mut().filter(|open| open.call == call) else { return };
        open.has_ended = true;
        if raw::check(open.arguments.text()).is_ok() {
            self.decide(Finish::Stop, out);
        }
    }

    fn decide(&mut self, finish: Finish, out: &mut Vec<Event>) {
        let Some(open) = self.open.take() else { return };
        let OpenCall { call, id, arguments, is_started, .. } = open;
        let rest = arguments.finish(finish);
        let is_cut = rest.text.is_none();
        self.calls.is_cut |= is_cut;
        self.calls.delivered += usize::from(!is_cut);
        if !is_started && !is_cut {
            out.push(Event::CallStart { call, id, name: rest.report.name.clone() });
        }
        if let Some(text) = rest.text.filter(|text| !text.is_empty()) {
            out.push(Event::CallArguments { call, text });
        }
        // What has left of a call that was cut off is closed, and stays unfinished.
        if is_started || !is_cut {
            out.push(Event::CallEnd { call });
        }
        self.reports.push(rest.report);
    }
}

impl OpenCall {
    /// Tells the client that the call begins, once.
    fn start(&mut self, out: &mut Vec<Event>) {
        if !std::mem::replace(&mut self.is_started, true) {
            let name = self.arguments.name().to_owned();
            out.push(Event::CallStart { call: self.call, id: self.id.clone(), name });
        }
    }
}
