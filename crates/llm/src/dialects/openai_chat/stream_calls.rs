//! Which call a delta of Chat belongs to.
//!
//! Providers disagree on how to say it. In order: a new id is a new call, even under an index that is known; else the
//! index says it; else it is the last call. A name for a call whose arguments are complete is a new call.
//!
//! Names may come in pieces, which clients put together. So a call starts with its first arguments, or when something
//! else comes: only then its name is known to be whole.

use crate::form::Event;
use crate::stream::progress::Progress;
use crate::{Failure, FailureKind};

/// The most calls of one answer. No model makes as many; a stream that goes wrong may.
const MOST_CALLS: usize = 4096;

/// A piece of a call, as a delta has it.
#[derive(Debug, Default)]
pub(super) struct Piece<'a> {
    pub(super) index: Option<u64>,
    pub(super) id: Option<&'a str>,
    pub(super) name: Option<&'a str>,
    pub(super) arguments: &'a str,
}

/// The calls of one stream.
#[derive(Debug)]
pub(super) struct Calls {
    seed: String,
    calls: Vec<Call>,
    started: usize,
}

#[derive(Debug, Default)]
struct Call {
    index: Option<u64>,
    /// The id as the upstream gave it.
    id: Option<String>,
    name: String,
    /// Its number, once it was told.
    number: Option<usize>,
    /// Arguments that came before the name.
    waiting: String,
    progress: Progress,
    has_arguments: bool,
    /// The name came once more when all was said: more arguments are another call.
    may_repeat: bool,
    is_ended: bool,
}

enum Belongs {
    To(usize),
    ToNew,
    ToNone,
}

impl Calls {
    pub(super) fn new(seed: &str) -> Calls {
        Calls { seed: seed.to_owned(), calls: Vec::new(), started: 0 }
    }

    /// Whether there was any call.
    pub(super) fn is_empty(&self) -> bool {
        self.calls.is_empty()
    }

    /// Takes a piece of a call.
    pub(super) fn piece(&mut self, piece: &Piece<'_>, out: &mut Vec<Event>) -> Result<(), Failure> {
        if piece.id.is_none() && piece.name.is_none() && piece.arguments.is_empty() {
            return Ok(());
        }
        let at = match self.place(piece) {
            Belongs::ToNone => return Ok(()),
            Belongs::To(at) => at,
            Belongs::ToNew if self.calls.len() == MOST_CALLS => {
                let message = format!("The upstream began more than {MOST_CALLS} calls in one answer.");
                return Err(Failure::new(FailureKind::Api, message).with_status(502));
            }
            Belongs::ToNew => {
                self.start_named(out);
                self.end_complete(out);
                // Without a name of its own it is the tool that was named last under this index.
                let before =
                    self.calls.iter().rev().find(|call| call.may_repeat && call.index == piece.index);
                let name =
                    piece.name.or(before.map(|call| call.name.as_str())).unwrap_or_default().to_owned();
                let id = piece.id.map(str::to_owned);
                self.calls.push(Call { index: piece.index, id, name, ..Call::default() });
                self.calls.len() - 1
            }
        };
        self.add(at, piece, out);
        Ok(())
    }

    /// Something else than a call begins: no more of a name comes, and calls whose arguments are complete are ended, so
    /// that it need not wait.
    pub(super) fn end_complete(&mut self, out: &mut Vec<Event>) {
        self.start_named(out);
        for call in self.calls.iter_mut().filter(|call| !call.is_ended) {
            // `{}` may be what a provider says before it knows better.
            let (true, Some(number)) = (call.progress.is_complete_and_says_something(), call.number) else {
                continue;
            };
            call.is_ended = true;
            out.push(Event::CallEnd { call: number });
        }
    }

    /// All calls are ended.
    pub(super) fn end_all(&mut self, out: &mut Vec<Event>) {
        for at in 0..self.calls.len() {
            let call = &self.calls[at];
            // One without a name is a call of nothing: who reads it says so to the model, which is better than silence.
            if call.number.is_none() && (call.has_arguments || !call.name.is_empty()) {
                self.start(at, out);
            }
            let call = &mut self.calls[at];
            if let (Some(number), false) = (call.number, call.is_ended) {
                call.is_ended = true;
                out.push(Event::CallEnd { call: number });
            }
        }
    }

    fn place(&mut self, piece: &Piece<'_>) -> Belongs {
        let by_index = || self.calls.iter().rposition(|call| call.index == piece.index);
        let by_id =
            piece.id.and_then(|id| self.calls.iter().rposition(|call| call.id.as_deref() == Some(id)));
        let found = match (piece.index, piece.id) {
            (Some(_), Some(_)) => by_index().or(by_id.filter(|_| piece.name.is_none())),
            (Some(_), None) => by_index(),
            (None, _) => by_id.or(self.calls.len().checked_sub(1)),
        };
        let Some(at) = found else {
            return Belongs::ToNew;
        };
        let call = &mut self.calls[at];
        let is_complete = call.progress.is_complete();
        let says_something = !piece.arguments.trim().is_empty();
        let is_same_id = piece.id.is_some() && piece.id == call.id.as_deref();
        let is_new_id = piece.id.is_some() && call.id.is_some() && !is_same_id;
        let is_new = match piece.name {
            // Some give every delta another id. Without a name nothing new begins, unless all was said before.
            None if is_complete => says_something && (is_new_id || call.may_repeat),
            None => false,
            Some(_) if is_new_id => true,
            Some(_) if call.name.is_empty() => false,
            // Name and id in every delta: only another object is another call.
            Some(name) if is_same_id => {
                is_complete && (name != call.name || piece.arguments.trim_start().starts_with('{'))
            }
            // The rest of a name, where the index says that it is the same call.
            Some(name) if name != call.name => piece.index.is_none() || call.number.is_some(),
            Some(_) if is_complete && !says_something => {
                call.may_repeat = true;
                return Belongs::ToNone;
            }
            Some(_) => is_complete,
        };
        match (is_new, call.is_ended) {
            (true, _) => Belongs::ToNew,
            (false, false) => Belongs::To(at),
            // More brackets than were opened, behind a call that was told as complete.
            (false, true) => Belongs::ToNone,
        }
    }

    fn add(&mut self, at: usize, piece: &Piece<'_>, out: &mut Vec<Event>) {
        let call = &mut self.calls[at];
        call.progress.feed(piece.arguments);
        call.has_arguments |= !piece.arguments.is_empty();
        if call.name.is_empty() {
            call.id = call.id.take().or_else(|| piece.id.map(str::to_owned));
        }
        // What is told once more is no piece of it.
        if let Some(name) = piece.name.filter(|name| call.number.is_none() && *name != call.name) {
            call.name.push_str(name);
        }
        match call.number {
            Some(number) if !piece.arguments.is_empty() => {
                out.push(Event::CallArguments { call: number, text: piece.arguments.to_owned() });
            }
            Some(_) => {}
            None => {
                call.waiting.push_str(piece.arguments);
                if !call.name.is_empty() && call.has_arguments {
                    self.start(at, out);
                }
            }
        }
    }

    /// The names that were told are whole. Only the last call can have one that is not.
    fn start_named(&mut self, out: &mut Vec<Event>) {
        if let Some(last) = self.calls.len().checked_sub(1)
            && self.calls[last].number.is_none()
            && !self.calls[last].name.is_empty()
        {
            self.start(last, out);
        }
    }

    fn start(&mut self, at: usize, out: &mut Vec<Event>) {
        let number = self.started;
        self.started += 1;
        let given = self.calls[at].id.clone();
        // Two calls of one id could not be answered.
        let id = given
            .filter(|id| !self.calls.iter().any(|call| call.number.is_some() && call.id.as_ref() == Some(id)))
            .unwrap_or_else(|| format!("call_{}_{number}", self.seed));
        let call = &mut self.calls[at];
        call.number = Some(number);
        out.push(Event::CallStart { call: number, id, name: call.name.clone() });
        if !call.waiting.is_empty() {
            out.push(Event::CallArguments { call: number, text: std::mem::take(&mut call.waiting) });
        }
    }
}
