//! A whole answer, told as a stream.

use crate::form::{Arguments, Block, Event, Response, Stop};

/// The events that tell an answer which is whole already. Calls without an id get one of the seed and their number.
pub fn events_of(response: &Response, id_seed: &str) -> Vec<Event> {
    let mut events = vec![Event::Start {
        id: response.id.clone(),
        model: response.model.clone(),
        created: response.created,
        usage: response.usage,
    }];
    let mut call = 0;
    for block in &response.blocks {
        match block {
            Block::Text(text) if !text.text.is_empty() => events.push(Event::Text(text.text.clone())),
            Block::Refusal(text) if !text.is_empty() => events.push(Event::Refusal(text.clone())),
            Block::Thinking(thinking) => {
                let signature = thinking.signature.clone();
                if thinking.is_redacted {
                    events.extend(signature.map(Event::RedactedThinking));
                } else {
                    if !thinking.text.is_empty() {
                        events.push(Event::Thinking(thinking.text.clone()));
                    }
                    events.extend(signature.map(Event::Signature));
                }
            }
            Block::Call(told) => {
                let id = told.id.clone().unwrap_or_else(|| format!("call_{id_seed}{call}"));
                events.push(Event::CallStart { call, id, name: told.name.clone() });
                let text = match &told.arguments {
                    Arguments::Object(json) => json.to_string(),
                    Arguments::Text(text) => text.clone(),
                };
                if !text.is_empty() {
                    events.push(Event::CallArguments { call, text });
                }
                events.push(Event::CallEnd { call });
                call += 1;
            }
            _ => {}
        }
    }
    events.push(Event::Usage(response.usage));
    let stop = response.stop.clone().unwrap_or(Stop::EndTurn);
    events.push(Event::Finish { stop, stop_sequence: response.stop_sequence.clone() });
    events.push(Event::Done);
    events
}
