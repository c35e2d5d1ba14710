//! The calls of a stream: which one a frame speaks of, and what is known of it.

use std::cell::Cell;
use std::collections::HashMap;

use toolwright_jsonrpc::raw;

use crate::pass::mend::{self, CallReport, Delivery, Finish, Growing, Mender, Named};
use crate::pass::walk::decoded;
use crate::pass::{CallKey, FUNCTION_CALL, What};
use crate::stream::halves::half_character;
use crate::{Dialect, dialects};

/// The most calls of one answer. No model makes as many; a stream that goes wrong may, and each call takes memory.
pub(super) const MOST_CALLS: usize = 4096;

/// A call.
#[derive(Debug, Default)]
pub struct PassCall {
    pub part: u64,
    pub index: Option<u64>,
    pub(crate) id: Option<String>,
    /// What clients are told: its number in the choice, and whether they were told its id.
    pub number: u64,
    pub is_identified: bool,
    /// The id that clients were told, where the dialect always has one.
    pub told_id: Option<String>,
    pub namespace: Option<String>,
    pub named: Option<Named>,
    pub name: String,
    growing: Option<Growing>,
    /// The arguments so far.
    pub sent: String,
    /// Half of a character that the next piece has the other half of, still escaped.
    half: String,
    /// Whether so many bytes of them are one JSON value: a long text is not read again for every frame behind it.
    checked: Cell<(usize, bool)>,
    /// So many bytes of them are in no doubt.
    safe: usize,
    /// So many bytes of them have left.
    pub left: usize,
    /// Whether they were told at once and not in pieces.
    pub is_whole: bool,
    /// Whether no more of them comes.
    pub is_ended: bool,
    pub decision: Option<Delivery>,
    /// Whether what comes instead has left.
    pub is_replaced: bool,
    /// How many pieces of the arguments have not left.
    pub waiting_pieces: usize,
    /// Whether it waits for a look at what is new of it.
    pub is_changed: bool,
    /// The call before it in its choice.
    pub before: Option<usize>,
}

impl PassCall {
    /// Takes the name.
    pub fn set_name(&mut self, mender: &Mender, sent: &str) {
        let named = mender.name_in(self.namespace.as_deref(), sent);
        let mut growing = Growing::new(mender, &named);
        if !self.sent.is_empty() {
            self.safe = growing.push(&self.sent);
        }
        self.growing = Some(growing);
        self.named = Some(named);
        sent.clone_into(&mut self.name);
    }

    /// Takes a piece of the arguments, still escaped.
    pub fn push(&mut self, mender: &Mender, escaped: &str) {
        if self.is_whole {
            // Pieces count for more than what was told at the start.
            self.is_whole = false;
            self.sent.clear();
            self.checked.take();
            self.decision = None;
            self.growing = self.named.as_ref().map(|named| Growing::new(mender, named));
        }
        let joined;
        let mut piece = escaped;
        if !self.half.is_empty() {
            joined = std::mem::take(&mut self.half) + escaped;
            piece = &joined;
        }
        let whole = piece.len() - half_character(piece);
        piece[whole..].clone_into(&mut self.half);
        let text = raw::Str::from_escaped(&piece[..whole]).decode();
        self.sent.push_str(&text);
        if let Some(growing) = self.growing.as_mut().filter(|_| !text.is_empty()) {
            self.safe = growing.push(&text);
        }
    }

    /// Takes all of the arguments at once.
    pub fn set_whole(&mut self, text: &str) {
        text.clone_into(&mut self.sent);
        self.checked.take();
        self.growing = None;
        self.is_whole = true;
    }

    /// Whether the arguments up to there are in no doubt.
    pub fn is_safe_up_to(&self, sent: usize) -> bool {
        sent == 0 || (self.named.is_some() && self.half.is_empty() && self.safe >= sent)
    }

    /// Whether the arguments so far are one JSON value.
    pub fn is_json(&self) -> bool {
        if !self.half.is_empty() || !self.sent.trim_ascii_end().ends_with('}') {
            return false;
        }
        if self.checked.get().0 != self.sent.len() {
            self.checked.set((self.sent.len(), raw::check(&self.sent).is_ok()));
        }
        self.checked.get().1
    }

    /// Decides what becomes of the arguments.
    pub fn decide(&mut self, mender: &Mender, finish: Finish) -> Option<CallReport> {
        self.growing = None;
        let named = self.named.as_ref()?;
        let (delivery, report) = mend::decide(mender, named, &self.sent, self.left, self.safe, finish);
        self.decision = Some(delivery);
        Some(report)
    }
}

/// All calls of a stream. A frame finds its call without a look at the others.
#[derive(Debug, Default)]
pub struct PassCalls {
    pub list: Vec<PassCall>,
    /// The last call of each choice, and how many of its calls have a number.
    parts: HashMap<u64, (usize, u64)>,
    /// The last call of each index of a choice.
    indexes: HashMap<(u64, u64), usize>,
    ids: HashMap<String, OfId>,
}

/// The calls that have one id.
#[derive(Debug, Default)]
struct OfId {
    /// The last one of each choice.
    last: HashMap<u64, usize>,
    /// The last one of each choice and index.
    last_of_index: HashMap<(u64, Option<u64>), usize>,
    /// Whether clients know a call by it.
    is_known: bool,
}

/// The call that is meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FoundCall {
    /// One that is known.
    Known(usize),
    /// One that begins.
    New(usize),
    /// None of ours.
    Nothing,
}

impl PassCalls {
    /// Which call a frame speaks of.
    pub fn find(&mut self, dialect: Dialect, key: &CallKey, what: &What, data: &str) -> FoundCall {
        if self.are_too_many() {
            return FoundCall::Nothing;
        }
        dialects::of(dialect).find_call(self, key, what, data)
    }

    /// Whether there are more than an answer may have.
    pub fn are_too_many(&self) -> bool {
        self.list.len() > MOST_CALLS
    }

    /// The last call of a choice.
    pub fn last_of(&self, part: u64) -> Option<usize> {
        self.parts.get(&part).map(|(last, _)| *last)
    }

    /// Clients are told of this call: whether it is the first time, and whether they know no other by its id.
    pub fn identify(&mut self, at: usize) -> (bool, bool) {
        let call = &mut self.list[at];
        let is_first = !std::mem::replace(&mut call.is_identified, true);
        let of_id = call.id.as_deref().and_then(|id| self.ids.get_mut(id));
        (is_first, of_id.is_some_and(|of_id| !std::mem::replace(&mut of_id.is_known, true)))
    }

    /// The last call of this index.
    pub(crate) fn of_index(&self, key: &CallKey) -> Option<usize> {
        self.indexes.get(&(key.part, key.index?)).copied()
    }

    /// The last call of this id.
    pub(crate) fn of_id(&self, part: u64, id: &str) -> Option<usize> {
        self.ids.get(id)?.last.get(&part).copied()
    }

    /// The last call with this id whose index is not another.
    pub(crate) fn of_id_and_index(&self, key: &CallKey, id: &str) -> Option<usize> {
        if key.index.is_none() {
            return self.of_id(key.part, id);
        }
        let last_of_index = &self.ids.get(id)?.last_of_index;
        let last = |index: Option<u64>| last_of_index.get(&(key.part, index)).copied();
        last(key.index).max(last(None))
    }

    /// Gives a call the id that it is known by from now on.
    pub(crate) fn set_id(&mut self, at: usize, id: String) {
        let call = &mut self.list[at];
        let of_id = self.ids.entry(id.clone()).or_default();
        let later = |last: &mut usize| *last = at.max(*last);
        of_id.last.entry(call.part).and_modify(later).or_insert(at);
        of_id.last_of_index.entry((call.part, call.index)).and_modify(later).or_insert(at);
        of_id.is_known |= call.is_identified;
        call.id = Some(id);
    }

    /// A call begins.
    pub(crate) fn begin(&mut self, key: &CallKey, data: &str) -> FoundCall {
        let at = self.list.len();
        let before = self.last_of(key.part);
        // The number that clients are told: the next one of the choice, whatever the upstream's is, so that no two calls
        // share one and none is left out.
        let (last, numbered) = self.parts.entry(key.part).or_default();
        let number = *numbered;
        *last = at;
        *numbered += u64::from(key.index != Some(FUNCTION_CALL));
        if let Some(index) = key.index {
            self.indexes.insert((key.part, index), at);
        }
        let call = PassCall { part: key.part, index: key.index, number, before, ..PassCall::default() };
        self.list.push(call);
        if let Some(id) = &key.id {
            self.set_id(at, decoded(data, id).into_owned());
        }
        FoundCall::New(at)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;

    #[test]
    fn halves_of_characters_wait_for_the_other_half() {
        let mut call = PassCall::default();
        let mender = Mender::new(Arc::default(), Arc::default(), true);
        call.push(&mender, r"x\ud83d");
        assert_eq!((call.sent.as_str(), call.is_safe_up_to(1)), ("x", false));
        call.push(&mender, r"\ude00y");
        assert_eq!(call.sent, "x😀y");
    }
}
