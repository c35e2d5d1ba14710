//! An upstream's stream, read.
//!
//! Servers differ in which of the many events they send. Everything is taken from the first event that tells it, and
//! later events only fill in what is missing: arguments that come only when a call is done are told once.

use std::borrow::Cow;

use toolwright_jsonrpc::raw;

use super::item;
use super::response_read::{read_response, seconds, stop, text, usage};
use crate::dialects::error_shapes;
use crate::dialects::fields::{Fields, count, decoded};
use crate::form::{Arguments, Event, Stop, Thinking, Usage};
use crate::stream::halves::{Halves, TextOf};
use crate::stream::{Decode, Frame};
use crate::{Failure, FailureKind};

/// The most items of one answer. No model makes as many; a stream that goes wrong may, and events are compared with all.
const MOST_ITEMS: usize = 4096;

/// Reads one stream.
#[derive(Debug)]
pub struct Decoder {
    id_seed: String,
    is_started: bool,
    is_over: bool,
    /// Whether anything was said, thought or called.
    has_content: bool,
    items: Vec<Item>,
    calls: usize,
    halves: Halves,
}

/// An item of the stream.
#[derive(Debug)]
struct Item {
    id: String,
    index: Option<u64>,
    kind: Kind,
    is_done: bool,
}

#[derive(Debug)]
enum Kind {
    /// Which of its parts were told.
    Message {
        told: Vec<u64>,
    },
    Thought(Thought),
    Call(CallItem),
    Other,
}

#[derive(Debug, Default)]
struct Thought {
    /// Whether its words are of the summary or of the thought itself: only one of them is told.
    source: Option<Source>,
    /// The last part of the summary that was told of.
    part: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Source {
    Summary,
    Words,
}

#[derive(Debug, Default)]
struct CallItem {
    /// Its number, once it has begun.
    number: Option<usize>,
    /// Whether the tool takes text, which comes as it is.
    is_custom: bool,
    arguments: String,
    is_ended: bool,
}

impl Decoder {
    /// Begins a stream. Ids that the upstream does not give are made of the seed.
    pub fn new(id_seed: &str) -> Decoder {
        Decoder {
            id_seed: id_seed.to_owned(),
            is_started: false,
            is_over: false,
            has_content: false,
            items: Vec::new(),
            calls: 0,
            halves: Halves::default(),
        }
    }

    fn start(&mut self, response: Option<&str>, out: &mut Vec<Event>) {
        if self.is_started {
            return;
        }
        self.is_started = true;
        let mut fields = Fields::lenient(response.unwrap_or("{}"));
        out.push(Event::Start {
            id: text(&mut fields, "id"),
            model: text(&mut fields, "model"),
            created: fields.take("created_at").and_then(seconds),
            usage: fields.take("usage").map(usage).unwrap_or_default(),
        });
    }

    fn fail(&mut self, failure: Failure, out: &mut Vec<Event>) {
        self.is_over = true;
        out.push(Event::Error(failure));
    }

    /// The item that an event is about. Pieces of an item that nobody announced begin one.
    fn item(
        &mut self,
        fields: &Fields<'_, '_>,
        is_meant: fn(&Kind) -> bool,
        make: fn() -> Kind,
    ) -> &mut Kind {
        let id = fields.peek("item_id").and_then(decoded).unwrap_or_default();
        let index = fields.peek("output_index").and_then(count);
        let at = self.position(&id, index, is_meant).unwrap_or_else(|| {
            self.items.push(Item { id, index, kind: make(), is_done: false });
            self.items.len() - 1
        });
        &mut self.items[at].kind
    }

    /// Where an item is: by its id, else by its place, else the last of its kind that is open.
    fn position(&self, id: &str, index: Option<u64>, is_meant: fn(&Kind) -> bool) -> Option<usize> {
        let last = |is_it: &dyn Fn(&Item) -> bool| {
            self.items.iter().rposition(|item| is_meant(&item.kind) && is_it(item))
        };
        last(&|item| !id.is_empty() && item.id == id)
            .or_else(|| last(&|item| index.is_some() && item.index == index))
            .or_else(|| last(&|item| !item.is_done))
    }

    fn added(&mut self, mut fields: Fields<'_, '_>, out: &mut Vec<Event>) {
        let index = fields.peek("output_index").and_then(count);
        let Some(raw) = fields.take("item") else { return };
        self.add(raw, index, out);
    }

    fn add(&mut self, raw: &str, index: Option<u64>, out: &mut Vec<Event>) -> usize {
        let mut fields = Fields::lenient(raw);
        let item_type = text(&mut fields, "type").unwrap_or_default();
        let kind = match item_type.as_str() {
            "message" => Kind::Message { told: Vec::new() },
            "reasoning" => Kind::Thought(Thought::default()),
            "function_call" => Kind::Call(CallItem::default()),
            "custom_tool_call" => Kind::Call(CallItem { is_custom: true, ..CallItem::default() }),
            _ => Kind::Other,
        };
        let id = text(&mut fields, "id").unwrap_or_default();
        self.items.push(Item { id, index, kind, is_done: false });
        let at = self.items.len() - 1;
        self.begin_call(at, &mut fields, Waits::ForName, out);
        at
    }

    /// A call begins as soon as its name is known, or when none will come any more.
    fn begin_call(&mut self, at: usize, fields: &mut Fields<'_, '_>, waits: Waits, out: &mut Vec<Event>) {
        let number = self.calls;
        let Some(Item { kind: Kind::Call(call), .. }) = self.items.get_mut(at) else { return };
        if call.number.is_some() {
            return;
        }
        let name = text(fields, "name").unwrap_or_default();
        if name.is_empty() && waits == Waits::ForName {
            return;
        }
        let id = text(fields, "call_id")
            .filter(|id| !id.is_empty())
            .unwrap_or_else(|| format!("call_{}_{number}", self.id_seed));
        call.number = Some(number);
        self.calls += 1;
        self.has_content = true;
        out.push(Event::CallStart { call: number, id, name });
        if !call.arguments.is_empty() && !call.is_custom {
            out.push(Event::CallArguments { call: number, text: call.arguments.clone() });
        }
    }

    fn call_delta(&mut self, mut fields: Fields<'_, '_>, out: &mut Vec<Event>) {
        let slot = fields.peek("output_index").and_then(count).unwrap_or(u64::MAX);
        let delta = fields.take("delta").and_then(|delta| self.halves.text(TextOf::Call(slot), delta, out));
        let Some(delta) = delta else { return };
        let kind =
            self.item(&fields, |kind| matches!(kind, Kind::Call(_)), || Kind::Call(CallItem::default()));
        let Kind::Call(call) = kind else { return };
        if call.is_ended {
            return;
        }
        call.arguments.push_str(&delta);
        if let (Some(number), false) = (call.number, call.is_custom) {
            out.push(Event::CallArguments { call: number, text: delta.into_owned() });
        }
    }

    /// The arguments of a call are whole.
    fn call_done(&mut self, mut fields: Fields<'_, '_>, key: &str, out: &mut Vec<Event>) {
        let whole_text = text(&mut fields, key);
        let id = fields.peek("item_id").and_then(decoded).unwrap_or_default();
        let index = fields.peek("output_index").and_then(count);
        let Some(at) = self.position(&id, index, |kind| matches!(kind, Kind::Call(_))) else { return };
        self.begin_call(at, &mut fields, Waits::ForName, out);
        self.end_call(at, whole_text, Ended::Complete, out);
    }

    fn end_call(&mut self, at: usize, whole: Option<String>, ended: Ended, out: &mut Vec<Event>) {
        let Some(Item { kind: Kind::Call(call), .. }) = self.items.get_mut(at) else { return };
        let (Some(number), false) = (call.number, call.is_ended) else { return };
        if call.is_custom {
            call.is_ended = true;
            let input = whole.unwrap_or_else(|| std::mem::take(&mut call.arguments));
            if let Arguments::Object(object) = item::custom_arguments(&input) {
                out.push(Event::CallArguments { call: number, text: object.as_str().to_owned() });
            }
            out.push(Event::CallEnd { call: number });
            return;
        }
        // Only what goes on where the pieces ended is new; what differs was told already.
        let rest = whole.as_deref().and_then(|whole| whole.strip_prefix(call.arguments.as_str()));
        if let Some(rest) = rest.filter(|rest| !rest.is_empty()) {
            out.push(Event::CallArguments { call: number, text: rest.to_owned() });
            call.arguments.push_str(rest);
        }
        if ended == Ended::Complete {
            call.is_ended = true;
            out.push(Event::CallEnd { call: number });
        }
    }

    fn item_done(&mut self, mut fields: Fields<'_, '_>, out: &mut Vec<Event>) {
        let index = fields.peek("output_index").and_then(count);
        let Some(raw) = fields.take("item") else { return };
        self.item_whole(raw, index, out);
    }

    /// An item as a whole: what was not told yet is told now.
    fn item_whole(&mut self, raw: &str, index: Option<u64>, out: &mut Vec<Event>) {
        let mut fields = Fields::lenient(raw);
        let id = fields.peek("id").and_then(decoded).unwrap_or_default();
        let known = self.items.iter().rposition(|item| !item.is_done && !id.is_empty() && item.id == id);
        let known = known.or_else(|| {
            self.items.iter().rposition(|item| !item.is_done && index.is_some() && item.index == index)
        });
        let at = known.unwrap_or_else(|| self.add(raw, index, out));
        let Some(item) = self.items.get_mut(at) else { return };
        item.is_done = true;
        match &mut item.kind {
            Kind::Message { told } => {
                let told = std::mem::take(told);
                self.message_whole(&mut fields, &told, out);
            }
            Kind::Thought(thought) => {
                let has_words = thought.source.is_some();
                self.thought_whole(raw, has_words, out);
            }
            Kind::Call(call) => {
                let key = if call.is_custom { "input" } else { "arguments" };
                let whole = text(&mut fields, key);
                let is_cut = text(&mut fields, "status").as_deref() == Some("incomplete");
                self.begin_call(at, &mut fields, Waits::No, out);
                self.end_call(at, whole, if is_cut { Ended::Cut } else { Ended::Complete }, out);
            }
            Kind::Other => {}
        }
    }

    fn message_whole(&mut self, fields: &mut Fields<'_, '_>, told: &[u64], out: &mut Vec<Event>) {
        let parts = fields.take("content").and_then(|content| raw::items(content).ok()).unwrap_or_default();
        for (at, part) in parts.into_iter().enumerate() {
            if !told.contains(&(at as u64)) {
                self.say(part, out);
            }
        }
    }

    /// Tells a part of a message.
    fn say(&mut self, part: &str, out: &mut Vec<Event>) {
        let mut fields = Fields::lenient(part);
        let (event, words): (fn(String) -> Event, _) = match text(&mut fields, "type").as_deref() {
            Some("output_text" | "text") => (Event::Text, text(&mut fields, "text")),
            Some("refusal") => (Event::Refusal, text(&mut fields, "refusal")),
            _ => return,
        };
        if let Some(words) = words.filter(|words| !words.is_empty()) {
            self.has_content = true;
            out.push(event(words));
        }
    }

    fn thought_whole(&mut self, raw: &str, has_words: bool, out: &mut Vec<Event>) {
        let Thinking { text, signature, .. } = item::thinking(raw);
        let is_told = has_words || !text.is_empty();
        self.has_content |= is_told || signature.is_some();
        if !has_words && !text.is_empty() {
            out.push(Event::Thinking(text));
        }
        match signature {
            Some(signature) if is_told => out.push(Event::Signature(signature)),
            Some(signature) => out.push(Event::RedactedThinking(signature)),
            None => {}
        }
    }

    /// A piece of a message, or the whole of a part of it that had no pieces.
    fn words(&mut self, mut fields: Fields<'_, '_>, key: &str, of: TextOf, out: &mut Vec<Event>) {
        let Some(words) = self.said(&mut fields, key, of, out) else { return };
        let part = fields.peek("content_index").and_then(count).unwrap_or(0);
        let make = || Kind::Message { told: Vec::new() };
        let kind = self.item(&fields, |kind| matches!(kind, Kind::Message { .. }), make);
        let Kind::Message { told } = kind else { return };
        match (told.contains(&part), key) {
            (true, "delta") => {}
            (true, _) => return,
            (false, _) => told.push(part),
        }
        self.has_content = true;
        out.push(if of == TextOf::Refusal { Event::Refusal(words) } else { Event::Text(words) });
    }

    /// What an event says: a piece, whose last character may be half there, or a whole text.
    fn said(
        &mut self,
        fields: &mut Fields<'_, '_>,
        key: &str,
        of: TextOf,
        out: &mut Vec<Event>,
    ) -> Option<String> {
        if key == "delta" {
            return self.halves.text(of, fields.take(key)?, out).map(Cow::into_owned);
        }
        self.halves.end_words(out);
        text(fields, key).filter(|words| !words.is_empty())
    }

    fn thought(&mut self, mut fields: Fields<'_, '_>, key: &str, source: Source, out: &mut Vec<Event>) {
        let Some(words) = self.said(&mut fields, key, TextOf::Thinking, out) else { return };
        let part = fields.peek("summary_index").or(fields.peek("content_index")).and_then(count).unwrap_or(0);
        let make = || Kind::Thought(Thought::default());
        let kind = self.item(&fields, |kind| matches!(kind, Kind::Thought(_)), make);
        let Kind::Thought(thought) = kind else { return };
        let is_new_part = thought.source.is_none() || part > thought.part;
        let is_other = thought.source.is_some_and(|told| told != source);
        if is_other || (key != "delta" && !is_new_part) {
            return;
        }
        if thought.source.is_some() && is_new_part {
            out.push(Event::Thinking("\n\n".to_owned()));
        }
        thought.source = Some(source);
        thought.part = part;
        self.has_content = true;
        out.push(Event::Thinking(words));
    }

    /// The good end, also of an answer that ran into a limit.
    fn finish(&mut self, response: &str, is_complete: bool, out: &mut Vec<Event>) {
        self.halves.end_words(out);
        if !self.has_content {
            self.tell_whole(response, out);
        }
        if is_complete {
            for at in 0..self.items.len() {
                self.begin_call(at, &mut Fields::lenient("{}"), Waits::No, out);
                self.end_call(at, None, Ended::Complete, out);
            }
        }
        let mut fields = Fields::lenient(response);
        let counted = fields.take("usage").map(usage).unwrap_or_default();
        match stop(&mut fields) {
            Err(failure) => return self.fail(failure, out),
            Ok(stop) => {
                if counted != Usage::default() {
                    out.push(Event::Usage(counted));
                }
                let stop = stop.unwrap_or(if is_complete { Stop::EndTurn } else { Stop::MaxTokens });
                out.push(Event::Finish { stop, stop_sequence: None });
            }
        }
        self.is_over = true;
        out.push(Event::Done);
    }

    /// A stream that told nothing before its end, as some servers send.
    fn tell_whole(&mut self, response: &str, out: &mut Vec<Event>) {
        let items = raw::find(response, "output").and_then(|output| raw::items(output).ok());
        for (at, raw) in items.unwrap_or_default().into_iter().enumerate() {
            self.item_whole(raw, Some(at as u64), out);
        }
    }
}

/// Whether more may be known of a call later.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Waits {
    ForName,
    No,
}

/// How the arguments of a call ended.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Ended {
    Complete,
    Cut,
}

impl Decode for Decoder {
    fn frame(&mut self, frame: &Frame<'_>, out: &mut Vec<Event>) {
        let data = frame.data.trim();
        if self.is_over || data.is_empty() || data == "[DONE]" {
            return;
        }
        if raw::members(data).is_err() {
            let failure =
                Failure::new(FailureKind::Api, "The upstream sent an event that is no JSON object.");
            return self.fail(failure, out);
        }
        let mut fields = Fields::lenient(data);
        let event = text(&mut fields, "type").unwrap_or_else(|| frame.event.to_owned());
        if event == "error" || (fields.peek("error").is_some() && !event.starts_with("response.")) {
            return self.fail(error_shapes::read(200, data), out);
        }
        self.start(fields.peek("response"), out);
        match event.as_str() {
            "response.output_item.added" => self.added(fields, out),
            "response.output_text.delta" => self.words(fields, "delta", TextOf::Answer, out),
            "response.output_text.done" => self.words(fields, "text", TextOf::Answer, out),
            "response.refusal.delta" => self.words(fields, "delta", TextOf::Refusal, out),
            "response.refusal.done" => self.words(fields, "refusal", TextOf::Refusal, out),
            "response.reasoning_summary_text.delta" => self.thought(fields, "delta", Source::Summary, out),
            "response.reasoning_summary_text.done" => self.thought(fields, "text", Source::Summary, out),
            "response.reasoning_text.delta" => self.thought(fields, "delta", Source::Words, out),
            "response.reasoning_text.done" => self.thought(fields, "text", Source::Words, out),
            "response.function_call_arguments.delta" | "response.custom_tool_call_input.delta" => {
                self.call_delta(fields, out);
            }
            "response.function_call_arguments.done" => self.call_done(fields, "arguments", out),
            "response.custom_tool_call_input.done" => self.call_done(fields, "input", out),
            "response.output_item.done" => self.item_done(fields, out),
            "response.completed" => self.finish(fields.take("response").unwrap_or("{}"), true, out),
            "response.incomplete" => self.finish(fields.take("response").unwrap_or("{}"), false, out),
            "response.failed" | "response.cancelled" => {
                let response = fields.take("response").unwrap_or("{}");
                let failure = match read_response(response) {
                    Err(failure) => failure,
                    Ok(_) => error_shapes::read(200, response),
                };
                self.fail(failure, out);
            }
            _ => {}
        }
        if self.items.len() > MOST_ITEMS && !self.is_over {
            let message = format!("The upstream began more than {MOST_ITEMS} items in one answer.");
            self.fail(Failure::new(FailureKind::Api, message).with_status(502), out);
        }
    }

    fn end(&mut self, out: &mut Vec<Event>) {
        if self.is_over {
            return;
        }
        let failure = Failure::new(
            FailureKind::Api,
            "The upstream's stream ended before its answer did (no response.completed).",
        )
        .with_status(502);
        self.fail(failure, out);
    }
}
