//! Arguments as a log may show them.

use serde_json::{Map, Value};

use super::{HIDDEN, holds_secret, is_secret_key, shortened};
use crate::RegisteredTool;

/// The longest redacted text, in characters.
const MAX_TEXT_CHARS: usize = 2_000;

/// Longer arguments are not read for a log: it must not cost more than the call.
const MAX_READ_BYTES: usize = 64 << 10;

/// How many keys an outline names.
const MAX_OUTLINE_KEYS: usize = 20;

/// Arguments with the values of secret keys hidden and long ones shortened, as JSON. Text that is not
/// JSON is described when it may hold a secret.
pub fn arguments(text: &str) -> String {
    shown(text, |_| {})
}

/// The same for a tool that takes secrets: a key that it does not have may be a secret under a wrong name,
/// so its value is hidden too.
pub fn arguments_of(tool: &RegisteredTool, text: &str) -> String {
    if !tool.takes_secrets() {
        return arguments(text);
    }
    let is_declared = |key: &str| tool.parameters().iter().any(|parameter| parameter.name == key);
    if text.len() <= MAX_READ_BYTES && serde_json::from_str::<Map<String, Value>>(text).is_err() {
        return format!("{HIDDEN} (text of {} bytes)", text.len());
    }
    shown(text, |value| {
        for (key, value) in value.as_object_mut().into_iter().flatten() {
            if !is_declared(key) {
                *value = Value::from(HIDDEN);
            }
        }
    })
}

fn shown(text: &str, hide: impl Fn(&mut Value)) -> String {
    if text.len() > MAX_READ_BYTES {
        return format!("(arguments of {} bytes)", text.len());
    }
    let mut redacted = match serde_json::from_str::<Value>(text) {
        Ok(mut value) => {
            hide(&mut value);
            redact(&mut value);
            value.to_string()
        }
        Err(_) if holds_secret(text) => format!("{HIDDEN} (text of {} bytes)", text.len()),
        Err(_) => shortened(text).into_owned(),
    };
    if let Some((end, _)) = redacted.char_indices().nth(MAX_TEXT_CHARS) {
        redacted.truncate(end);
        redacted.push('…');
    }
    redacted
}

/// The keys of arguments without what they say: `{device_name: "...", level: ..., on: true}`.
pub fn outline(text: &str) -> String {
    let short = (text.len() <= MAX_READ_BYTES).then_some(text);
    let Some(Ok(Value::Object(members))) = short.map(serde_json::from_str::<Value>) else {
        return format!("text of {} bytes", text.len());
    };
    let mut shown: Vec<String> = members
        .iter()
        .take(MAX_OUTLINE_KEYS)
        .map(|(key, value)| format!("{}: {}", shown_key(key), outline_value(value)))
        .collect();
    if members.len() > MAX_OUTLINE_KEYS {
        shown.push("…".to_owned());
    }
    format!("{{{}}}", shown.join(", "))
}

/// Plain names stand as they are; anything else is quoted, so that no key can forge a line.
fn shown_key(key: &str) -> String {
    let key = if holds_secret(key) { HIDDEN } else { key };
    let is_plain = !key.is_empty() && key.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-');
    if is_plain { shortened(key).into_owned() } else { Value::from(shortened(key).as_ref()).to_string() }
}

fn outline_value(value: &Value) -> String {
    match value {
        Value::String(_) => "\"...\"".to_owned(),
        Value::Array(_) => "[...]".to_owned(),
        Value::Object(_) => "{...}".to_owned(),
        Value::Number(_) => "...".to_owned(),
        plain => plain.to_string(),
    }
}

fn redact(value: &mut Value) {
    match value {
        Value::String(text) => {
            *text = super::text(text).into_owned();
        }
        Value::Array(items) => items.iter_mut().for_each(redact),
        Value::Object(members) => redact_object(members),
        _ => {}
    }
}

fn redact_object(members: &mut Map<String, Value>) {
    // {"name": "Authorization", "value": "…"}: the key is a value here.
    let names_secret = ["name", "key", "header", "field"]
        .iter()
        .any(|key| members.get(*key).and_then(Value::as_str).is_some_and(is_secret_key));
    if members.keys().any(|key| holds_secret(key)) {
        // A key that is itself a secret.
        *members = std::mem::take(members)
            .into_iter()
            .map(|(key, value)| (if holds_secret(&key) { HIDDEN.to_owned() } else { key }, value))
            .collect();
    }
    for (key, value) in members.iter_mut() {
        if is_secret_key(key) && !value.is_null() || names_secret && key == "value" {
            *value = Value::from(HIDDEN);
        } else {
            redact(value);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_are_hidden_wherever_they_stand() {
        let sent = r#"{"path":"a","apiKey":{"x":1},"list":[{"token":"t0p"}],"headers":[{"name":"Authorization","value":"t0p"}],
            "url":"https://u:t0p@h/","env":"PASSWORD=t0p","pin":1234,"inner":"{\"secret\":\"t0p\"}"}"#;
        let shown = arguments(sent);
        assert!(!shown.contains("t0p") && !shown.contains("1234"), "{shown}");
        assert!(shown.contains(r#""path":"a""#), "{shown}");
        assert_eq!(arguments(r#"{"ghp_0123456789abcdef":true}"#), r#"{"[redacted]":true}"#);
        assert_eq!(outline(r#"{"ghp_0123456789abcdef":true}"#), r#"{"[redacted]": true}"#);
    }

    #[test]
    fn text_that_is_not_json_is_hidden_when_it_speaks_of_secrets() {
        assert_eq!(arguments("{password: 'x'"), "[redacted] (text of 14 bytes)");
        assert_eq!(arguments("{path: 'x'"), "{path: 'x'");
    }

    #[test]
    fn long_values_are_shortened() {
        let shown = arguments(&format!(r#"{{"content":"{}"}}"#, "ä".repeat(5_000)));
        assert!(shown.contains("(9920 more bytes)") && shown.len() < 200, "{shown}");
        let many = format!("[{}]", vec!["\"abc\""; 10_000].join(","));
        assert!(arguments(&many).chars().count() <= MAX_TEXT_CHARS + 1);
    }

    #[test]
    fn an_outline_shows_keys_and_hides_what_strings_say() {
        assert_eq!(outline(r#"{"device_name":"Porch"}"#), r#"{device_name: "..."}"#);
        let sent = r#"{"level":50,"on":true,"pin":1234,"list":[1],"o":{},"a b\n":null}"#;
        assert_eq!(
            outline(sent),
            r#"{level: ..., on: true, pin: ..., list: [...], o: {...}, "a b\n": null}"#
        );
        assert_eq!(outline("nothing"), "text of 7 bytes");
    }
}
