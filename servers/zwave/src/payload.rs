//! What a message of the gateway says: its payload types are "JSON with time", "entire value" and "just the value".

use serde_json::Value;

/// A value, and when the gateway heard of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Said {
    /// Null while nobody knows it.
    pub value: Value,
    /// Milliseconds since 1970, when the message has them.
    pub time: Option<u64>,
}

/// Reads any payload. Text that is no JSON is text.
pub fn read(bytes: &[u8]) -> Said {
    match serde_json::from_slice(bytes) {
        Ok(Value::Object(mut object)) => {
            // Entire values have `lastUpdate` where the others have `time`.
            let time = ["time", "lastUpdate"].iter().find_map(|key| object.get(*key)).and_then(Value::as_u64);
            match object.remove("value") {
                Some(value) => Said { value, time },
                // The gateway leaves the key out while it does not know. A duration, given as just the value, is an
                // object of its own with that key, and nothing here needs it.
                None => Said { value: Value::Null, time },
            }
        }
        Ok(value) => Said { value, time: None },
        Err(_) => Said { value: Value::String(String::from_utf8_lossy(bytes).into_owned()), time: None },
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn every_payload_type_is_read() {
        for (payload, value, time) in [
            (r#"{"time":1700000000000,"value":true}"#, json!(true), Some(1_700_000_000_000)),
            (r#"{"id":"2-37-0-currentValue","value":42,"lastUpdate":7}"#, json!(42), Some(7)),
            ("21.5", json!(21.5), None),
            ("true", json!(true), None),
            (r#"{"time":5}"#, Value::Null, Some(5)),
            ("on", json!("on"), None),
            ("", json!(""), None),
        ] {
            assert_eq!(read(payload.as_bytes()), Said { value, time }, "{payload}");
        }
    }
}
