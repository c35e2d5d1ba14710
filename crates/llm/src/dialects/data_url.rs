//! Data in addresses: `data:image/png;base64,…`.

use crate::form::MediaSource;

/// The media that an address means: data where it holds data, otherwise the address.
pub(crate) fn source(address: String) -> MediaSource {
    match split(&address) {
        Some((media_type, data)) => {
            MediaSource::Base64 { media_type: media_type.to_owned(), data: data.to_owned() }
        }
        None => MediaSource::Url(address),
    }
}

/// The type and the data of a data URL in base64.
pub(crate) fn split(address: &str) -> Option<(&str, &str)> {
    let (head, data) = address.strip_prefix("data:")?.split_once(',')?;
    let head = head.strip_suffix(";base64")?;
    let media_type = head.split(';').next().unwrap_or(head);
    Some((if media_type.is_empty() { "text/plain" } else { media_type }, data))
}

/// Data as an address.
pub(crate) fn write(media_type: &str, data: &str) -> String {
    format!("data:{media_type};base64,{data}")
}

/// The type of an image by how its base64 begins.
pub(crate) fn image_type(data: &str) -> &'static str {
    for (start, media_type) in
        [("iVBOR", "image/png"), ("/9j/", "image/jpeg"), ("R0lGOD", "image/gif"), ("UklGR", "image/webp")]
    {
        if data.starts_with(start) {
            return media_type;
        }
    }
    "image/png"
}

/// The end of a file's name for a type.
pub(crate) fn extension(media_type: &str) -> &str {
    match media_type {
        "application/pdf" => "pdf",
        "text/plain" => "txt",
        "text/markdown" => "md",
        "text/html" => "html",
        "text/csv" => "csv",
        "application/json" => "json",
        _ => "bin",
    }
}

/// The type of a file by its name; a PDF where the name does not say.
pub(crate) fn file_type(name: Option<&str>) -> &'static str {
    let end = name.and_then(|name| name.rsplit_once('.')).map_or("", |(_, end)| end);
    match end.to_ascii_lowercase().as_str() {
        "txt" => "text/plain",
        "md" => "text/markdown",
        "html" | "htm" => "text/html",
        "csv" => "text/csv",
        "json" => "application/json",
        _ => "application/pdf",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn data_in_an_address_is_data_and_other_addresses_stay() {
        let png = MediaSource::Base64 { media_type: "image/png".to_owned(), data: "iVBORw0=".to_owned() };
        assert_eq!(source("data:image/png;base64,iVBORw0=".to_owned()), png);
        assert_eq!(source("data:image/png;name=a;base64,iVBORw0=".to_owned()), png);
        for other in ["https://example.org/a.png", "data:text/plain,hello", "data:"] {
            assert_eq!(source(other.to_owned()), MediaSource::Url(other.to_owned()));
        }
        assert_eq!(split(&write("a/b", "xx")), Some(("a/b", "xx")));
    }
}
