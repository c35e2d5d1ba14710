//! Text that may be nothing but calls.

use super::State;
use crate::dialects;
use crate::form::Stop;
use crate::pass::ending::{finish_of, note_text_calls};
use crate::pass::mend::Finish;
use crate::pass::stream::held::{Marks, Slot};
use crate::pass::stream::text::{HeldText, Verdict};
use crate::pass::walk::inside;
use crate::pass::{Span, text_calls};

impl State {
    /// A piece of text, which may be a piece of a call.
    pub(super) fn text_piece(&mut self, part: u64, span: Span, data: &str, marks: &mut Marks) {
        if !self.text.is_open() {
            return;
        }
        self.text.push(&self.rules, part, inside(data, &span), data);
        if self.text.is_open() {
            let is_in_block = self.rules.has_text_blocks;
            marks.slots.push(if is_in_block { Slot::TextFrame } else { Slot::Text(span) });
        }
    }

    /// A frame that belongs to a block and says nothing new.
    pub(super) fn within(&mut self, part: u64, data: &str, marks: &mut Marks) {
        if !self.text.is_open() || !self.rules.has_text_blocks {
            return;
        }
        if self.rules.announces_text {
            self.text.begin(part, data);
        }
        if self.text.is_open_in(part) {
            marks.slots.push(Slot::TextFrame);
        }
    }

    /// The answer is over: now it is known whether its text is nothing but calls.
    pub(super) fn judge_text(&mut self, stop: &Stop) {
        if !self.text.is_open() {
            return;
        }
        if finish_of(stop) != Finish::Stop || self.text.text.is_empty() {
            return self.text.give_up();
        }
        let HeldText { tools, id_seed, text, part, sequence, .. } = &self.text;
        let reports = &mut self.report.reports;
        let calls = text_calls::find(self.dialect, text, tools, id_seed, &self.mender, reports);
        if calls.is_empty() {
            return self.text.give_up();
        }
        let first = part.unwrap_or(0);
        let frames = dialects::of(self.dialect).write_text_call_frames(&self.head, &calls, first, *sequence);
        note_text_calls(&mut self.report.notes, calls.len());
        self.report.text_calls = calls.len();
        self.said(0).calls += calls.len();
        self.text.verdict = Verdict::Calls(calls);
        if self.rules.has_text_blocks {
            self.insert(frames, Slot::is_text);
        } else {
            self.insert(frames, |_| false);
        }
    }
}
