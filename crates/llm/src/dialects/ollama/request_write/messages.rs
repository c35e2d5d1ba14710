//! Turns of the form, written as messages.

use toolwright_jsonrpc::{Json, ObjectWriter};

use crate::dialects::prompt;
use crate::form::{
    Arguments, Block, Call, Media, MediaKind, MediaSource, Message, Request, Role, ToolResult,
};
use crate::{Dialect, Failure, Notes, Target};

/// The member that holds arguments that are no object, and never were.
const NOT_AN_OBJECT: &str = "unreadable_arguments";

/// All messages, the instructions first.
pub(super) fn write(request: &Request, target: &Target, notes: &mut Notes) -> Result<Vec<Json>, Failure> {
    let mut writer = Writer { out: Vec::new(), calls: Vec::new(), notes };
    let system = prompt::system_text(request, target, writer.notes);
    if !system.is_empty() {
        writer.push("system", system, Vec::new());
    }
    for message in &request.messages {
        match message.role {
            Role::System if !target.takes_inline_system => {}
            Role::System => writer.said("system", message)?,
            Role::User => {
                for block in &message.blocks {
                    if let Block::Result(result) = block {
                        writer.result(result)?;
                    }
                }
                writer.said("user", message)?;
            }
            Role::Assistant => writer.assistant(message),
        }
    }
    Ok(writer.out)
}

struct Writer<'r, 'n> {
    out: Vec<Json>,
    /// Ids and tools of the calls so far: results say the tool.
    calls: Vec<(&'r str, &'r str)>,
    notes: &'n mut Notes,
}

impl<'r> Writer<'r, '_> {
    fn push(&mut self, role: &str, content: String, images: Vec<Json>) {
        let mut out = ObjectWriter::with_capacity(content.len() + 60);
        out.text("role", role);
        out.text("content", &content);
        if !images.is_empty() {
            out.list("images", images);
        }
        self.out.push(out.finish());
    }

    /// A message of words and images; none where there is nothing but results.
    fn said(&mut self, role: &str, message: &'r Message) -> Result<(), Failure> {
        let (words, images) = self.content(&message.blocks)?;
        let has_results = message.blocks.iter().any(|block| matches!(block, Block::Result(_)));
        if words.is_empty() && images.is_empty() && has_results {
            return Ok(());
        }
        self.push(role, words.join("\n\n"), images);
        Ok(())
    }

    /// Words and images of blocks.
    fn content(&mut self, blocks: &'r [Block]) -> Result<(Vec<String>, Vec<Json>), Failure> {
        let (mut words, mut images) = (Vec::new(), Vec::new());
        for block in blocks {
            match block {
                Block::Text(text) if !text.text.is_empty() => words.push(text.text.clone()),
                Block::Refusal(text) => words.push(text.clone()),
                Block::Media(media) => self.media(media, &mut words, &mut images)?,
                Block::Other { dialect, raw } => self.left_out(*dialect, raw),
                Block::Text(_) | Block::Thinking(_) | Block::Call(_) | Block::Result(_) => {}
            }
        }
        Ok((words, images))
    }

    fn media(
        &mut self,
        media: &Media,
        words: &mut Vec<String>,
        images: &mut Vec<Json>,
    ) -> Result<(), Failure> {
        match (media.kind, &media.source) {
            (MediaKind::Image, MediaSource::Base64 { data, .. }) => images.push(Json::text(data)),
            (_, MediaSource::Text(text)) => words.push(text.clone()),
            (_, MediaSource::File { id, .. }) => {
                return Err(Failure::invalid(format!(
                    "The file \"{id}\" is stored with another provider than the one of this model: send its content \
                     instead (an image in base64, or text)."
                )));
            }
            _ => words.push(prompt::left_out(media, self.notes)),
        }
        Ok(())
    }

    fn result(&mut self, result: &'r ToolResult) -> Result<(), Failure> {
        let (words, images) = self.content(&result.blocks)?;
        let id = result.call_id.as_deref();
        let called = || self.calls.iter().rev().find(|(call, _)| Some(*call) == id).map(|(_, name)| *name);
        let name = result.name.as_deref().or_else(called);
        let mut out = ObjectWriter::default();
        out.text("role", "tool");
        out.text("content", &prompt::marked(words.join("\n"), result.is_error));
        if let Some(name) = name {
            out.text("tool_name", name);
        }
        if let Some(id) = id {
            out.text("tool_call_id", id);
        }
        if !images.is_empty() {
            out.list("images", images);
        }
        self.out.push(out.finish());
        Ok(())
    }

    /// One message: thoughts, words and calls each have their member.
    fn assistant(&mut self, message: &'r Message) {
        let (mut words, mut thoughts, mut calls) = (String::new(), Vec::new(), Vec::new());
        for block in &message.blocks {
            match block {
                Block::Text(text) => words.push_str(&text.text),
                Block::Refusal(text) => words.push_str(text),
                Block::Thinking(thinking) if thinking.text.is_empty() => self.notes.add(
                    "thinking_left_out",
                    "A thought without words was left out: only who encrypted it can read it.",
                ),
                Block::Thinking(thinking) => thoughts.push(thinking.text.as_str()),
                Block::Call(call) => {
                    if let Some(id) = &call.id {
                        self.calls.push((id, &call.name));
                    }
                    let call = self.call(call, calls.len());
                    calls.push(call);
                }
                Block::Other { dialect, raw } => self.left_out(*dialect, raw),
                Block::Media(media) => {
                    prompt::left_out(media, self.notes);
                }
                Block::Result(_) => self.notes.add(
                    "result_left_out",
                    "A result that stands in a message of the model was left out: only the client gives results.",
                ),
            }
        }
        if words.is_empty() && thoughts.is_empty() && calls.is_empty() {
            return;
        }
        let mut out = ObjectWriter::default();
        out.text("role", "assistant");
        out.text("content", &words);
        if !thoughts.is_empty() {
            out.text("thinking", &thoughts.join("\n\n"));
        }
        if !calls.is_empty() {
            out.list("tool_calls", calls);
        }
        self.out.push(out.finish());
    }

    fn call(&mut self, call: &Call, at: usize) -> Json {
        let mut function = ObjectWriter::default();
        function.number("index", at as u64);
        function.text("name", &call.name);
        match &call.arguments {
            Arguments::Object(object) => function.value("arguments", object),
            Arguments::Text(text) => {
                self.notes.add(
                    "arguments_wrapped",
                    format!(
                        "The arguments of a call of \"{}\" are no JSON object and were wrapped in one.",
                        call.name
                    ),
                );
                function.value("arguments", &wrapped(text));
            }
        }
        let mut out = ObjectWriter::default();
        if let Some(id) = &call.id {
            out.text("id", id);
        }
        out.value("function", &function.finish());
        out.finish()
    }

    fn left_out(&mut self, dialect: Dialect, raw: &Json) {
        let kind = raw.get_text("type").unwrap_or_default();
        self.notes.add(
            "block_left_out",
            format!("A block \"{kind}\" that only {} knows was left out.", dialect.name()),
        );
    }
}

/// What is no object, as one that no tool takes for its arguments.
pub(in crate::dialects::ollama) fn wrapped(text: &str) -> Json {
    let mut out = ObjectWriter::default();
    out.text(NOT_AN_OBJECT, text);
    out.finish()
}
