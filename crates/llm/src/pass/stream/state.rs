//! What a stream is at: its calls, the frames that wait for them, and what is told about all of it.

mod identity;
mod leaving;
mod spoken;

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

use toolwright_jsonrpc::raw;

use super::PassReport;
use super::calls::{FoundCall, PassCalls};
use super::held::{self, Data, Held, Marks, Slot};
use super::text::HeldText;
use crate::form::{CallIds, Stop};
use crate::pass::document::{told, written};
use crate::pass::ending::{Said, finish_of, note_correction};
use crate::pass::mend::{self, Delivery, Finish, Mender};
use crate::pass::walk::{decoded, inside};
use crate::pass::{
    CallKey, FUNCTION_CALL, Head, PassOptions, Shape, Span, Spot, StreamRules, What, spots_in_frame,
};
use crate::stream::Frame;
use crate::{Dialect, dialects};

#[derive(Debug)]
pub(super) struct State {
    pub dialect: Dialect,
    rules: StreamRules,
    mender: Arc<Mender>,
    /// The client's name of the model, quoted.
    model: Option<String>,
    head: Head,
    /// What each choice has had.
    said: HashMap<u64, Said>,
    /// So many of the choices are not finished.
    unfinished: usize,
    calls: PassCalls,
    /// The ids of calls that clients were told.
    ids: CallIds,
    held: VecDeque<Held>,
    held_bytes: usize,
    text: HeldText,
    /// The calls of each part that are not decided; some of them may be by now.
    open: HashMap<u64, Vec<usize>>,
    /// The calls of each choice that have new arguments, or have ended, since it had something that is no call: only
    /// these can have become whole.
    changed: HashMap<u64, Vec<usize>>,
    is_done: bool,
    pub report: PassReport,
    /// Kept for its memory.
    spots: Vec<Spot>,
}

impl State {
    pub fn new(dialect: Dialect, mender: Arc<Mender>, options: &PassOptions) -> State {
        State {
            dialect,
            rules: dialects::of(dialect).stream_rules(),
            mender,
            model: options.model.as_deref().map(raw::quote),
            head: Head::default(),
            said: HashMap::new(),
            unfinished: 0,
            calls: PassCalls::default(),
            ids: CallIds::default(),
            held: VecDeque::new(),
            held_bytes: 0,
            text: HeldText::new(options),
            open: HashMap::new(),
            changed: HashMap::new(),
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
        let may_lack_end = self.rules.closing_frame.is_some();
        let is_finished = || !self.said.is_empty() && self.unfinished == 0;
        self.report.upstream_error.is_none() && (self.is_done || (may_lack_end && is_finished()))
    }

    /// The frame that clients wait for, where all was said but for it.
    pub fn missing_closing_frame(&self) -> Option<&'static str> {
        self.rules.closing_frame.filter(|_| self.is_over() && !self.is_done)
    }

    /// The stream ends badly. Text that waits is text; what is in doubt of a call does not leave.
    pub fn give_up(&mut self, out: &mut Vec<u8>) {
        self.text.give_up();
        self.flush(out);
        for slot in self.held.drain(..).flat_map(|held| held.marks.slots) {
            if let Slot::Fragment { call, .. } = slot {
                self.calls.list[call].waiting_pieces -= 1;
            }
        }
        self.held_bytes = 0;
    }

    /// Takes a frame, and writes it and those before it as far as they may leave.
    pub fn frame(&mut self, frame: &Frame<'_>, out: &mut Vec<u8>) {
        let mut marks = Marks::default();
        if !frame.data.is_empty() {
            marks.event = dialects::of(self.dialect).missing_event(frame);
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
        self.report.upstream_error = Some(dialects::of(self.dialect).read_error(200, data));
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
            Spot::Usage(span) => {
                self.report.usage.update(&dialects::of(self.dialect).read_usage(&data[span]))
            }
            Spot::Text { part, span, .. } => {
                self.content(part);
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
                self.content(part).has_unknown |= may_be_call;
            }
            Spot::Call { key, what } => self.call(&key, what, data, marks),
            Spot::Finish { part, span, stop } => self.finish(part, span, &stop, data, marks),
            Spot::Done => {
                self.judge_text(&Stop::EndTurn);
                let mut open: Vec<usize> = self.open.drain().flat_map(|(_, calls)| calls).collect();
                open.sort_unstable();
                open.into_iter().for_each(|at| self.decide(at, Finish::Stop));
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
    fn content(&mut self, part: u64) -> &mut Said {
        self.report.has_content = true;
        // What comes next tells that a call was not cut off. Deltas do not say where one ends: whole JSON does.
        let has_deltas = self.rules.has_deltas;
        let changed = self.changed.get_mut(&self.choice(part)).map(std::mem::take).unwrap_or_default();
        for at in changed {
            let call = &mut self.calls.list[at];
            call.is_changed = false;
            if call.is_ended || (has_deltas && call.is_json()) {
                self.decide(at, Finish::Stop);
            }
        }
        self.said(part)
    }

    /// The choice that a part is of. Blocks of other dialects are no choices.
    fn choice(&self, part: u64) -> u64 {
        if self.rules.has_choices { part } else { 0 }
    }

    /// What the choice has had.
    fn said(&mut self, part: u64) -> &mut Said {
        self.said.entry(self.choice(part)).or_insert_with(|| {
            self.unfinished += 1;
            Said::default()
        })
    }

    /// A call has new arguments, or has ended.
    fn change(&mut self, at: usize) {
        let call = &mut self.calls.list[at];
        if !std::mem::replace(&mut call.is_changed, true) {
            let choice = if self.rules.has_choices { call.part } else { 0 };
            self.changed.entry(choice).or_default().push(at);
        }
    }

    fn call(&mut self, key: &CallKey, what: What, data: &str, marks: &mut Marks) {
        let at = match self.calls.find(self.dialect, key, &what, data) {
            FoundCall::Nothing => return,
            FoundCall::Known(at) => at,
            FoundCall::New(at) => {
                self.begin(key, at);
                at
            }
        };
        let call = &mut self.calls.list[at];
        match what {
            What::Start => {}
            What::Namespace(span) => {
                call.namespace.get_or_insert_with(|| decoded(data, &span).into_owned());
            }
            What::Name(span) => {
                let sent = decoded(data, &span);
                if call.named.is_none() {
                    call.set_name(&self.mender, &sent);
                } else if self.rules.has_deltas && call.name == sent {
                    // Clients put pieces of a name together: it is told once.
                    return marks.edits.push((span, "null".to_owned()));
                } else if self.rules.has_deltas && call.sent.is_empty() {
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
                let was_decided = call.decision.is_some();
                call.push(&self.mender, inside(data, &span));
                call.waiting_pieces += 1;
                marks.slots.push(Slot::Fragment { call: at, span, sent: call.sent.len() });
                if was_decided && call.decision.is_none() {
                    self.open.entry(call.part).or_default().push(at);
                }
                self.change(at);
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
                    self.decide(at, Finish::Stop);
                } else {
                    marks.slots.push(Slot::End { call: at });
                    self.change(at);
                }
            }
        }
    }

    fn begin(&mut self, key: &CallKey, at: usize) {
        self.text.give_up();
        self.open.entry(key.part).or_default().push(at);
        // Without an index nothing more can be told of the call before.
        if self.rules.has_deltas
            && key.index.is_none()
            && let Some(before) = self.calls.list[at].before
        {
            self.decide(before, Finish::Stop);
        }
        let said = self.content(key.part);
        said.calls += 1;
        said.has_function_call |= key.index == Some(FUNCTION_CALL);
    }

    /// All arguments of a call: at once, or once more.
    fn arguments(&mut self, at: usize, span: Span, shape: Shape, data: &str, marks: &mut Marks) {
        let call = &mut self.calls.list[at];
        let text = told(data, &span, shape);
        if call.sent.is_empty() && call.decision.is_none() {
            call.set_whole(&text);
            self.change(at);
        }
        let call = &self.calls.list[at];
        // `null` says nothing of what the pieces were.
        let is_null = shape == Shape::Object && text == "null";
        if is_null || call.sent == text {
            marks.slots.push(Slot::Arguments { call: at, span, shape });
            if shape == Shape::Object {
                self.decide(at, Finish::Stop);
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
        let last = self.calls.last_of(part);
        if let Some(last) = last {
            self.decide(last, finish_of(stop));
        }
        for at in self.open.get_mut(&part).map(std::mem::take).unwrap_or_default() {
            self.decide(at, Finish::Stop);
        }
        let said = self.said(part);
        let was_finished = std::mem::replace(&mut said.is_finished, true);
        let (meant, word) = said.clone().corrected(self.dialect, stop);
        if let (Some(word), Some(span)) = (word, span) {
            note_correction(&mut self.report.notes, &decoded(data, &span), word);
            marks.edits.push((span, raw::quote(word)));
        }
        self.unfinished -= usize::from(!was_finished);
        self.report.stop.get_or_insert(meant);
    }

    /// Decides what becomes of a call's arguments.
    fn decide(&mut self, at: usize, finish: Finish) {
        let call = &mut self.calls.list[at];
        if call.decision.is_some() {
            return;
        }
        if self.rules.is_nothing_empty_object && call.sent.is_empty() {
            call.sent.push_str("{}");
        }
        self.report.reports.extend(call.decide(&self.mender, finish));
        // Without a name nothing can be said.
        let decision = call.decision.get_or_insert(Delivery::AsSent);
        if matches!(decision, Delivery::Instead(_)) && !call.is_whole {
            self.make_room(at);
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
