//! Images and documents, written.

use toolwright_jsonrpc::{Json, ObjectWriter};

use super::items::text_part;
use crate::dialects::offer::carried;
use crate::dialects::{data_url, prompt};
use crate::form::{Media, MediaKind, MediaSource};
use crate::{Dialect, Failure, Notes};

/// Writes a part. Files are counted, for their names.
pub(super) fn write(media: &Media, files: &mut usize, notes: &mut Notes) -> Result<Json, Failure> {
    let mut out = ObjectWriter::default();
    match (media.kind, &media.source) {
        (_, MediaSource::Text(text)) => return Ok(text_part(text)),
        (MediaKind::Audio, _) => return Ok(text_part(&prompt::left_out(media, notes))),
        (MediaKind::Image, source) => {
            out.text("type", "input_image");
            match carried(&media.extra, "detail").filter(|detail| detail.to_text().is_some()) {
                Some(detail) => out.value("detail", detail),
                None => out.text("detail", "auto"),
            }
            match source {
                MediaSource::Base64 { media_type, data } => {
                    out.text("image_url", &data_url::write(media_type, data));
                }
                MediaSource::Url(url) => out.text("image_url", url),
                MediaSource::File { dialect, id } => out.text("file_id", file_id(*dialect, id)?),
                MediaSource::Text(_) => {}
            }
        }
        (MediaKind::Document, source) => {
            out.text("type", "input_file");
            match source {
                MediaSource::Base64 { media_type, data } => {
                    out.text("filename", &file_name(media, media_type, files));
                    out.text("file_data", &data_url::write(media_type, data));
                }
                MediaSource::Url(url) => out.text("file_url", url),
                MediaSource::File { dialect, id } => out.text("file_id", file_id(*dialect, id)?),
                MediaSource::Text(_) => {}
            }
        }
    }
    Ok(out.finish())
}

/// OpenAI wants every file to have a name, and sees by its end what the file is.
fn file_name(media: &Media, media_type: &str, files: &mut usize) -> String {
    *files += 1;
    let end = data_url::extension(media_type);
    match media.name.as_deref().filter(|name| !name.is_empty()) {
        Some(name) if name.contains('.') => name.to_owned(),
        Some(name) => format!("{name}.{end}"),
        None => format!("document-{files}.{end}"),
    }
}

/// A file is known only to the provider that stores it.
fn file_id(dialect: Dialect, id: &str) -> Result<&str, Failure> {
    match dialect {
        Dialect::OpenAiResponses | Dialect::OpenAiChat => Ok(id),
        Dialect::AnthropicMessages | Dialect::OllamaChat => Err(Failure::invalid(format!(
            "The file {id} is stored with another provider than the one of this model: send its content instead \
             (base64 or an address)."
        ))),
    }
}
