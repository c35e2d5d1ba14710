//! Asking once more: the upstream is told what was wrong with a call that could not be mended.

use std::sync::Arc;

use toolwright_model::Outcome;

use super::{Asked, Fresh, Mending, Prepared, Reading, Report};
use crate::calls::CallReport;
use crate::form::{Block, Message, Request, Response, Role, Text, ToolResult};
use crate::{Dialect, Failure, dialects};

impl Asked {
    /// One that is made of another.
    fn made(front: Dialect, request: Request) -> Asked {
        Asked {
            model: request.model.clone(),
            is_stream: request.is_stream,
            reading: Arc::new(Reading::made(front, request)),
            is_made: true,
        }
    }

    /// The same request for an answer that comes whole: one that may have to be asked for again is collected before
    /// anything of it leaves. Nothing where the answer comes whole anyway, has no tools or cannot be read.
    pub fn collected(&self) -> Option<Asked> {
        if !self.is_stream {
            return None;
        }
        let request = self.reading.request().ok().filter(|request| !request.tools.is_empty())?;
        let mut request = (**request).clone();
        request.is_stream = false;
        Some(Asked::made(self.front(), request))
    }
}

impl Prepared {
    /// The same conversation, one turn later: what the upstream answered, and why its calls were not made. Nothing
    /// when no call was refused. What the answer cost so far is told with the next one, which therefore is written
    /// anew in any dialect.
    pub fn again(
        &self,
        answer: &[u8],
        report: &Report,
        mending: &Mending,
        fresh: &Fresh,
    ) -> Option<Result<Prepared, Failure>> {
        // One that was cut off would be cut off again.
        let is_wrong = |call: &&CallReport| matches!(call.outcome, Outcome::Refused { .. }) && !call.is_cut;
        let refused: Vec<&CallReport> = report.calls.iter().filter(is_wrong).collect();
        if refused.is_empty() {
            return None;
        }
        let text = std::str::from_utf8(answer).ok()?;
        let mut response = dialects::of(self.upstream).read_response(text).ok()?;
        self.names.restore(&mut response);
        response.tell_calls_apart();
        let mut request = (**self.asked.as_ref()?.request().ok()?).clone();
        let results = results(&response, &refused);
        request.messages.push(Message { role: Role::Assistant, blocks: response.blocks, extra: Vec::new() });
        request.messages.push(Message { role: Role::User, blocks: results, extra: Vec::new() });
        let prepared = Asked::made(self.front, request).prepare(&self.target, mending, fresh);
        Some(prepared.map(|prepared| Prepared { spent: report.usage, passes_answers: false, ..prepared }))
    }
}

fn results(response: &Response, refused: &[&CallReport]) -> Vec<Block> {
    let calls = response.blocks.iter().filter_map(|block| match block {
        Block::Call(call) => Some(call),
        _ => None,
    });
    calls
        .map(|call| {
            let why = refused.iter().find(|report| report.sent_name == call.name);
            let text = match why.map(|report| &report.outcome) {
                Some(Outcome::Refused { problems, hint }) => {
                    let problems: Vec<&str> =
                        problems.iter().map(|problem| problem.message.as_str()).collect();
                    format!(
                        "The call was not made: {}. {hint} Call the tool again, corrected.",
                        problems.join("; ")
                    )
                }
                _ => "The call was not made, because another call of the same turn was wrong. Call again."
                    .to_owned(),
            };
            Block::Result(ToolResult {
                call_id: call.id.clone(),
                name: Some(call.name.clone()),
                blocks: vec![Block::Text(Text { text, extra: Vec::new() })],
                is_error: true,
                extra: Vec::new(),
            })
        })
        .collect()
}
