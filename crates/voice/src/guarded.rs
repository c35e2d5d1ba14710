//! Words, device types and command classes of guarded devices: those that open, lock, warn, burn or keep a
//! person alive.
//!
//! A false positive costs one more question; a false negative opens a door. So the lists contain several
//! languages, and the data of a server adds to them and never removes from them.

mod words;

use toolwright_speech::Device;

use crate::addressing::name_words;
use words::{
    ENDINGS, ENTRIES, HARMLESS, HARMLESS_ENDINGS, HARMLESS_NOUNS, HARMLESS_PARTS, HEAD_ENDINGS, HEADS,
    MIDDLES, PAIRS, PARTS, STARTS, UNSPACED, WORDS,
};

/// Z-Wave command classes of guarded devices: door locks and their logs, schedules, codes and credentials,
/// barriers, keypads, windows, irrigation valves, sirens. The classes of encryption (152, 159) and of
/// notifications (113) are no evidence: lamps have them too.
const CLASSES: &[u16] = &[98, 76, 78, 99, 131, 102, 111, 106, 107, 121];

/// Whether a text mentions something guarded; `more` are the words of the configuration.
pub(crate) fn is_guarded_text(text: &str, more: &[String]) -> bool {
    let words = name_words(text);
    let bare: Vec<&str> = words.iter().map(|word| without_number(word)).collect();
    let has_phrase = |phrase: &str| {
        let phrase = name_words(phrase);
        let phrase: Vec<&str> = phrase.iter().map(|word| without_number(word)).collect();
        !phrase.is_empty() && bare.windows(phrase.len()).any(|part| part == phrase)
    };
    // `the sauna, lights off` is not a lamp in a sauna.
    let is_one_name = !text.contains([',', ';', ':', '\n']) && !text.contains(". ");
    // An entity id of a lamp in Home Assistant.
    let is_lamp_id = text.starts_with("light.") && !text.contains(char::is_whitespace);
    let is_followed_by_lamp = |at: usize| {
        let next = bare[at + 1..].iter().find(|word| !word.is_empty());
        is_one_name && next.is_some_and(|next| has(HARMLESS_NOUNS, |noun| noun == *next))
    };
    let is_head = |(at, word): (usize, &&str)| !is_lamp_id && is_head_word(word) && !is_followed_by_lamp(at);
    bare.iter().any(|word| is_guarded_word(word))
        || bare.iter().enumerate().any(is_head)
        || PAIRS.iter().any(|pair| has_phrase(pair))
        || more.iter().any(|own| has_phrase(own))
        || has(UNSPACED, |part| text.contains(part))
}

/// Whether a device is guarded by its name or by the data of its server.
pub(crate) fn is_guarded_device(device: &Device, more: &[String]) -> bool {
    let mut texts = [&device.name].into_iter().chain(&device.kind).chain(&device.aliases);
    let is_entry = has_last_word(&device.name, ENTRIES);
    let is_cover = device.kind.iter().chain(&device.aliases).any(|text| has_first_word(text, "cover"));
    is_entry
        || is_cover
        || texts.any(|text| is_guarded_text(text, more))
        || device.classes.iter().any(|class| CLASSES.contains(class))
}

/// Whether one word is guarded. It must be lower-case; a trailing number is ignored.
pub(crate) fn is_guarded_word(word: &str) -> bool {
    let bare = without_number(word);
    if has(HARMLESS, |harmless| harmless == bare) {
        return false;
    }
    let mut inner = bare.to_owned();
    HARMLESS_PARTS.split_whitespace().for_each(|harmless| inner = inner.replace(harmless, " "));
    let is_compound = |part: &str| bare.starts_with(part) || bare.ends_with(part) && !bare.ends_with("clock");
    WORDS.iter().any(|words| has(words, |word| word == bare))
        || PARTS.iter().any(|part| is_compound(part))
        || has(ENDINGS, |end| bare.ends_with(end))
        || has(MIDDLES, |part| inner.contains(part))
}

/// Whether one word names a device that heats, cooks, pumps or lets in, unless it is part of the name of a
/// lamp.
fn is_head_word(bare: &str) -> bool {
    let is_lamp = || has(HARMLESS_ENDINGS, |end| bare.ends_with(end));
    HEADS.iter().any(|words| has(words, |word| word == bare))
        || has(HEAD_ENDINGS, |end| bare.ends_with(end))
        || has(STARTS, |start| bare.starts_with(start)) && !is_lamp()
}

fn has_last_word(text: &str, list: &str) -> bool {
    let words = name_words(text);
    let last = words.iter().map(|word| without_number(word)).rfind(|word| !word.is_empty());
    last.is_some_and(|last| has(list, |word| word == last))
}

fn has_first_word(text: &str, first: &str) -> bool {
    name_words(text).first().is_some_and(|word| word == first)
}

/// Whether any word of a list satisfies a predicate.
fn has(list: &str, is: impl Fn(&str) -> bool) -> bool {
    list.split_whitespace().any(is)
}

fn without_number(word: &str) -> &str {
    word.trim_end_matches(|c: char| c.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn compounds_are_guarded_and_look_alikes_are_not() {
        let own = ["pool".to_owned()];
        for word in [
            "lock",
            "frontdoor",
            "doorlock",
            "garage2",
            "lock1",
            "pool",
            "garagedoor",
            "siren",
            "Haustür",
            "haustuer",
            "Hau\u{ad}stür",
            "Haustu\u{308}r",
            "Garagentor",
            "Türschloss",
            "Gasventil",
            "Voordeur",
            "Security System",
            "Main Breaker",
            "Gas",
            "Water Main",
            "Furnace",
            "Oxygen Machine",
            "Bolt",
            "Keypad",
            "Window Opener",
            "puerta principal",
            "portail",
            "входная дверь",
            "玄関ドア",
            "大门",
            "Backofen",
            "caja fuerte",
            "life support",
            "goodnightunlockall",
            "goodnightlockall",
            "allesentriegelnjetzt",
            "nightdooropen",
            "Smoke Detector",
            "Rauchmelder Flur",
            "Insulin Pump",
            "Sump Pump 2",
            "Gun Cabinet",
            "Medicine Cabinet",
            "Medikamentenschrank",
            "Main Power",
            "Hauptstrom",
            "Fuse Box",
            "Entrance",
            "Front Entry",
            "Haupteingang",
            "Sauna",
            "Sauna Plug",
            "Saunaofen",
            "Grill",
            "Hot Plate",
            "Hotplate",
            "Fryer",
            "Iron",
            "Bügeleisen",
            "Wasserkocher",
            "Shutter",
            "Skylight",
            "Rollladen Süd",
            "Heating",
            "Fußbodenheizung",
            "Heizkörper Bad",
            "Heat Lamp",
            "Wärmelampe",
            "Freezer",
            "Umwälzpumpe",
            "Baby Monitor",
            "Sauna, lights off",
            "switch.sauna",
            "light.garage_door",
            "Heating Fan",
        ] {
            assert!(is_guarded_text(word, &own), "{word}");
        }
        for word in [
            "clock",
            "outdoor",
            "doorbell",
            "lamp",
            "block",
            "flow",
            "indoors",
            "Türkise Lampe",
            "Monitor",
            "Switch Four",
            "Security Light",
            "Window Lamp",
            "Main Light",
            "Water Feature",
            "Thunder",
            "Gasse",
            "Motor",
            "Lampe Flur",
            "Desk Light",
            "Entry Light",
            "Heated Blanket",
            "Safety Lamp",
            "user",
            "Entry",
            "Entrance Light",
            "Entryway Lamp",
            "Eingangslicht",
            "Eingang Licht",
            "Sauna Light",
            "Saunalicht",
            "Grill Light",
            "Grill 2 Light",
            "Heizungskellerlampe",
            "Iron Man Poster",
            "Kettlebell",
            "Toast",
            "Pumpkin",
            "indoorlights",
            "outdoorlamps",
            "unblockall",
            "oclock",
            "Sherlock",
            "Radio",
            "Fan",
            "Coffee Machine",
            "Blinds",
            "Main Lights",
            "Power Strip",
            "Smoke Grey Lamp",
            "Motion Sensor",
            "Bewegungsmelder",
            "Thermostat",
            "Heated Seat",
            "Cabinet Light",
            "light.sauna",
            "light.sauna_light",
            "Natürlich",
        ] {
            assert!(!is_guarded_text(word, &own), "{word}");
        }
    }

    #[test]
    fn an_entry_and_a_cover_are_guarded_as_devices_and_not_as_words() {
        let named = |name: &str| Device { name: name.into(), ..Device::default() };
        assert!(is_guarded_device(&named("Entry"), &[]) && is_guarded_device(&named("Side Entry 2"), &[]));
        assert!(!is_guarded_device(&named("Entry Light"), &[]));
        let cover = Device { kind: Some("cover".into()), ..named("South") };
        let by_id = Device { aliases: vec!["cover.south".into()], ..named("South") };
        assert!(is_guarded_device(&cover, &[]) && is_guarded_device(&by_id, &[]));
        let lamp = Device { aliases: vec!["light.cover".into()], ..named("Cover Light") };
        assert!(!is_guarded_device(&lamp, &[]));
    }

    #[test]
    fn command_classes_guard_and_encryption_does_not() {
        let of =
            |classes: &[u16]| Device { name: "A".into(), classes: classes.to_vec(), ..Device::default() };
        for class in [98, 99, 102, 111, 106, 121] {
            assert!(is_guarded_device(&of(&[37, class]), &[]), "{class}");
        }
        assert!(!is_guarded_device(&of(&[32, 37, 38, 113, 114, 134, 152, 159]), &[]));
    }
}
