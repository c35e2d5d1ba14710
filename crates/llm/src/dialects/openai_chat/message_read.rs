//! Messages of Chat, read.

use toolwright_jsonrpc::{Json, raw};

use super::{media, reasoning};
use crate::dialects::fields::{Fields, Path, decoded};
use crate::form::{Arguments, Block, Call, Text, Thinking};
use crate::{Dialect, Failure};

/// Reads content: one text, or a list of parts. Nothing is nothing.
pub(super) fn read_content(value: Option<&str>, path: Path<'_>) -> Result<Vec<Block>, Failure> {
    let Some(value) = value else { return Ok(Vec::new()) };
    if let Some(text) = decoded(value) {
        return Ok(vec![Block::Text(Text { text, extra: Vec::new() })]);
    }
    let items = raw::items(value).map_err(|_| path.wrong("a string or a list of parts", value))?;
    items.into_iter().enumerate().map(|(at, item)| read_part(item, path.item(at))).collect()
}

/// Reads one part. One of an unknown type is carried.
fn read_part(item: &str, path: Path<'_>) -> Result<Block, Failure> {
    // Some clients put bare texts into the list.
    if let Some(text) = decoded(item) {
        return Ok(Block::Text(Text { text, extra: Vec::new() }));
    }
    let mut fields = Fields::read(item, path)?;
    let kind = fields.needed_text("type")?;
    Ok(match kind.as_str() {
        "text" | "input_text" | "output_text" => {
            Block::Text(Text { text: fields.needed_text("text")?, extra: fields.rest() })
        }
        "refusal" => Block::Refusal(fields.needed_text("refusal")?),
        "thinking" => Block::Thinking(read_thinking_part(&fields)),
        kind => media::read(kind, fields).map_or_else(|| other(item), Block::Media),
    })
}

/// Mistral's thoughts: a list of texts.
fn read_thinking_part(fields: &Fields<'_, '_>) -> Thinking {
    let value = fields.peek("thinking").unwrap_or("[]");
    let texts = raw::items(value).unwrap_or_default();
    let text = decoded(value).unwrap_or_else(|| {
        texts.iter().filter_map(|item| Fields::lenient(item).peek("text").and_then(decoded)).collect()
    });
    Thinking { text, ..Thinking::default() }
}

fn other(item: &str) -> Block {
    let raw = Json::parse(item).unwrap_or_else(|_| Json::empty_object());
    Block::Other { dialect: Dialect::OpenAiChat, raw }
}

/// Takes out all that the model says in a message: thoughts, words, a refusal, calls.
pub(super) fn take_assistant(fields: &mut Fields<'_, '_>) -> Result<Vec<Block>, Failure> {
    let path = fields.path();
    let mut blocks: Vec<Block> = reasoning::take(fields).into_iter().map(Block::Thinking).collect();
    let content = fields.take("content");
    blocks.extend(read_content(content, path.member("content"))?);
    blocks.retain(|block| !matches!(block, Block::Text(text) if text.text.is_empty()));
    if let Some(text) = fields.text("refusal")?.filter(|text| !text.is_empty()) {
        blocks.push(Block::Refusal(text));
    }
    let calls = fields.list("tool_calls")?.unwrap_or_default();
    let place = path.member("tool_calls");
    for (at, item) in calls.into_iter().enumerate() {
        blocks.push(read_call(item, place.item(at))?);
    }
    if let Some(value) = fields.take("function_call") {
        let (name, arguments) = read_function(value, path.member("function_call"))?;
        blocks.push(Block::Call(Call { id: None, name, arguments, extra: Vec::new() }));
    }
    Ok(blocks)
}

fn read_call(item: &str, path: Path<'_>) -> Result<Block, Failure> {
    let mut fields = Fields::read(item, path)?;
    let Some(function) = fields.take("function") else { return Ok(other(item)) };
    let (name, arguments) = read_function(function, path.member("function"))?;
    let id = fields.text("id")?.filter(|id| !id.is_empty());
    fields.take("type");
    fields.take("index");
    Ok(Block::Call(Call { id, name, arguments, extra: fields.rest() }))
}

/// The name and the arguments. These are a string, but some send the object itself.
fn read_function(value: &str, path: Path<'_>) -> Result<(String, Arguments), Failure> {
    let mut fields = Fields::read(value, path)?;
    let name = fields.needed_text("name")?;
    let arguments = match fields.take("arguments") {
        None => Arguments::read(""),
        Some(value) => match decoded(value) {
            Some(text) => Arguments::read(&text),
            None => Arguments::read(value),
        },
    };
    Ok((name, arguments))
}
