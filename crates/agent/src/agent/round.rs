//! The calls of one round: they run concurrently, and their results keep the order of the calls.

use std::collections::HashSet;
use std::sync::Arc;

use futures_util::stream::{self, StreamExt};
use tokio_util::sync::CancellationToken;
use toolwright_executor::{Call, CallError, CallOutcome, ToolExecutor};
use toolwright_llm::calls::finish_of;
use toolwright_llm::form::{Arguments, Block, Call as ModelCall, Message, Response, Role, Text, ToolResult};
use toolwright_model::{Caller, Finish};

use super::approval::{CallApproval, ConfirmationRequest};
use crate::settings::{CALLS_AT_ONCE, LEAST_RESULT_BYTES, MOST_CALLS_OF_A_ROUND, ROUND_BYTES};
use crate::{Called, Guard, HeldCall, Listener, Offer};

/// A call as the model sent it.
#[derive(Debug)]
pub(super) struct PlannedCall {
    id: String,
    name: String,
    arguments: String,
    finish: Finish,
    is_too_many: bool,
}

/// The results of a round, in the order of the calls.
#[derive(Debug, Default)]
pub(super) struct RoundOutcome {
    pub calls: Vec<Called>,
    pub held: Vec<HeldCall>,
}

/// The dependencies of the calls of a round.
pub(super) struct RoundContext<'a> {
    pub executor: &'a ToolExecutor,
    pub offer: &'a Offer,
    pub guard: &'a Arc<dyn Guard>,
    pub caller: &'a Arc<Caller>,
    pub stop: &'a CancellationToken,
    pub round: u32,
}

/// Extracts the calls of a response. Each gets an id that is unique in the conversation.
pub(super) fn planned(response: &mut Response, taken: &mut HashSet<String>, round: u32) -> Vec<PlannedCall> {
    let last = finish_of(response.stop.as_ref());
    let mut calls: Vec<&mut ModelCall> = response
        .blocks
        .iter_mut()
        .filter_map(|block| match block {
            Block::Call(call) => Some(call),
            _ => None,
        })
        .collect();
    let count = calls.len();
    let mut planned = Vec::with_capacity(count);
    for (number, call) in calls.iter_mut().enumerate() {
        let given = call.id.take().filter(|id| !id.is_empty() && !taken.contains(id));
        let id = given.unwrap_or_else(|| fresh_id(taken, round, number));
        taken.insert(id.clone());
        call.id = Some(id.clone());
        planned.push(PlannedCall {
            id,
            name: call.name.clone(),
            arguments: call.arguments.as_str().to_owned(),
            // Only the last call can be truncated.
            finish: if number + 1 == count { last } else { Finish::Stop },
            is_too_many: number >= MOST_CALLS_OF_A_ROUND,
        });
    }
    planned
}

fn fresh_id(taken: &HashSet<String>, round: u32, number: usize) -> String {
    let mut id = format!("call_{round}_{number}");
    while taken.contains(&id) {
        id.push('x');
    }
    id
}

impl RoundContext<'_> {
    /// Runs the calls of a round.
    pub async fn run(&self, planned: Vec<PlannedCall>, listener: &mut dyn Listener) -> RoundOutcome {
        for call in &planned {
            listener.call_started(&call.name, &call.arguments);
        }
        let running = planned.into_iter().map(|call| self.one(call));
        // `buffered` keeps the order of the calls, whichever finishes first.
        let mut ended = stream::iter(running).buffered(CALLS_AT_ONCE);
        let mut round = RoundOutcome::default();
        while let Some((called, confirm)) = ended.next().await {
            if let Some(ConfirmationRequest { tool, arguments, question, schema_print }) = confirm {
                let id = called.id.clone();
                round.held.push(HeldCall { id, tool, arguments, question, schema_print });
            }
            listener.call_ended(&called);
            round.calls.push(called);
        }
        round
    }

    async fn one(&self, planned: PlannedCall) -> (Called, Option<ConfirmationRequest>) {
        let PlannedCall { id, name, arguments, finish, is_too_many } = planned;
        let judge = CallApproval::guarded(self.offer.clone(), Arc::clone(self.guard));
        let judge = if is_too_many { CallApproval::too_many(MOST_CALLS_OF_A_ROUND) } else { judge };
        let call = Call::new(&name, &arguments).with_finish(finish);
        let outcome = self.execute(call, &judge).await;
        let record = judge.record();
        (self.called(id, (name, arguments), record.arguments, outcome), record.held)
    }

    /// Runs confirmed calls exactly as they were approved.
    pub async fn confirmed(&self, held: Vec<HeldCall>, listener: &mut dyn Listener) -> Vec<Called> {
        for call in &held {
            listener.call_started(&call.tool, &call.arguments);
        }
        let running = held.into_iter().map(|held| async move {
            let (id, name, arguments) = (held.id.clone(), held.tool.clone(), held.arguments.clone());
            let judge = CallApproval::confirmed(held);
            let outcome = self.execute(Call::new(&name, &arguments).with_finish(Finish::Stop), &judge).await;
            self.called(id, (name, arguments), judge.record().arguments, outcome)
        });
        let mut ended = stream::iter(running).buffered(CALLS_AT_ONCE);
        let mut calls = Vec::new();
        while let Some(called) = ended.next().await {
            listener.call_ended(&called);
            calls.push(called);
        }
        calls
    }

    async fn execute(&self, call: Call, judge: &Arc<CallApproval>) -> CallOutcome {
        let call = call.cancelled_by(self.stop.clone()).by(Arc::clone(self.caller));
        self.executor.execute(call.judged_by(Arc::clone(judge) as _)).await
    }

    fn called(
        &self,
        id: String,
        (sent_name, sent): (String, String),
        arguments: Option<String>,
        outcome: CallOutcome,
    ) -> Called {
        Called {
            round: self.round,
            id,
            name: outcome.tool.as_ref().map_or_else(|| sent_name.clone(), |tool| tool.name().to_owned()),
            qualified_name: outcome.tool.as_ref().map(|tool| tool.qualified_name().to_owned()),
            sent_name,
            sent,
            arguments,
            changes: outcome.changes,
            result: outcome.result,
            duration: outcome.duration,
        }
    }
}

/// The assistant message for the next round. It contains the repaired arguments instead of those sent, so
/// that the model sees correct calls.
pub(super) fn assistant_message(response: Response, calls: &[Called]) -> Message {
    let mut blocks = response.blocks;
    for block in &mut blocks {
        if let Block::Call(call) = block
            && let Some(called) = calls.iter().find(|called| Some(&called.id) == call.id.as_ref())
            && let Some(arguments) = &called.arguments
        {
            call.arguments = Arguments::read(arguments);
        }
    }
    Message { role: Role::Assistant, blocks, extra: Vec::new() }
}

/// The results of a round, in the order of the calls. A result that is too large is truncated, with a note.
pub(super) fn results(calls: &[Called], notes: &[Option<String>], most_bytes: usize) -> Message {
    let room = (ROUND_BYTES / calls.len().max(1)).clamp(LEAST_RESULT_BYTES.min(most_bytes), most_bytes);
    let blocks = calls.iter().zip(notes).map(|(call, note)| {
        let mut text = cut(text_of(&call.result), room);
        if let Some(note) = note {
            text.push_str("\n\n");
            text.push_str(note);
        }
        result(call.id.clone(), call.sent_name.clone(), text, call.result.is_err())
    });
    Message { role: Role::User, blocks: blocks.collect(), extra: Vec::new() }
}

/// One tool result.
pub(super) fn result(id: String, name: String, text: String, is_error: bool) -> Block {
    Block::Result(ToolResult {
        call_id: Some(id),
        name: Some(name),
        blocks: vec![Block::Text(Text { text, extra: Vec::new() })],
        is_error,
        extra: Vec::new(),
    })
}

fn text_of(result: &Result<toolwright_executor::ToolOutput, CallError>) -> String {
    match result {
        Ok(output) if output.text.is_empty() => "The tool answered nothing.".to_owned(),
        Ok(output) => output.text.clone(),
        Err(error) if error.hint.is_empty() => error.message(),
        Err(error) => format!("{}\n{}", error.message(), error.hint),
    }
}

/// Truncates at a character boundary and appends a note.
fn cut(mut text: String, most_bytes: usize) -> String {
    if text.len() <= most_bytes {
        return text;
    }
    let bytes = text.len();
    text.truncate(text.floor_char_boundary(most_bytes));
    let left_out = bytes - text.len();
    text.push_str(&format!(
        "\n[The result was too large and was cut: {left_out} of {bytes} bytes were left out. Ask for less, or for a part.]"
    ));
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cut_result_says_how_much_is_missing() {
        assert_eq!(cut("äö".into(), 4), "äö");
        let cut = cut("äö".into(), 3);
        assert!(cut.starts_with("ä\n[The result was too large and was cut: 2 of 4 bytes"), "{cut}");
    }
}
