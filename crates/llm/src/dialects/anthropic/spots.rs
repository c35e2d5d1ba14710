//! Anthropic Messages: content blocks. Only `tool_use` is the client's; other calls are the provider's own.

use std::borrow::Cow;

use super::response::read_stop;
use crate::pass::{CallKey, CallObject, Span, Spot, Walk, What, top};

pub(super) fn answer(body: &str, spots: &mut Vec<Spot>) -> Option<()> {
    message(&mut Walk::new(body), spots)
}

/// A message: a whole answer, or what `message_start` has.
fn message(walk: &mut Walk<'_>, spots: &mut Vec<Spot>) -> Option<()> {
    let (mut kind, mut error, mut usage, mut stop) = (None, None, None, None);
    walk.object(|walk, key| match key {
        "type" => walk.word(&mut kind),
        "error" => walk.present(&mut error),
        "id" => top(walk, spots, Spot::Id),
        "model" => top(walk, spots, Spot::Model),
        "content" => walk.list(|walk, number| {
            Block::read(walk)?.tell(number as u64, Whole::Yes, spots);
            Some(())
        }),
        "usage" => walk.present(&mut usage),
        "stop_reason" => stop_reason(walk, &mut stop),
        _ => walk.skip(),
    })?;
    spots.extend(usage.map(Spot::Usage));
    spots.extend(stop);
    if error.is_some() && kind.as_deref() != Some("message") {
        spots.push(Spot::Error);
    }
    Some(())
}

pub(super) fn request(body: &str, spots: &mut Vec<Spot>) -> Option<()> {
    Walk::new(body).object(|walk, key| match key {
        "model" => top(walk, spots, Spot::Model),
        "messages" => walk.list(|walk, _| {
            walk.object(|walk, key| match key {
                "content" => walk.list(|walk, number| {
                    let block = Block::read(walk)?;
                    if block.is("tool_use") {
                        block.tell(number as u64, Whole::Yes, spots);
                    }
                    Some(())
                }),
                _ => walk.skip(),
            })
        }),
        _ => walk.skip(),
    })
}

pub(super) fn frame(event: &str, data: &str, spots: &mut Vec<Spot>) -> Option<()> {
    let (mut kind, mut index, mut block, mut delta) = (None, None, None, None);
    let (mut usage, mut error) = (None, None);
    Walk::new(data).object(|walk, key| match key {
        "type" => walk.word(&mut kind),
        "index" => walk.number(&mut index),
        "message" => message(walk, spots),
        "content_block" => {
            block = Some(Block::read(walk)?);
            Some(())
        }
        "delta" => {
            delta = Some(Delta::read(walk)?);
            Some(())
        }
        "usage" => walk.present(&mut usage),
        "error" => walk.present(&mut error),
        _ => walk.skip(),
    })?;
    let part = index.unwrap_or(0);
    let call = |what| Spot::Call { key: CallKey { part: 0, index, id: None }, what };
    match kind.as_deref().unwrap_or(event) {
        "content_block_start" => {
            if let Some(block) = block {
                block.tell(part, Whole::No, spots);
            }
        }
        "content_block_delta" => match delta {
            Some(Delta { piece: Some(span), .. }) => spots.push(call(What::Fragment(span))),
            Some(Delta { text: Some(span), .. }) => spots.push(Spot::Text { part, span, whole: None }),
            _ => spots.push(Spot::Content { part, may_be_call: false }),
        },
        "content_block_stop" => spots.extend([Spot::Within { part }, call(What::End)]),
        "message_delta" => {
            spots.extend(usage.map(Spot::Usage));
            spots.extend(delta.and_then(|delta| delta.stop));
        }
        "message_stop" => spots.push(Spot::Done),
        "error" => spots.push(Spot::Error),
        _ if error.is_some() => spots.push(Spot::Error),
        _ => {}
    }
    Some(())
}

#[derive(Default)]
struct Delta {
    piece: Option<Span>,
    text: Option<Span>,
    stop: Option<Spot>,
}

impl Delta {
    fn read(walk: &mut Walk<'_>) -> Option<Delta> {
        let mut delta = Delta::default();
        walk.object(|walk, key| match key {
            "partial_json" => walk.string(&mut delta.piece),
            "text" => walk.string(&mut delta.text),
            "stop_reason" => stop_reason(walk, &mut delta.stop),
            _ => walk.skip(),
        })?;
        Some(delta)
    }
}

/// Whether a block is told with everything that belongs to it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Whole {
    Yes,
    No,
}

#[derive(Default)]
struct Block<'t> {
    kind: Option<Cow<'t, str>>,
    text: Option<Span>,
    call: CallObject,
    span: Span,
}

impl<'t> Block<'t> {
    fn read(walk: &mut Walk<'t>) -> Option<Block<'t>> {
        let mut block = Block::default();
        let start = walk.at();
        walk.object(|walk, key| match key {
            "type" => walk.word(&mut block.kind),
            "id" => walk.string(&mut block.call.key.id),
            "text" => walk.string(&mut block.text),
            "name" => walk.string(&mut block.call.name),
            "input" => block.call.arguments(walk),
            _ => walk.skip(),
        })?;
        block.span = start..walk.at();
        Some(block)
    }

    fn is(&self, kind: &str) -> bool {
        self.kind.as_deref() == Some(kind)
    }

    fn tell(mut self, number: u64, whole: Whole, spots: &mut Vec<Spot>) {
        if !self.is("tool_use") {
            let is_words = matches!(self.kind.as_deref(), Some("text" | "thinking" | "redacted_thinking"));
            spots.push(match self.text {
                Some(span) if self.is("text") => {
                    let whole = (whole == Whole::Yes).then_some(self.span);
                    Spot::Text { part: number, span, whole }
                }
                _ => Spot::Content { part: number, may_be_call: !is_words },
            });
            return;
        }
        self.call.key.index = Some(number);
        self.call.call_id = self.call.key.id.clone();
        if whole == Whole::Yes {
            return self.call.tell_whole(spots);
        }
        // `{}` says nothing yet: the arguments come in pieces.
        if self.call.is_empty {
            self.call.arguments = None;
        }
        let (key, null) = (self.call.key.clone(), self.call.null.take());
        self.call.tell_start(spots);
        spots.extend(null.map(|span| Spot::Call { key, what: What::NoArguments(span) }));
    }
}

fn stop_reason(walk: &mut Walk<'_>, found: &mut Option<Spot>) -> Option<()> {
    let (mut span, mut word) = (None, None);
    walk.worded(&mut span, &mut word)?;
    if let Some(word) = word {
        *found = Some(Spot::Finish { part: 0, span, stop: read_stop(&word) });
    }
    Some(())
}
