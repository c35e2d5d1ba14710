//! Chunks of a Chat stream, read into events.

use std::borrow::Cow;

use toolwright_jsonrpc::{Json, raw};

use super::response::{read_stop, read_usage};
use super::stream_calls::{Calls, Piece};
use crate::dialects::error_shapes;
use crate::form::{Event, Stop, Thinking, Usage, signature};
use crate::stream::halves::{Halves, TextOf};
use crate::stream::told::{self, number, some_text};
use crate::stream::{Decode, Frame};
use crate::{Dialect, Failure, FailureKind};

/// Reads the chunks of one Chat stream, of OpenAI and of those who do as it does.
#[derive(Debug)]
pub struct Decoder {
    calls: Calls,
    halves: Halves,
    is_started: bool,
    /// Something was said or called.
    has_content: bool,
    /// The words of the thought so far, for the detail that signs it.
    thought: String,
    /// Thoughts are told as words: the same words in details are not told again.
    has_plain_thoughts: bool,
    /// Why the answer ends, as far as was said. It is told at the end: some say it in every chunk.
    finish: Option<(Stop, Option<String>)>,
    usage: Usage,
    is_over: bool,
}

impl Decoder {
    /// A decoder for one stream. Ids that the upstream does not give are made of `id_seed`.
    pub fn new(id_seed: &str) -> Decoder {
        Decoder {
            calls: Calls::new(id_seed),
            halves: Halves::default(),
            is_started: false,
            has_content: false,
            thought: String::new(),
            has_plain_thoughts: false,
            finish: None,
            usage: Usage::default(),
            is_over: false,
        }
    }
}

impl Decode for Decoder {
    fn frame(&mut self, frame: &Frame<'_>, out: &mut Vec<Event>) {
        let data = frame.data.trim();
        if self.is_over || data.is_empty() {
            return;
        }
        if data == "[DONE]" && !self.is_started {
            self.is_over = true;
            out.push(Event::Error(told::cut_off("nothing but [DONE] came")));
        } else if data == "[DONE]" {
            self.close(out);
        } else if let Err(failure) = self.chunk(frame.event, data, out) {
            self.is_over = true;
            out.push(Event::Error(failure));
        }
    }

    fn end(&mut self, out: &mut Vec<Event>) {
        if self.is_over {
            return;
        }
        if self.finish.is_some() {
            self.close(out);
        } else {
            self.is_over = true;
            out.push(Event::Error(told::cut_off("neither a finish_reason nor [DONE] came")));
        }
    }
}

/// What a chunk has at its top, as text.
#[derive(Default)]
struct Chunk<'a> {
    id: Option<&'a str>,
    model: Option<&'a str>,
    created: Option<&'a str>,
    choices: Option<&'a str>,
    usage: Option<&'a str>,
    is_error: bool,
}

impl Decoder {
    fn chunk(&mut self, event: &str, data: &str, out: &mut Vec<Event>) -> Result<(), Failure> {
        let members = raw::members(data).map_err(|_| told::not_json(data))?;
        let mut chunk = Chunk { is_error: event == "error", ..Chunk::default() };
        let mut has_message = false;
        for member in &members {
            let value = member.value;
            if value == "null" {
                continue;
            }
            match member.key.as_ref() {
                "id" => chunk.id = Some(value),
                "model" => chunk.model = Some(value),
                "created" => chunk.created = Some(value),
                "choices" => chunk.choices = Some(value),
                "usage" => chunk.usage = Some(value),
                "x_groq" => chunk.usage = chunk.usage.or(raw::find(value, "usage")),
                "error" => chunk.is_error = true,
                "object" => chunk.is_error |= value == r#""error""#,
                "message" | "detail" => has_message = true,
                _ => {}
            }
        }
        if chunk.is_error || (has_message && chunk.choices.is_none()) {
            return Err(error_shapes::read(200, data));
        }
        if !self.is_started {
            self.is_started = true;
            out.push(Event::Start {
                id: chunk.id.and_then(some_text).map(Cow::into_owned),
                model: chunk.model.and_then(some_text).map(Cow::into_owned),
                created: chunk.created.and_then(number),
                usage: Usage::default(),
            });
        }
        let choices = chunk.choices.map(raw::items).transpose().unwrap_or_default().unwrap_or_default();
        for choice in &choices {
            self.choice(choice, out)?;
        }
        if let Some(usage) = chunk.usage {
            let usage = read_usage(usage);
            if usage != self.usage {
                self.usage = usage;
                out.push(Event::Usage(usage));
            }
            if choices.is_empty() && self.finish.is_some() {
                self.close(out);
            }
        }
        Ok(())
    }

    fn choice(&mut self, choice: &str, out: &mut Vec<Event>) -> Result<(), Failure> {
        let mut delta = None;
        let mut message = None;
        let mut finish = None;
        let mut stop_text = None;
        for member in raw::first_members(choice) {
            match member.key.as_ref() {
                // One answer was asked for.
                "index" if member.value != "0" && member.value != "null" => return Ok(()),
                "delta" if member.value.starts_with('{') => delta = Some(member.value),
                "message" if member.value.starts_with('{') => message = Some(member.value),
                "finish_reason" => finish = some_text(member.value),
                // vLLM: the stop sequence that came.
                "stop_reason" => stop_text = some_text(member.value),
                _ => {}
            }
        }
        // Some say everything at once, and not as a delta.
        let delta = delta.or(message.filter(|_| !self.has_content));
        if let Some(delta) = delta {
            self.delta(delta, out)?;
        }
        match finish.as_deref() {
            None => {}
            Some("error") => {
                let message = "The upstream ended the answer with finish_reason \"error\".";
                return Err(Failure::new(FailureKind::Api, message).with_status(502));
            }
            Some(word) => {
                let stop = read_stop(word);
                let stop_text = stop_text.filter(|_| stop == Stop::EndTurn).map(Cow::into_owned);
                let stop = if stop_text.is_some() { Stop::StopSequence } else { stop };
                self.finish = Some((stop, stop_text));
            }
        }
        Ok(())
    }

    /// What a delta says, in this order: thoughts, words, calls.
    fn delta(&mut self, delta: &str, out: &mut Vec<Event>) -> Result<(), Failure> {
        let mut content = None;
        let mut thinking = None;
        let mut details = None;
        let mut refusal = None;
        let mut calls = None;
        let mut function = None;
        for member in raw::first_members(delta) {
            let value = member.value;
            match member.key.as_ref() {
                "content" => content = Some(value),
                "reasoning_content" | "reasoning" | "thinking" => {
                    thinking = thinking.or(Some(value).filter(|value| is_some_text(value)));
                }
                "reasoning_details" => details = Some(value),
                "refusal" => refusal = Some(value),
                "tool_calls" => calls = Some(value),
                "function_call" if value.starts_with('{') => function = Some(value),
                _ => {}
            }
        }
        if let Some(thinking) = thinking {
            self.has_plain_thoughts = true;
            self.think(thinking, out);
        }
        for detail in details.and_then(|details| raw::items(details).ok()).into_iter().flatten() {
            self.detail(detail, out);
        }
        match content {
            Some(parts) if parts.starts_with('[') => self.parts(parts, out),
            Some(text) => self.answer(text, out),
            None => {}
        }
        if let Some(refusal) = refusal.and_then(|refusal| self.halves.text(TextOf::Refusal, refusal, out)) {
            self.say(Event::Refusal(refusal.into_owned()), out);
        }
        for call in calls.and_then(|calls| raw::items(calls).ok()).into_iter().flatten() {
            self.call(call, out)?;
        }
        if let Some(function) = function {
            self.function(None, None, function, out)?;
        }
        Ok(())
    }

    fn say(&mut self, event: Event, out: &mut Vec<Event>) {
        self.has_content = true;
        self.calls.end_complete(out);
        out.push(event);
    }

    fn answer(&mut self, text: &str, out: &mut Vec<Event>) {
        if let Some(text) = self.halves.text(TextOf::Answer, text, out) {
            self.say(Event::Text(text.into_owned()), out);
        }
    }

    fn think(&mut self, words: &str, out: &mut Vec<Event>) {
        if let Some(words) = self.halves.text(TextOf::Thinking, words, out) {
            self.thought.push_str(&words);
            self.say(Event::Thinking(words.into_owned()), out);
        }
    }

    /// A part of the thoughts as some routers tell it: words, a signature, or what is encrypted. What is not words is
    /// sealed, so that it comes back to them and to nobody else.
    fn detail(&mut self, detail: &str, out: &mut Vec<Event>) {
        let mut words = None;
        let mut is_signed = false;
        let mut is_encrypted = false;
        for member in raw::first_members(detail) {
            if !is_some_text(member.value) {
                continue;
            }
            match member.key.as_ref() {
                "text" | "summary" => words = Some(member.value),
                "signature" => is_signed = true,
                "data" => is_encrypted = true,
                _ => {}
            }
        }
        if let Some(words) = words.filter(|_| !self.has_plain_thoughts) {
            self.think(words, out);
        }
        let (true, Ok(item)) = (is_signed || is_encrypted, Json::parse(detail)) else { return };
        let item = if is_signed { item.with("text", &Json::text(&self.thought)) } else { item };
        let raw = Some((Dialect::OpenAiChat, item));
        let sealed = signature::sealed(&Thinking { raw, ..Thinking::default() });
        if is_signed {
            self.thought.clear();
            self.say(Event::Signature(sealed), out);
        } else {
            self.say(Event::RedactedThinking(sealed), out);
        }
    }

    /// Content as a list, in its order: texts, and thoughts, which are lists themselves.
    fn parts(&mut self, parts: &str, out: &mut Vec<Event>) {
        for part in raw::items(parts).into_iter().flatten() {
            for member in raw::first_members(part) {
                let thoughts = match member.key.as_ref() {
                    "text" => {
                        self.answer(member.value, out);
                        continue;
                    }
                    "thinking" => member.value,
                    _ => continue,
                };
                let listed = raw::items(thoughts).into_iter().flatten();
                for thought in listed.filter_map(|thought| raw::find(thought, "text")).chain([thoughts]) {
                    self.think(thought, out);
                }
            }
        }
    }

    fn call(&mut self, call: &str, out: &mut Vec<Event>) -> Result<(), Failure> {
        let mut index = None;
        let mut id = None;
        let mut function = None;
        for member in raw::first_members(call) {
            match member.key.as_ref() {
                "index" => index = number(member.value),
                "id" => id = some_text(member.value),
                "function" => function = Some(member.value),
                _ => {}
            }
        }
        self.function(index, id.as_deref(), function.unwrap_or("{}"), out)
    }

    fn function(
        &mut self,
        index: Option<u64>,
        id: Option<&str>,
        function: &str,
        out: &mut Vec<Event>,
    ) -> Result<(), Failure> {
        let mut name = None;
        let mut said = None;
        for member in raw::first_members(function) {
            match (member.key.as_ref(), member.value) {
                ("name", value) => name = some_text(value),
                ("arguments", "null") => {}
                ("arguments", value) => said = Some(value),
                _ => {}
            }
        }
        let slot = index.unwrap_or(u64::MAX);
        if name.is_some() {
            self.halves.end_call(slot);
        }
        let arguments = match said {
            Some(text) if text.starts_with('"') => {
                self.halves.text(TextOf::Call(slot), text, out).unwrap_or_default()
            }
            // Some send an object, where a text is asked for.
            object => Cow::Borrowed(object.unwrap_or_default()),
        };
        self.halves.end_words(out);
        self.has_content = true;
        let piece = Piece { index, id, name: name.as_deref(), arguments: &arguments };
        self.calls.piece(&piece, out)
    }

    fn close(&mut self, out: &mut Vec<Event>) {
        self.is_over = true;
        self.halves.end_words(out);
        self.calls.end_all(out);
        // Some forget to say why.
        let inferred = if self.calls.is_empty() { Stop::EndTurn } else { Stop::ToolUse };
        let (stop, stop_sequence) = self.finish.take().unwrap_or((inferred, None));
        out.push(Event::Finish { stop, stop_sequence });
        out.push(Event::Done);
    }
}

/// Whether a value is a string that says something.
fn is_some_text(value: &str) -> bool {
    value.len() > 2 && value.starts_with('"')
}
