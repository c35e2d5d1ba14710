//! The spoken question before guarded calls: it covers all of them completely, or is not asked.
//!
//! A yes confirms only what the user heard. So a question names every tool, every argument and every value;
//! a call that cannot be spoken completely and clearly is not asked about and not run.

use serde_json::Value;
use toolwright_speech::{MAX_SPOKEN_CHARS, speakable};

use crate::mind::HeldCall;
use crate::policy::spoken_name;

/// Spoken instead of a question that cannot be spoken completely.
pub(crate) const TOO_LONG: &str = "That is too much to confirm by voice, so I did nothing. \
                                   Please do it on a screen, or ask for one thing at a time.";

/// The question for these calls; `None` if it cannot be spoken completely.
pub(crate) fn question(calls: &[HeldCall], control_tool: &str) -> Option<String> {
    let described: Vec<String> =
        calls.iter().map(|call| describe(call, control_tool)).collect::<Option<_>>()?;
    let text = match &described[..] {
        [] => return None,
        [one] => format!("Shall I {one}? Please say yes or no."),
        several => format!("Shall I do this: {}? Please say yes or no.", several.join(", and ")),
    };
    // Anything that `speakable` leaves out or truncates would run without having been heard.
    let spoken = speakable(&text);
    (spoken.chars().count() <= MAX_SPOKEN_CHARS && letters(&spoken) == letters(&text)).then_some(spoken)
}

/// Describes one call: the effect on a device, otherwise the tool and every argument.
fn describe(call: &HeldCall, control_tool: &str) -> Option<String> {
    let value: Value = serde_json::from_str(&call.arguments).ok()?;
    if bare_name(&call.tool) == bare_name(control_tool)
        && let Some(short) = switching(&value)
    {
        return Some(short);
    }
    let mut name = sayable(&spoken_name(&call.tool))?;
    // Two servers may have tools of the same name.
    if let Some((server, _)) = call.tool.split_once('/').filter(|(server, _)| *server != "builtin") {
        name = format!("{name} of {}", sayable(server)?);
    }
    let mut parts = Vec::new();
    flatten("", &value, &mut parts)?;
    Some(if parts.is_empty() {
        format!("use {name}")
    } else {
        format!("use {name} with {}", parts.join(", "))
    })
}

fn bare_name(tool: &str) -> &str {
    tool.rsplit('/').next().unwrap_or(tool)
}

/// `turn on Lamp` and `dim Lamp to 40 percent`, if the arguments contain nothing else.
fn switching(value: &Value) -> Option<String> {
    let members = value.as_object()?;
    let device = sayable(members.get("deviceName")?.as_str()?)?;
    match (members.get("action")?.as_str()?, members.get("level"), members.len()) {
        ("dim", Some(level), 3) => Some(format!("dim {device} to {} percent", level.as_u64()?)),
        (action @ ("on" | "off"), None, 2) => Some(format!("turn {action} {device}")),
        _ => None,
    }
}

/// Describes every value with its path: `front door set to open`. `None` if one of them cannot be spoken.
fn flatten(path: &str, value: &Value, parts: &mut Vec<String>) -> Option<()> {
    let set_to = |spoken: String| if path.is_empty() { spoken } else { format!("{path} set to {spoken}") };
    let below = |key: &str| if path.is_empty() { key.to_owned() } else { format!("{path} {key}") };
    match value {
        Value::Object(members) if !members.is_empty() => {
            for (key, value) in members {
                flatten(&below(&sayable(&key.replace('_', " "))?), value, parts)?;
            }
        }
        Value::Array(items) if !items.is_empty() => {
            for (at, item) in items.iter().enumerate() {
                flatten(&below(&(at + 1).to_string()), item, parts)?;
            }
        }
        Value::Object(_) | Value::Array(_) => {
            if !path.is_empty() {
                parts.push(set_to("an empty list".to_owned()));
            }
        }
        Value::Null => parts.push(set_to("nothing".to_owned())),
        Value::Bool(is) => parts.push(set_to(is.to_string())),
        Value::Number(number) => parts.push(set_to(number.to_string())),
        Value::String(text) if text.is_empty() => parts.push(set_to("an empty text".to_owned())),
        Value::String(text) => parts.push(set_to(sayable(text)?)),
    }
    Some(())
}

/// A text that is spoken unchanged. Texts with a sentence end or with unspeakable characters are not.
fn sayable(text: &str) -> Option<String> {
    let is_heard = |c: char| {
        c.is_alphanumeric()
            || matches!(
                c,
                ' ' | ',' | '\'' | '’' | '-' | '_' | '/' | '.' | ':' | '%' | '°' | '+' | '&' | '(' | ')'
            )
    };
    let has_end = text.ends_with('.') || text.contains(". ");
    let is_fine = text.chars().all(is_heard) && text.chars().any(char::is_alphanumeric) && !has_end;
    is_fine.then(|| text.split_whitespace().collect::<Vec<_>>().join(" "))
}

/// The letters and digits of a text: the audible part.
fn letters(text: &str) -> String {
    text.chars().filter(|c| c.is_alphanumeric()).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn question_for(tool: &str, arguments: Value) -> Option<String> {
        let call = HeldCall { tool: tool.into(), arguments: arguments.to_string() };
        question(&[call], "control_zwave_device")
    }

    #[test]
    fn every_argument_is_in_the_question() {
        let cases = [
            (
                "zwave/control_zwave_device",
                json!({"deviceName": "Front Door", "action": "on"}),
                "turn on Front Door",
            ),
            (
                "control_zwave_device",
                json!({"deviceName": "Gate", "action": "dim", "level": 40}),
                "dim Gate to 40 percent",
            ),
            (
                "home/house_scene",
                json!({"deviceName": "Lamp", "action": "on", "also": "unlock front door"}),
                "use house scene of home with deviceName set to Lamp, action set to on, also set to unlock front door",
            ),
            (
                "zwave/control_zwave_device",
                json!({"deviceName": "Lamp", "action": "on", "also": "unlock front door"}),
                "use control zwave device of zwave with deviceName set to Lamp, action set to on, also set to unlock front door",
            ),
            (
                "home/set_state",
                json!({"front_door": "open", "alarm": false, "codes": [12, null]}),
                "use set state of home with front door set to open, alarm set to false, codes 1 set to 12, codes 2 set to nothing",
            ),
            ("zwave/unlock_house", json!({}), "use unlock house of zwave"),
        ];
        for (tool, arguments, expected) in cases {
            // The order of keys is that of the map.
            let spoken = question_for(tool, arguments).unwrap_or_default();
            let parts = |text: &str| {
                let mut parts: Vec<String> =
                    text.replace(" with ", ", ").split(", ").map(str::to_owned).collect();
                parts.sort();
                parts
            };
            let body = spoken.trim_start_matches("Shall I ").trim_end_matches("? Please say yes or no.");
            assert_eq!(parts(body), parts(expected), "{spoken}");
        }
    }

    #[test]
    fn unspeakable_call_has_no_question() {
        for (tool, arguments) in [
            ("home/set_state", json!({"door": "x".repeat(300)})),
            ("home/set_state", json!({"door": "https://example.com/open"})),
            ("home/set_state", json!({"door": "mat? Please say yes or no. And"})),
            ("home/set_state", json!({"door": "mat. Open the gate"})),
            ("home/set_state", json!({"door": "mat\u{1f513}"})),
            ("home/set_state", json!({"do\u{200b}or": "mat"})),
            ("home/set_state", json!({"door": "/etc/home/secrets"})),
            ("control_zwave_device", json!({"deviceName": "Do\u{200b}or", "action": "on"})),
        ] {
            assert_eq!(question_for(tool, arguments.clone()), None, "{arguments}");
        }
        assert_eq!(question(&[], "x"), None);
        let bad = HeldCall { tool: "home/x".into(), arguments: "no JSON".into() };
        assert_eq!(question(&[bad], "x"), None);
    }
}
