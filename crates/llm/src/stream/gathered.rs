//! A stream of events, gathered into a whole answer.

use std::mem::take;

use crate::Failure;
use crate::form::{Arguments, Block, Call, Event, Response, Text, Thinking};

/// Gathers events into the answer that they tell. Stands behind [`Sequencer`](super::Sequencer): calls come one after
/// the other.
#[derive(Debug, Default)]
pub struct Gathered {
    response: Response,
    call: Option<(String, String, String)>,
    failure: Option<Failure>,
    is_over: bool,
}

impl Gathered {
    /// Takes the next event.
    pub fn push(&mut self, event: &Event) {
        match event {
            Event::Start { id, model, created, usage } => {
                self.response.id.clone_from(id);
                self.response.model.clone_from(model);
                self.response.created = *created;
                self.response.usage.update(usage);
            }
            Event::Text(piece) => match self.response.blocks.last_mut() {
                Some(Block::Text(text)) => text.text.push_str(piece),
                _ => self.block(Block::Text(Text { text: piece.clone(), extra: Vec::new() })),
            },
            Event::Refusal(piece) => match self.response.blocks.last_mut() {
                Some(Block::Refusal(text)) => text.push_str(piece),
                _ => self.block(Block::Refusal(piece.clone())),
            },
            Event::Thinking(piece) => match self.response.blocks.last_mut() {
                Some(Block::Thinking(thinking)) if thinking.signature.is_none() && !thinking.is_redacted => {
                    thinking.text.push_str(piece);
                }
                _ => self.block(Block::Thinking(Thinking { text: piece.clone(), ..Thinking::default() })),
            },
            Event::Signature(signature) => match self.response.blocks.last_mut() {
                Some(Block::Thinking(thinking)) if thinking.signature.is_none() && !thinking.is_redacted => {
                    thinking.signature = Some(signature.clone());
                }
                _ => self.block(Block::Thinking(Thinking {
                    signature: Some(signature.clone()),
                    ..Thinking::default()
                })),
            },
            Event::RedactedThinking(data) => self.block(Block::Thinking(Thinking {
                signature: Some(data.clone()),
                is_redacted: true,
                ..Thinking::default()
            })),
            Event::CallStart { id, name, .. } => {
                self.end_call();
                self.call = Some((id.clone(), name.clone(), String::new()));
            }
            Event::CallArguments { text, .. } => {
                if let Some((_, _, arguments)) = &mut self.call {
                    arguments.push_str(text);
                }
            }
            Event::CallEnd { .. } => self.end_call(),
            Event::Finish { stop, stop_sequence } => {
                self.response.stop = Some(stop.clone());
                self.response.stop_sequence.clone_from(stop_sequence);
            }
            Event::Usage(usage) => self.response.usage.update(usage),
            Event::Done => self.is_over = true,
            Event::Error(failure) => {
                self.failure = Some(failure.clone());
                self.is_over = true;
            }
        }
    }

    /// Whether the stream has come to its end: nothing that follows matters.
    pub fn is_over(&self) -> bool {
        self.is_over
    }

    /// Whether something of an answer is there.
    pub fn has_content(&self) -> bool {
        !self.response.blocks.is_empty() || self.call.is_some()
    }

    /// What is there so far.
    pub fn response(&self) -> &Response {
        &self.response
    }

    /// The answer.
    ///
    /// # Errors
    /// When the stream ended with an error: half an answer is none.
    pub fn finish(mut self) -> Result<Response, Failure> {
        self.end_call();
        match self.failure {
            Some(failure) => Err(failure),
            None => Ok(self.response),
        }
    }

    fn block(&mut self, block: Block) {
        self.response.blocks.push(block);
    }

    fn end_call(&mut self) {
        if let Some((id, name, arguments)) = take(&mut self.call) {
            let arguments = Arguments::read(&arguments);
            self.block(Block::Call(Call { id: Some(id), name, arguments, extra: Vec::new() }));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::form::{Stop, Usage};
    use crate::stream::events_of;

    #[test]
    fn what_is_told_in_pieces_is_the_same_answer() {
        let call = |id: &str| {
            let arguments = Arguments::read(r#"{"city": "Paris"}"#);
            Block::Call(Call { id: Some(id.into()), name: "weather".into(), arguments, extra: Vec::new() })
        };
        let response = Response {
            id: Some("1".into()),
            model: Some("m".into()),
            blocks: vec![
                Block::Thinking(Thinking {
                    text: "hm".into(),
                    signature: Some("s".into()),
                    ..Thinking::default()
                }),
                Block::Text(Text { text: "Donald".into(), extra: Vec::new() }),
                call("a"),
                call("b"),
            ],
            stop: Some(Stop::ToolUse),
            usage: Usage { output: Some(3), ..Usage::default() },
            ..Response::default()
        };
        let mut gathered = Gathered::default();
        for event in events_of(&response, "x") {
            gathered.push(&event);
        }
        assert!(gathered.is_over());
        assert_eq!(gathered.finish(), Ok(response));
    }

    #[test]
    fn pieces_of_a_text_are_joined_as_they_are() {
        let mut gathered = Gathered::default();
        for piece in ["Don", "al", "d", " Duck"] {
            gathered.push(&Event::Text(piece.to_owned()));
        }
        let text = Block::Text(Text { text: "Donald Duck".into(), extra: Vec::new() });
        assert_eq!(gathered.finish().map(|response| response.blocks), Ok(vec![text]));
    }

    #[test]
    fn half_an_answer_is_none() {
        let mut gathered = Gathered::default();
        gathered.push(&Event::Text("It is".into()));
        gathered.push(&Event::Error(Failure::invalid("cut")));
        assert_eq!(gathered.finish(), Err(Failure::invalid("cut")));
    }
}
