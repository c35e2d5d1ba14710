//! OpenAI Chat: `tool_calls` of messages and deltas, and the older `function_call`.

use crate::form::Stop;
use crate::pass::{CallObject, FUNCTION_CALL, Identity, Shape, Span, Spot, Walk, What, top};

pub(super) fn answer(body: &str, spots: &mut Vec<Spot>) -> Option<()> {
    document(body, spots)
}

pub(super) fn frame(data: &str, spots: &mut Vec<Spot>) -> Option<()> {
    if data.trim_ascii() == "[DONE]" {
        spots.push(Spot::Done);
        return Some(());
    }
    document(data, spots)
}

/// A whole answer or a chunk: they differ in what the message is called.
fn document(text: &str, spots: &mut Vec<Spot>) -> Option<()> {
    let (mut usage, mut error, mut object) = (None, None, None);
    Walk::new(text).object(|walk, key| match key {
        "id" => top(walk, spots, Spot::Id),
        "model" => top(walk, spots, Spot::Model),
        "created" => {
            spots.push(Spot::Created(walk.span()?));
            Some(())
        }
        "object" => walk.word(&mut object),
        "choices" => walk.list(|walk, number| choice(walk, number as u64, spots)),
        "usage" => walk.present(&mut usage),
        "error" => walk.present(&mut error),
        _ => walk.skip(),
    })?;
    spots.extend(usage.map(Spot::Usage));
    if error.is_some() || object.as_deref() == Some("error") {
        spots.push(Spot::Error);
    }
    Some(())
}

fn choice(walk: &mut Walk<'_>, number: u64, spots: &mut Vec<Spot>) -> Option<()> {
    let mut message = Message::default();
    let (mut index, mut finish, mut word) = (None, None, None);
    walk.object(|walk, key| match key {
        "index" => walk.number(&mut index),
        "delta" => message.read(walk),
        "message" => {
            message.is_whole = true;
            message.read(walk)
        }
        "finish_reason" => walk.worded(&mut finish, &mut word),
        _ => walk.skip(),
    })?;
    let part = index.unwrap_or(number);
    message.tell(part, spots);
    if let Some(word) = word.filter(|word| !word.is_empty()) {
        spots.push(Spot::Finish { part, span: finish, stop: stop(&word) });
    }
    Some(())
}

pub(super) fn request(body: &str, spots: &mut Vec<Spot>) -> Option<()> {
    Walk::new(body).object(|walk, key| match key {
        "model" => top(walk, spots, Spot::Model),
        "messages" => walk.list(|walk, _| {
            let mut message = Message { is_whole: true, ..Message::default() };
            message.read(walk)?;
            message.tell_calls(0, spots);
            Some(())
        }),
        _ => walk.skip(),
    })
}

/// A message or a delta of one.
#[derive(Default)]
struct Message {
    is_whole: bool,
    text: Option<Span>,
    has_more: bool,
    calls: Vec<CallObject>,
    /// Where they stand.
    list: Option<Span>,
    /// Calls of other kinds, whose input is no JSON.
    has_other_calls: bool,
}

impl Message {
    fn read(&mut self, walk: &mut Walk<'_>) -> Option<()> {
        walk.object(|walk, key| match key {
            "content" => match walk.peek() {
                Some(b'"') => walk.string(&mut self.text),
                Some(b'[') => {
                    self.has_more = true;
                    walk.skip()
                }
                _ => walk.skip(),
            },
            "reasoning_content" | "reasoning" | "thinking" | "refusal" | "audio" => {
                let mut value = None;
                walk.present(&mut value)?;
                self.has_more |= value.is_some_and(|span| span.len() > 2);
                Some(())
            }
            "tool_calls" => {
                let start = walk.at();
                walk.list(|walk, _| self.call(walk))?;
                self.list = Some(start..walk.at());
                Some(())
            }
            "function_call" if walk.peek() == Some(b'{') => {
                let mut call = CallObject::default();
                call.key.index = Some(FUNCTION_CALL);
                call.function(walk)?;
                self.calls.push(call);
                Some(())
            }
            _ => walk.skip(),
        })
    }

    fn call(&mut self, walk: &mut Walk<'_>) -> Option<()> {
        let mut call = CallObject::default();
        let mut identity = Identity { inside: walk.at() + 1, ..Identity::default() };
        let mut is_custom = false;
        walk.object(|walk, key| {
            identity.has_members = true;
            match key {
                "id" => {
                    let start = walk.at();
                    walk.string(&mut call.key.id)?;
                    identity.id = Some(start..walk.at());
                    Some(())
                }
                "index" => {
                    let start = walk.at();
                    walk.number(&mut call.key.index)?;
                    identity.index = Some(start..walk.at());
                    Some(())
                }
                "type" => {
                    identity.has_type = true;
                    walk.skip()
                }
                "function" => call.function(walk),
                "custom" => {
                    is_custom = walk.peek() == Some(b'{');
                    walk.skip()
                }
                _ => walk.skip(),
            }
        })?;
        call.identity = Some(identity).filter(|identity| identity.has_members);
        if is_custom {
            self.has_other_calls = true;
        } else {
            self.calls.push(call);
        }
        Some(())
    }

    fn tell(mut self, part: u64, spots: &mut Vec<Spot>) {
        if self.calls.is_empty() && !self.has_other_calls {
            spots.extend(self.list.take().map(|span| Spot::NoCalls { part, span }));
        }
        if self.has_more || self.has_other_calls {
            spots.push(Spot::Content { part, may_be_call: self.has_other_calls });
        }
        // An empty piece says nothing.
        if let Some(span) = self.text.clone().filter(|span| span.len() > 2) {
            spots.push(Spot::Text { part, span, whole: None });
        }
        self.tell_calls(part, spots);
    }

    fn tell_calls(self, part: u64, spots: &mut Vec<Spot>) {
        for mut call in self.calls {
            call.key.part = part;
            // An empty id is none.
            call.key.id = call.key.id.filter(|id| id.len() > 2);
            if self.is_whole {
                call.tell_whole(spots);
            } else {
                tell_piece(call, spots);
            }
        }
    }
}

/// Tells what a delta says of a call. Whether it begins a call is found out later, by its key.
fn tell_piece(call: CallObject, spots: &mut Vec<Spot>) {
    let CallObject { key, identity, name, arguments, .. } = call;
    let arguments = arguments.map(|(span, shape)| match shape {
        Shape::Text => What::Fragment(span),
        // Against the documentation, but some do it: all of them at once.
        Shape::Object => What::Arguments(span, shape),
    });
    // An empty name is none.
    let name = name.filter(|name| name.len() > 2).map(What::Name);
    let says_something = name.is_some() || arguments.is_some() || key.id.is_some();
    // Behind the name, which tells whether this is another call.
    let identity = identity.filter(|_| says_something).map(What::Identity);
    let all = name.into_iter().chain(arguments).chain(identity);
    spots.extend(all.map(|what| Spot::Call { key: key.clone(), what }));
}

fn stop(word: &str) -> Stop {
    match word {
        "stop" => Stop::EndTurn,
        "length" => Stop::MaxTokens,
        "tool_calls" | "function_call" => Stop::ToolUse,
        "content_filter" => Stop::Refusal,
        other => Stop::Other(other.to_owned()),
    }
}
