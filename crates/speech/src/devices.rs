//! The devices, by the names that their server uses.

use std::collections::HashMap;

use serde_json::Value;

use crate::words::words_of;

/// Limit of devices in the list.
const MAX_DEVICES: usize = 2_000;

/// A device.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Device {
    /// Its name, as its tools accept it.
    pub name: String,
    /// Its location, if known.
    pub location: Option<String>,
    /// Its type, as its server reports it: `switch`, `dimmer`, `lock`.
    pub kind: Option<String>,
    /// Other names and ids that its tools may accept: aliases, an entity id, the node number.
    pub aliases: Vec<String>,
    /// The command classes that its server reports (Z-Wave), by number.
    pub classes: Vec<u16>,
}

/// The devices that could be read from a list.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DeviceList {
    /// Unique by name and location.
    pub devices: Vec<Device>,
    /// The list was truncated at the limit.
    pub is_cut: bool,
}

/// The devices that some words name.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum DeviceMatch<'d> {
    None,
    One(&'d Device),
    /// Devices that match the words equally well.
    Several(Vec<&'d Device>),
}

/// Parses the result of a list tool: `{"devices": [{"name", "location", "type"}]}`, or lines such as `-
/// "Switch One" in Hall is online` and `- "Front" in Hall is online (door lock)`. Entries that cannot be
/// parsed are skipped.
///
/// The tools cannot distinguish devices with the same name and location, so these are merged with all their
/// attributes: a lock with the name of a lamp stays a lock.
pub fn parse_devices(text: &str, structured: Option<&str>) -> DeviceList {
    let structured = structured.and_then(|text| serde_json::from_str::<Value>(text).ok());
    let listed = structured.as_ref().and_then(|value| {
        let value = value.get("result").unwrap_or(value);
        ["devices", "nodes", "items"]
            .iter()
            .find_map(|key| value.get(key)?.as_array())
            .or_else(|| value.as_array())
    });
    let devices: Vec<Device> = match listed {
        Some(items) => items.iter().filter_map(of_json).collect(),
        None => text.lines().filter_map(of_line).collect(),
    };
    let mut list = DeviceList::default();
    let mut places: HashMap<(String, Option<String>), usize> = HashMap::new();
    for device in devices {
        let key = (device.name.clone(), device.location.clone());
        match places.get(&key) {
            // Devices without a name are not merged: their ids distinguish them.
            Some(&at) if !device.name.is_empty() => list.devices[at].absorb(device),
            _ if list.devices.len() == MAX_DEVICES => list.is_cut = true,
            _ => {
                places.insert(key, list.devices.len());
                list.devices.push(device);
            }
        }
    }
    list
}

fn of_json(item: &Value) -> Option<Device> {
    let text = |keys: &[&str]| {
        let found = keys.iter().find_map(|key| item.get(key)?.as_str());
        found.map(str::trim).filter(|text| !text.is_empty()).map(str::to_owned)
    };
    let name = item.as_str().map(str::to_owned).or_else(|| text(&["name", "deviceName", "friendly_name"]));
    let mut kinds = Vec::new();
    for key in KIND_KEYS {
        item.get(key).into_iter().for_each(|value| labels(value, &mut kinds));
    }
    let mut aliases = Vec::new();
    for key in ALIAS_KEYS {
        item.get(key).into_iter().for_each(|value| labels(value, &mut aliases));
    }
    // A device without a name can still be addressed by its number.
    let name = name.or_else(|| (!aliases.is_empty()).then(String::new))?;
    aliases.retain(|alias| *alias != name);
    let mut classes = Vec::new();
    for key in CLASS_KEYS {
        item.get(key).into_iter().for_each(|value| class_numbers(value, &mut classes));
    }
    classes.sort_unstable();
    classes.dedup();
    let kind = (!kinds.is_empty()).then(|| kinds.join("; "));
    Some(Device { name, location: text(&["location", "room", "area", "loc"]), kind, aliases, classes })
}

/// Keys for the type of a device.
const KIND_KEYS: &[&str] = &[
    "type",
    "kind",
    "deviceType",
    "device_type",
    "deviceClass",
    "device_class",
    "category",
    "productDescription",
    "productLabel",
];
/// Keys for other names of a device.
const ALIAS_KEYS: &[&str] = &[
    "deviceName",
    "friendly_name",
    "friendlyName",
    "label",
    "alias",
    "aliases",
    "names",
    "id",
    "nodeId",
    "node_id",
    "nodeID",
    "deviceId",
    "device_id",
    "entity_id",
    "entityId",
    "uniqueId",
    "unique_id",
    "topic",
];
/// Keys for command classes; `values` is the list of Z-Wave JS UI.
const CLASS_KEYS: &[&str] =
    &["commandClasses", "command_classes", "commandClass", "command_class", "classes", "values"];

/// Collects the texts and numbers of a value: one, a list, or an object with labels.
fn labels(value: &Value, found: &mut Vec<String>) {
    match value {
        Value::String(text) if !text.trim().is_empty() => found.push(text.trim().to_owned()),
        Value::Number(number) => found.push(number.to_string()),
        Value::Array(items) => items.iter().for_each(|item| labels(item, found)),
        Value::Object(members) => members.values().for_each(|value| labels(value, found)),
        _ => {}
    }
}

/// Command classes: numbers, `"98"`, `"0x62"`, names, objects with one of these, or objects with them as keys.
fn class_numbers(value: &Value, found: &mut Vec<u16>) {
    match value {
        Value::Number(number) => found.extend(number.as_u64().and_then(|number| u16::try_from(number).ok())),
        Value::String(text) => found.extend(class_of(text)),
        Value::Array(items) => items.iter().for_each(|item| class_numbers(item, found)),
        Value::Object(members) => {
            let named = ["commandClass", "command_class", "commandClassName", "cc", "id", "name"];
            let own: Vec<&Value> = named.iter().filter_map(|key| members.get(*key)).collect();
            if own.is_empty() {
                // A map by class or by value id (`98-0-targetMode`): the keys and the members carry the
                // class.
                for (key, value) in members {
                    found.extend(class_of(key.split('-').next().unwrap_or(key)));
                    if value.is_object() {
                        class_numbers(value, found);
                    }
                }
            }
            own.into_iter().filter(|value| !value.is_object()).for_each(|value| class_numbers(value, found));
        }
        _ => {}
    }
}

fn class_of(text: &str) -> Option<u16> {
    let text = text.trim();
    if let Some(hex) = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")) {
        return u16::from_str_radix(hex, 16).ok();
    }
    if let Ok(number) = text.parse() {
        return Some(number);
    }
    let plain: String = text.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect();
    let plain = plain.strip_prefix("commandclass").unwrap_or(&plain);
    CLASS_NAMES.iter().find(|(name, _)| *name == plain).map(|(_, number)| *number)
}

/// Command classes that servers report by name, limited to guarded ones: those that lock, open or sound.
const CLASS_NAMES: &[(&str, u16)] = &[
    ("doorlock", 98),
    ("doorlocklogging", 76),
    ("scheduleentrylock", 78),
    ("usercode", 99),
    ("usercredential", 131),
    ("barrieroperator", 102),
    ("entrycontrol", 111),
    ("windowcovering", 106),
    ("irrigation", 107),
    ("soundswitch", 121),
];

/// Parses `- "Name" in Location is online` with an optional `(type)` at its end.
fn of_line(line: &str) -> Option<Device> {
    let rest = line.trim().trim_start_matches(['-', '*', '•', ' ']).strip_prefix('"')?;
    let (name, rest) = rest.split_once('"')?;
    let (rest, kind) = match rest.trim_end().strip_suffix(')').and_then(|rest| rest.rsplit_once(" (")) {
        Some((rest, kind)) => (rest, Some(kind.trim().to_owned()).filter(|kind| !kind.is_empty())),
        None => (rest, None),
    };
    let location = rest.trim_start().strip_prefix("in ").and_then(|rest| {
        let end = rest.rfind(" is ").unwrap_or(rest.len());
        Some(rest[..end].trim().to_owned()).filter(|location| !location.is_empty())
    });
    (!name.trim().is_empty()).then(|| Device { name: name.to_owned(), location, kind, ..Device::default() })
}

/// Finds the device by these words: its whole name, or its name with its location. If none matches, the
/// devices whose names contain all the words.
pub(crate) fn find<'d>(words: &[String], devices: &'d [Device]) -> DeviceMatch<'d> {
    if words.is_empty() {
        return DeviceMatch::None;
    }
    let exact: Vec<&Device> = devices.iter().filter(|device| is_named(device, words)).collect();
    match exact[..] {
        [device] => return DeviceMatch::One(device),
        [_, ..] => return DeviceMatch::Several(exact),
        [] => {}
    }
    let holds = |device: &&Device| {
        let name = words_of(&device.name);
        words.iter().all(|word| name.contains(word))
    };
    let alike: Vec<&Device> = devices.iter().filter(holds).collect();
    // A single partial match is a guess; the model handles it.
    if alike.len() > 1 && alike.len() <= MOST_ASKED { DeviceMatch::Several(alike) } else { DeviceMatch::None }
}

/// Limit of devices in one question.
const MOST_ASKED: usize = 4;

fn is_named(device: &Device, words: &[String]) -> bool {
    let name = words_of(&device.name);
    if name.is_empty() {
        return false;
    }
    if name == words {
        return true;
    }
    let Some(location) = device.location.as_deref().map(words_of) else { return false };
    let joined = |parts: &[&[String]]| parts.concat() == words;
    let (of, of_the) = (["in".to_owned()], ["in".to_owned(), "the".to_owned()]);
    joined(&[&location, &name]) || joined(&[&name, &of, &location]) || joined(&[&name, &of_the, &location])
}

impl Device {
    /// Merges the attributes of another device with the same name and location.
    fn absorb(&mut self, other: Device) {
        self.kind = match (self.kind.take(), other.kind) {
            (Some(own), Some(more)) if own != more => Some(format!("{own}; {more}")),
            (own, more) => own.or(more),
        };
        self.aliases.extend(other.aliases);
        self.aliases.dedup();
        self.classes.extend(other.classes);
        self.classes.sort_unstable();
        self.classes.dedup();
    }

    /// The name with its location, for speech.
    pub fn spoken(&self) -> String {
        match &self.location {
            Some(location) => format!("{} in {location}", self.name),
            None => self.name.clone(),
        }
    }
}
