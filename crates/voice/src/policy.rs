//! What the voice may do, and what it has to ask for first.
//!
//! Anybody in the room, or on the broker, can speak. So the voice has a list of tools of its own, and whatever opens
//! a door or destroys something is done after a spoken yes only. What a server says of its own tool makes us more
//! careful and never less.

use std::sync::Arc;

use serde_json::Value;
use toolwright_speech::Device;
use toolwright_tools::RegisteredTool;

use crate::mind::HeldCall;

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

/// What is asked for first, by the words of a tool or a device.
const GUARDED: &[&str] = &[
    "lock", "locks", "unlock", "deadbolt", "latch", "door", "doors", "garage", "gate", "gates", "alarm",
    "alarms", "siren", "disarm", "arm", "safe", "valve", "shutoff", "oven", "stove",
];

/// The same for tools: what cannot be undone.
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

/// Words that end as a guarded one and mean something else.
const HARMLESS: &[&str] = &["indoor", "indoors", "outdoor", "outdoors", "doorbell", "clock", "block"];

/// Compounds are guarded by these parts of a word.
const PARTS: &[&str] = &["lock", "door", "garage", "alarm"];

/// Tools that only look, by the first word of their names.
const LOOKS: &[&str] =
    &["get", "list", "verify", "check", "search", "read", "show", "find", "describe", "query", "status"];

/// How deep arguments are looked into, and how many texts of them.
const MAX_DEPTH: usize = 8;
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
        VoicePolicy {
            tools: tools.map_or_else(usual, <[String]>::to_vec),
            guarded: guarded.iter().map(|word| word.to_lowercase()).collect(),
        }
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
        let is_guarded = |word: &String| self.is_guarded(word) || DESTRUCTIVE.contains(&word.as_str());
        if tool.definition().annotations.destructive || words.iter().any(is_guarded) {
            return Verdict::Confirm;
        }
        if words.first().is_some_and(|first| LOOKS.contains(&first.as_str())) {
            return Verdict::Allow;
        }
        let mut texts = Vec::new();
        match serde_json::from_str::<Value>(arguments) {
            Ok(value) => collect(&value, MAX_DEPTH, &mut texts),
            // Nobody can tell what it does.
            Err(_) => return Verdict::Confirm,
        }
        if texts.len() > MAX_TEXTS {
            return Verdict::Confirm;
        }
        let is_risky = |text: &String| {
            name_words(text).iter().any(|word| self.is_guarded(word)) || self.is_guarded_device(text, devices)
        };
        if texts.iter().any(is_risky) { Verdict::Confirm } else { Verdict::Allow }
    }

    /// Whether a device of this name is guarded by what it is.
    fn is_guarded_device(&self, text: &str, devices: &[Device]) -> bool {
        let is_it = |device: &&Device| device.name.eq_ignore_ascii_case(text.trim());
        let kinds = devices.iter().filter(is_it).filter_map(|device| device.kind.as_deref());
        kinds.flat_map(name_words).any(|word| self.is_guarded(&word))
    }

    fn is_guarded(&self, word: &str) -> bool {
        let bare = word.trim_end_matches(|c: char| c.is_ascii_digit());
        if HARMLESS.contains(&bare) {
            return self.guarded.iter().any(|guarded| guarded == bare);
        }
        GUARDED.contains(&bare)
            || PARTS
                .iter()
                .any(|part| bare.starts_with(part) || bare.ends_with(part) && !bare.ends_with("clock"))
            || self.guarded.iter().any(|guarded| guarded == bare)
    }
}

/// The question for calls that need a yes.
pub(crate) fn question(calls: &[HeldCall]) -> String {
    let told: Vec<String> = calls.iter().map(described).collect();
    match &told[..] {
        [one] => format!("Shall I {one}? Please say yes or no."),
        several => format!("Shall I do this: {}? Please say yes or no.", several.join(", and ")),
    }
}

/// A call in words: what it does for a device, else the tool and the texts that it gets.
fn described(call: &HeldCall) -> String {
    let value: Value = serde_json::from_str(&call.arguments).unwrap_or_default();
    let text = |key: &str| value.get(key).and_then(Value::as_str);
    if let (Some(device), Some(action)) = (text("deviceName"), text("action")) {
        let level = value.get("level").and_then(Value::as_u64);
        return match (action, level) {
            ("dim", Some(level)) => format!("dim {device} to {level} percent"),
            _ => format!("turn {action} {device}"),
        };
    }
    let mut texts = Vec::new();
    collect(&value, MAX_DEPTH, &mut texts);
    let name = spoken_name(&call.tool);
    match &texts[..] {
        [] => format!("use {name}"),
        texts => format!("use {name} with {}", texts.iter().take(3).cloned().collect::<Vec<_>>().join(", ")),
    }
}

/// Every text of the arguments.
fn collect(value: &Value, depth: usize, texts: &mut Vec<String>) {
    if depth == 0 || texts.len() > MAX_TEXTS {
        return;
    }
    match value {
        Value::String(text) => texts.push(text.clone()),
        Value::Array(items) => items.iter().for_each(|item| collect(item, depth - 1, texts)),
        Value::Object(members) => members.values().for_each(|value| collect(value, depth - 1, texts)),
        _ => {}
    }
}

/// `unlockFront_door` is `unlock`, `front`, `door`.
fn name_words(name: &str) -> Vec<String> {
    let mut words: Vec<String> = vec![String::new()];
    let mut was_lower = false;
    for c in name.chars() {
        let is_gap = !c.is_alphanumeric();
        if is_gap || c.is_uppercase() && was_lower {
            words.push(String::new());
        }
        if let Some(word) = words.last_mut().filter(|_| !is_gap) {
            word.extend(c.to_lowercase());
        }
        was_lower = c.is_lowercase() || c.is_ascii_digit();
    }
    words.retain(|word| !word.is_empty());
    words
}

/// `zwave/control_zwave_device` is said "control zwave device".
fn spoken_name(name: &str) -> String {
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

    #[test]
    fn compounds_are_guarded_and_look_alikes_are_not() {
        let policy = VoicePolicy::new(None, &["pool".to_owned()]);
        for word in ["lock", "frontdoor", "doorlock", "garage2", "lock1", "pool", "garagedoor", "siren"] {
            assert!(policy.is_guarded(word), "{word}");
        }
        for word in ["clock", "outdoor", "doorbell", "lamp", "block", "flow", "indoors"] {
            assert!(!policy.is_guarded(word), "{word}");
        }
    }
}
