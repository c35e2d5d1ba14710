//! What a stream is at: its calls, the frames that wait for them, and what is told about all of it.

mod identity;
mod leaving;
mod spoken;

use std::collections::VecDeque;
use std::sync::Arc;

use toolwright_jsonrpc::raw;

use super::PassReport;
use super::calls::{Meant, PassCall, PassCalls};
use super::held::{self, Data, Held, Marks, Slot};
use super::text::HeldText;
use crate::form::{CallIds, Stop};
use crate::pass::document::{told, written};
use crate::pass::ending::{Said, finish_of, note_correction};
use crate::pass::mend::{self, Delivery, Finish, Mender};
use crate::pass::own_frames::Head;
use crate::pass::spots::openai_chat::FUNCTION_CALL;
use crate::pass::walk::{decoded, inside};
use crate::pass::{CallKey, PassOptions, Shape, Span, Spot, What, spots_in_frame, usage};
use crate::stream::Frame;
use crate::{Dialect, dialects};

#[derive(Debug)]
pub(super) struct State {
    pub dialect: Dialect,
    mender: Arc<Mender>,
    /// The client's name of the model, quoted.
    model: Option<String>,
    head: Head,
    /// What each choice has had.
    said: Vec<(u64, Said)>,
    calls: PassCalls,
    /// The ids of calls that clients were told.
    ids: CallIds,
    held: VecDeque<Held>,
    held_bytes: usize,
    text: HeldText,
    /// All calls before this one are decided.
    first_open: usize,
    is_done: bool,
    pub report: PassReport,
    /// Kept for its memory.
    spots: Vec<Spot>,
}

impl State {
    pub fn new(dialect: Dialect, mender: Arc<Mender>, options: &PassOptions) -> State {
        State {
            dialect,
            mender,
            model: options.model.as_deref().map(raw::quote),
            head: Head::default(),
            said: Vec::new(),
            calls: PassCalls::default(),
            ids: CallIds::default(),
            held: VecDeque::new(),
            held_bytes: 0,
            text: HeldText::new(options),
            first_open: 0,
            is_done: false,
            report: PassReport::default(),
            spots: Vec::new(),
        }
    }

    pub fn head(&self) -> &Head {
        &self.head
    }

    pub fn is_holding(&self) -> bool {
        !self.held.is_empty()
    }

    /// Whether there are more calls than an answer may have.
    pub fn has_too_many_calls(&self) -> bool {
        self.calls.are_too_many()
    }

    pub fn held_bytes(&self) -> usize {
        self.held_bytes
    }

    pub fn is_over(&self) -> bool {
        let is_chat = self.dialect == Dialect::OpenAiChat;
        let is_finished = || !self.said.is_empty() && self.said.iter().all(|(_, said)| said.is_finished);
        self.report.upstream_error.is_none() && (self.is_done || (is_chat && is_finished()))
    }

    /// Whether all was said but for the mark behind it that clients of Chat wait for.
    pub fn lacks_its_mark(&self) -> bool {
        self.dialect == Dialect::OpenAiChat && self.is_over() && !self.is_done
    }

    /// The stream ends badly. Text that waits is text; what is in doubt of a call does not leave.
    pub fn give_up(&mut self, out: &mut Vec<u8>) {
        self.text.give_up();
        self.flush(out);
        self.held.clear();
        self.held_bytes = 0;
    }

    /// Takes a frame, and writes it and those before it as far as they may leave.
    pub fn frame(&mut self, frame: &Frame<'_>, out: &mut Vec<u8>) {
        let mut marks = Marks::default();
        if !frame.data.is_empty() {
            marks.event = held::missing_event(self.dialect, frame);
            let mut spots = std::mem::take(&mut self.spots);
            spots_in_frame(self.dialect, frame.event, frame.data, &mut spots);
            if !self.report.has_begun && spots == [Spot::Done] {
                // An end without a beginning is no answer: the end of the connection tells so.
                marks.is_dropped = true;
            } else if spots.contains(&Spot::Error) {
                self.upstream_error(&spots, frame.data, &mut marks, out);
            } else {
                self.report.has_begun |= !spots.is_empty();
                for spot in spots.drain(..) {
                    self.spot(spot, frame.data, &mut marks);
                }
            }
            self.spots = spots;
        }
        self.flush(out);
        if self.held.is_empty() && self.is_ready(&marks) {
            if marks.edits.is_empty() && marks.slots.is_empty() && marks.event.is_none() {
                return out.extend_from_slice(frame.raw);
            }
            self.fill(&mut marks);
            return held::write(frame.raw, &Data::of(frame), &marks, out);
        }
        self.hold(Held { raw: frame.raw.to_vec(), data: Data::of(frame), marks });
    }

    /// The upstream tells an error: what is in doubt is never completed.
    fn upstream_error(&mut self, spots: &[Spot], data: &str, marks: &mut Marks, out: &mut Vec<u8>) {
        self.report.upstream_error = Some(dialects::read_error(self.dialect, 200, data));
        self.give_up(out);
        for spot in spots {
            if let Spot::Model(_) | Spot::Usage(_) = spot {
                self.spot(spot.clone(), data, marks);
            }
        }
    }

    fn spot(&mut self, spot: Spot, data: &str, marks: &mut Marks) {
        match spot {
            Spot::Model(span) => self.model(&span, data, marks),
            Spot::Id(span) => remember(&mut self.head.id, data, &span),
            Spot::Created(span) => remember(&mut self.head.created, data, &span),
            Spot::Usage(span) => self.report.usage.update(&usage::usage(self.dialect, &data[span])),
            Spot::Text { part, span, .. } => {
                self.content(part, marks);
                self.text_piece(part, span, data, marks);
            }
            Spot::TextAgain { part, whole } if self.text.is_open_in(part) => {
                marks.slots.push(Slot::TextBlock(whole));
            }
            Spot::Within { part } => self.within(part, data, marks),
            Spot::TextAgain { .. } | Spot::NoCalls { .. } => {}
            Spot::Content { part, may_be_call } => {
                if may_be_call || !self.text.text.is_empty() {
                    self.text.give_up();
                }
                self.content(part, marks).has_unknown |= may_be_call;
            }
            Spot::Call { key, what } => self.call(&key, what, data, marks),
            Spot::Finish { part, span, stop } => self.finish(part, span, &stop, data, marks),
            Spot::Done => {
                self.judge_text(&Stop::EndTurn);
                self.decide_all(|_| true, Finish::Stop, marks);
                self.is_done = true;
            }
            Spot::Error => {}
        }
    }

    fn model(&mut self, span: &Span, data: &str, marks: &mut Marks) {
        if self.report.model.is_none() {
            self.report.model = Some(decoded(data, span).into_owned());
        }
        let name = self.model.as_deref().unwrap_or(&data[span.clone()]);
        if self.head.model.is_none() {
            self.head.model = Some(name.to_owned());
        }
        if name != &data[span.clone()] {
            marks.edits.push((span.clone(), name.to_owned()));
        }
    }

    /// Something that is no call.
    fn content(&mut self, part: u64, marks: &mut Marks) -> &mut Said {
        self.report.has_content = true;
        // What comes next tells that a call was not cut off. Chat does not say where one ends: whole JSON does.
        let is_chat = self.dialect == Dialect::OpenAiChat;
        let is_over = |call: &PassCall| call.is_ended || (is_chat && call.part == part && call.is_json());
        self.decide_all(is_over, Finish::Stop, marks);
        self.said(part)
    }

    /// What the choice has had. Blocks of other dialects are no choices.
    fn said(&mut self, part: u64) -> &mut Said {
        let choice = if self.dialect == Dialect::OpenAiChat { part } else { 0 };
        let at = self.said.iter().rposition(|(of, _)| *of == choice).unwrap_or_else(|| {
            self.said.push((choice, Said::default()));
            self.said.len() - 1
        });
        &mut self.said[at].1
    }

    fn call(&mut self, key: &CallKey, what: What, data: &str, marks: &mut Marks) {
        let at = match self.calls.find(self.dialect, key, &what, data) {
            Meant::Nothing => return,
            Meant::Known(at) => at,
            Meant::New(at) => {
                self.begin(key, at, marks);
                at
            }
        };
        let call = &mut self.calls.0[at];
        match what {
            What::Start => {}
            What::Namespace(span) => {
                call.namespace.get_or_insert_with(|| decoded(data, &span).into_owned());
            }
            What::Name(span) => {
                let sent = decoded(data, &span);
                if call.named.is_none() {
                    call.set_name(&self.mender, &sent);
                } else if self.dialect == Dialect::OpenAiChat && call.name == sent {
                    // Clients put pieces of a name together: it is told once.
                    return marks.edits.push((span, "null".to_owned()));
                } else if self.dialect == Dialect::OpenAiChat && call.sent.is_empty() {
                    // The rest of a name, which clients put together too.
                    let whole = call.name.clone() + &sent;
                    return call.set_name(&self.mender, &whole);
                }
                let new = call.named.as_ref().filter(|_| call.name == sent);
                let namespace = call.namespace.as_deref();
                let new = new.and_then(|named| mend::new_name(self.dialect, named, namespace, &sent));
                marks.edits.extend(new.map(|new| (span, new)));
            }
            What::Fragment(span) => {
                call.push(&self.mender, inside(data, &span));
                if call.decision.is_none() {
                    self.first_open = self.first_open.min(at);
                }
                marks.slots.push(Slot::Fragment { call: at, span, sent: call.sent.len() });
            }
            What::Arguments(span, shape) => self.arguments(at, span, shape, data, marks),
            What::Identity(identity) => self.identify(at, key, &identity, marks),
            What::CallId(span) => self.tell_apart(at, span, data, marks),
            What::NoArguments(span) => {
                let nothing = if Shape::of(self.dialect) == Shape::Object { "{}" } else { "\"\"" };
                marks.edits.push((span, nothing.to_owned()));
            }
            What::End => {
                call.is_ended = true;
                // What is no JSON may have been cut off: what comes next tells.
                if call.is_json() || call.sent.is_empty() {
                    self.decide(at, Finish::Stop, marks);
                } else {
                    marks.slots.push(Slot::End { call: at });
                }
            }
        }
    }

    fn begin(&mut self, key: &CallKey, at: usize, marks: &mut Marks) {
        self.text.give_up();
        // Without an index nothing more can be told of the call before.
        if self.dialect == Dialect::OpenAiChat && key.index.is_none() {
            let before = self.calls.0[..at].iter().rposition(|call| call.part == key.part);
            if let Some(before) = before {
                self.decide(before, Finish::Stop, marks);
            }
        }
        let said = self.content(key.part, marks);
        said.calls += 1;
        said.has_function_call |= key.index == Some(FUNCTION_CALL);
    }

    /// All arguments of a call: at once, or once more.
    fn arguments(&mut self, at: usize, span: Span, shape: Shape, data: &str, marks: &mut Marks) {
        let call = &mut self.calls.0[at];
        let text = told(data, &span, shape);
        if call.sent.is_empty() && call.decision.is_none() {
            call.set_whole(&text);
        }
        // `null` says nothing of what the pieces were.
        let is_null = shape == Shape::Object && text == "null";
        if is_null || call.sent == text {
            marks.slots.push(Slot::Arguments { call: at, span, shape });
            if shape == Shape::Object {
                self.decide(at, Finish::Stop, marks);
            }
            return;
        }
        // It is not what the pieces were: then it is judged by itself.
        let Some(named) = &call.named else { return };
        let finish = if raw::check(&text).is_ok() { Finish::Stop } else { Finish::Length };
        let mended = self.mender.arguments(named, &text, finish);
        self.report.reports.push(mended.report);
        let new = written(&mended.delivery, &text, shape, Shape::of(self.dialect));
        marks.edits.extend(new.map(|new| (span, on_one_line(new))));
    }

    fn finish(&mut self, part: u64, span: Option<Span>, stop: &Stop, data: &str, marks: &mut Marks) {
        self.judge_text(stop);
        // Only the last call can have been cut off.
        let last = self.calls.0.iter().rposition(|call| call.part == part);
        if let Some(last) = last {
            self.decide(last, finish_of(stop), marks);
        }
        self.decide_all(|call| call.part == part, Finish::Stop, marks);
        let said = self.said(part);
        said.is_finished = true;
        let (meant, word) = said.clone().corrected(self.dialect, stop);
        if let (Some(word), Some(span)) = (word, span) {
            note_correction(&mut self.report.notes, &decoded(data, &span), word);
            marks.edits.push((span, raw::quote(word)));
        }
        self.report.stop.get_or_insert(meant);
    }

    fn decide_all(&mut self, which: impl Fn(&PassCall) -> bool, finish: Finish, marks: &mut Marks) {
        for at in self.first_open..self.calls.0.len() {
            let call = &self.calls.0[at];
            if call.decision.is_some() {
                // Calls are mostly decided one after the other: those at the start are not looked at again.
                self.first_open += usize::from(at == self.first_open);
            } else if which(call) {
                self.decide(at, finish, marks);
            }
        }
    }

    /// Decides what becomes of a call's arguments.
    fn decide(&mut self, at: usize, finish: Finish, marks: &Marks) {
        let call = &mut self.calls.0[at];
        if call.decision.is_some() {
            return;
        }
        // Nothing is what a call without arguments has in Anthropic's streams.
        if self.dialect == Dialect::AnthropicMessages && call.sent.is_empty() {
            call.sent.push_str("{}");
        }
        self.report.reports.extend(call.decide(&self.mender, finish));
        // Without a name nothing can be said.
        let decision = call.decision.get_or_insert(Delivery::AsSent);
        if matches!(decision, Delivery::Instead(_)) && !call.is_whole {
            self.make_room(at, marks);
        }
    }
}

/// White space between values may be anything: in streams it must not end a line.
fn on_one_line(json: String) -> String {
    if json.contains(['\n', '\r']) { json.replace(['\n', '\r'], " ") } else { json }
}

fn remember(known: &mut Option<String>, data: &str, span: &Span) {
    if known.is_none() {
        *known = Some(data[span.clone()].to_owned());
    }
}
