//! A whole answer for a client, written.

use toolwright_jsonrpc::Json;

use super::output::{self, Answer, CallItem, ItemState, State};
use super::seal;
use crate::dialects::namespace;
use crate::form::{Arguments, Block, Call, Response, Stop, Thinking, Usage, signature};
use crate::{Dialect, Reply};

/// Writes an answer for a client.
pub fn write_response(response: &Response, reply: &Reply) -> String {
    let stop = response.stop.as_ref().unwrap_or(&Stop::EndTurn);
    let mut writer = Writer { reply, is_cut: *stop == Stop::MaxTokens, items: Vec::new(), parts: Vec::new() };
    for block in &response.blocks {
        writer.block(block);
    }
    if response.blocks.is_empty() {
        writer.parts.push(output::text_part(""));
    }
    writer.close_message(if writer.is_cut { ItemState::Incomplete } else { ItemState::Completed });
    let answer = Answer {
        id: &output::response_id(response.id.as_deref(), reply),
        created: response.created.unwrap_or(reply.created),
        state: State::Ended(stop),
        output: &writer.items,
        usage: (response.usage != Usage::default()).then_some(&response.usage),
    };
    output::write(&answer, reply).as_str().to_owned()
}

struct Writer<'r> {
    reply: &'r Reply,
    /// Whether the answer ran into the length limit.
    is_cut: bool,
    items: Vec<Json>,
    /// The parts of the message that is open.
    parts: Vec<Json>,
}

impl Writer<'_> {
    fn block(&mut self, block: &Block) {
        match block {
            Block::Text(text) => self.parts.push(output::text_part(&text.text)),
            Block::Refusal(text) => self.parts.push(output::refusal_part(text)),
            Block::Thinking(thinking) => {
                self.close_message(ItemState::Completed);
                self.thinking(thinking);
            }
            Block::Call(call) => {
                self.close_message(ItemState::Completed);
                self.call(call);
            }
            Block::Other { dialect: Dialect::OpenAiResponses, raw } => {
                self.close_message(ItemState::Completed);
                self.items.push(raw.clone());
            }
            // A model gives no media or results, and what only others know has no place here.
            Block::Other { .. } | Block::Media(_) | Block::Result(_) => {}
        }
    }

    fn close_message(&mut self, state: ItemState) {
        let parts = std::mem::take(&mut self.parts);
        if !parts.is_empty() {
            let id = output::item_id("msg", self.reply, self.items.len());
            self.items.push(output::message(&id, state, &parts));
        }
    }

    fn thinking(&mut self, thinking: &Thinking) {
        if let Some((Dialect::OpenAiResponses, raw)) = &thinking.raw {
            return self.items.push(raw.clone());
        }
        let made = output::item_id("rs", self.reply, self.items.len());
        let signature = thinking.signature.as_deref();
        let item = match signature.and_then(seal::item) {
            Some(item) => item,
            None => {
                // What Chat signed says itself whose signature it is.
                let encrypted = match &thinking.raw {
                    Some((Dialect::OpenAiChat, _)) => Some(signature::sealed(thinking)),
                    _ => signature.and_then(|signature| seal::to_content(signature, thinking.is_redacted)),
                };
                output::reasoning_item(&made, &thinking.text, encrypted.as_deref())
            }
        };
        self.items.push(item);
    }

    fn call(&mut self, call: &Call) {
        let at = self.items.len();
        let made = format!("call_{}_{at}", self.reply.id);
        let is_cut = self.is_cut && matches!(call.arguments, Arguments::Text(_));
        let state = if is_cut { ItemState::Incomplete } else { ItemState::Completed };
        let is_custom = output::takes_text(&self.reply.request, &call.name);
        let (namespace, name) = match namespace::of_tool(&self.reply.request, &call.name) {
            Some((namespace, name)) => (Some(namespace), name),
            None => (None, call.name.as_str()),
        };
        let item = CallItem {
            id: &output::item_id(if is_custom { "ctc" } else { "fc" }, self.reply, at),
            call_id: call.id.as_deref().unwrap_or(&made),
            name,
            namespace,
            arguments: call.arguments.as_str(),
            is_custom,
        };
        self.items.push(item.write(state));
    }
}

#[cfg(test)]
mod tests;
