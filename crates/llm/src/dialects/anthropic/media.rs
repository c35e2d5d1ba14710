//! Images and documents, written for Anthropic.

use toolwright_jsonrpc::{Json, ObjectWriter};

use super::messages_write::{Breakpoints, plain_text};
use crate::dialects::base64;
use crate::form::{Media, MediaKind, MediaSource};
use crate::{Dialect, Failure, Notes};

/// Writes an image or a document. What Anthropic cannot take is named in a text in its place.
pub(super) fn write_media(
    media: &Media,
    breakpoints: &mut Breakpoints,
    notes: &mut Notes,
) -> Result<Json, Failure> {
    let mut source = ObjectWriter::default();
    match (&media.source, media.kind) {
        (_, MediaKind::Audio) => return Ok(left_out(media, "sound", notes)),
        (MediaSource::Base64 { media_type, data }, kind) => {
            let is_text = kind == MediaKind::Document && media_type.starts_with("text/");
            match base64::text(data).filter(|_| is_text) {
                Some(text) => write_text(&mut source, &text),
                None if kind == MediaKind::Document && media_type != "application/pdf" => {
                    return Ok(left_out(media, media_type, notes));
                }
                None => {
                    source.text("type", "base64");
                    source.text("media_type", media_type);
                    source.text("data", data);
                }
            }
        }
        (MediaSource::Url(url), _) => {
            source.text("type", "url");
            source.text("url", url);
        }
        (MediaSource::Text(text), _) => write_text(&mut source, text),
        (MediaSource::File { dialect: Dialect::AnthropicMessages, id }, _) => {
            source.text("type", "file");
            source.text("file_id", id);
        }
        (MediaSource::File { id, .. }, _) => {
            let words = format!(
                "the file {id} is with another provider, and this model cannot read it. Send its data instead."
            );
            return Err(Failure::invalid(words).about("messages"));
        }
    }
    let mut out = ObjectWriter::default();
    out.text("type", if media.kind == MediaKind::Image { "image" } else { "document" });
    out.value("source", &source.finish());
    if let Some(name) = media.name.as_deref().filter(|_| media.kind == MediaKind::Document) {
        out.text("title", name);
    }
    breakpoints.write_extra(&mut out, &media.extra);
    Ok(out.finish())
}

fn write_text(source: &mut ObjectWriter, text: &str) {
    source.text("type", "text");
    source.text("media_type", "text/plain");
    source.text("data", text);
}

fn left_out(media: &Media, what: &str, notes: &mut Notes) -> Json {
    let name = media.name.as_deref().unwrap_or("a file");
    notes
        .add("media_not_sent", format!("{name} ({what}) was left out: Anthropic takes images, PDF and text"));
    plain_text(&format!("[{name} ({what}) cannot be shown here]"))
}
