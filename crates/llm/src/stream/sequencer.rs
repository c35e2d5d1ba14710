//! Calls one after the other, whatever order their pieces come in.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, VecDeque};

use crate::form::{CallIds, Event};

/// Holds what belongs to a later call, and all that comes behind an open one, until the calls before it are complete.
///
/// After it the events of a call stand together: its start, its arguments, its end; and calls are numbered 0, 1, 2 in
/// the order in which they leave. A call that is alone streams through. What is held is never more than the stream has
/// brought, so the limit of the stream is the limit of the memory.
#[derive(Debug, Default)]
pub struct Sequencer {
    /// The call whose pieces pass: its number as it came, and as it leaves.
    open: Option<(usize, usize)>,
    /// How many calls have left.
    calls: usize,
    /// Their ids: no two calls leave with the same.
    ids: CallIds,
    /// What waits, in its order.
    held: VecDeque<Held>,
    /// The calls that wait, by their numbers as they came.
    held_calls: BTreeMap<usize, HeldCall>,
    is_over: bool,
}

#[derive(Debug)]
enum Held {
    Event(Event),
    Call(usize),
}

#[derive(Debug)]
struct HeldCall {
    id: String,
    name: String,
    arguments: String,
    is_complete: bool,
}

impl Sequencer {
    /// Takes the next event and gives what may leave by now. Nothing leaves after [`Event::Done`] or [`Event::Error`].
    pub fn push(&mut self, event: Event, out: &mut Vec<Event>) {
        if self.is_over {
            return;
        }
        match event {
            Event::CallStart { call, id, name } => {
                if self.open.is_none() {
                    self.start(call, id, name, out);
                } else if let Entry::Vacant(place) = self.held_calls.entry(call) {
                    place.insert(HeldCall { id, name, arguments: String::new(), is_complete: false });
                    self.held.push_back(Held::Call(call));
                }
            }
            Event::CallArguments { call, text } => {
                if let Some((_, number)) = self.open.filter(|(open, _)| *open == call) {
                    out.push(Event::CallArguments { call: number, text });
                } else if let Some(held) = self.held_calls.get_mut(&call) {
                    held.arguments.push_str(&text);
                }
            }
            Event::CallEnd { call } => {
                if self.open.is_some_and(|(open, _)| open == call) {
                    self.end_open(out);
                    self.release(out);
                } else if let Some(held) = self.held_calls.get_mut(&call) {
                    held.is_complete = true;
                }
            }
            Event::Done => {
                self.is_over = true;
                // The upstream says that all is well, so the calls it did not end are complete too.
                while self.open.is_some() {
                    self.end_open(out);
                    self.release(out);
                }
                out.push(Event::Done);
            }
            Event::Error(_) => {
                // What is half stays half: no end is made up, and what waits behind it is not told.
                self.is_over = true;
                self.held.clear();
                self.held_calls.clear();
                out.push(event);
            }
            Event::Usage(_) | Event::Start { .. } => out.push(event),
            event if self.open.is_none() => out.push(event),
            event => self.held.push_back(Held::Event(event)),
        }
    }

    fn start(&mut self, call: usize, id: String, name: String, out: &mut Vec<Event>) {
        let id = self.ids.take(id);
        out.push(Event::CallStart { call: self.calls, id, name });
        self.open = Some((call, self.calls));
        self.calls += 1;
    }

    fn end_open(&mut self, out: &mut Vec<Event>) {
        if let Some((_, call)) = self.open.take() {
            out.push(Event::CallEnd { call });
        }
    }

    /// Gives what waits, up to a call that is not complete: that one is open then.
    fn release(&mut self, out: &mut Vec<Event>) {
        while self.open.is_none() {
            match self.held.pop_front() {
                None => return,
                Some(Held::Event(event)) => out.push(event),
                Some(Held::Call(number)) => {
                    let Some(held) = self.held_calls.remove(&number) else { continue };
                    let call = self.calls;
                    self.start(number, held.id, held.name, out);
                    if !held.arguments.is_empty() {
                        out.push(Event::CallArguments { call, text: held.arguments });
                    }
                    if held.is_complete {
                        self.end_open(out);
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::form::{Stop, Usage};
    use crate::{Failure, FailureKind};

    fn start(call: usize) -> Event {
        Event::CallStart { call, id: format!("id{call}"), name: format!("tool{call}") }
    }

    fn arguments(call: usize, text: &str) -> Event {
        Event::CallArguments { call, text: text.into() }
    }

    fn end(call: usize) -> Event {
        Event::CallEnd { call }
    }

    fn text(text: &str) -> Event {
        Event::Text(text.into())
    }

    fn through(events: &[Event]) -> Vec<Event> {
        let mut sequencer = Sequencer::default();
        let mut out = Vec::new();
        for event in events {
            sequencer.push(event.clone(), &mut out);
        }
        out
    }

    #[test]
    fn one_call_after_the_other_streams_through() {
        let events = [
            text("a"),
            start(0),
            arguments(0, "{"),
            arguments(0, "}"),
            end(0),
            start(1),
            end(1),
            text("b"),
            Event::Done,
        ];
        assert_eq!(through(&events), events);
    }

    #[test]
    fn pieces_of_a_later_call_wait_for_the_one_before() {
        let events = [
            start(0),
            arguments(0, "{0"),
            start(1),
            arguments(1, "{1"),
            arguments(0, "0}"),
            arguments(1, "1}"),
            end(0),
            arguments(1, " "),
            end(1),
        ];
        let expected = [
            start(0),
            arguments(0, "{0"),
            arguments(0, "0}"),
            end(0),
            start(1),
            arguments(1, "{11}"),
            arguments(1, " "),
            end(1),
        ];
        assert_eq!(through(&events), expected);
    }

    #[test]
    fn what_comes_behind_open_calls_comes_behind_them() {
        let events = [
            start(0),
            start(1),
            text("after"),
            start(2),
            arguments(2, "{}"),
            end(2),
            end(1),
            Event::Usage(Usage::default()),
            end(0),
            Event::Finish { stop: Stop::ToolUse, stop_sequence: None },
        ];
        let expected = [
            start(0),
            Event::Usage(Usage::default()),
            end(0),
            start(1),
            end(1),
            text("after"),
            start(2),
            arguments(2, "{}"),
            end(2),
            Event::Finish { stop: Stop::ToolUse, stop_sequence: None },
        ];
        assert_eq!(through(&events), expected);
    }

    #[test]
    fn a_good_end_ends_the_calls_that_nobody_ended() {
        let events = [start(0), start(1), arguments(1, "{}"), text("x"), Event::Done, text("y")];
        let expected = [start(0), end(0), start(1), arguments(1, "{}"), end(1), text("x"), Event::Done];
        assert_eq!(through(&events), expected);
    }

    #[test]
    fn a_bad_end_completes_nothing() {
        let error = Event::Error(Failure::new(FailureKind::Api, "gone"));
        let events = [start(0), arguments(0, "{"), start(1), end(1), error.clone(), end(0), Event::Done];
        assert_eq!(through(&events), [start(0), arguments(0, "{"), error]);
    }

    #[test]
    fn calls_are_numbered_as_they_leave_and_pieces_of_no_call_are_left_out() {
        let events = [arguments(7, "x"), start(5), end(5), end(5), start(3), arguments(3, "{}"), end(3)];
        let expected = [
            Event::CallStart { call: 0, id: "id5".into(), name: "tool5".into() },
            end(0),
            Event::CallStart { call: 1, id: "id3".into(), name: "tool3".into() },
            arguments(1, "{}"),
            end(1),
        ];
        assert_eq!(through(&events), expected);
    }
}
