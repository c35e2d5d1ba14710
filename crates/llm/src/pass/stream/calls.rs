//! The calls of a stream: which one a frame speaks of, and what is known of it.

use std::cell::Cell;

use toolwright_jsonrpc::raw;

use crate::Dialect;
use crate::pass::mend::{self, CallReport, Delivery, Finish, Growing, Mender, Named};
use crate::pass::spots::openai_chat::FUNCTION_CALL;
use crate::pass::walk::decoded;
use crate::pass::{CallKey, What};
use crate::stream::halves::half_character;

/// The most calls of one answer. No model makes as many; a stream that goes wrong may, and each call is compared with
/// the others.
pub(super) const MOST_CALLS: usize = 4096;

/// A call.
#[derive(Debug, Default)]
pub(super) struct PassCall {
    pub part: u64,
    pub index: Option<u64>,
    id: Option<String>,
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

/// All calls of a stream.
#[derive(Debug, Default)]
pub(super) struct PassCalls(pub Vec<PassCall>);

/// The call that is meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Meant {
    /// One that is known.
    Known(usize),
    /// One that begins.
    New(usize),
    /// None of ours.
    Nothing,
}

impl PassCalls {
    /// Which call a frame speaks of.
    pub fn find(&mut self, dialect: Dialect, key: &CallKey, what: &What, data: &str) -> Meant {
        if self.are_too_many() {
            return Meant::Nothing;
        }
        match dialect {
            Dialect::AnthropicMessages | Dialect::OllamaChat if *what == What::Start => self.begin(key, data),
            // Pieces of other blocks look the same.
            Dialect::AnthropicMessages => self.of_index(key).map_or(Meant::Nothing, Meant::Known),
            Dialect::OllamaChat => self.0.len().checked_sub(1).map_or(Meant::Nothing, Meant::Known),
            Dialect::OpenAiResponses => {
                let id = key.id.as_ref().map(|id| decoded(data, id));
                let known = self.of_index(key).or_else(|| self.of_id(0, &id?, |_| true));
                match known {
                    Some(call) => Meant::Known(call),
                    None if *what == What::End => Meant::Nothing,
                    None => self.begin(key, data),
                }
            }
            Dialect::OpenAiChat => self.of_delta(key, what, data),
        }
    }

    /// A new, different id is a new call; else the index tells; else it is the last. A name for a call whose arguments
    /// are whole is a new call too, and so is one under an index of its own, whatever its id is.
    fn of_delta(&mut self, key: &CallKey, what: &What, data: &str) -> Meant {
        let id = key.id.as_ref().map(|id| decoded(data, id));
        let of_id = id.as_ref().and_then(|id| {
            let is_it =
                |call: &PassCall| call.index.is_none() || key.index.is_none() || call.index == key.index;
            self.of_id(key.part, id, is_it).or_else(|| {
                let begins = matches!(what, What::Name(_)) && self.of_index(key).is_none();
                self.of_id(key.part, id, |_| !begins)
            })
        });
        if let Some(at) = of_id {
            let call = &self.0[at];
            let is_another =
                matches!(what, What::Name(name) if call.named.is_some() && call.name != decoded(data, name));
            return if is_another && call.is_json() { self.begin(key, data) } else { Meant::Known(at) };
        }
        let at = match key.index {
            Some(_) => self.of_index(key),
            None => self.0.iter().rposition(|call| call.part == key.part),
        };
        let Some(at) = at else { return self.begin(key, data) };
        let call = &mut self.0[at];
        let is_new_id = id.is_some() && call.id.is_some();
        if is_new_id || (matches!(what, What::Name(_)) && call.named.is_some() && call.is_json()) {
            return self.begin(key, data);
        }
        if let Some(id) = id {
            call.id = Some(id.into_owned());
        }
        Meant::Known(at)
    }

    /// Whether there are more than an answer may have.
    pub fn are_too_many(&self) -> bool {
        self.0.len() > MOST_CALLS
    }

    /// The number that clients are told: the next one of the choice, whatever the upstream's is, so that no two calls
    /// share one and none is left out.
    fn next_number(&self, key: &CallKey) -> u64 {
        let is_other = |call: &&PassCall| call.part == key.part && call.index != Some(FUNCTION_CALL);
        self.0.iter().filter(is_other).count() as u64
    }

    /// Whether another call that clients know has the id of this one.
    pub fn is_id_free(&self, at: usize) -> bool {
        let id = &self.0[at].id;
        let mut others = self.0.iter();
        id.is_some() && !others.any(|call| call.is_identified && call.id == *id)
    }

    fn of_index(&self, key: &CallKey) -> Option<usize> {
        key.index?;
        self.0.iter().rposition(|call| call.index == key.index && call.part == key.part)
    }

    fn of_id(&self, part: u64, id: &str, is_it: impl Fn(&PassCall) -> bool) -> Option<usize> {
        self.0.iter().rposition(|call| call.part == part && call.id.as_deref() == Some(id) && is_it(call))
    }

    fn begin(&mut self, key: &CallKey, data: &str) -> Meant {
        let id = key.id.as_ref().map(|id| decoded(data, id).into_owned());
        let number = self.next_number(key);
        self.0.push(PassCall { part: key.part, index: key.index, id, number, ..PassCall::default() });
        Meant::New(self.0.len() - 1)
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
