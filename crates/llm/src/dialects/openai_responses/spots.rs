//! OpenAI Responses: output items of the type `function_call`, and the events that tell and repeat them.

use std::borrow::Cow;

use crate::form::Stop;
use crate::pass::{CallKey, CallObject, Shape, Span, Spot, Walk, What, top};

pub(super) fn answer(body: &str, spots: &mut Vec<Spot>) -> Option<()> {
    response(&mut Walk::new(body), Told::First, spots)
}

/// Whether a response tells its items, or tells them again.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Told {
    First,
    Again,
}

/// A response: a whole answer, or what `response.created`, `response.completed` and others have.
fn response(walk: &mut Walk<'_>, told: Told, spots: &mut Vec<Spot>) -> Option<()> {
    let (mut usage, mut error) = (None, None);
    let (mut span, mut status, mut reason) = (None, None, None);
    walk.object(|walk, key| match key {
        "id" => top(walk, spots, Spot::Id),
        "model" => top(walk, spots, Spot::Model),
        "created_at" => {
            spots.push(Spot::Created(walk.span()?));
            Some(())
        }
        "output" => walk.list(|walk, number| {
            Item::read(walk)?.tell_whole(number as u64, told, spots);
            Some(())
        }),
        "usage" => walk.present(&mut usage),
        "status" => walk.worded(&mut span, &mut status),
        "incomplete_details" => walk.object(|walk, key| match key {
            "reason" => walk.word(&mut reason),
            _ => walk.skip(),
        }),
        "error" => walk.present(&mut error),
        _ => walk.skip(),
    })?;
    spots.extend(usage.map(Spot::Usage));
    let stop = match status.as_deref() {
        Some("completed") => Some(Stop::EndTurn),
        Some("incomplete") => Some(match reason.as_deref() {
            Some("max_output_tokens") | None => Stop::MaxTokens,
            Some("content_filter") => Stop::Refusal,
            Some(other) => Stop::Other(other.to_owned()),
        }),
        _ => None,
    };
    spots.extend(stop.map(|stop| Spot::Finish { part: 0, span: None, stop }));
    if error.is_some() || status.as_deref() == Some("failed") {
        spots.push(Spot::Error);
    }
    Some(())
}

pub(super) fn request(body: &str, spots: &mut Vec<Spot>) -> Option<()> {
    Walk::new(body).object(|walk, key| match key {
        "model" => top(walk, spots, Spot::Model),
        "input" => walk.list(|walk, number| {
            let item = Item::read(walk)?;
            if item.is_call() {
                item.tell_whole(number as u64, Told::First, spots);
            }
            Some(())
        }),
        _ => walk.skip(),
    })
}

pub(super) fn frame(event: &str, data: &str, spots: &mut Vec<Spot>) -> Option<()> {
    // Some follow the habit of Chat.
    if data.trim_ascii() == "[DONE]" {
        return Some(());
    }
    let (mut kind, mut index, mut id, mut item) = (None, None, None, None);
    let (mut delta, mut arguments) = (None, CallObject::default());
    Walk::new(data).object(|walk, key| match key {
        "type" => walk.word(&mut kind),
        "output_index" => walk.number(&mut index),
        "item_id" => walk.string(&mut id),
        "delta" => walk.string(&mut delta),
        "arguments" => arguments.arguments(walk),
        "name" => walk.string(&mut arguments.name),
        "item" => {
            item = Some(Item::read(walk)?);
            Some(())
        }
        "response" => response(walk, Told::Again, spots),
        _ => walk.skip(),
    })?;
    let key = CallKey { part: 0, index, id };
    let part = index.unwrap_or(0);
    match kind.as_deref().unwrap_or(event) {
        "response.output_item.added" => {
            if let Some(item) = item {
                item.tell_added(key, spots);
            }
        }
        "response.output_item.done" => {
            if let Some(item) = item {
                item.tell_done(key, spots);
            }
        }
        "response.function_call_arguments.delta" => {
            spots.extend(delta.map(|span| Spot::Call { key, what: What::Fragment(span) }));
        }
        "response.function_call_arguments.done" => {
            arguments.key = key;
            arguments.take_null();
            arguments.tell([], [What::End], spots);
        }
        "response.output_text.delta" => {
            spots.extend(delta.map(|span| Spot::Text { part, span, whole: None }))
        }
        "response.completed" | "response.incomplete" => spots.push(Spot::Done),
        "response.failed" | "error" => spots.push(Spot::Error),
        kind if kind.starts_with("response.content_part") || kind.starts_with("response.output_text") => {
            spots.push(Spot::Within { part });
        }
        kind if kind.starts_with("response.reasoning") => {
            spots.push(Spot::Content { part, may_be_call: false });
        }
        _ => {}
    }
    Some(())
}

/// An item of the output, or of the input.
#[derive(Default)]
struct Item<'t> {
    kind: Option<Cow<'t, str>>,
    text: Option<Span>,
    /// How many parts the content has.
    parts: usize,
    call: CallObject,
    span: Span,
}

impl<'t> Item<'t> {
    fn read(walk: &mut Walk<'t>) -> Option<Item<'t>> {
        let mut item = Item::default();
        let start = walk.at();
        walk.object(|walk, key| match key {
            "type" => walk.word(&mut item.kind),
            "id" => walk.string(&mut item.call.key.id),
            "call_id" => walk.string(&mut item.call.call_id),
            "name" => walk.string(&mut item.call.name),
            "namespace" => walk.string(&mut item.call.namespace),
            "arguments" => item.call.arguments(walk),
            "content" => walk.list(|walk, _| {
                item.parts += 1;
                walk.object(|walk, key| match key {
                    "text" => walk.string(&mut item.text),
                    _ => walk.skip(),
                })
            }),
            _ => walk.skip(),
        })?;
        item.span = start..walk.at();
        Some(item)
    }

    /// Something that is no call, or none of ours.
    fn other(&self, part: u64) -> Spot {
        match self.kind.as_deref() {
            Some("message") => Spot::Within { part },
            kind => Spot::Content { part, may_be_call: kind != Some("reasoning") },
        }
    }

    fn is_call(&self) -> bool {
        self.kind.as_deref() == Some("function_call")
    }

    /// An item of a list.
    fn tell_whole(mut self, number: u64, told: Told, spots: &mut Vec<Spot>) {
        if !self.is_call() {
            spots.push(match (&self.text, self.parts, told) {
                (Some(_), 1, Told::Again) => Spot::TextAgain { part: number, whole: self.span },
                (Some(span), 1, Told::First) => {
                    Spot::Text { part: number, span: span.clone(), whole: Some(self.span) }
                }
                (None, 0, _) if told == Told::Again => self.other(number),
                _ => Spot::Content { part: number, may_be_call: self.kind.as_deref() != Some("message") },
            });
            return;
        }
        self.call.key.index = Some(number);
        self.call.tell_whole(spots);
    }

    fn tell_added(mut self, key: CallKey, spots: &mut Vec<Spot>) {
        let part = key.index.unwrap_or(0);
        if !self.is_call() {
            spots.push(self.other(part));
            return;
        }
        self.call.key = CallKey { id: self.call.key.id.take().or(key.id), ..key };
        // What is there already is the first piece.
        let (first, null) = (self.call.arguments.take(), self.call.null.take());
        let key = self.call.key.clone();
        self.call.tell_start(spots);
        spots.extend(null.map(|span| Spot::Call { key: key.clone(), what: What::NoArguments(span) }));
        spots.extend(first.map(|(span, shape)| {
            let what = match shape {
                Shape::Text => What::Fragment(span),
                Shape::Object => What::Arguments(span, shape),
            };
            Spot::Call { key, what }
        }));
    }

    fn tell_done(mut self, key: CallKey, spots: &mut Vec<Spot>) {
        if !self.is_call() {
            spots.push(self.other(key.index.unwrap_or(0)));
            return;
        }
        self.call.key = CallKey { id: self.call.key.id.take().or(key.id), ..key };
        self.call.take_null();
        self.call.tell([], [What::End], spots);
    }
}
