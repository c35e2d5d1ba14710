//! A transcript on MQTT: an object with a `text`, or the plain text itself.

use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use serde_json::{Map, Value};

use super::{MAX_PAYLOAD_BYTES, MAX_TEXT_CHARS};

/// The tolerated clock skew.
const CLOCK_SKEW: Duration = Duration::from_secs(5);

/// A parsed transcript.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Arrived {
    /// The sentence.
    pub text: String,
    /// Its id, if the sender set one.
    pub id: Option<String>,
    /// The time of speech, if the sender set one.
    pub said_at: Option<Timestamp>,
    /// The device that recorded it.
    pub source: Option<String>,
    /// The conversation it belongs to.
    pub conversation: String,
    /// The language.
    pub language: Option<String>,
}

/// Why a message cannot be parsed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PayloadError {
    /// It is too large.
    #[error("the message has {0} bytes; at most {MAX_PAYLOAD_BYTES} are read")]
    TooLarge(usize),
    /// It is not UTF-8.
    #[error("the message is not UTF-8 text")]
    NotText,
    /// It starts like JSON but is not valid.
    #[error("the message is not JSON: {0}")]
    NotJson(String),
    /// It is JSON of another type.
    #[error("the message is {0}; send an object such as {{\"text\": \"turn on the lamp\"}}")]
    NotObject(&'static str),
    /// It has no text.
    #[error("the message has no \"text\"; send {{\"text\": \"turn on the lamp\"}}")]
    NoText,
    /// A field has the wrong type.
    #[error("\"{0}\" is {1}; send {2}")]
    WrongType(&'static str, &'static str, &'static str),
    /// The text is too long.
    #[error("the text has {0} characters; at most {MAX_TEXT_CHARS} are read")]
    TooLong(usize),
    /// The timestamp is invalid.
    #[error("\"timestamp\" is no time; send one such as \"2026-11-17T08:00:00Z\", or leave it out")]
    NoTime,
}

/// Parses a message: an object with a `text`, or the plain text itself.
///
/// # Errors
/// When it cannot be parsed.
pub fn read_payload(bytes: &[u8]) -> Result<Arrived, PayloadError> {
    if bytes.len() > MAX_PAYLOAD_BYTES {
        return Err(PayloadError::TooLarge(bytes.len()));
    }
    let text = std::str::from_utf8(bytes).map_err(|_| PayloadError::NotText)?.trim();
    if !text.starts_with(['{', '[', '"']) {
        return transcript_of(text, &Map::new());
    }
    let value: Value =
        serde_json::from_str(text).map_err(|error| PayloadError::NotJson(error.to_string()))?;
    let Value::Object(members) = value else { return Err(PayloadError::NotObject(kind_of(&value))) };
    match members.get("text") {
        Some(Value::String(text)) => transcript_of(text, &members),
        Some(Value::Null) | None => Err(PayloadError::NoText),
        Some(other) => Err(PayloadError::WrongType("text", kind_of(other), "a string")),
    }
}

fn transcript_of(text: &str, members: &Map<String, Value>) -> Result<Arrived, PayloadError> {
    let text = text.trim();
    let long = text.chars().count();
    if text.is_empty() {
        return Err(PayloadError::NoText);
    }
    if long > MAX_TEXT_CHARS {
        return Err(PayloadError::TooLong(long));
    }
    let source = text_of(members, "source")?;
    let mut conversation = None;
    for key in ["conversation", "sessionId", "siteId"] {
        conversation = conversation.or(text_of(members, key)?);
    }
    let conversation = conversation.or_else(|| source.clone()).unwrap_or_else(|| "default".to_owned());
    Ok(Arrived {
        // Control characters could act on a log or a terminal.
        text: text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect(),
        id: text_of(members, "id")?,
        said_at: members.get("timestamp").map_or(Ok(None), time)?,
        source,
        conversation: conversation.chars().take(MAX_NAME_CHARS).collect(),
        language: text_of(members, "language")?,
    })
}

/// The longest conversation name and the longest id, in characters.
const MAX_NAME_CHARS: usize = 128;

fn text_of(members: &Map<String, Value>, key: &'static str) -> Result<Option<String>, PayloadError> {
    let text = match members.get(key) {
        Some(Value::String(text)) => text.trim().to_owned(),
        Some(Value::Number(number)) => number.to_string(),
        Some(Value::Null) | None => return Ok(None),
        Some(other) => return Err(PayloadError::WrongType(key, kind_of(other), "a string")),
    };
    let text: String = text.chars().filter(|c| !c.is_control()).take(MAX_NAME_CHARS).collect();
    Ok(Some(text).filter(|text| !text.is_empty()))
}

/// Parses a timestamp: text, or seconds or milliseconds since 1970.
fn time(value: &Value) -> Result<Option<Timestamp>, PayloadError> {
    /// A larger number is in milliseconds: as seconds it would be the year 5138.
    const MOST_SECONDS: f64 = 1e11;
    let time = match value {
        Value::Null => return Ok(None),
        Value::String(text) => text.trim().parse::<Timestamp>().ok(),
        Value::Number(number) => number.as_f64().and_then(|number| {
            let millis = if number.abs() < MOST_SECONDS { number * 1000.0 } else { number };
            Timestamp::from_millisecond(millis as i64).ok()
        }),
        other => return Err(PayloadError::WrongType("timestamp", kind_of(other), "a time")),
    };
    time.map(Some).ok_or(PayloadError::NoTime)
}

fn kind_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}

/// Whether a timestamp is too old or in the future.
pub fn is_stale(said_at: Option<Timestamp>, now: Timestamp, max_age: Duration) -> bool {
    let Some(said_at) = said_at else { return false };
    let age = now.duration_since(said_at);
    let signed = |time: Duration| SignedDuration::try_from(time).unwrap_or(SignedDuration::MAX);
    age > signed(max_age.saturating_add(CLOCK_SKEW)) || age < -signed(CLOCK_SKEW)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn old_and_future_timestamps_are_stale() {
        let now: Timestamp = "2026-11-17T08:00:00Z".parse().expect("a time");
        let at = |text: &str| Some(text.parse().expect("a time"));
        let limit = Duration::from_secs(30);
        for fresh in
            [None, at("2026-11-17T07:59:40Z"), at("2026-11-17T07:59:26Z"), at("2026-11-17T08:00:04Z")]
        {
            assert!(!is_stale(fresh, now, limit), "{fresh:?}");
        }
        for stale in [at("2026-11-17T07:59:20Z"), at("2026-11-17T08:00:20Z"), at("1970-01-01T00:00:00Z")] {
            assert!(is_stale(stale, now, limit), "{stale:?}");
        }
    }
}
