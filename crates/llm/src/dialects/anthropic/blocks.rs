//! Blocks of Anthropic Messages, read.

use toolwright_jsonrpc::{Json, raw};

use crate::dialects::fields::{Fields, Path, decoded};
use crate::form::{
    Arguments, Block, Call, Media, MediaKind, MediaSource, Text, Thinking, ToolResult, signature,
};
use crate::{Dialect, Failure};

/// What this module reads.
const HERE: Dialect = Dialect::AnthropicMessages;

/// Reads content: one text, or a list of blocks.
pub(super) fn read_content(value: &str, path: Path<'_>) -> Result<Vec<Block>, Failure> {
    if let Some(text) = decoded(value) {
        return Ok(vec![Block::Text(Text { text, extra: Vec::new() })]);
    }
    let items = raw::items(value).map_err(|_| path.wrong("a string or a list of blocks", value))?;
    items.into_iter().enumerate().map(|(at, item)| read_block(item, path.item(at))).collect()
}

/// Reads one block. One of an unknown type is carried.
pub(super) fn read_block(value: &str, path: Path<'_>) -> Result<Block, Failure> {
    let mut fields = Fields::read(value, path)?;
    let kind = fields.needed_text("type")?;
    Ok(match kind.as_str() {
        "text" => Block::Text(Text { text: fields.needed_text("text")?, extra: fields.rest() }),
        "thinking" | "redacted_thinking" => Block::Thinking(read_thinking(value)),
        "tool_use" => {
            let id = fields.text("id")?;
            let name = fields.needed_text("name")?;
            let arguments = match fields.take("input") {
                None => Arguments::read(""),
                Some(input) => read_input(input),
            };
            Block::Call(Call { id, name, arguments, extra: fields.rest() })
        }
        "tool_result" => {
            let call_id = Some(fields.needed_text("tool_use_id")?);
            let blocks = match fields.take("content") {
                None => Vec::new(),
                Some(content) => read_content(content, path.member("content"))?,
            };
            let is_error = fields.flag("is_error")?.unwrap_or(false);
            Block::Result(ToolResult { call_id, name: None, blocks, is_error, extra: fields.rest() })
        }
        "image" => read_media(MediaKind::Image, fields).unwrap_or_else(|| other(value)),
        "document" => read_media(MediaKind::Document, fields).unwrap_or_else(|| other(value)),
        _ => other(value),
    })
}

fn other(value: &str) -> Block {
    Block::Other { dialect: HERE, raw: Json::parse(value).unwrap_or_else(|_| Json::empty_object()) }
}

/// The arguments of a call; some clients send them as a string.
fn read_input(input: &str) -> Arguments {
    match decoded(input) {
        Some(text) => Arguments::read(&text),
        None => Arguments::read(input),
    }
}

/// Reads a thought. One with a signature of ours becomes what it was before it went through Anthropic's dialect.
pub(crate) fn read_thinking(value: &str) -> Thinking {
    let mut fields = Fields::lenient(value);
    let mut word = |key| fields.take(key).and_then(decoded);
    let is_redacted = word("type").as_deref() == Some("redacted_thinking");
    let text = word("thinking").unwrap_or_default();
    let signature = word(if is_redacted { "data" } else { "signature" });
    match &signature {
        Some(ours) if signature::is_ours(ours) => signature::opened(&text, ours).unwrap_or_default(),
        // Nobody signed it: it is no thought of Anthropic's.
        None => Thinking { text, ..Thinking::default() },
        Some(theirs) if theirs.is_empty() => Thinking { text, ..Thinking::default() },
        Some(_) => {
            let raw = Json::parse(value).ok().map(|raw| (HERE, raw));
            Thinking { text, signature, raw, is_redacted }
        }
    }
}

/// Reads an image or a document; nothing where its source is none that others know.
fn read_media(kind: MediaKind, mut fields: Fields<'_, '_>) -> Option<Block> {
    let mut source = Fields::lenient(fields.take("source")?);
    let mut word = |key| source.take(key).and_then(decoded);
    let source = match word("type")?.as_str() {
        "base64" => MediaSource::Base64 { media_type: word("media_type")?, data: word("data")? },
        "url" => MediaSource::Url(word("url")?),
        "file" => MediaSource::File { dialect: HERE, id: word("file_id")? },
        "text" => MediaSource::Text(word("data")?),
        _ => return None,
    };
    let name = fields.take("title").and_then(decoded);
    Some(Block::Media(Media { kind, source, name, extra: fields.rest() }))
}
