//! What leaves, and when: frames that wait, and what takes the place of what they had.

use toolwright_jsonrpc::raw;

use super::{State, on_one_line};
use crate::dialects;
use crate::pass::document::written;
use crate::pass::mend::Delivery;
use crate::pass::stream::calls::PassCall;
use crate::pass::stream::held::{self, Data, Held, Marks, Slot};
use crate::pass::stream::text::Verdict;
use crate::pass::{Shape, text_calls};

impl State {
    /// What comes instead needs a piece that has not left yet. Where there is none, one is made.
    pub(super) fn make_room(&mut self, at: usize) {
        let call = &mut self.calls.list[at];
        if call.waiting_pieces > 0 {
            return;
        }
        let Some(rest) = rest_of(call) else { return };
        let index = if self.rules.has_deltas { call.number } else { call.index.unwrap_or(0) };
        let frame = dialects::of(self.dialect).write_fragment_frame(&self.head, call.part, index, rest);
        let Some(frame) = frame.filter(|_| !rest.is_empty()) else { return };
        call.is_replaced = true;
        self.insert(frame, |slot| slot.is_of(at));
    }

    /// Puts frames of ours before the first one that has such a slot, or behind all.
    pub(super) fn insert(&mut self, frames: String, which: impl Fn(&Slot) -> bool) {
        let place = self.held.iter().position(|held| held.marks.slots.iter().any(&which));
        let raw = frames.into_bytes();
        self.held_bytes += raw.len();
        let held = Held { raw, data: Data::At(0..0), marks: Marks::default() };
        self.held.insert(place.unwrap_or(self.held.len()), held);
    }

    pub(super) fn hold(&mut self, held: Held) {
        self.held_bytes += held.raw.len();
        self.held.push_back(held);
    }

    pub(super) fn flush(&mut self, out: &mut Vec<u8>) {
        while self.held.front().is_some_and(|front| self.is_ready(&front.marks)) {
            let Some(mut front) = self.held.pop_front() else { return };
            self.held_bytes -= front.raw.len();
            self.fill(&mut front.marks);
            held::write(&front.raw, &front.data, &front.marks, out);
        }
    }

    /// Whether all that the frame waits for is decided.
    pub(super) fn is_ready(&self, marks: &Marks) -> bool {
        let is_decided = |call: usize| self.calls.list[call].decision.is_some();
        marks.slots.iter().all(|slot| match slot {
            Slot::Fragment { call, sent, .. } => {
                self.calls.list[*call].is_safe_up_to(*sent) || is_decided(*call)
            }
            Slot::Arguments { call, .. } | Slot::End { call } => is_decided(*call),
            Slot::Text(_) | Slot::TextBlock(_) | Slot::TextFrame => !self.text.is_open(),
        })
    }

    /// Makes edits of what was decided.
    pub(super) fn fill(&mut self, marks: &mut Marks) {
        for slot in marks.slots.drain(..) {
            match slot {
                Slot::Fragment { call, span, sent } => {
                    let call = &mut self.calls.list[call];
                    call.waiting_pieces -= 1;
                    if let Some(new) = call.piece(sent) {
                        marks.edits.push((span, raw::quote(&new)));
                    }
                }
                Slot::Arguments { call, span, shape } => {
                    let call = &self.calls.list[call];
                    let decision = call.decision.as_ref().unwrap_or(&Delivery::AsSent);
                    let new = written(decision, &call.sent, shape, Shape::of(self.dialect));
                    marks.edits.extend(new.map(|new| (span, on_one_line(new))));
                }
                Slot::End { .. } => {}
                slot => {
                    let Verdict::Calls(calls) = &self.text.verdict else { continue };
                    match slot {
                        Slot::Text(span) => marks.edits.push((span, "\"\"".to_owned())),
                        Slot::TextBlock(span) => {
                            marks.edits.push((span, text_calls::items(self.dialect, calls)));
                        }
                        _ => marks.is_dropped = true,
                    }
                }
            }
        }
    }
}

impl PassCall {
    /// What to write in the place of the piece that leaves now.
    fn piece(&mut self, sent: usize) -> Option<String> {
        if !matches!(self.decision, Some(Delivery::Instead(_))) {
            self.left = sent;
            return None;
        }
        if std::mem::replace(&mut self.is_replaced, true) {
            return Some(String::new());
        }
        let rest = rest_of(self).map(str::to_owned);
        // Without a rest, what was decided does not fit what has left: then it stays as it was sent.
        self.is_replaced = rest.is_some();
        rest
    }
}

/// What comes instead, after what has left.
fn rest_of(call: &PassCall) -> Option<&str> {
    let Some(Delivery::Instead(text)) = &call.decision else { return None };
    text.strip_prefix(call.sent.get(..call.left)?)
}
