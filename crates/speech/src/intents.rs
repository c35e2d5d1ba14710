//! Commands with exactly one interpretation.
//!
//! One file per kind. Each parser reads a whole sentence: one extra word ("tomorrow", "if", "don't") and it
//! does not match. Sentences without a match go to the model.

mod datetime;
mod dim;
mod switch;

use serde_json::json;

use crate::devices::{Device, DeviceMatch, find};
use crate::words::{MAX_WORDS, without_courtesy, words_of};

/// The interpretation of a sentence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reading {
    /// Exactly one command.
    Certain(Command),
    /// One command with several possible devices.
    Which {
        /// The action, for any of them.
        does: Does,
        /// The possible devices.
        devices: Vec<Device>,
    },
    /// Only a model can interpret it.
    Unsure,
}

/// A command that runs at once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Command {
    /// Report the date or the time.
    Tell(Tells),
    /// Control a device.
    Device {
        /// The device.
        device: Device,
        /// The action.
        does: Does,
    },
}

/// The part of the date and time that is requested.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tells {
    /// The time of day.
    Time,
    /// The day of the week and the date.
    Date,
    /// The day of the week.
    Day,
    /// The month.
    Month,
    /// The year.
    Year,
}

/// An action of a device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Does {
    /// Switch on.
    On,
    /// Switch off.
    Off,
    /// Dim to this percentage.
    Dim(u8),
}

/// A command for a device, with the words that name it.
struct CommandPhrase<'w> {
    does: Does,
    device: &'w [String],
}

/// Interprets a sentence with these devices.
pub fn read(text: &str, devices: &[Device]) -> Reading {
    let words = words_of(text);
    if words.len() > MAX_WORDS {
        return Reading::Unsure;
    }
    let words = without_courtesy(&words);
    if let Some(tells) = datetime::read(words) {
        return Reading::Certain(Command::Tell(tells));
    }
    let said: Vec<CommandPhrase<'_>> = switch::read(words).into_iter().chain(dim::read(words)).collect();
    let mut readings: Vec<Reading> = Vec::new();
    for CommandPhrase { does, device } in said {
        let reading = match find(device, devices) {
            DeviceMatch::One(device) => Reading::Certain(Command::Device { device: device.clone(), does }),
            DeviceMatch::Several(several) => {
                Reading::Which { does, devices: several.into_iter().cloned().collect() }
            }
            DeviceMatch::None => continue,
        };
        if !readings.contains(&reading) {
            readings.push(reading);
        }
    }
    let certain = readings.iter().filter(|reading| matches!(reading, Reading::Certain(_))).count();
    match (certain, readings.len()) {
        (1, 1) | (0, 1) => readings.remove(0),
        _ => Reading::Unsure,
    }
}

/// Whether a sentence has the form of a device command, independent of the devices.
pub fn could_be_of_device(text: &str) -> bool {
    let words = words_of(text);
    let words = without_courtesy(&words);
    words.len() <= MAX_WORDS && (!switch::read(words).is_empty() || !dim::read(words).is_empty())
}

/// The device named by an answer to "which one?".
pub fn choose<'d>(text: &str, devices: &'d [Device]) -> Option<&'d Device> {
    let words = words_of(text);
    let words = without_article(without_courtesy(&words));
    match find(words, devices) {
        DeviceMatch::One(device) => Some(device),
        _ => in_place(words, devices),
    }
}

/// The only device at the named location: "in the kitchen", "the one in the kitchen", "kitchen".
fn in_place<'d>(words: &[String], devices: &'d [Device]) -> Option<&'d Device> {
    let words = match words {
        // Numbers are digits here.
        [one, word, rest @ ..] if one == "1" && word == "in" => rest,
        [word, rest @ ..] if word == "in" => rest,
        words => words,
    };
    let place = without_article(words);
    let is_there = |device: &&Device| {
        device.location.as_deref().is_some_and(|location| !place.is_empty() && words_of(location) == place)
    };
    let mut there = devices.iter().filter(is_there);
    there.next().filter(|_| there.next().is_none())
}

/// Removes a leading `the`, `my` or `our`.
fn without_article(words: &[String]) -> &[String] {
    match words.split_first() {
        Some((first, rest)) if ["the", "my", "our"].contains(&first.as_str()) => rest,
        _ => words,
    }
}

/// Whether the words are exactly these.
fn words_are(words: &[String], known: &[&str]) -> bool {
    words.iter().map(String::as_str).eq(known.iter().copied())
}

impl Does {
    /// The arguments for the control tool.
    pub fn arguments(self, device: &str) -> String {
        match self {
            Does::On => json!({ "deviceName": device, "action": "on" }),
            Does::Off => json!({ "deviceName": device, "action": "off" }),
            Does::Dim(level) => json!({ "deviceName": device, "action": "dim", "level": level }),
        }
        .to_string()
    }

    /// The intent name in Hermes messages.
    pub fn name(self) -> &'static str {
        match self {
            Does::On => "TurnOn",
            Does::Off => "TurnOff",
            Does::Dim(_) => "Dim",
        }
    }
}
