//! A stream for a client, written.

use std::mem;

use toolwright_jsonrpc::{Json, ObjectWriter};

use super::output::{self, Answer, CallItem, ItemState, State};
use super::{error, item, seal};
use crate::dialects::namespace;
use crate::form::{Event, Stop, Usage};
use crate::stream::Encode;
use crate::{Failure, Reply};

/// Writes one stream: every item with its beginning, its pieces and its end, numbered without gaps.
#[derive(Debug)]
pub struct Encoder {
    reply: Reply,
    id: String,
    created: u64,
    sequence: u64,
    is_started: bool,
    is_over: bool,
    /// Items that are done.
    items: Vec<Json>,
    open: Open,
    usage: Usage,
    stop: Option<Stop>,
}

/// The item that is being written.
#[derive(Debug)]
enum Open {
    Nothing,
    Message { id: String, parts: Vec<Json>, part: Option<Part> },
    Thought { id: String, text: String },
    Call(OpenCall),
}

#[derive(Debug)]
struct Part {
    is_refusal: bool,
    text: String,
}

#[derive(Debug)]
struct OpenCall {
    id: String,
    call_id: String,
    name: String,
    namespace: Option<String>,
    arguments: String,
    is_custom: bool,
}

impl OpenCall {
    fn item(&self) -> CallItem<'_> {
        CallItem {
            id: &self.id,
            call_id: &self.call_id,
            name: &self.name,
            namespace: self.namespace.as_deref(),
            arguments: &self.arguments,
            is_custom: self.is_custom,
        }
    }
}

impl Encoder {
    /// Begins a stream.
    pub fn new(reply: Reply) -> Encoder {
        Encoder {
            id: output::response_id(None, &reply),
            created: reply.created,
            reply,
            sequence: 0,
            is_started: false,
            is_over: false,
            items: Vec::new(),
            open: Open::Nothing,
            usage: Usage::default(),
            stop: None,
        }
    }

    /// Writes one event: its type, its number, and what it says.
    fn send(&mut self, event: &str, write: impl FnOnce(&mut ObjectWriter), out: &mut Vec<u8>) {
        let mut data = ObjectWriter::with_capacity(200);
        data.text("type", event);
        data.number("sequence_number", self.sequence);
        write(&mut data);
        self.sequence += 1;
        for part in ["event: ", event, "\ndata: ", data.finish().as_str(), "\n\n"] {
            out.extend_from_slice(part.as_bytes());
        }
    }

    fn response(&self, state: State<'_>) -> Json {
        let is_counted = matches!(state, State::Ended(_)) && self.usage != Usage::default();
        let usage = is_counted.then_some(&self.usage);
        let answer = Answer { id: &self.id, created: self.created, state, output: &self.items, usage };
        output::write(&answer, &self.reply)
    }

    fn start(&mut self, out: &mut Vec<u8>) {
        if self.is_started {
            return;
        }
        self.is_started = true;
        let response = self.response(State::InProgress);
        self.send("response.created", |data| data.value("response", &response), out);
        self.send("response.in_progress", |data| data.value("response", &response), out);
    }

    fn added(&mut self, item: &Json, out: &mut Vec<u8>) {
        let index = self.items.len() as u64;
        self.send(
            "response.output_item.added",
            |data| {
                data.number("output_index", index);
                data.value("item", item);
            },
            out,
        );
    }

    fn done(&mut self, item: Json, out: &mut Vec<u8>) {
        let index = self.items.len() as u64;
        self.send(
            "response.output_item.done",
            |data| {
                data.number("output_index", index);
                data.value("item", &item);
            },
            out,
        );
        self.items.push(item);
    }

    /// An event about the item that is open, or about a part of it.
    fn about(
        &mut self,
        event: &str,
        (id, part): (&str, Option<(&str, usize)>),
        write: impl FnOnce(&mut ObjectWriter),
        out: &mut Vec<u8>,
    ) {
        let index = self.items.len() as u64;
        self.send(
            event,
            |data| {
                data.text("item_id", id);
                data.number("output_index", index);
                if let Some((key, at)) = part {
                    data.number(key, at as u64);
                }
                write(data);
            },
            out,
        );
    }

    // === What is said ===

    fn say(&mut self, text: &str, is_refusal: bool, out: &mut Vec<u8>) {
        if !matches!(self.open, Open::Message { .. }) {
            self.close(ItemState::Completed, out);
            let id = output::item_id("msg", &self.reply, self.items.len());
            self.added(&output::message(&id, ItemState::InProgress, &[]), out);
            self.open = Open::Message { id, parts: Vec::new(), part: None };
        }
        let Open::Message { id, mut parts, mut part } = mem::replace(&mut self.open, Open::Nothing) else {
            return;
        };
        if part.as_ref().is_some_and(|part| part.is_refusal != is_refusal) {
            self.close_part(&id, &mut parts, part.take(), out);
        }
        let at = ("content_index", parts.len());
        let part = match part {
            Some(part) => part,
            None => {
                let empty = if is_refusal { output::refusal_part("") } else { output::text_part("") };
                self.about(
                    "response.content_part.added",
                    (&id, Some(at)),
                    |data| data.value("part", &empty),
                    out,
                );
                Part { is_refusal, text: String::new() }
            }
        };
        let part = Part { text: part.text + text, ..part };
        if !text.is_empty() {
            let event = if is_refusal { "response.refusal.delta" } else { "response.output_text.delta" };
            self.about(
                event,
                (&id, Some(at)),
                |data| {
                    data.text("delta", text);
                    if !is_refusal {
                        data.list("logprobs", []);
                    }
                },
                out,
            );
        }
        self.open = Open::Message { id, parts, part: Some(part) };
    }

    fn close_part(&mut self, id: &str, parts: &mut Vec<Json>, part: Option<Part>, out: &mut Vec<u8>) {
        let Some(Part { is_refusal, text }) = part else { return };
        let at = ("content_index", parts.len());
        let whole = if is_refusal { output::refusal_part(&text) } else { output::text_part(&text) };
        if is_refusal {
            self.about("response.refusal.done", (id, Some(at)), |data| data.text("refusal", &text), out);
        } else {
            self.about(
                "response.output_text.done",
                (id, Some(at)),
                |data| {
                    data.text("text", &text);
                    data.list("logprobs", []);
                },
                out,
            );
        }
        self.about("response.content_part.done", (id, Some(at)), |data| data.value("part", &whole), out);
        parts.push(whole);
    }

    // === What is thought ===

    fn think(&mut self, piece: &str, out: &mut Vec<u8>) {
        if !matches!(self.open, Open::Thought { .. }) {
            self.close(ItemState::Completed, out);
            let id = output::item_id("rs", &self.reply, self.items.len());
            self.added(&output::reasoning_item(&id, "", None), out);
            let empty = output::summary_part("");
            self.about(
                "response.reasoning_summary_part.added",
                (&id, Some(("summary_index", 0))),
                |data| data.value("part", &empty),
                out,
            );
            self.open = Open::Thought { id, text: String::new() };
        }
        let Open::Thought { id, mut text } = mem::replace(&mut self.open, Open::Nothing) else { return };
        text.push_str(piece);
        self.about(
            "response.reasoning_summary_text.delta",
            (&id, Some(("summary_index", 0))),
            |data| data.text("delta", piece),
            out,
        );
        self.open = Open::Thought { id, text };
    }

    fn close_thought(&mut self, id: &str, text: &str, encrypted: Option<&str>, out: &mut Vec<u8>) {
        let at = Some(("summary_index", 0));
        let whole = output::summary_part(text);
        self.about("response.reasoning_summary_text.done", (id, at), |data| data.text("text", text), out);
        self.about("response.reasoning_summary_part.done", (id, at), |data| data.value("part", &whole), out);
        self.done(output::reasoning_item(id, text, encrypted), out);
    }

    /// The signature of the thought that is open, or of one without words.
    fn sign(&mut self, signature: &str, is_redacted: bool, out: &mut Vec<u8>) {
        let Some(encrypted) = seal::to_content(signature, is_redacted) else { return };
        match mem::replace(&mut self.open, Open::Nothing) {
            Open::Thought { id, text } if !is_redacted => {
                return self.close_thought(&id, &text, Some(&encrypted), out);
            }
            open => self.open = open,
        }
        self.close(ItemState::Completed, out);
        let id = output::item_id("rs", &self.reply, self.items.len());
        self.added(&output::reasoning_item(&id, "", None), out);
        self.done(output::reasoning_item(&id, "", Some(&encrypted)), out);
    }

    // === What is called ===

    fn call(&mut self, call_id: &str, name: &str, out: &mut Vec<u8>) {
        self.close(ItemState::Completed, out);
        let is_custom = output::takes_text(&self.reply.request, name);
        let prefix = if is_custom { "ctc" } else { "fc" };
        let (namespace, name) = match namespace::of_tool(&self.reply.request, name) {
            Some((namespace, name)) => (Some(namespace), name),
            None => (None, name),
        };
        let call = OpenCall {
            id: output::item_id(prefix, &self.reply, self.items.len()),
            call_id: call_id.to_owned(),
            name: name.to_owned(),
            namespace: namespace.map(str::to_owned),
            arguments: String::new(),
            is_custom,
        };
        self.added(&call.item().write(ItemState::InProgress), out);
        self.open = Open::Call(call);
    }

    fn arguments(&mut self, piece: &str, out: &mut Vec<u8>) {
        let Open::Call(mut call) = mem::replace(&mut self.open, Open::Nothing) else { return };
        call.arguments.push_str(piece);
        // Text for a tool stands inside a JSON string until that is whole.
        if !call.is_custom {
            self.about(
                "response.function_call_arguments.delta",
                (&call.id, None),
                |data| data.text("delta", piece),
                out,
            );
        }
        self.open = Open::Call(call);
    }

    fn close_call(&mut self, mut call: OpenCall, state: ItemState, out: &mut Vec<u8>) {
        if call.is_custom {
            let input = item::custom_input(&call.arguments);
            self.about(
                "response.custom_tool_call_input.delta",
                (&call.id, None),
                |data| data.text("delta", &input),
                out,
            );
            self.about(
                "response.custom_tool_call_input.done",
                (&call.id, None),
                |data| data.text("input", &input),
                out,
            );
            return self.done(call.item().write(state), out);
        }
        if call.arguments.is_empty() && state == ItemState::Completed {
            call.arguments.push_str("{}");
            self.about(
                "response.function_call_arguments.delta",
                (&call.id, None),
                |data| data.text("delta", "{}"),
                out,
            );
        }
        self.about(
            "response.function_call_arguments.done",
            (&call.id, None),
            |data| {
                data.text("name", &call.name);
                data.text("arguments", &call.arguments);
            },
            out,
        );
        self.done(call.item().write(state), out);
    }

    // === Ends ===

    /// Ends the item that is open.
    fn close(&mut self, state: ItemState, out: &mut Vec<u8>) {
        match mem::replace(&mut self.open, Open::Nothing) {
            Open::Nothing => {}
            Open::Message { id, mut parts, part } => {
                self.close_part(&id, &mut parts, part, out);
                self.done(output::message(&id, state, &parts), out);
            }
            Open::Thought { id, text } => self.close_thought(&id, &text, None, out),
            Open::Call(call) => self.close_call(call, state, out),
        }
    }

    fn finish(&mut self, out: &mut Vec<u8>) {
        let stop = self.stop.clone().unwrap_or(Stop::EndTurn);
        let is_cut = matches!(stop, Stop::MaxTokens | Stop::ContextWindow | Stop::Refusal);
        self.close(if is_cut { ItemState::Incomplete } else { ItemState::Completed }, out);
        if self.items.is_empty() {
            self.say("", false, out);
            self.close(ItemState::Completed, out);
        }
        let response = self.response(State::Ended(&stop));
        let event = if is_cut { "response.incomplete" } else { "response.completed" };
        self.send(event, |data| data.value("response", &response), out);
        self.is_over = true;
    }

    /// The error as such, which the official client raises, and the answer that failed by it.
    fn fail(&mut self, failure: &Failure, out: &mut Vec<u8>) {
        let nested = error::object(failure);
        let code = nested.get("code").unwrap_or_else(super::tools::null);
        let param = nested.get("param").unwrap_or_else(super::tools::null);
        self.send(
            "error",
            |data| {
                data.value("code", &code);
                data.text("message", &failure.message);
                data.value("param", &param);
                data.value("error", &nested);
            },
            out,
        );
        let response = self.response(State::Failed(failure));
        self.send("response.failed", |data| data.value("response", &response), out);
        self.is_over = true;
    }
}

impl Encode for Encoder {
    fn event(&mut self, event: &Event, out: &mut Vec<u8>) {
        if self.is_over {
            return;
        }
        if let Event::Start { id, created, usage, .. } = event {
            if !self.is_started {
                self.id = output::response_id(id.as_deref(), &self.reply);
                self.created = created.unwrap_or(self.reply.created);
            }
            self.usage.update(usage);
        }
        self.start(out);
        match event {
            Event::Start { .. } => {}
            Event::Text(text) => self.say(text, false, out),
            Event::Refusal(text) => self.say(text, true, out),
            Event::Thinking(text) => self.think(text, out),
            Event::Signature(signature) => self.sign(signature, false, out),
            Event::RedactedThinking(data) => self.sign(data, true, out),
            Event::CallStart { id, name, .. } => self.call(id, name, out),
            Event::CallArguments { text, .. } => self.arguments(text, out),
            Event::CallEnd { .. } => {
                if matches!(self.open, Open::Call(_)) {
                    self.close(ItemState::Completed, out);
                }
            }
            Event::Finish { stop, .. } => self.stop = Some(stop.clone()),
            Event::Usage(usage) => self.usage.update(usage),
            Event::Done => self.finish(out),
            Event::Error(failure) => self.fail(failure, out),
        }
    }

    fn ping(&mut self, out: &mut Vec<u8>) {
        if !self.is_over {
            out.extend_from_slice(b": ping\n\n");
        }
    }
}

#[cfg(test)]
mod tests;
