//! Turns of the form, written as items.

use std::borrow::Cow;

use toolwright_jsonrpc::{Json, ObjectWriter};

use super::super::item::{custom_input, is_custom};
use super::super::seal;
use super::super::tools::write_extra_members;
use super::media;
use crate::dialects::fields::write_members;
use crate::dialects::history::{self, Answer, Part, Said, Step, note_once};
use crate::dialects::namespace::{self, NAMESPACE};
use crate::dialects::offer::{carried, words_of};
use crate::dialects::{prompt, system};
use crate::form::{Block, Call, Message, Request, Role, Text, Thinking, ToolResult};
use crate::{Dialect, Failure, Notes};

/// All items of the conversation.
pub(super) fn write(request: &Request, notes: &mut Notes) -> Result<Vec<Json>, Failure> {
    let is_own = request.dialect == Some(Dialect::OpenAiResponses);
    let mut writer = Writer { items: Vec::new(), is_own, files: 0, notes };
    if is_own {
        // What OpenAI has stored belongs to it, too: nobody here can say what is missing.
        for message in &request.messages {
            writer.as_sent(message)?;
        }
        return Ok(writer.items);
    }
    for step in &history::steps(&request.messages, writer.notes) {
        match step {
            Step::System(message) => writer.system(message),
            Step::Assistant { parts, .. } => writer.assistant(parts),
            Step::Results(answers) => {
                for answer in answers {
                    writer.answer(answer)?;
                }
            }
            Step::User { said, .. } => writer.user(said)?,
        }
    }
    Ok(writer.items)
}

struct Writer<'n> {
    items: Vec<Json>,
    /// Whether the client speaks this dialect itself.
    is_own: bool,
    /// How many files were written, for their names.
    files: usize,
    notes: &'n mut Notes,
}

impl Writer<'_> {
    /// A message of a client that speaks this dialect.
    fn as_sent(&mut self, message: &Message) -> Result<(), Failure> {
        match message.role {
            Role::System => self.system(message),
            Role::Assistant => {
                let parts: Vec<Part<'_>> = message.blocks.iter().map(part_of).collect();
                self.assistant(&parts);
            }
            Role::User => {
                let mut said = Vec::new();
                for block in &message.blocks {
                    match block {
                        Block::Result(result) => {
                            self.result(result.call_id.as_deref().unwrap_or_default(), result)?;
                        }
                        Block::Other { dialect: Dialect::OpenAiResponses, raw } if is_item(raw) => {
                            self.items.push(raw.clone());
                        }
                        _ => said.push(Said::Block(block)),
                    }
                }
                self.user(&said)?;
            }
        }
        Ok(())
    }

    fn system(&mut self, message: &Message) {
        let text = system::joined(system::texts(message));
        if !text.is_empty() {
            self.message("system", vec![text_part(&text)]);
        }
    }

    fn message(&mut self, role: &str, parts: Vec<Json>) {
        let mut out = ObjectWriter::default();
        out.text("type", "message");
        out.text("role", role);
        out.list("content", parts);
        self.items.push(out.finish());
    }

    // === The client ===

    fn user(&mut self, said: &[Said<'_>]) -> Result<(), Failure> {
        let mut parts = Vec::with_capacity(said.len());
        for said in said {
            match said {
                Said::Block(block) => parts.extend(self.part(block)?),
                Said::Orphan(result) => {
                    parts.push(text_part(&prompt::orphan_head(result)));
                    for block in &result.blocks {
                        parts.extend(self.part(block)?);
                    }
                }
            }
        }
        if !parts.is_empty() {
            self.message("user", parts);
        }
        Ok(())
    }

    /// A part of what a client says, or of a result.
    fn part(&mut self, block: &Block) -> Result<Option<Json>, Failure> {
        Ok(match block {
            Block::Text(text) if text.text.is_empty() => None,
            Block::Text(text) => Some(self.text(text)),
            Block::Refusal(text) => Some(text_part(text)),
            Block::Media(media) => Some(media::write(media, &mut self.files, self.notes)?),
            Block::Other { dialect: Dialect::OpenAiResponses, raw } => Some(raw.clone()),
            Block::Other { raw, .. } => self.words(raw).map(|words| text_part(&words)),
            // Only the model thinks and calls, and results have items of their own.
            Block::Thinking(_) | Block::Call(_) | Block::Result(_) => None,
        })
    }

    fn text(&self, text: &Text) -> Json {
        let mut out = ObjectWriter::with_capacity(text.text.len() + 40);
        out.text("type", "input_text");
        out.text("text", &text.text);
        if self.is_own {
            write_members(&mut out, &text.extra);
        }
        out.finish()
    }

    /// The words of a block that only another dialect knows.
    fn words(&mut self, raw: &Json) -> Option<String> {
        let kind = raw.get_text("type").unwrap_or_default();
        let note = format!("the Responses API knows no {kind}; its words are told, if it has any");
        self.notes.add("block_not_sent", note);
        words_of(raw).filter(|words| !words.is_empty())
    }

    fn answer(&mut self, answer: &Answer<'_>) -> Result<(), Failure> {
        match answer.result {
            Some(result) => self.result(&answer.id, result),
            None => {
                self.output(&answer.id, Json::text(&prompt::no_result()), false);
                Ok(())
            }
        }
    }

    /// A result: a text where it is nothing else, as not all servers take lists.
    fn result(&mut self, id: &str, result: &ToolResult) -> Result<(), Failure> {
        let is_text = result.blocks.iter().all(|block| matches!(block, Block::Text(_) | Block::Refusal(_)));
        let output = if is_text {
            let texts: Vec<&str> = result
                .blocks
                .iter()
                .filter_map(|block| match block {
                    Block::Text(text) => Some(text.text.as_str()),
                    Block::Refusal(text) => Some(text.as_str()),
                    _ => None,
                })
                .filter(|text| !text.is_empty())
                .collect();
            Json::text(&prompt::marked(texts.join("\n"), result.is_error))
        } else {
            let mut parts = Vec::new();
            for block in &result.blocks {
                parts.extend(self.part(block)?);
            }
            if result.is_error {
                let first =
                    parts.first().filter(|part| is_text_part(part)).and_then(|part| part.get_text("text"));
                let head = text_part(&prompt::marked(first.clone().unwrap_or_default(), true));
                match first {
                    Some(_) => parts[0] = head,
                    None => parts.insert(0, head),
                }
            }
            Json::list(&parts)
        };
        self.output(id, output, self.is_own && is_custom(&result.extra));
        Ok(())
    }

    fn output(&mut self, id: &str, output: Json, is_custom: bool) {
        let mut out = ObjectWriter::with_capacity(output.as_str().len() + 80);
        out.text("type", if is_custom { "custom_tool_call_output" } else { "function_call_output" });
        out.text("call_id", id);
        out.value("output", &output);
        self.items.push(out.finish());
    }

    // === The model ===

    /// Thoughts, texts and calls in their order. Texts that follow each other are one message.
    fn assistant(&mut self, parts: &[Part<'_>]) {
        let mut said: Vec<Cow<'_, Block>> = Vec::new();
        for part in parts {
            match part {
                Part::Call(id, call) => {
                    self.spoken(&mut said);
                    self.call(id, call);
                }
                Part::Block(block @ Block::Text(text)) => {
                    if self.is_own && carried(&text.extra, "phase").is_some() {
                        self.spoken(&mut said);
                    }
                    said.push(Cow::Borrowed(block));
                }
                Part::Block(block @ Block::Refusal(_)) => said.push(Cow::Borrowed(block)),
                Part::Block(Block::Thinking(thinking)) => {
                    self.spoken(&mut said);
                    self.thinking(thinking);
                }
                Part::Block(Block::Other { dialect: Dialect::OpenAiResponses, raw }) => {
                    self.spoken(&mut said);
                    self.items.push(raw.clone());
                }
                Part::Block(Block::Other { raw, .. }) => {
                    let words = self.words(raw);
                    said.extend(words.map(|text| Cow::Owned(Block::Text(Text { text, ..Text::default() }))));
                }
                Part::Block(Block::Media(_)) => note_once(
                    self.notes,
                    "assistant_media_dropped",
                    "media in a message of the assistant were left out",
                ),
                Part::Block(Block::Call(_) | Block::Result(_)) => {}
            }
        }
        self.spoken(&mut said);
    }

    /// Writes what the model said up to here.
    fn spoken(&mut self, said: &mut Vec<Cow<'_, Block>>) {
        let blocks = std::mem::take(said);
        let mut words = String::new();
        let mut refusals = Vec::new();
        for block in &blocks {
            match &**block {
                Block::Text(text) => words.push_str(&text.text),
                Block::Refusal(text) => refusals.push(refusal_part(text)),
                _ => {}
            }
        }
        if words.is_empty() && refusals.is_empty() {
            return;
        }
        let mut out = ObjectWriter::with_capacity(words.len() + 60);
        out.text("type", "message");
        out.text("role", "assistant");
        if let Some(Block::Text(first)) = blocks.first().map(|block| &**block) {
            let phase = first.extra.iter().filter(|(key, _)| self.is_own && key == "phase");
            write_extra_members(&mut out, phase);
        }
        if refusals.is_empty() {
            // The one form that every server takes for what a model said.
            out.text("content", &words);
        } else {
            let spoken = (!words.is_empty()).then(|| super::super::output::text_part(&words));
            out.list("content", spoken.into_iter().chain(refusals));
        }
        self.items.push(out.finish());
    }

    /// A thought goes back only to who encrypted it.
    fn thinking(&mut self, thinking: &Thinking) {
        let item = match &thinking.raw {
            Some((Dialect::OpenAiResponses, raw)) => Some(raw.clone()),
            // Clients of other dialects give it back in the signature.
            _ => thinking.signature.as_deref().and_then(seal::item),
        };
        match item.filter(|item| self.is_own || stands_alone(item)) {
            Some(item) => self.items.push(item),
            None => note_once(
                self.notes,
                "thinking_not_sent",
                "thoughts of earlier turns were left out: the upstream takes only what it encrypted itself",
            ),
        }
    }

    fn call(&mut self, id: &str, call: &Call) {
        let is_custom = self.is_own && is_custom(&call.extra);
        let mut out = ObjectWriter::with_capacity(call.arguments.as_str().len() + 80);
        out.text("type", if is_custom { "custom_tool_call" } else { "function_call" });
        for (key, value) in &call.extra {
            if self.is_own && key == "id" {
                out.value(key, value);
            }
        }
        out.text("call_id", id);
        match namespace::parts(&call.extra, &call.name).filter(|_| self.is_own) {
            Some((namespace, tool)) => {
                out.text("name", tool);
                out.text(NAMESPACE, namespace);
            }
            None => out.text("name", &call.name),
        }
        match is_custom {
            true => out.text("input", &custom_input(call.arguments.as_str())),
            // What is no object is told as it was written: here arguments are text.
            false => out.text("arguments", call.arguments.as_str()),
        }
        self.items.push(out.finish());
    }
}

fn part_of(block: &Block) -> Part<'_> {
    match block {
        Block::Call(call) => Part::Call(Cow::Borrowed(call.id.as_deref().unwrap_or_default()), call),
        block => Part::Block(block),
    }
}

/// Whether a thought says itself what it is: one that has only an id is looked up, and nothing was stored.
fn stands_alone(item: &Json) -> bool {
    let words = item.get("content").and_then(|content| content.items());
    words.is_some_and(|parts| !parts.is_empty())
        || item.get_text("encrypted_content").is_some_and(|content| !content.is_empty())
}

/// Whether what only this dialect knows is an item, and not a part of a message.
fn is_item(raw: &Json) -> bool {
    !raw.get_text("type").is_some_and(|kind| kind.starts_with("input_"))
}

fn is_text_part(part: &Json) -> bool {
    part.get_text("type").as_deref() == Some("input_text")
}

pub(super) fn text_part(text: &str) -> Json {
    let mut out = ObjectWriter::with_capacity(text.len() + 40);
    out.text("type", "input_text");
    out.text("text", text);
    out.finish()
}

fn refusal_part(text: &str) -> Json {
    super::super::output::refusal_part(text)
}
