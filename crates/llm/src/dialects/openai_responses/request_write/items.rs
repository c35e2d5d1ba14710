//! Turns of the form, written as items.

use toolwright_jsonrpc::{Json, ObjectWriter};

use super::super::item::{custom_input, is_custom};
use super::super::seal;
use super::super::tools::{find, write_members};
use crate::dialects::{data_url, prompt};
use crate::form::{
    Arguments, Block, Call, Media, MediaKind, MediaSource, Message, Request, Role, Text, Thinking, ToolResult,
};
use crate::{Dialect, Failure, Notes, Target};

/// All items of the conversation.
pub(super) fn write(request: &Request, target: &Target, notes: &mut Notes) -> Result<Vec<Json>, Failure> {
    let is_own = request.dialect == Some(Dialect::OpenAiResponses);
    let mut writer =
        Writer { items: Vec::new(), is_own, documents: 0, calls: 0, open_calls: Vec::new(), notes };
    for message in &request.messages {
        match message.role {
            Role::System if !target.takes_inline_system => {}
            Role::System => writer.said("system", message)?,
            Role::User => writer.user(message)?,
            Role::Assistant => writer.assistant(message)?,
        }
    }
    Ok(writer.items)
}

struct Writer<'n> {
    items: Vec<Json>,
    is_own: bool,
    documents: usize,
    calls: usize,
    /// Calls without an id that wait for their results, which have none either.
    open_calls: Vec<String>,
    notes: &'n mut Notes,
}

impl Writer<'_> {
    /// Results first, then one message with what is left.
    fn user(&mut self, message: &Message) -> Result<(), Failure> {
        for block in &message.blocks {
            if let Block::Result(result) = block {
                self.result(result)?;
            }
        }
        self.said("user", message)
    }

    /// A message of parts.
    fn said(&mut self, role: &str, message: &Message) -> Result<(), Failure> {
        let mut parts = Vec::new();
        for block in &message.blocks {
            match block {
                Block::Other { dialect: Dialect::OpenAiResponses, raw } if is_item(raw) => {
                    self.items.push(raw.clone());
                }
                Block::Result(_) => {}
                _ => parts.extend(self.part(block)?),
            }
        }
        if parts.is_empty() {
            return Ok(());
        }
        let mut out = ObjectWriter::default();
        out.text("type", "message");
        out.text("role", role);
        out.list("content", parts);
        self.items.push(out.finish());
        Ok(())
    }

    /// A part of what a client says.
    fn part(&mut self, block: &Block) -> Result<Option<Json>, Failure> {
        Ok(match block {
            Block::Text(text) => Some(self.text_part(text)),
            Block::Refusal(text) => Some(text_part(text)),
            Block::Media(media) => Some(self.media(media)?),
            Block::Other { dialect: Dialect::OpenAiResponses, raw } => Some(raw.clone()),
            Block::Other { dialect, raw } => {
                self.left_out(*dialect, raw);
                None
            }
            // Only the model thinks and calls, and results have been written.
            Block::Thinking(_) | Block::Call(_) | Block::Result(_) => None,
        })
    }

    fn text_part(&self, text: &Text) -> Json {
        let mut out = ObjectWriter::with_capacity(text.text.len() + 40);
        out.text("type", "input_text");
        out.text("text", &text.text);
        if self.is_own {
            write_members(&mut out, &text.extra);
        }
        out.finish()
    }

    fn media(&mut self, media: &Media) -> Result<Json, Failure> {
        let mut out = ObjectWriter::default();
        match media.kind {
            MediaKind::Image => {
                out.text("type", "input_image");
                match find(&media.extra, "detail").filter(|detail| detail.to_text().is_some()) {
                    Some(detail) => out.value("detail", detail),
                    None => out.text("detail", "auto"),
                }
                match &media.source {
                    MediaSource::Base64 { media_type, data } => {
                        out.text("image_url", &data_url::write(media_type, data));
                    }
                    MediaSource::Url(url) => out.text("image_url", url),
                    MediaSource::File { dialect, id } => out.text("file_id", file_id(*dialect, id)?),
                    MediaSource::Text(_) => return Ok(text_part(&prompt::left_out(media, self.notes))),
                }
            }
            MediaKind::Document => {
                out.text("type", "input_file");
                match &media.source {
                    MediaSource::Base64 { media_type, data } => {
                        out.text("filename", &self.file_name(media, media_type));
                        out.text("file_data", &data_url::write(media_type, data));
                    }
                    MediaSource::Url(url) => out.text("file_url", url),
                    MediaSource::File { dialect, id } => out.text("file_id", file_id(*dialect, id)?),
                    MediaSource::Text(text) => return Ok(text_part(text)),
                }
            }
            MediaKind::Audio => return Ok(text_part(&prompt::left_out(media, self.notes))),
        }
        Ok(out.finish())
    }

    /// OpenAI wants every file to have a name.
    fn file_name(&mut self, media: &Media, media_type: &str) -> String {
        self.documents += 1;
        match media.name.as_deref().filter(|name| !name.is_empty()) {
            // What the file is, OpenAI sees by its name.
            Some(name) if name.contains('.') => name.to_owned(),
            Some(name) => format!("{name}.{}", data_url::extension(media_type)),
            None => format!("document-{}.{}", self.documents, data_url::extension(media_type)),
        }
    }

    fn result(&mut self, result: &ToolResult) -> Result<(), Failure> {
        let id = match &result.call_id {
            Some(id) => id.clone(),
            None if self.open_calls.is_empty() => format!("call_{}", self.calls),
            None => self.open_calls.remove(0),
        };
        let is_text = result.blocks.iter().all(|block| matches!(block, Block::Text(_)));
        let mut out = ObjectWriter::default();
        let is_custom = is_custom(&result.extra);
        out.text("type", if is_custom { "custom_tool_call_output" } else { "function_call_output" });
        out.text("call_id", &id);
        if is_text {
            out.text("output", &prompt::result_text(result));
        } else {
            let mut parts = Vec::new();
            let mut is_marked = !result.is_error;
            for block in &result.blocks {
                match block {
                    Block::Text(text) if !is_marked => {
                        is_marked = true;
                        parts.push(text_part(&prompt::marked(text.text.clone(), true)));
                    }
                    _ => parts.extend(self.part(block)?),
                }
            }
            if !is_marked {
                parts.insert(0, text_part("Error: the tool failed."));
            }
            out.list("output", parts);
        }
        self.items.push(out.finish());
        Ok(())
    }

    /// Thoughts, texts and calls in their order. Texts that follow each other are one message.
    fn assistant(&mut self, message: &Message) -> Result<(), Failure> {
        let mut said: Vec<&Block> = Vec::new();
        for block in &message.blocks {
            match block {
                Block::Text(text) => {
                    let begins = self.is_own && find(&text.extra, "phase").is_some();
                    if begins {
                        self.spoken(&mut said);
                    }
                    said.push(block);
                }
                Block::Refusal(_) => said.push(block),
                Block::Thinking(thinking) => {
                    self.spoken(&mut said);
                    self.thinking(thinking);
                }
                Block::Call(call) => {
                    self.spoken(&mut said);
                    self.call(call);
                }
                Block::Other { dialect: Dialect::OpenAiResponses, raw } => {
                    self.spoken(&mut said);
                    self.items.push(raw.clone());
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
        self.spoken(&mut said);
        Ok(())
    }

    /// Writes what the model said up to here.
    fn spoken(&mut self, said: &mut Vec<&Block>) {
        let blocks = std::mem::take(said);
        if blocks.is_empty() {
            return;
        }
        let mut out = ObjectWriter::default();
        out.text("type", "message");
        out.text("role", "assistant");
        if let Some(Block::Text(first)) = blocks.first() {
            write_members(&mut out, first.extra.iter().filter(|(key, _)| self.is_own && key == "phase"));
        }
        let mut words = String::new();
        let mut parts = Vec::new();
        for block in &blocks {
            match block {
                Block::Text(text) => words.push_str(&text.text),
                Block::Refusal(text) => {
                    let mut part = ObjectWriter::default();
                    part.text("type", "refusal");
                    part.text("refusal", text);
                    parts.push(part.finish());
                }
                _ => {}
            }
        }
        if parts.is_empty() {
            // The one form that every server takes for what a model said.
            out.text("content", &words);
        } else {
            if !words.is_empty() {
                let mut part = ObjectWriter::default();
                part.text("type", "output_text");
                part.text("text", &words);
                part.list("annotations", []);
                parts.insert(0, part.finish());
            }
            out.list("content", parts);
        }
        self.items.push(out.finish());
    }

    /// A thought goes back only to who encrypted it.
    fn thinking(&mut self, thinking: &Thinking) {
        let item = match &thinking.raw {
            Some((Dialect::OpenAiResponses, raw)) => Some(raw.clone()),
            Some(_) => None,
            None => thinking.signature.as_deref().and_then(seal::item),
        };
        if let Some(item) = item.filter(|item| self.is_own || stands_alone(item)) {
            self.items.push(item);
        } else {
            self.notes.add(
                "thinking_left_out",
                "A thought in the history was left out: the upstream takes only thoughts that it encrypted itself.",
            );
        }
    }

    fn call(&mut self, call: &Call) {
        let id = call.id.clone().unwrap_or_else(|| {
            let id = format!("call_{}", self.calls);
            self.open_calls.push(id.clone());
            id
        });
        self.calls += 1;
        let arguments = match &call.arguments {
            Arguments::Object(object) => object.as_str(),
            Arguments::Text(text) => text,
        };
        let mut out = ObjectWriter::with_capacity(arguments.len() + 80);
        let is_custom = is_custom(&call.extra);
        out.text("type", if is_custom { "custom_tool_call" } else { "function_call" });
        if let Some(own) = find(&call.extra, "id").filter(|_| self.is_own) {
            out.value("id", own);
        }
        out.text("call_id", &id);
        out.text("name", &call.name);
        if is_custom {
            out.text("input", &custom_input(arguments));
        } else {
            out.text("arguments", arguments);
        }
        self.items.push(out.finish());
    }

    fn left_out(&mut self, dialect: Dialect, raw: &Json) {
        let kind = raw.get_text("type").unwrap_or_default();
        self.notes.add(
            "block_left_out",
            format!("A block \"{kind}\" that only {} knows was left out.", dialect.name()),
        );
    }
}

/// Whether a thought says itself what it is: one that has only an id is looked up, and nothing was stored.
fn stands_alone(item: &Json) -> bool {
    let has_words =
        item.get("content").and_then(|content| content.items()).is_some_and(|parts| !parts.is_empty());
    has_words || item.get_text("encrypted_content").is_some_and(|content| !content.is_empty())
}

/// Whether what only this dialect knows is an item, and not a part of a message.
fn is_item(raw: &Json) -> bool {
    !raw.get_text("type").is_some_and(|kind| kind.starts_with("input_"))
}

fn text_part(text: &str) -> Json {
    let mut out = ObjectWriter::with_capacity(text.len() + 40);
    out.text("type", "input_text");
    out.text("text", text);
    out.finish()
}

/// A file is known only to the provider that stores it.
fn file_id(dialect: Dialect, id: &str) -> Result<&str, Failure> {
    match dialect {
        Dialect::OpenAiResponses | Dialect::OpenAiChat => Ok(id),
        Dialect::AnthropicMessages | Dialect::OllamaChat => Err(Failure::invalid(format!(
            "The file \"{id}\" is stored with another provider than the one of this model: send its content instead \
             (base64 or an address)."
        ))),
    }
}
