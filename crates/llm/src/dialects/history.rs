//! The conversation in the order that upstreams insist on: every call is answered, directly after it and once.

use std::borrow::Cow;

use crate::Notes;
use crate::form::{Block, Call, Members, Message, Role, ToolResult};

/// What a call is answered when the client gave no result for it.
pub(crate) const NO_RESULT: &str = "There is no result for this call: the conversation goes on without it.";

/// A part of the conversation.
#[derive(Debug)]
pub(crate) enum Step<'r> {
    /// Instructions between messages.
    System(&'r Message),
    /// What the model said: all of its messages until somebody else speaks.
    Assistant {
        /// In order.
        parts: Vec<Part<'r>>,
        /// What stands beside the first of them.
        extra: &'r Members,
    },
    /// What the calls of the model were answered, in their order. Stands directly after them.
    Results(Vec<Answer<'r>>),
    /// What the client says besides.
    User {
        /// In order.
        said: Vec<Said<'r>>,
        /// What stands beside them.
        extra: &'r Members,
    },
}

/// A part of what the model said.
#[derive(Debug)]
pub(crate) enum Part<'r> {
    /// Anything but a call.
    Block(&'r Block),
    /// A call, with the id that it has or is given.
    Call(Cow<'r, str>, &'r Call),
}

/// The answer to a call.
#[derive(Debug)]
pub(crate) struct Answer<'r> {
    /// The call's id.
    pub(crate) id: Cow<'r, str>,
    /// The tool.
    pub(crate) name: &'r str,
    /// The result; [`NO_RESULT`] is said where there is none.
    pub(crate) result: Option<&'r ToolResult>,
}

/// A part of what the client says.
#[derive(Debug)]
pub(crate) enum Said<'r> {
    /// Anything but a result.
    Block(&'r Block),
    /// A result of a call that nobody made: only its words can be told.
    Orphan(&'r ToolResult),
}

/// Adds a note unless there is one of its code.
pub(crate) fn note_once(notes: &mut Notes, code: &'static str, message: &str) {
    if !notes.as_slice().iter().any(|note| note.code == code) {
        notes.add(code, message);
    }
}

/// Puts a conversation in order. Nothing of it is lost but results and calls in the mouth of the wrong side.
pub(crate) fn steps<'r>(messages: &'r [Message], notes: &mut Notes) -> Vec<Step<'r>> {
    let mut steps = Vec::with_capacity(messages.len() + 2);
    let mut calls_before = 0;
    let mut rest = messages;
    while let Some(first) = rest.first() {
        if first.role != Role::Assistant {
            push_said(&mut steps, first, |_| true, notes);
            rest = &rest[1..];
            continue;
        }
        let turn = rest.iter().take_while(|message| message.role == Role::Assistant).count();
        let (said, after) = rest.split_at(turn);
        let others = after.iter().take_while(|message| message.role != Role::Assistant).count();
        let (others, after) = after.split_at(others);
        let parts = parts(said, &mut calls_before, notes);
        let mut results: Vec<&ToolResult> = others.iter().flat_map(results).collect();
        let answers: Vec<Answer<'r>> = parts
            .iter()
            .filter_map(|part| match part {
                Part::Call(id, call) => Some(answer(id, call, &mut results, notes)),
                Part::Block(_) => None,
            })
            .collect();
        if !parts.is_empty() {
            steps.push(Step::Assistant { parts, extra: &first.extra });
        }
        if !answers.is_empty() {
            steps.push(Step::Results(answers));
        }
        for message in others {
            push_said(
                &mut steps,
                message,
                |result| results.iter().any(|left| std::ptr::eq(*left, result)),
                notes,
            );
        }
        rest = after;
    }
    steps
}

fn parts<'r>(messages: &'r [Message], calls_before: &mut usize, notes: &mut Notes) -> Vec<Part<'r>> {
    let mut parts = Vec::new();
    for block in messages.iter().flat_map(|message| &message.blocks) {
        match block {
            Block::Call(call) => {
                *calls_before += 1;
                let id = match call.id.as_deref().filter(|id| !id.is_empty()) {
                    Some(id) => Cow::Borrowed(id),
                    None => Cow::Owned(format!("call_{calls_before}")),
                };
                parts.push(Part::Call(id, call));
            }
            Block::Result(_) => {
                note_once(notes, "misplaced_result", "a result in a message of the assistant was left out");
            }
            other => parts.push(Part::Block(other)),
        }
    }
    parts
}

fn results(message: &Message) -> impl Iterator<Item = &ToolResult> {
    message.blocks.iter().filter_map(|block| match block {
        Block::Result(result) => Some(result),
        _ => None,
    })
}

/// Takes the result that belongs to a call: the one of its id, else the first that has none and fits by name.
fn answer<'r>(
    id: &Cow<'r, str>,
    call: &'r Call,
    results: &mut Vec<&'r ToolResult>,
    notes: &mut Notes,
) -> Answer<'r> {
    let by_id = results
        .iter()
        .position(|result| result.call_id.as_deref().is_some_and(|of| Some(of) == call.id.as_deref()));
    let by_name = || {
        results.iter().position(|result| {
            result.call_id.is_none() && result.name.as_deref().is_none_or(|name| name == call.name)
        })
    };
    let result = by_id.or_else(by_name).map(|at| results.remove(at));
    if result.is_none() {
        notes.add(
            "missing_result",
            format!("the call {id} of {} has no result; one was made up that says so", call.name),
        );
    }
    Answer { id: id.clone(), name: &call.name, result }
}

/// Adds what a client says besides the results that were taken.
fn push_said<'r>(
    steps: &mut Vec<Step<'r>>,
    message: &'r Message,
    is_orphan: impl Fn(&ToolResult) -> bool,
    notes: &mut Notes,
) {
    if message.role == Role::System {
        steps.push(Step::System(message));
        return;
    }
    let mut said = Vec::with_capacity(message.blocks.len());
    for block in &message.blocks {
        match block {
            Block::Result(result) if is_orphan(result) => {
                let id = result.call_id.as_deref().unwrap_or("without an id");
                notes.add(
                    "orphan_result",
                    format!("the result {id} answers no call before it; it is told as text"),
                );
                said.push(Said::Orphan(result));
            }
            Block::Result(_) => {}
            Block::Call(call) => {
                notes.add(
                    "misplaced_call",
                    format!("a call of {} in a message of the user was left out", call.name),
                );
            }
            other => said.push(Said::Block(other)),
        }
    }
    if !said.is_empty() {
        steps.push(Step::User { said, extra: &message.extra });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::form::{Arguments, Text};

    fn message(role: Role, blocks: Vec<Block>) -> Message {
        Message { role, blocks, extra: Vec::new() }
    }

    fn text(text: &str) -> Block {
        Block::Text(Text { text: text.to_owned(), extra: Vec::new() })
    }

    fn call(id: Option<&str>, name: &str) -> Block {
        Block::Call(Call {
            id: id.map(str::to_owned),
            name: name.to_owned(),
            arguments: Arguments::read(""),
            extra: Vec::new(),
        })
    }

    fn result(id: Option<&str>, name: Option<&str>, said: &str) -> Block {
        Block::Result(ToolResult {
            call_id: id.map(str::to_owned),
            name: name.map(str::to_owned),
            blocks: vec![text(said)],
            is_error: false,
            extra: Vec::new(),
        })
    }

    /// The steps in one line: `A(a,b) R(a=x,b=-) U(1)`.
    fn told(messages: &[Message]) -> (String, Vec<&'static str>) {
        let mut notes = Notes::default();
        let words = |result: &ToolResult| {
            format!("{:?}", result.blocks[0]).split('"').nth(1).unwrap_or("").to_owned()
        };
        let told: Vec<String> = steps(messages, &mut notes)
            .iter()
            .map(|step| match step {
                Step::System(_) => "S".to_owned(),
                Step::Assistant { parts, .. } => format!(
                    "A({})",
                    parts
                        .iter()
                        .map(|part| match part {
                            Part::Call(id, _) => id.to_string(),
                            Part::Block(_) => "text".to_owned(),
                        })
                        .collect::<Vec<_>>()
                        .join(",")
                ),
                Step::Results(answers) => format!(
                    "R({})",
                    answers
                        .iter()
                        .map(|answer| format!(
                            "{}={}",
                            answer.id,
                            answer.result.map_or("-".to_owned(), words)
                        ))
                        .collect::<Vec<_>>()
                        .join(",")
                ),
                Step::User { said, .. } => format!(
                    "U({})",
                    said.iter()
                        .map(|said| match said {
                            Said::Block(_) => "text".to_owned(),
                            Said::Orphan(result) => format!("orphan {}", words(result)),
                        })
                        .collect::<Vec<_>>()
                        .join(",")
                ),
            })
            .collect();
        (told.join(" "), notes.as_slice().iter().map(|note| note.code).collect())
    }

    #[test]
    fn results_come_directly_after_their_calls_and_in_their_order() {
        let messages = [
            message(Role::User, vec![text("go")]),
            message(Role::Assistant, vec![text("on it"), call(Some("a"), "x")]),
            message(Role::Assistant, vec![call(Some("b"), "x")]),
            message(Role::System, vec![text("be brief")]),
            message(Role::User, vec![text("note"), result(Some("b"), None, "2")]),
            message(Role::User, vec![result(Some("a"), None, "1")]),
        ];
        assert_eq!(told(&messages), ("U(text) A(text,a,b) R(a=1,b=2) S U(text)".to_owned(), vec![]));
    }

    #[test]
    fn results_without_ids_belong_by_name_and_order() {
        let messages = [
            message(Role::Assistant, vec![call(None, "x"), call(None, "y"), call(None, "x")]),
            message(
                Role::User,
                vec![
                    result(None, Some("y"), "of y"),
                    result(None, Some("x"), "first"),
                    result(None, Some("x"), "second"),
                ],
            ),
        ];
        let expected = "A(call_1,call_2,call_3) R(call_1=first,call_2=of y,call_3=second)";
        assert_eq!(told(&messages), (expected.to_owned(), vec![]));
    }

    #[test]
    fn what_does_not_pair_is_made_up_or_told_as_text() {
        let messages = [
            message(Role::User, vec![result(Some("z"), None, "early")]),
            message(Role::Assistant, vec![call(Some("a"), "x")]),
            message(Role::User, vec![result(Some("b"), None, "late"), result(Some("b"), None, "twice")]),
            message(Role::Assistant, vec![text("so")]),
        ];
        let expected = "U(orphan early) A(a) R(a=-) U(orphan late,orphan twice) A(text)";
        assert_eq!(
            told(&messages),
            (expected.to_owned(), vec!["orphan_result", "missing_result", "orphan_result", "orphan_result"])
        );
    }
}
