//! Parts of Chat messages that are media.

use toolwright_jsonrpc::{Json, ObjectWriter};

use crate::dialects::fields::{Fields, decoded};
use crate::dialects::offer::carried;
use crate::form::{Media, MediaKind, MediaSource};
use crate::{Dialect, Failure, Notes};

/// What this module reads.
const HERE: Dialect = Dialect::OpenAiChat;

/// Reads a part that is an image, a file or sound; nothing where it is none of them.
pub(super) fn read(kind: &str, mut fields: Fields<'_, '_>) -> Option<Media> {
    let value = fields.take(kind)?;
    let mut inner = Fields::lenient(value);
    let mut word = |key| inner.take(key).and_then(decoded);
    let (kind, source, name) = match kind {
        // Some clients send the address alone.
        "image_url" => (MediaKind::Image, address(decoded(value).or_else(|| word("url"))?), None),
        "file" => {
            let source = match (word("file_data"), word("file_id")) {
                (Some(data), _) => address(data),
                (None, Some(id)) => MediaSource::File { dialect: HERE, id },
                (None, None) => return None,
            };
            // Data without a head is a PDF: it is the only kind that OpenAI takes.
            let source = match source {
                MediaSource::Url(data) if !data.contains("://") => {
                    MediaSource::Base64 { media_type: "application/pdf".to_owned(), data }
                }
                other => other,
            };
            (MediaKind::Document, source, word("filename"))
        }
        "input_audio" => {
            let media_type = match word("format").as_deref() {
                Some("mp3") => "audio/mpeg".to_owned(),
                other => format!("audio/{}", other.unwrap_or("wav")),
            };
            (MediaKind::Audio, MediaSource::Base64 { media_type, data: word("data")? }, None)
        }
        _ => return None,
    };
    let mut extra = inner.rest();
    extra.extend(fields.rest());
    Some(Media { kind, source, name, extra })
}

/// What an address is: data in itself, or somewhere else.
fn address(url: String) -> MediaSource {
    let Some((head, data)) = url.strip_prefix("data:").and_then(|rest| rest.split_once(',')) else {
        return MediaSource::Url(url);
    };
    match head.strip_suffix(";base64") {
        Some(media_type) => {
            // `image/png;charset=utf-8`
            let media_type = media_type.split(';').next().unwrap_or(media_type).to_owned();
            MediaSource::Base64 { media_type, data: data.to_owned() }
        }
        None => MediaSource::Url(url),
    }
}

/// Writes a part of a message of the user. `number` counts the files, for those without a name.
pub(super) fn write(
    media: &Media,
    number: &mut usize,
    is_same: bool,
    notes: &mut Notes,
) -> Result<Json, Failure> {
    match (media.kind, &media.source) {
        (_, MediaSource::File { dialect: HERE | Dialect::OpenAiResponses, id })
            if media.kind == MediaKind::Document =>
        {
            let mut file = ObjectWriter::default();
            file.text("file_id", id);
            Ok(part("file", &file.finish()))
        }
        (_, MediaSource::File { id, .. }) => {
            let words = format!(
                "the file {id} is with another provider, and this model cannot read it. Send its data instead."
            );
            Err(Failure::invalid(words).about("messages"))
        }
        (_, MediaSource::Text(text)) => Ok(text_part(&document_text(media, text))),
        (MediaKind::Image, source) => {
            let mut image = ObjectWriter::default();
            match source {
                MediaSource::Base64 { media_type, data } => image.text("url", &data_url(media_type, data)),
                MediaSource::Url(url) => image.text("url", url),
                _ => {}
            }
            if let Some(detail) = carried(&media.extra, "detail").filter(|_| is_same) {
                image.value("detail", detail);
            }
            Ok(part("image_url", &image.finish()))
        }
        (MediaKind::Audio, MediaSource::Base64 { media_type, data }) => {
            let format = media_type.split('/').nth(1).unwrap_or("wav");
            let mut audio = ObjectWriter::default();
            audio.text("data", data);
            audio.text("format", if format == "mpeg" { "mp3" } else { format });
            Ok(part("input_audio", &audio.finish()))
        }
        (MediaKind::Document, MediaSource::Base64 { media_type, data }) => {
            *number += 1;
            let mut file = ObjectWriter::default();
            match &media.name {
                Some(name) => file.text("filename", &with_ending(name, media_type)),
                None => file.text("filename", &format!("document-{number}.{}", ending(media_type))),
            }
            file.text("file_data", &data_url(media_type, data));
            Ok(part("file", &file.finish()))
        }
        (MediaKind::Document | MediaKind::Audio, MediaSource::Url(url)) => {
            notes.add("media_as_address", format!("Chat takes no files by address; {url} is told as text"));
            let name = media.name.as_deref().map_or(String::new(), |name| format!(" \"{name}\""));
            Ok(text_part(&format!("[The document{name} is at {url}]")))
        }
    }
}

/// The text of a document, with its title where it has one.
pub(super) fn document_text(media: &Media, text: &str) -> String {
    match &media.name {
        Some(name) => format!("{name}\n\n{text}"),
        None => text.to_owned(),
    }
}

/// What media are, for a note in a text.
pub(super) fn what(media: &Media) -> &'static str {
    match media.kind {
        MediaKind::Image => "image",
        MediaKind::Document => "document",
        MediaKind::Audio => "sound",
    }
}

/// A part that is text.
pub(super) fn text_part(text: &str) -> Json {
    let mut out = ObjectWriter::with_capacity(text.len() + 32);
    out.text("type", "text");
    out.text("text", text);
    out.finish()
}

fn part(kind: &str, value: &Json) -> Json {
    let mut out = ObjectWriter::with_capacity(value.as_str().len() + 64);
    out.text("type", kind);
    out.value(kind, value);
    out.finish()
}

fn data_url(media_type: &str, data: &str) -> String {
    format!("data:{media_type};base64,{data}")
}

/// OpenAI knows the kind of a file by its name.
fn with_ending(name: &str, media_type: &str) -> String {
    let ending = ending(media_type);
    let has_ending = name.rsplit_once('.').is_some_and(|(_, end)| end.eq_ignore_ascii_case(ending));
    if has_ending { name.to_owned() } else { format!("{name}.{ending}") }
}

fn ending(media_type: &str) -> &str {
    match media_type {
        "application/pdf" => "pdf",
        "text/plain" => "txt",
        "text/markdown" => "md",
        other => other.rsplit('/').next().unwrap_or("bin"),
    }
}
