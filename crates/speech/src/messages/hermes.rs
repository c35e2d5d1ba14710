//! Rhasspy messages: a captured text, or a query about one.

use serde::Deserialize;

use super::{MAX_PAYLOAD_BYTES, MAX_TEXT_CHARS};

/// The longest id, in characters.
const MAX_ID_CHARS: usize = 128;

/// A message on one of the two topics.
#[derive(Clone, Debug, Deserialize, PartialEq, Eq)]
pub struct HermesIn {
    /// The sentence: `text` of a capture, `input` of a query.
    #[serde(alias = "input")]
    pub text: String,
    /// The site.
    #[serde(default, rename = "siteId")]
    pub site: Option<String>,
    /// The session it belongs to.
    #[serde(default, rename = "sessionId")]
    pub session: Option<String>,
    /// The id of a query.
    #[serde(default)]
    pub id: Option<String>,
    /// The language.
    #[serde(default)]
    pub lang: Option<String>,
}

/// Parses a Hermes message.
///
/// # Errors
/// The reason why it cannot be parsed.
pub fn read_hermes(bytes: &[u8]) -> Result<HermesIn, String> {
    if bytes.len() > MAX_PAYLOAD_BYTES {
        return Err(format!("the message has {} bytes; at most {MAX_PAYLOAD_BYTES} are read", bytes.len()));
    }
    let read: HermesIn = serde_json::from_slice(bytes).map_err(|error| error.to_string())?;
    if read.text.chars().count() > MAX_TEXT_CHARS {
        return Err(format!("the text is longer than {MAX_TEXT_CHARS} characters"));
    }
    let short =
        |text: String| text.chars().filter(|c| !c.is_control()).take(MAX_ID_CHARS).collect::<String>();
    let named = |text: Option<String>| text.map(short).filter(|text| !text.trim().is_empty());
    Ok(HermesIn {
        text: read.text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect(),
        site: named(read.site),
        session: named(read.session),
        id: named(read.id),
        lang: named(read.lang),
    })
}
