//! Permissions of the voice: what it may do, and what needs a confirmation.
//!
//! Any person in the room, or any client of the broker, can speak. So the voice has its own list of tools,
//! and calls that open a door or destroy something run only after a spoken yes. The annotations of a tool
//! add restrictions and never remove them.

use std::sync::Arc;

use serde_json::Value;
use toolwright_executor::RegisteredTool;
use toolwright_speech::Device;

use crate::addressing::{addressed, is_device_key, is_id_of, is_quantity_key, name_words, number_of};
use crate::guarded::{is_guarded_device, is_guarded_text};

/// The default tools of the voice: the built-in tools without files, and those for devices.
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

/// Words in the names of tools whose effect cannot be undone.
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

/// First words in the names of read-only tools.
const READ_ONLY_WORDS: &[&str] =
    &["get", "list", "verify", "check", "search", "read", "show", "find", "describe", "query", "status"];

/// Words that contradict a read-only first word: `find_and_set`, `read_write`, `status_set`.
const ACTION_WORDS: &str = "set write run do and then control turn switch toggle open close lock unlock arm disarm start stop trigger \
                    execute exec call send put push update change edit modify create add make apply activate deactivate enable \
                    disable press move play save store post patch perform fire release raise lower dim act command";

/// Words at the start or the end of a text that command a device.
const COMMANDS: &str = "open unlock unlocked on off toggle disarm disarmed release activate deactivate enable disable turn \
                        öffnen öffne auf aufmachen aufschließen entriegeln entsperren an aus ein einschalten ausschalten";

/// Limit of keys and values in the arguments; a call with more of them needs a confirmation.
const MAX_TEXTS: usize = 200;

/// The permissions of the voice.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VoicePolicy {
    tools: Vec<String>,
    /// Guarded words in addition to the defaults.
    guarded: Vec<String>,
}

/// The policy with the current devices: every call of the voice passes it.
#[derive(Clone, Debug)]
pub struct Guard {
    policy: Arc<VoicePolicy>,
    devices: KnownDevices,
}

/// The known devices, and whether the list is complete.
#[derive(Clone, Debug)]
pub struct KnownDevices {
    devices: Arc<Vec<Device>>,
    is_complete: bool,
}

/// The decision about a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The call runs.
    Allow,
    /// The call never runs; the text gives the reason.
    Deny(String),
    /// The call runs after a spoken yes.
    Confirm,
}

impl Guard {
    /// Combines the policy with the current devices.
    pub fn new(policy: Arc<VoicePolicy>, devices: KnownDevices) -> Guard {
        Guard { policy, devices }
    }

    /// Whether the voice may use this tool; a model need not see other tools.
    pub fn has(&self, tool: &RegisteredTool) -> bool {
        self.policy.has(tool)
    }

    /// Decides about a call with these repaired arguments.
    pub fn judge(&self, tool: &RegisteredTool, arguments: &str) -> Verdict {
        self.policy.judge(tool, arguments, &self.devices)
    }
}

impl KnownDevices {
    /// The complete list.
    pub fn all(devices: impl Into<Arc<Vec<Device>>>) -> KnownDevices {
        KnownDevices { devices: devices.into(), is_complete: true }
    }

    /// An incomplete list: it could not be read, or not to its end. Any call may address an unknown device,
    /// so every call that is not read-only needs a confirmation.
    pub fn some(devices: impl Into<Arc<Vec<Device>>>) -> KnownDevices {
        KnownDevices { devices: devices.into(), is_complete: false }
    }
}

impl Default for VoicePolicy {
    fn default() -> VoicePolicy {
        VoicePolicy::new(None, &[])
    }
}

impl VoicePolicy {
    /// Replaces the default tools with these patterns (`name` or `server/name`, `*` matches anything) and
    /// adds guarded words.
    pub fn new(tools: Option<&[String]>, guarded: &[String]) -> VoicePolicy {
        let usual = || USUAL_TOOLS.iter().map(|tool| (*tool).to_owned()).collect();
        VoicePolicy { tools: tools.map_or_else(usual, <[String]>::to_vec), guarded: guarded.to_vec() }
    }

    /// Whether the voice may use this tool.
    pub fn has(&self, tool: &RegisteredTool) -> bool {
        self.tools.iter().any(|pattern| match pattern.contains('/') {
            true => matches(pattern, tool.qualified_name()),
            false => matches(pattern, tool.name()),
        })
    }

    /// Decides about a call with these repaired arguments.
    pub fn judge(&self, tool: &RegisteredTool, arguments: &str, known: &KnownDevices) -> Verdict {
        if !self.has(tool) {
            let name = spoken_name(tool.name());
            return Verdict::Deny(format!("The {name} tool cannot be used by voice."));
        }
        let words = name_words(tool.name());
        let is_destructive = |word: &String| DESTRUCTIVE.contains(&word.as_str());
        if tool.definition().annotations.destructive
            || is_guarded_text(tool.name(), &self.guarded)
            || words.iter().any(is_destructive)
        {
            return Verdict::Confirm;
        }
        let is_read_only = is_read_only(&words);
        // Built-in tools control no devices. The name of any other tool is no guarantee that it is
        // read-only.
        let is_own = tool.qualified_name().split_once('/').is_some_and(|(server, _)| server == "builtin");
        if is_own && is_read_only {
            return Verdict::Allow;
        }
        if !is_own && !is_read_only && !known.is_complete {
            return Verdict::Confirm;
        }
        let mut parts = Vec::new();
        match serde_json::from_str::<Value>(arguments) {
            Ok(value) => collect("", &value, &mut parts),
            // Arguments that cannot be parsed may do anything.
            Err(_) => return Verdict::Confirm,
        }
        let declared = DeclaredKeys::of(tool.input_schema());
        let is_risky = |part: &ArgumentPart| self.is_risky(part, &known.devices, &declared);
        let is_guarded = parts.len() > MAX_TEXTS || parts.iter().any(is_risky);
        // Reading the state of a door is harmless, a command to it is not.
        if is_guarded && (!is_read_only || parts.iter().any(ArgumentPart::is_command)) {
            Verdict::Confirm
        } else {
            Verdict::Allow
        }
    }

    /// Whether a key or a value mentions something guarded, or addresses a guarded device.
    fn is_risky(&self, part: &ArgumentPart, devices: &[Device], declared: &DeclaredKeys) -> bool {
        let is_guarded = |device: &&Device| is_guarded_device(device, &self.guarded);
        let is_id = |number: u64| devices.iter().filter(is_guarded).any(|device| is_id_of(device, number));
        let text = part.text();
        let may_be_id = match part {
            ArgumentPart::Key(_) => true,
            ArgumentPart::Value { key, .. } => declared.may_hold_id(key),
        };
        if may_be_id && number_of(text).is_some_and(is_id) {
            return true;
        }
        // `12 open`
        let words = name_words(text);
        let has_command = words.iter().any(|word| is_in(COMMANDS, word));
        if has_command && words.iter().any(|word| number_of(word).is_some_and(is_id)) {
            return true;
        }
        is_guarded_text(text, &self.guarded) || addressed(text, devices).iter().any(is_guarded)
    }
}

/// Whether the name of a tool says that it is read-only.
fn is_read_only(words: &[String]) -> bool {
    let [first, rest @ ..] = words else { return false };
    let is_in_or_out = rest.last().is_some_and(|last| last == "in" || last == "out");
    READ_ONLY_WORDS.contains(&first.as_str())
        && !is_in_or_out
        && !rest.iter().any(|word| is_in(ACTION_WORDS, word))
}

fn is_in(list: &str, word: &str) -> bool {
    list.split_whitespace().any(|known| known == word)
}

/// The keys in the schema of a tool: if it has a key for a device, its other numbers are not ids.
struct DeclaredKeys {
    keys: Vec<String>,
    has_device: bool,
}

impl DeclaredKeys {
    fn of(schema: &str) -> DeclaredKeys {
        let schema: Value = serde_json::from_str(schema).unwrap_or_default();
        let keys: Vec<String> = match schema.get("properties") {
            Some(Value::Object(members)) => members.keys().cloned().collect(),
            _ => Vec::new(),
        };
        DeclaredKeys { has_device: keys.iter().any(|key| is_device_key(key)), keys }
    }

    /// Whether a number under this key may be the id of a device.
    fn may_hold_id(&self, key: &str) -> bool {
        let is_declared_other = self.has_device && self.keys.iter().any(|known| known == key);
        is_device_key(key) || !is_quantity_key(key) && !is_declared_other
    }
}

/// One part of the arguments of a call.
enum ArgumentPart {
    Key(String),
    /// A text or a number, with the nearest key above it.
    Value {
        key: String,
        text: String,
    },
}

impl ArgumentPart {
    fn text(&self) -> &str {
        let (ArgumentPart::Key(text) | ArgumentPart::Value { text, .. }) = self;
        text
    }

    /// Whether it is a command: `open`, `front door off`, `unlock it`.
    fn is_command(&self) -> bool {
        let words = name_words(self.text());
        [words.first(), words.last()].into_iter().flatten().any(|word| is_in(COMMANDS, word))
    }
}

/// Collects every key, text and number of the arguments at every depth; serde_json limits the depth to 128.
fn collect(key: &str, value: &Value, parts: &mut Vec<ArgumentPart>) {
    if parts.len() > MAX_TEXTS {
        return;
    }
    let one = |text: String| ArgumentPart::Value { key: key.to_owned(), text };
    match value {
        Value::String(text) => parts.push(one(text.clone())),
        Value::Number(number) => parts.push(one(number.to_string())),
        Value::Array(items) => items.iter().for_each(|item| collect(key, item, parts)),
        Value::Object(members) => {
            for (key, value) in members {
                parts.push(ArgumentPart::Key(key.clone()));
                collect(key, value, parts);
            }
        }
        Value::Bool(_) | Value::Null => {}
    }
}

/// The spoken form of a tool name: `zwave/control_zwave_device` is "control zwave device".
pub(crate) fn spoken_name(name: &str) -> String {
    name_words(name.rsplit('/').next().unwrap_or(name)).join(" ")
}

/// Whether a text matches a pattern, in which `*` matches anything.
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
