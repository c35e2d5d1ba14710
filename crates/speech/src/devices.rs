//! The devices of the house, by the names that their own server gives them.

use std::collections::HashSet;

use serde_json::Value;

use crate::words::words_of;

/// How many devices are known.
const MAX_DEVICES: usize = 2_000;

/// A device.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Device {
    /// Its name, as its tools take it.
    pub name: String,
    /// Where it is, when that is known.
    pub location: Option<String>,
    /// What it is, as its server says: `switch`, `dimmer`, `lock`.
    pub kind: Option<String>,
}

/// What some words name.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Found<'d> {
    None,
    One(&'d Device),
    /// Devices that the words could mean, each as well as the others.
    Several(Vec<&'d Device>),
}

/// The devices in what a list tool gave: `{"devices": [{"name", "location", "type"}]}`, or lines such as
/// `- "Switch One" in Hall is online`. What cannot be read is left out.
pub fn parse_devices(text: &str, structured: Option<&str>) -> Vec<Device> {
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
    let mut seen = HashSet::new();
    let is_new = |device: &Device| seen.insert((device.name.clone(), device.location.clone()));
    let mut is_new = is_new;
    devices.into_iter().filter(|device| is_new(device)).take(MAX_DEVICES).collect()
}

fn of_json(item: &Value) -> Option<Device> {
    let text = |keys: &[&str]| {
        let found = keys.iter().find_map(|key| item.get(key)?.as_str());
        found.map(str::trim).filter(|text| !text.is_empty()).map(str::to_owned)
    };
    let name = item.as_str().map(str::to_owned).or_else(|| text(&["name", "deviceName", "friendly_name"]))?;
    Some(Device {
        name,
        location: text(&["location", "room", "area"]),
        kind: text(&["type", "kind", "deviceType"]),
    })
}

/// `- "Name" in Location is online`.
fn of_line(line: &str) -> Option<Device> {
    let rest = line.trim().trim_start_matches(['-', '*', '•', ' ']).strip_prefix('"')?;
    let (name, rest) = rest.split_once('"')?;
    let location = rest.trim_start().strip_prefix("in ").and_then(|rest| {
        let end = rest.rfind(" is ").unwrap_or(rest.len());
        Some(rest[..end].trim().to_owned()).filter(|location| !location.is_empty())
    });
    (!name.trim().is_empty()).then(|| Device { name: name.to_owned(), location, kind: None })
}

/// The device of these words: its whole name, or its name and where it is. When no device has it, those whose names
/// hold all of the words.
pub(crate) fn find<'d>(words: &[String], devices: &'d [Device]) -> Found<'d> {
    if words.is_empty() {
        return Found::None;
    }
    let exact: Vec<&Device> = devices.iter().filter(|device| is_named(device, words)).collect();
    match exact[..] {
        [device] => return Found::One(device),
        [_, ..] => return Found::Several(exact),
        [] => {}
    }
    let holds = |device: &&Device| {
        let name = words_of(&device.name);
        words.iter().all(|word| name.contains(word))
    };
    let alike: Vec<&Device> = devices.iter().filter(holds).collect();
    // One that is only alike is a guess, and a guess is for a mind.
    if alike.len() > 1 && alike.len() <= MOST_ASKED { Found::Several(alike) } else { Found::None }
}

/// How many devices one question names.
const MOST_ASKED: usize = 4;

fn is_named(device: &Device, words: &[String]) -> bool {
    let name = words_of(&device.name);
    if name == words {
        return true;
    }
    let Some(location) = device.location.as_deref().map(words_of) else { return false };
    let joined = |parts: &[&[String]]| parts.concat() == words;
    let (of, of_the) = (["in".to_owned()], ["in".to_owned(), "the".to_owned()]);
    joined(&[&location, &name]) || joined(&[&name, &of, &location]) || joined(&[&name, &of_the, &location])
}

impl Device {
    /// The name with its place, where that tells it from others.
    pub fn spoken(&self) -> String {
        match &self.location {
            Some(location) => format!("{} in {location}", self.name),
            None => self.name.clone(),
        }
    }
}
