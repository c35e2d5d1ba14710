//! Payloads of the gateway, in its formats "JSON with time", "entire value" and "just the value".

use serde_json::Value;

/// A value, and when the gateway received it.
#[derive(Clone, Debug, PartialEq)]
pub struct PayloadValue {
    /// Null while it is unknown.
    pub value: Value,
    /// Milliseconds since 1970, if the message contains them.
    pub time: Option<u64>,
}

/// Parses any payload. Text that is not JSON is a string.
pub fn read(bytes: &[u8]) -> PayloadValue {
    match serde_json::from_slice(bytes) {
        Ok(Value::Object(mut object)) => {
            // The format "entire value" has `lastUpdate`, the other one `time`.
            let time = ["time", "lastUpdate"].iter().find_map(|key| object.get(*key)).and_then(Value::as_u64);
            match object.remove("value") {
                Some(value) => PayloadValue { value, time },
                // The gateway omits the key while the value is unknown. A duration in the format "just the
                // value" is an object with that key too; it is not used here.
                None => PayloadValue { value: Value::Null, time },
            }
        }
        Ok(value) => PayloadValue { value, time: None },
        Err(_) => {
            PayloadValue { value: Value::String(String::from_utf8_lossy(bytes).into_owned()), time: None }
        }
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
            assert_eq!(read(payload.as_bytes()), PayloadValue { value, time }, "{payload}");
        }
    }
}
