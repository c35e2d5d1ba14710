//! Events of an Anthropic stream, read into ours.

use std::borrow::Cow;
use std::collections::BTreeMap;

use toolwright_jsonrpc::raw;

use super::response::{read_stop, take_usage};
use crate::dialects::error_shapes;
use crate::dialects::fields::Fields;
use crate::form::{Event, Stop, Usage};
use crate::stream::halves::{Halves, TextOf};
use crate::stream::told::{self, number, some_text};
use crate::stream::{Decode, Frame};
use crate::{Failure, FailureKind};

/// The most blocks that are open at once. Anthropic has one.
const MOST_OPEN_BLOCKS: usize = 4096;

/// Reads the events of one Anthropic stream.
#[derive(Debug)]
pub struct Decoder {
    seed: String,
    is_started: bool,
    /// The blocks that are open, by their index.
    open: BTreeMap<u64, Block>,
    halves: Halves,
    calls: usize,
    is_finished: bool,
    usage: Usage,
    is_over: bool,
}

#[derive(Debug)]
enum Block {
    Text,
    /// With what was told of its signature.
    Thinking(String),
    Call {
        number: usize,
        /// Arguments that came with the start. They count when no others come.
        input: Option<String>,
    },
    /// What the provider did itself, or what is not known: none of the client's business here.
    Other,
}

impl Decoder {
    /// A decoder for one stream. Ids that the upstream does not give are made of `id_seed`.
    pub fn new(id_seed: &str) -> Decoder {
        Decoder {
            seed: id_seed.to_owned(),
            is_started: false,
            open: BTreeMap::new(),
            halves: Halves::default(),
            calls: 0,
            is_finished: false,
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
        if let Err(failure) = self.read(frame.event, data, out) {
            self.is_over = true;
            out.push(Event::Error(failure));
        }
    }

    fn end(&mut self, out: &mut Vec<Event>) {
        if !self.is_over {
            self.is_over = true;
            out.push(Event::Error(told::cut_off("no message_stop came")));
        }
    }
}

impl Decoder {
    fn read(&mut self, event: &str, data: &str, out: &mut Vec<Event>) -> Result<(), Failure> {
        let members = raw::members(data).map_err(|_| told::not_json(data))?;
        let find = |key: &str| members.iter().find(|member| member.key == key).map(|member| member.value);
        let kind = find("type").and_then(told::text).unwrap_or(Cow::Borrowed(event));
        let index = find("index").and_then(number).unwrap_or(0);
        match kind.as_ref() {
            "message_start" => self.start(find("message").unwrap_or("{}"), out),
            "content_block_start" => {
                self.begin(out);
                self.block_stop(index, out);
                self.block_start(index, find("content_block").unwrap_or("{}"), out)?;
            }
            "content_block_delta" => {
                self.begin(out);
                self.delta(index, find("delta").unwrap_or("{}"), out);
            }
            "content_block_stop" => self.block_stop(index, out),
            "message_delta" => {
                self.begin(out);
                self.message_delta(find("delta").unwrap_or("{}"), find("usage"), out);
            }
            "message_stop" => self.close(out),
            "error" => return Err(error_shapes::read(200, data)),
            // A gateway between us and the provider may have words of its own.
            _ if find("error").is_some_and(|error| error != "null") => {
                return Err(error_shapes::read(200, data));
            }
            _ => {}
        }
        Ok(())
    }

    fn start(&mut self, message: &str, out: &mut Vec<Event>) {
        if self.is_started {
            return;
        }
        self.is_started = true;
        let mut id = None;
        let mut model = None;
        for member in raw::first_members(message) {
            match member.key.as_ref() {
                "id" => id = some_text(member.value).map(Cow::into_owned),
                "model" => model = some_text(member.value).map(Cow::into_owned),
                "usage" => self.usage = take_usage(&mut Fields::lenient(member.value)),
                _ => {}
            }
        }
        out.push(Event::Start { id, model, created: None, usage: self.usage });
    }

    /// The start, where the upstream gave none.
    fn begin(&mut self, out: &mut Vec<Event>) {
        if !self.is_started {
            self.start("{}", out);
        }
    }

    fn block_start(&mut self, index: u64, block: &str, out: &mut Vec<Event>) -> Result<(), Failure> {
        if self.open.len() == MOST_OPEN_BLOCKS {
            let message = format!("The upstream has more than {MOST_OPEN_BLOCKS} blocks open at once.");
            return Err(Failure::new(FailureKind::Api, message).with_status(502));
        }
        let members = raw::first_members(block);
        let find = |key: &str| members.iter().find(|member| member.key == key).map(|member| member.value);
        let owned = |key: &str| find(key).and_then(some_text).map(Cow::into_owned);
        let opened = match find("type").and_then(told::text).as_deref() {
            Some("text") => {
                out.extend(owned("text").map(Event::Text));
                Block::Text
            }
            Some("thinking") => {
                out.extend(owned("thinking").map(Event::Thinking));
                Block::Thinking(owned("signature").unwrap_or_default())
            }
            Some("redacted_thinking") => {
                out.extend(owned("data").map(Event::RedactedThinking));
                Block::Other
            }
            Some("tool_use") => {
                let number = self.calls;
                self.calls += 1;
                let id = owned("id").unwrap_or_else(|| format!("toolu_{}_{number}", self.seed));
                out.push(Event::CallStart { call: number, id, name: owned("name").unwrap_or_default() });
                let input =
                    find("input").filter(|input| raw::members(input).is_ok_and(|input| !input.is_empty()));
                Block::Call { number, input: input.map(str::to_owned) }
            }
            _ => Block::Other,
        };
        self.open.insert(index, opened);
        Ok(())
    }

    fn delta(&mut self, index: u64, delta: &str, out: &mut Vec<Event>) {
        let mut kind = None;
        let mut said = None;
        for member in raw::first_members(delta) {
            match member.key.as_ref() {
                "type" => kind = told::text(member.value),
                "text" | "thinking" | "partial_json" | "signature" => said = Some(member.value),
                _ => {}
            }
        }
        let (Some(kind), Some(said)) = (kind, said) else { return };
        match (kind.as_ref(), self.open.get_mut(&index)) {
            // A block that nobody opened is no reason to lose what it says.
            ("text_delta", Some(Block::Text) | None) => {
                let text = self.halves.text(TextOf::Answer, said, out);
                out.extend(text.map(|text| Event::Text(text.into_owned())));
            }
            ("thinking_delta", Some(Block::Thinking(_)) | None) => {
                let text = self.halves.text(TextOf::Thinking, said, out);
                out.extend(text.map(|text| Event::Thinking(text.into_owned())));
            }
            ("signature_delta", Some(Block::Thinking(signature))) => {
                signature.push_str(&told::text(said).unwrap_or_default());
            }
            ("input_json_delta", Some(Block::Call { number, input })) => {
                if let Some(text) = self.halves.text(TextOf::Call(*number as u64), said, out) {
                    *input = None;
                    out.push(Event::CallArguments { call: *number, text: text.into_owned() });
                }
            }
            _ => {}
        }
    }

    fn block_stop(&mut self, index: u64, out: &mut Vec<Event>) {
        self.halves.end_words(out);
        match self.open.remove(&index) {
            Some(Block::Thinking(signature)) if !signature.is_empty() => {
                out.push(Event::Signature(signature))
            }
            Some(Block::Call { number, input }) => {
                out.extend(input.map(|text| Event::CallArguments { call: number, text }));
                out.push(Event::CallEnd { call: number });
            }
            _ => {}
        }
    }

    fn message_delta(&mut self, delta: &str, usage: Option<&str>, out: &mut Vec<Event>) {
        if let Some(usage) = usage.filter(|usage| usage.starts_with('{')) {
            let before = self.usage;
            self.usage.update(&take_usage(&mut Fields::lenient(usage)));
            if self.usage != before {
                out.push(Event::Usage(self.usage));
            }
        }
        let mut stop = None;
        let mut stop_sequence = None;
        for member in raw::first_members(delta) {
            match member.key.as_ref() {
                "stop_reason" => stop = some_text(member.value),
                "stop_sequence" => stop_sequence = some_text(member.value),
                _ => {}
            }
        }
        if let (Some(stop), false) = (stop, self.is_finished) {
            self.end_blocks(out);
            self.is_finished = true;
            let stop_sequence = stop_sequence.map(Cow::into_owned);
            out.push(Event::Finish { stop: read_stop(&stop), stop_sequence });
        }
    }

    fn end_blocks(&mut self, out: &mut Vec<Event>) {
        while let Some((&index, _)) = self.open.first_key_value() {
            self.block_stop(index, out);
        }
    }

    fn close(&mut self, out: &mut Vec<Event>) {
        self.is_over = true;
        self.begin(out);
        self.end_blocks(out);
        if !self.is_finished {
            let stop = if self.calls == 0 { Stop::EndTurn } else { Stop::ToolUse };
            out.push(Event::Finish { stop, stop_sequence: None });
        }
        out.push(Event::Done);
    }
}
