//! Commands that are certain: exactly one reading, or none at all.
//!
//! One file for each kind. Each reads a whole sentence: a word too many ("tomorrow", "if", "don't") and it is
//! not its sentence. Whatever has no reading here goes to the mind.

mod datetime;
mod dim;
mod switch;

use serde_json::json;

use crate::devices::{Device, Found, find};
use crate::words::{MAX_WORDS, without_courtesy, words_of};

/// What a sentence means.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reading {
    /// One thing, and nothing else.
    Certain(Command),
    /// One thing, with one of several devices.
    Which {
        /// What is to be done, with any of them.
        does: Does,
        /// The devices that it could be.
        devices: Vec<Device>,
    },
    /// Something that only a mind can tell.
    Unsure,
}

/// Something to do at once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Command {
    /// Tell the date or the time.
    Tell(Tells),
    /// Do something with a device.
    Device {
        /// Which one.
        device: Device,
        /// What.
        does: Does,
    },
}

/// What of the date and the time is asked for.
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

/// What a device does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Does {
    /// It is switched on.
    On,
    /// It is switched off.
    Off,
    /// It is dimmed to so many percent.
    Dim(u8),
}

/// A command for a device that was named with these words.
struct Said<'w> {
    does: Does,
    device: &'w [String],
}

/// What a sentence means, in a house with these devices.
pub fn read(text: &str, devices: &[Device]) -> Reading {
    let words = words_of(text);
    if words.len() > MAX_WORDS {
        return Reading::Unsure;
    }
    let words = without_courtesy(&words);
    if let Some(tells) = datetime::read(words) {
        return Reading::Certain(Command::Tell(tells));
    }
    let said: Vec<Said<'_>> = switch::read(words).into_iter().chain(dim::read(words)).collect();
    let mut readings: Vec<Reading> = Vec::new();
    for Said { does, device } in said {
        let reading = match find(device, devices) {
            Found::One(device) => Reading::Certain(Command::Device { device: device.clone(), does }),
            Found::Several(several) => {
                Reading::Which { does, devices: several.into_iter().cloned().collect() }
            }
            Found::None => continue,
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

/// Whether a sentence has the form of a command for a device, whatever devices there are.
pub fn could_be_of_device(text: &str) -> bool {
    let words = words_of(text);
    let words = without_courtesy(&words);
    words.len() <= MAX_WORDS && (!switch::read(words).is_empty() || !dim::read(words).is_empty())
}

/// The device of these words, among those that could be meant: an answer to "which one?".
pub fn choose<'d>(text: &str, devices: &'d [Device]) -> Option<&'d Device> {
    let words = words_of(text);
    let words = without_article(without_courtesy(&words));
    match find(words, devices) {
        Found::One(device) => Some(device),
        _ => in_place(words, devices),
    }
}

/// The only one of these devices that is where the words say: "in the kitchen", "the one in the kitchen", "kitchen".
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

/// Without `the`, `my` or `our` before it.
fn without_article(words: &[String]) -> &[String] {
    match words.split_first() {
        Some((first, rest)) if ["the", "my", "our"].contains(&first.as_str()) => rest,
        _ => words,
    }
}

/// Whether the words are exactly these.
fn are(words: &[String], known: &[&str]) -> bool {
    words.iter().map(String::as_str).eq(known.iter().copied())
}

impl Does {
    /// What the device's tool is called with.
    pub fn arguments(self, device: &str) -> String {
        match self {
            Does::On => json!({ "deviceName": device, "action": "on" }),
            Does::Off => json!({ "deviceName": device, "action": "off" }),
            Does::Dim(level) => json!({ "deviceName": device, "action": "dim", "level": level }),
        }
        .to_string()
    }

    /// The name for it in messages of others.
    pub fn name(self) -> &'static str {
        match self {
            Does::On => "TurnOn",
            Does::Off => "TurnOff",
            Does::Dim(_) => "Dim",
        }
    }
}
