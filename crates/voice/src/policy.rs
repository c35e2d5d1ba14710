//! What the voice may do, and what it has to ask for first.
//!
//! Anybody in the room, or on the broker, can speak. So the voice has a list of tools of its own, and whatever opens
//! a door or destroys something is done after a spoken yes only. What a server says of its own tool makes us more
//! careful and never less.

use std::sync::Arc;

use serde_json::Value;
use toolwright_speech::Device;
use toolwright_tools::RegisteredTool;

use crate::guarded::{addressed, is_guarded_device, is_guarded_text, is_id_of, name_words};

/// The tools that the voice may use when nobody says otherwise: ours without files, and those of a house.
pub(crate) const USUAL_TOOLS: &[&str] = &[
    "builtin/get_current_datetime",
    "builtin/search_web",
    "builtin/control_speaker_volume",
    "*/list_zwave_devices",
    "*/list_devices",
    "*/verify_device",
    "*/control_zwave_device",
    "*/get_device_sensor_data",
    "*/check_zwave_health",
];

/// Words of tools that cannot be undone.
const DESTRUCTIVE: &[&str] = &[
    "delete",
    "remove",
    "erase",
    "wipe",
    "purge",
    "format",
    "reset",
    "uninstall",
    "drop",
    "destroy",
    "kill",
    "shutdown",
    "reboot",
    "pay",
    "buy",
    "order",
    "transfer",
    "exclude",
    "unpair",
];

/// Tools that only look, by the first word of their names.
const LOOKS: &[&str] =
    &["get", "list", "verify", "check", "search", "read", "show", "find", "describe", "query", "status"];

/// How many keys and values of the arguments are looked at: with more of them a yes is asked for.
const MAX_TEXTS: usize = 200;

/// What the voice may do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VoicePolicy {
    tools: Vec<String>,
    /// Words that are guarded besides the usual ones.
    guarded: Vec<String>,
}

/// The policy in the house as it is: what every call of the voice is shown to.
#[derive(Clone, Debug)]
pub struct Guard {
    policy: Arc<VoicePolicy>,
    devices: Arc<Vec<Device>>,
}

/// What becomes of a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It is run.
    Allow,
    /// It is never run; why, in a sentence.
    Deny(String),
    /// It is run after a spoken yes.
    Confirm,
}

impl Guard {
    /// The policy, and the devices there are.
    pub fn new(policy: Arc<VoicePolicy>, devices: Arc<Vec<Device>>) -> Guard {
        Guard { policy, devices }
    }

    /// Whether the voice has this tool at all: those that it has not, a model need not see.
    pub fn has(&self, tool: &RegisteredTool) -> bool {
        self.policy.has(tool)
    }

    /// What becomes of a call with these arguments, as they were mended.
    pub fn judge(&self, tool: &RegisteredTool, arguments: &str) -> Verdict {
        self.policy.judge(tool, arguments, &self.devices)
    }
}

impl Default for VoicePolicy {
    fn default() -> VoicePolicy {
        VoicePolicy::new(None, &[])
    }
}

impl VoicePolicy {
    /// With these tools (names, `server/name`, `*` stands for anything) instead of the usual ones, and with more words
    /// that a yes is asked for.
    pub fn new(tools: Option<&[String]>, guarded: &[String]) -> VoicePolicy {
        let usual = || USUAL_TOOLS.iter().map(|tool| (*tool).to_owned()).collect();
        VoicePolicy { tools: tools.map_or_else(usual, <[String]>::to_vec), guarded: guarded.to_vec() }
    }

    /// Whether the voice has this tool at all.
    pub fn has(&self, tool: &RegisteredTool) -> bool {
        self.tools.iter().any(|pattern| match pattern.contains('/') {
            true => matches(pattern, tool.qualified_name()),
            false => matches(pattern, tool.name()),
        })
    }

    /// What becomes of a call with these arguments, as they were mended.
    pub fn judge(&self, tool: &RegisteredTool, arguments: &str, devices: &[Device]) -> Verdict {
        if !self.has(tool) {
            let name = spoken_name(tool.name());
            return Verdict::Deny(format!("The {name} tool cannot be used by voice."));
        }
        let words = name_words(tool.name());
        let is_final = |word: &String| DESTRUCTIVE.contains(&word.as_str());
        if tool.definition().annotations.destructive
            || is_guarded_text(tool.name(), &self.guarded)
            || words.iter().any(is_final)
        {
            return Verdict::Confirm;
        }
        if words.first().is_some_and(|first| LOOKS.contains(&first.as_str())) {
            return Verdict::Allow;
        }
        let mut parts = Vec::new();
        match serde_json::from_str::<Value>(arguments) {
            Ok(value) => collect("", &value, &mut parts),
            // No reader can say what it does.
            Err(_) => return Verdict::Confirm,
        }
        let is_risky = |part: &Part| self.is_risky(part, devices);
        if parts.len() > MAX_TEXTS || parts.iter().any(is_risky) { Verdict::Confirm } else { Verdict::Allow }
    }

    /// Whether a key or a value speaks of something guarded, or addresses a device that is.
    fn is_risky(&self, part: &Part, devices: &[Device]) -> bool {
        let is_guarded = |device: &&Device| is_guarded_device(device, &self.guarded);
        if let Part::Value { key, text } = part
            && devices.iter().filter(is_guarded).any(|device| is_id_of(device, key, text))
        {
            return true;
        }
        let (Part::Key(text) | Part::Value { text, .. }) = part;
        is_guarded_text(text, &self.guarded) || addressed(text, devices).iter().any(is_guarded)
    }
}

/// One part of the arguments of a call.
enum Part {
    Key(String),
    /// A text or a number, and the key that it has or is below of.
    Value {
        key: String,
        text: String,
    },
}

/// Every key, text and number of the arguments, at every depth: serde_json reads 128 levels at most.
fn collect(key: &str, value: &Value, parts: &mut Vec<Part>) {
    if parts.len() > MAX_TEXTS {
        return;
    }
    let one = |text: String| Part::Value { key: key.to_owned(), text };
    match value {
        Value::String(text) => parts.push(one(text.clone())),
        Value::Number(number) => parts.push(one(number.to_string())),
        Value::Array(items) => items.iter().for_each(|item| collect(key, item, parts)),
        Value::Object(members) => {
            for (key, value) in members {
                parts.push(Part::Key(key.clone()));
                collect(key, value, parts);
            }
        }
        Value::Bool(_) | Value::Null => {}
    }
}

/// `zwave/control_zwave_device` is said "control zwave device".
pub(crate) fn spoken_name(name: &str) -> String {
    name_words(name.rsplit('/').next().unwrap_or(name)).join(" ")
}

/// Whether a text is as a pattern says, in which `*` stands for anything.
fn matches(pattern: &str, text: &str) -> bool {
    let mut parts = pattern.split('*');
    let first = parts.next().unwrap_or_default();
    let Some(mut rest) = text.strip_prefix(first) else { return false };
    let mut parts: Vec<&str> = parts.collect();
    let Some(last) = parts.pop() else { return rest.is_empty() };
    for part in parts {
        match rest.find(part) {
            Some(at) => rest = &rest[at + part.len()..],
            None => return false,
        }
    }
    rest.ends_with(last)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_star_stands_for_anything() {
        for (pattern, text) in
            [("*", "a"), ("a*c", "abc"), ("*/b", "a/b"), ("a", "a"), ("*b*", "abc"), ("a*", "a")]
        {
            assert!(matches(pattern, text), "{pattern} {text}");
        }
        for (pattern, text) in [("a", "ab"), ("*/b", "b"), ("a*c", "ab"), ("ab*ba", "aba"), ("", "a")] {
            assert!(!matches(pattern, text), "{pattern} {text}");
        }
    }
}
