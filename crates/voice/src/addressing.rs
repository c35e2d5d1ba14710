//! Matches texts and numbers to devices, in the spellings that servers accept.

use toolwright_speech::Device;

/// The devices that a text addresses, by the spellings that servers accept: the name, the name with its
/// location before or after it, an alias or an id, with any separator between the words. Without such a
/// match: the devices whose names have all the words, or whose whole names are in the text.
pub(crate) fn addressed<'d>(text: &str, devices: &'d [Device]) -> Vec<&'d Device> {
    let words = name_words(text);
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let words = match &words[..] {
        ["the", rest @ ..] if !rest.is_empty() => rest,
        all => all,
    };
    if words.is_empty() {
        return Vec::new();
    }
    let compact = words.concat();
    let exact: Vec<&Device> = devices.iter().filter(|device| is_spelling(device, &compact)).collect();
    if exact.is_empty() {
        devices.iter().filter(|device| is_partial_match(device, words)).collect()
    } else {
        exact
    }
}

fn is_spelling(device: &Device, compact: &str) -> bool {
    let name = compact_of(&device.name);
    let place =
        device.location.as_deref().map(compact_of).filter(|place| !place.is_empty() && !name.is_empty());
    name == compact
        || place.is_some_and(|place| {
            [format!("{place}{name}"), format!("{name}{place}"), format!("{name}in{place}"), format!("{name}inthe{place}")]
                .iter()
                .any(|spelling| spelling == compact)
        })
        // A bare number is an id only where an id is expected: `level` has numbers too.
        || compact.chars().any(char::is_alphabetic)
            && (device.aliases.iter().any(|alias| compact_of(alias) == compact)
                || ["nodeid", "node", "deviceid", "device", "id"].iter().any(|word| {
                    let number = compact.strip_prefix(word).and_then(number_of);
                    number.is_some_and(|number| is_id_of(device, number))
                }))
}

fn is_partial_match(device: &Device, words: &[&str]) -> bool {
    let name = name_words(&device.name);
    let place = device.location.as_deref().map(name_words).unwrap_or_default();
    let content_words: Vec<&&str> =
        words.iter().filter(|word| !matches!(**word, "the" | "in" | "my" | "our")).collect();
    let in_name = |word: &str| name.iter().any(|own| own == word);
    let has_all = !content_words.is_empty()
        && content_words.iter().all(|word| in_name(word) || place.iter().any(|own| own == **word))
        && content_words.iter().any(|word| in_name(word));
    let is_inside = !name.is_empty() && words.windows(name.len()).any(|part| part.iter().eq(name.iter()));
    // `open node 12`, and an alias among other words.
    let is_numbered = words.windows(2).any(|pair| {
        matches!(pair[0], "node" | "nodeid" | "device" | "id" | "number")
            && number_of(pair[1]).is_some_and(|number| is_id_of(device, number))
    });
    let has_alias = device.aliases.iter().map(|alias| name_words(alias)).any(|alias| {
        alias.concat().chars().any(char::is_alphabetic)
            && words.windows(alias.len()).any(|part| part.iter().eq(alias.iter()))
    });
    has_all || is_inside || is_numbered || has_alias
}

/// Whether this number is an id of this device. Numbers are compared by value: `12`, `12.0`, `"012"` and
/// `"0x0c"` are equal.
pub(crate) fn is_id_of(device: &Device, number: u64) -> bool {
    device.aliases.iter().any(|alias| number_of(alias) == Some(number))
}

/// Whether a key of this name holds an id of a device.
pub(crate) fn is_device_key(key: &str) -> bool {
    const WORDS: &str =
        "id ids node nodes device devices entity entities target targets address addr nodeid deviceid";
    name_words(key).iter().any(|word| WORDS.split(' ').any(|known| known == word))
}

/// Whether a key of this name holds a quantity, which never addresses a device.
pub(crate) fn is_quantity_key(key: &str) -> bool {
    const WORDS: &str = "level brightness volume percent percentage temperature speed hue saturation color colour kelvin \
                         duration delay timeout transition seconds minutes hours limit offset count page";
    name_words(key).last().is_some_and(|word| WORDS.split_whitespace().any(|known| known == word))
}

/// The whole number that a text represents, in the spellings that servers read: decimal with leading or
/// trailing zeros, hexadecimal, octal, binary, with a prefix such as `#`.
pub(crate) fn number_of(text: &str) -> Option<u64> {
    let text = text
        .trim()
        .trim_start_matches(['#', '+', '(', '['])
        .trim_end_matches([')', ']'])
        .to_ascii_lowercase();
    for (prefix, radix) in [("0x", 16), ("0o", 8), ("0b", 2)] {
        if let Some(digits) = text.strip_prefix(prefix) {
            return u64::from_str_radix(digits, radix).ok();
        }
    }
    if let Ok(number) = text.parse::<u64>() {
        return Some(number);
    }
    // `12.0` and `1.2e1`; whole numbers below 2^53 are exact.
    let is_decimal = text.starts_with(|c: char| c.is_ascii_digit() || c == '.');
    let number =
        text.parse::<f64>().ok().filter(|number| is_decimal && number.fract() == 0.0 && *number < 9e15)?;
    format!("{number:.0}").parse().ok()
}

fn compact_of(text: &str) -> String {
    name_words(text).concat()
}

/// Splits a name into lower-case words: `unlockFront_door` is `unlock`, `front`, `door`.
pub(crate) fn name_words(name: &str) -> Vec<String> {
    let mut words: Vec<String> = vec![String::new()];
    let mut was_lower = false;
    for c in composed(name).chars() {
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

/// Composes letters with dots and accents to one character each, for the letters that the word lists
/// contain; drops invisible characters.
fn composed(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        let both = out.chars().last().and_then(|last| {
            let table: &[(char, char)] = match c {
                '\u{308}' => {
                    &[('a', 'ä'), ('o', 'ö'), ('u', 'ü'), ('A', 'Ä'), ('O', 'Ö'), ('U', 'Ü'), ('е', 'ё')]
                }
                '\u{301}' => &[('a', 'á'), ('e', 'é'), ('i', 'í'), ('o', 'ó'), ('u', 'ú')],
                '\u{300}' => &[('a', 'à'), ('e', 'è')],
                '\u{303}' => &[('a', 'ã'), ('n', 'ñ')],
                '\u{302}' => &[('e', 'ê')],
                '\u{30a}' => &[('a', 'å')],
                _ => &[],
            };
            table.iter().find(|(plain, _)| *plain == last).map(|(_, both)| *both)
        });
        match both {
            Some(both) => {
                out.pop();
                out.push(both);
            }
            // Soft hyphens, joiners and marks would hide a word from the lists, although a voice speaks it
            // as usual.
            None if matches!(c, '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{2060}'..='\u{2064}' | '\u{feff}' | '\u{300}'..='\u{36f}' | '\u{fe00}'..='\u{fe0f}') =>
                {}
            None => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn device(name: &str, location: &str, kind: &str) -> Device {
        let some = |text: &str| Some(text.to_owned()).filter(|text| !text.is_empty());
        Device { name: name.into(), location: some(location), kind: some(kind), ..Device::default() }
    }

    #[test]
    fn a_device_is_addressed_by_every_name_that_servers_take() {
        let mut entry = device("Entry", "Hall", "Door Lock");
        entry.aliases = vec!["12".into(), "lock.hall_entry".into(), "Main access".into()];
        let devices = [entry, device("Entry", "Back", "switch"), device("Hall Lamp", "", "")];
        let is_lock =
            |text: &str| addressed(text, &devices).iter().any(|it| it.kind.as_deref() == Some("Door Lock"));
        for text in [
            "Entry",
            "Hall/Entry",
            "hall.entry",
            "HALL_ENTRY",
            "HallEntry",
            "the entry in the hall",
            "entry in hall",
            "Entry (Hall)",
            "main access",
            "node 12",
            "nodeID_12",
            "lock.hall_entry",
            "please open Entry now",
            "open node 012",
            "node-12",
            "open the main access please",
        ] {
            assert!(is_lock(text), "{text}");
        }
        for text in ["Back/Entry", "Hall Lamp", "hall", "on", "12", "dim", "lamp"] {
            assert!(!is_lock(text), "{text}");
        }
        for spelling in ["12", "012", "12.0", "1.2e1", "0x0c", "0X0C", "#12", "0b1100", " 12 "] {
            assert!(number_of(spelling).is_some_and(|number| is_id_of(&devices[0], number)), "{spelling}");
        }
        for spelling in ["120", "12.5", "0x12", "1 2", "inf", "nan", "", "twelve", "-", "12 percent"] {
            assert!(!number_of(spelling).is_some_and(|number| is_id_of(&devices[0], number)), "{spelling}");
        }
        assert!(is_device_key("nodeId") && is_device_key("target") && !is_device_key("level"));
        assert!(is_quantity_key("maxLevel") && is_quantity_key("brightness") && !is_quantity_key("n"));
    }
}
