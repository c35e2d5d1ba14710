//! The items of a request, read into turns.

use toolwright_jsonrpc::{Json, raw};

use super::item;
use crate::dialects::data_url;
use crate::dialects::fields::{Fields, Path, decoded};
use crate::dialects::offer::carried;
use crate::form::{Block, Media, MediaKind, MediaSource, Members, Message, Request, Role, Text, ToolResult};
use crate::{Dialect, Failure};

/// Reads `input`: a text, or items.
pub(super) fn read(value: &str, path: Path<'_>, request: &mut Request) -> Result<(), Failure> {
    if let Some(text) = decoded(value) {
        let blocks = vec![Block::Text(Text { text, extra: Members::new() })];
        request.messages.push(Message { role: Role::User, blocks, extra: Members::new() });
        return Ok(());
    }
    let Ok(items) = raw::items(value) else {
        return Err(path.wrong("a string or a list of items", value));
    };
    for (at, raw) in items.into_iter().enumerate() {
        read_item(raw, path.item(at), request)?;
    }
    Ok(())
}

fn read_item(raw: &str, path: Path<'_>, request: &mut Request) -> Result<(), Failure> {
    let mut fields = Fields::read(raw, path)?;
    let item_type = match fields.text("type")? {
        Some(item_type) => item_type,
        None if fields.peek("role").is_some() => "message".to_owned(),
        None => "item_reference".to_owned(),
    };
    match item_type.as_str() {
        "message" => return read_message(fields, path, request),
        "reasoning" => turn(request, Role::Assistant).push(Block::Thinking(item::thinking(raw))),
        "function_call" | "custom_tool_call" => {
            let name = fields.needed_text("name")?;
            if fields.peek("call_id").is_none() {
                return Err(path
                    .member("call_id")
                    .fault("is missing: a call needs the id by which its output names it"));
            }
            let call = item::call(fields, name, item_type == "custom_tool_call");
            turn(request, Role::Assistant).push(Block::Call(call));
        }
        "function_call_output" | "custom_tool_call_output" => {
            let result = read_output(fields, path, item_type == "custom_tool_call_output")?;
            results(request).push(Block::Result(result));
        }
        _ => {
            let role = if is_of_client(&item_type) { Role::User } else { Role::Assistant };
            let raw = Json::parse(raw).map_err(|error| path.fault(format!("is no JSON: {error}")))?;
            turn(request, role).push(Block::Other { dialect: Dialect::OpenAiResponses, raw });
        }
    }
    Ok(())
}

/// Whether an item that only OpenAI knows is said by the client.
fn is_of_client(item_type: &str) -> bool {
    item_type.ends_with("_output") || item_type.ends_with("_response") || item_type == "compaction_trigger"
}

/// The blocks of the turn that goes on, or of a new one.
fn turn(request: &mut Request, role: Role) -> &mut Vec<Block> {
    let goes_on = request.messages.last().is_some_and(|message| message.role == role);
    if !goes_on {
        request.messages.push(Message { role, blocks: Vec::new(), extra: Members::new() });
    }
    let last = request.messages.len() - 1;
    &mut request.messages[last].blocks
}

/// The blocks of the message that holds the results of this turn.
fn results(request: &mut Request) -> &mut Vec<Block> {
    let goes_on = request.messages.last().is_some_and(|message| {
        message.role == Role::User && message.blocks.iter().all(|block| matches!(block, Block::Result(_)))
    });
    if !goes_on {
        request.messages.push(Message { role: Role::User, blocks: Vec::new(), extra: Members::new() });
    }
    let last = request.messages.len() - 1;
    &mut request.messages[last].blocks
}

fn read_message(mut fields: Fields<'_, '_>, path: Path<'_>, request: &mut Request) -> Result<(), Failure> {
    let role = match fields.needed_text("role")?.as_str() {
        "user" => Role::User,
        "assistant" => Role::Assistant,
        "system" | "developer" => Role::System,
        other => {
            return Err(path.member("role").fault(format!(
                "is \"{other}\", but must be \"user\", \"assistant\", \"system\" or \"developer\""
            )));
        }
    };
    let mut blocks = read_content(&mut fields, "content", path)?;
    if role == Role::System && request.messages.is_empty() {
        request.system.extend(blocks.into_iter().filter_map(|block| match block {
            Block::Text(text) => Some(text),
            _ => None,
        }));
        return Ok(());
    }
    let mut extra = fields.rest();
    if role == Role::Assistant {
        // Only the phase means something to the model; ids and states are the server's.
        extra.retain(|(key, _)| key == "phase");
        if let (Some(phase), Some(Block::Text(text))) = (carried(&extra, "phase"), blocks.first_mut()) {
            text.extra.push(("phase".to_owned(), phase.clone()));
        }
        turn(request, role).append(&mut blocks);
    } else {
        extra.retain(|(key, _)| key != "status" && key != "id");
        request.messages.push(Message { role, blocks, extra });
    }
    Ok(())
}

fn read_output(mut fields: Fields<'_, '_>, path: Path<'_>, is_custom: bool) -> Result<ToolResult, Failure> {
    let call_id = fields.needed_text("call_id")?;
    let name = fields.text("name")?;
    let blocks = read_content(&mut fields, "output", path)?;
    let mut extra = Members::new();
    if is_custom {
        extra.push(("type".to_owned(), Json::text(item::CUSTOM)));
    }
    Ok(ToolResult { call_id: Some(call_id), name, blocks, is_error: false, extra })
}

/// A text or a list of parts. Without content there are no blocks; other JSON is its text.
fn read_content(fields: &mut Fields<'_, '_>, key: &str, path: Path<'_>) -> Result<Vec<Block>, Failure> {
    let Some(value) = fields.take(key) else { return Ok(Vec::new()) };
    if let Some(text) = decoded(value) {
        let is_empty = text.is_empty();
        let block = Block::Text(Text { text, extra: Members::new() });
        return Ok(if is_empty { Vec::new() } else { vec![block] });
    }
    let Ok(parts) = raw::items(value) else {
        if key == "output" {
            return Ok(vec![Block::Text(Text { text: value.to_owned(), extra: Members::new() })]);
        }
        return Err(fields.path().member(key).wrong("a string or a list of parts", value));
    };
    let list = path.member(key);
    parts.into_iter().enumerate().map(|(at, part)| read_part(part, list.item(at))).collect()
}

fn read_part(raw: &str, path: Path<'_>) -> Result<Block, Failure> {
    let mut fields = Fields::read(raw, path)?;
    Ok(match fields.needed_text("type")?.as_str() {
        "input_text" | "output_text" | "text" => {
            let text = fields.needed_text("text")?;
            let mut extra = fields.rest();
            extra.retain(|(_, value)| !matches!(value.as_str(), "null" | "[]"));
            Block::Text(Text { text, extra })
        }
        "refusal" => Block::Refusal(fields.needed_text("refusal")?),
        "input_image" => Block::Media(read_image(fields, path)?),
        "input_file" => Block::Media(read_file(fields, path)?),
        "input_audio" => Block::Media(read_audio(fields, path)?),
        _ => Block::Other {
            dialect: Dialect::OpenAiResponses,
            raw: Json::parse(raw).map_err(|error| path.fault(format!("is no JSON: {error}")))?,
        },
    })
}

fn file(id: String) -> MediaSource {
    MediaSource::File { dialect: Dialect::OpenAiResponses, id }
}

fn read_image(mut fields: Fields<'_, '_>, path: Path<'_>) -> Result<Media, Failure> {
    let source = match (fields.text("image_url")?, fields.text("file_id")?) {
        (Some(url), _) => data_url::source(url),
        (None, Some(id)) => file(id),
        (None, None) => return Err(path.fault("has neither image_url nor file_id: give one of them")),
    };
    Ok(Media { kind: MediaKind::Image, source, name: None, extra: fields.rest() })
}

fn read_file(mut fields: Fields<'_, '_>, path: Path<'_>) -> Result<Media, Failure> {
    let name = fields.text("filename")?;
    let sources = (fields.text("file_data")?, fields.text("file_url")?, fields.text("file_id")?);
    let source = match sources {
        (Some(data), _, _) => match data_url::source(data) {
            // Some clients give the base64 alone.
            MediaSource::Url(data) => {
                let media_type = data_url::file_type(name.as_deref()).to_owned();
                MediaSource::Base64 { media_type, data }
            }
            source => source,
        },
        (None, Some(url), _) => data_url::source(url),
        (None, None, Some(id)) => file(id),
        (None, None, None) => {
            return Err(path.fault("has none of file_data, file_url and file_id: give one of them"));
        }
    };
    Ok(Media { kind: MediaKind::Document, source, name, extra: fields.rest() })
}

fn read_audio(mut fields: Fields<'_, '_>, path: Path<'_>) -> Result<Media, Failure> {
    let Some(audio) = fields.object("input_audio")? else {
        return Err(path.member("input_audio").fault("is missing: it must have data and format"));
    };
    let audio_path = path.member("input_audio");
    let mut audio = Fields::read(audio.as_str(), audio_path)?;
    let data = audio.needed_text("data")?;
    let media_type = format!("audio/{}", audio.needed_text("format")?);
    let source = MediaSource::Base64 { media_type, data };
    Ok(Media { kind: MediaKind::Audio, source, name: None, extra: fields.rest() })
}
