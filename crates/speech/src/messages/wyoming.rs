//! Wyoming framing: events from bytes, and bytes from events.

use serde_json::{Map, Value};

/// Limits of the header line, the data and the payload of an event, in bytes.
const WYOMING_LINE: usize = 64 * 1024;
const WYOMING_DATA: usize = 256 * 1024;
const WYOMING_PAYLOAD: usize = 1024 * 1024;

/// One event. The parser skips payloads: they contain audio.
#[derive(Clone, Debug, PartialEq)]
pub struct Event {
    /// The event type.
    pub kind: String,
    /// The event data.
    pub data: Value,
}

/// Why bytes are not an event.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FrameError {
    /// A line is too long.
    #[error("a line is longer than {WYOMING_LINE} bytes")]
    LongLine,
    /// A line is not an event.
    #[error("a line is no event: {0}")]
    NoEvent(String),
    /// The data are too large or not an object.
    #[error("the data of an event are {0}")]
    Data(String),
    /// The payload is too large.
    #[error("the payload of an event has {0} bytes; at most {WYOMING_PAYLOAD} are read")]
    LargePayload(u64),
}

/// An incremental parser: bytes in, events out.
#[derive(Debug, Default)]
pub struct Frames {
    bytes: Vec<u8>,
    header: Option<EventHeader>,
    /// The number of payload bytes that are still to be skipped.
    to_skip: usize,
}

/// An event whose header line was read.
#[derive(Debug)]
struct EventHeader {
    kind: String,
    data: Map<String, Value>,
    data_length: usize,
    payload_length: usize,
}

impl Event {
    /// Creates an event.
    pub fn new(kind: impl Into<String>, data: Value) -> Event {
        Event { kind: kind.into(), data }
    }

    /// The wire format.
    pub fn to_bytes(&self) -> Vec<u8> {
        let data = self.data.to_string();
        let has_data = self.data.as_object().is_some_and(|members| !members.is_empty());
        let mut line = serde_json::json!({ "type": self.kind, "version": PROTOCOL });
        if let (true, Some(members)) = (has_data, line.as_object_mut()) {
            members.insert("data_length".to_owned(), data.len().into());
        }
        let mut bytes = line.to_string().into_bytes();
        bytes.push(b'\n');
        if has_data {
            bytes.extend_from_slice(data.as_bytes());
        }
        bytes
    }
}

/// The version of the Wyoming protocol.
const PROTOCOL: &str = "1.10.2";

impl Frames {
    /// Adds bytes.
    pub fn push(&mut self, bytes: &[u8]) {
        let skipped = self.to_skip.min(bytes.len());
        self.to_skip -= skipped;
        self.bytes.extend_from_slice(&bytes[skipped..]);
    }

    /// Returns the next complete event.
    ///
    /// # Errors
    /// When the bytes are not an event. The parser cannot continue after an error.
    #[allow(clippy::should_implement_trait, reason = "an iterator cannot fail and go on")]
    pub fn next(&mut self) -> Result<Option<Event>, FrameError> {
        let header = match self.header.take() {
            Some(header) => header,
            None => match self.line()? {
                Some(header) => header,
                None => return Ok(None),
            },
        };
        if self.bytes.len() < header.data_length {
            self.header = Some(header);
            return Ok(None);
        }
        let EventHeader { kind, mut data, data_length, payload_length } = header;
        if data_length > 0 {
            let rest = self.bytes.split_off(data_length);
            let own = std::mem::replace(&mut self.bytes, rest);
            match serde_json::from_slice::<Value>(&own) {
                Ok(Value::Object(members)) => data.extend(members),
                Ok(_) => return Err(FrameError::Data("no object".to_owned())),
                Err(error) => return Err(FrameError::Data(format!("no JSON: {error}"))),
            }
        }
        let there = payload_length.min(self.bytes.len());
        self.bytes.drain(..there);
        self.to_skip = payload_length - there;
        Ok(Some(Event { kind, data: Value::Object(data) }))
    }

    fn line(&mut self) -> Result<Option<EventHeader>, FrameError> {
        loop {
            let Some(end) = self.bytes.iter().position(|byte| *byte == b'\n') else {
                return if self.bytes.len() > WYOMING_LINE { Err(FrameError::LongLine) } else { Ok(None) };
            };
            if end > WYOMING_LINE {
                return Err(FrameError::LongLine);
            }
            let rest = self.bytes.split_off(end + 1);
            let line = std::mem::replace(&mut self.bytes, rest);
            let line = line.trim_ascii();
            if line.is_empty() {
                continue;
            }
            return read(line).map(Some);
        }
    }
}

fn read(line: &[u8]) -> Result<EventHeader, FrameError> {
    let no_event = |why: &str| FrameError::NoEvent(why.to_owned());
    let value: Value =
        serde_json::from_slice(line).map_err(|error| FrameError::NoEvent(error.to_string()))?;
    let Value::Object(mut members) = value else { return Err(no_event("it is no object")) };
    let Some(Value::String(kind)) = members.remove("type") else { return Err(no_event("it has no type")) };
    let data = match members.remove("data") {
        Some(Value::Object(data)) => data,
        Some(Value::Null) | None => Map::new(),
        Some(_) => return Err(no_event("its data are no object")),
    };
    let length = |key: &str| match members.get(key) {
        Some(Value::Null) | None => Ok(0),
        Some(value) => value.as_u64().ok_or_else(|| FrameError::NoEvent(format!("{key} is no length"))),
    };
    let (data_length, payload_length) = (length("data_length")?, length("payload_length")?);
    if data_length > WYOMING_DATA as u64 {
        return Err(FrameError::Data(format!("{data_length} bytes; at most {WYOMING_DATA} are read")));
    }
    if payload_length > WYOMING_PAYLOAD as u64 {
        return Err(FrameError::LargePayload(payload_length));
    }
    Ok(EventHeader { kind, data, data_length: data_length as usize, payload_length: payload_length as usize })
}
