//! Asking once more: the upstream is told what was wrong with a call that could not be mended.

use std::sync::Arc;

use toolwright_model::Outcome;

use super::{Asked, Fresh, Mending, Prepared};
use crate::calls::CallReport;
use crate::form::{Block, Message, Response, Role, Text, ToolResult};
use crate::{Failure, dialects};

impl Asked {
    /// The same request for an answer that comes whole: one that may have to be asked for again is collected before
    /// anything of it leaves. Nothing where the answer comes whole anyway, has no tools or cannot be read.
    pub fn collected(&self) -> Option<Asked> {
        let request =
            self.request.as_ref().ok().filter(|request| self.is_stream && !request.tools.is_empty())?;
        let mut request = (**request).clone();
        request.is_stream = false;
        Some(Asked {
            front: self.front,
            body: "".into(),
            model: self.model.clone(),
            is_stream: false,
            request: Ok(Arc::new(request)),
            is_made: true,
        })
    }
}

impl Prepared {
    /// The same conversation, one turn later: what the upstream answered, and why its calls were not made. Nothing
    /// when no call was refused.
    pub fn again(
        &self,
        answer: &[u8],
        calls: &[CallReport],
        mending: &Mending,
        fresh: &Fresh,
    ) -> Option<Result<Prepared, Failure>> {
        let refused: Vec<&CallReport> =
            calls.iter().filter(|call| matches!(call.outcome, Outcome::Refused { .. })).collect();
        if refused.is_empty() {
            return None;
        }
        let text = std::str::from_utf8(answer).ok()?;
        let mut response = dialects::read_response(self.upstream, text).ok()?;
        self.names.restore(&mut response);
        let mut request = (*self.asked).clone();
        let results = results(&response, &refused);
        request.messages.push(Message { role: Role::Assistant, blocks: response.blocks, extra: Vec::new() });
        request.messages.push(Message { role: Role::User, blocks: results, extra: Vec::new() });
        let asked = Asked {
            front: self.front,
            body: "".into(),
            model: request.model.clone(),
            is_stream: request.is_stream,
            request: Ok(Arc::new(request)),
            is_made: true,
        };
        Some(asked.prepare(&self.target, mending, fresh))
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
