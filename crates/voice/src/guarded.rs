//! Which words, kinds of device and command classes stand for something that opens, locks, warns, burns or keeps
//! somebody alive.
//!
//! A wrong yes costs one more question; a wrong no opens a door. So words of several languages are here, and what a
//! server says of a device adds to them and never takes away.

use toolwright_speech::Device;

/// Words that are guarded whole, in small letters: by subject in English, then by language.
const WORDS: &[&str] = &[
    "lock locks unlock deadbolt bolt bolts latch door doors garage gate gates barrier turnstile hatch keypad opener",
    "alarm alarms siren sirens disarm arm safe vault",
    "valve valves shutoff stopcock gas oven stove stovetop cooktop cooker hob burner fireplace furnace boiler heater",
    "heaters breaker breakers mains kiln",
    "oxygen ventilator respirator cpap dialysis infusion defibrillator nebulizer medical",
    // German
    "tür türen tuer tueren tor tore pforte schranke schloss riegel tresor sirene ventil gashahn haupthahn wasserhahn",
    "hauptschalter sicherung sicherungen ofen backofen herd kochfeld kamin heizkessel kessel heizlüfter heizstrahler",
    "therme gastherme beatmung fensterantrieb",
    // French
    "porte portes portail portillon serrure verrou barrière alarme sirène vanne gaz disjoncteur chaudière cuisinière",
    "oxygène digicode",
    // Spanish
    "puerta puertas portón porton cerradura cerrojo garaje cochera alarma sirena válvula valvula caldera horno estufa",
    "disyuntor oxígeno oxigeno",
    // Italian and Portuguese
    "porta portone serratura cancello allarme valvola caldaia forno ossigeno cassaforte saracinesca",
    "portão portao fechadura garagem caldeira fogão fogao disjuntor oxigênio cofre",
    // Dutch, Swedish, Danish, Norwegian
    "poort kluis gaskraan fornuis ketel zuurstof dörr dør lås larm ugn kassaskåp",
    // Polish, Czech, Turkish
    "drzwi brama bramy zamek syrena zawór piec kocioł tlen dveře vrata zámek plyn kotel kapı kilit garaj",
    // Russian
    "дверь двери ворота замок калитка гараж засов сигнализация сирена клапан газ котёл котел печь плита духовка",
    "кислород сейф",
];

/// Compounds are guarded when they begin or end so.
const PARTS: &[&str] = &["lock", "door", "garage", "alarm", "tür", "tuer", "deur", "sauerstoff", "oxygen"];
/// Compounds are guarded when they end so.
const ENDINGS: &str =
    "schloss riegel ventil tresor hoftor gartentor rolltor schiebetor einfahrtstor sirene kessel hahn öffner";

/// Words that begin or end as guarded ones and mean something else.
const HARMLESS: &str = "indoor indoors outdoor outdoors doorbell clock clocks block türkis türkise türkiser türkises \
                        tuerkis türklingel flaschenöffner";

/// Two words that are guarded together.
const PAIRS: &[&str] = &[
    "security system",
    "security panel",
    "security mode",
    "water main",
    "main water",
    "main switch",
    "entry control",
    "user code",
    "user codes",
    "access control",
    "access code",
    "window covering",
    "window motor",
    "life support",
    "caja fuerte",
    "coffre fort",
];

/// Parts of texts in languages that write no blanks.
const UNSPACED: &str = "门 門 锁 鎖 鍵 车库 車庫 警报 警報 报警 阀 閥 煤气 燃气 瓦斯 氧气 酸素 ドア ガレージ シャッター \
                        サイレン アラーム バルブ ガス 현관문 차고 잠금 도어락 밸브 경보";

/// Command classes of devices that are guarded: door locks and their logs, schedules, codes and credentials, barriers, keypads,
/// windows, irrigation valves, sirens. The classes of encryption (152, 159) and of notifications (113) say nothing:
/// lamps have them too.
const CLASSES: &[u16] = &[98, 76, 78, 99, 131, 102, 111, 106, 107, 121];

/// Whether a text speaks of something guarded; `more` are the words of the configuration.
pub(crate) fn is_guarded_text(text: &str, more: &[String]) -> bool {
    let words = name_words(text);
    let bare: Vec<&str> = words.iter().map(|word| without_number(word)).collect();
    let has_phrase = |phrase: &str| {
        let phrase = name_words(phrase);
        let phrase: Vec<&str> = phrase.iter().map(|word| without_number(word)).collect();
        !phrase.is_empty() && bare.windows(phrase.len()).any(|part| part == phrase)
    };
    bare.iter().any(|word| is_guarded_word(word))
        || PAIRS.iter().any(|pair| has_phrase(pair))
        || more.iter().any(|own| has_phrase(own))
        || has(UNSPACED, |part| text.contains(part))
}

/// Whether a device is guarded by what it is called or by what its server says of it.
pub(crate) fn is_guarded_device(device: &Device, more: &[String]) -> bool {
    let mut texts = [&device.name].into_iter().chain(&device.kind).chain(&device.aliases);
    texts.any(|text| is_guarded_text(text, more))
        || device.classes.iter().any(|class| CLASSES.contains(class))
}

/// Whether one word is guarded. Small letters; a number at its end says nothing.
pub(crate) fn is_guarded_word(word: &str) -> bool {
    let bare = without_number(word);
    if has(HARMLESS, |harmless| harmless == bare) {
        return false;
    }
    let is_compound = |part: &str| bare.starts_with(part) || bare.ends_with(part) && !bare.ends_with("clock");
    WORDS.iter().any(|words| has(words, |word| word == bare))
        || PARTS.iter().any(|part| is_compound(part))
        || has(ENDINGS, |end| bare.ends_with(end))
}

/// Whether one word of a list is so.
fn has(list: &str, is: impl Fn(&str) -> bool) -> bool {
    list.split_whitespace().any(is)
}

fn without_number(word: &str) -> &str {
    word.trim_end_matches(|c: char| c.is_ascii_digit())
}

/// Which of these devices a text addresses, as servers read names: the name, with its place before or behind it, an alias or
/// an id, whatever stands between the words. Where none is named so, those whose names have all the words, or whose
/// whole names are in the text.
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
    if exact.is_empty() { devices.iter().filter(|device| is_near(device, words)).collect() } else { exact }
}

fn is_spelling(device: &Device, compact: &str) -> bool {
    let name = compact_of(&device.name);
    let place = device.location.as_deref().map(compact_of).filter(|place| !place.is_empty());
    name == compact
        || place.is_some_and(|place| {
            [format!("{place}{name}"), format!("{name}{place}"), format!("{name}in{place}"), format!("{name}inthe{place}")]
                .iter()
                .any(|spelling| spelling == compact)
        })
        // A bare number is an id only where an id is expected: `level` has numbers too.
        || compact.chars().any(char::is_alphabetic)
            && device.aliases.iter().map(|alias| compact_of(alias)).any(|alias| {
                alias == compact || is_number(&alias) && ["node", "nodeid", "device"].iter().any(|word| compact == format!("{word}{alias}"))
            })
}

fn is_near(device: &Device, words: &[&str]) -> bool {
    let name = name_words(&device.name);
    let place = device.location.as_deref().map(name_words).unwrap_or_default();
    let asked: Vec<&&str> =
        words.iter().filter(|word| !matches!(**word, "the" | "in" | "my" | "our")).collect();
    let in_name = |word: &str| name.iter().any(|own| own == word);
    let has_all = !asked.is_empty()
        && asked.iter().all(|word| in_name(word) || place.iter().any(|own| own == **word))
        && asked.iter().any(|word| in_name(word));
    let is_inside = !name.is_empty() && words.windows(name.len()).any(|part| part.iter().eq(name.iter()));
    has_all || is_inside
}

/// Whether a number under a key of this name is the id of this device.
pub(crate) fn is_id_of(device: &Device, key: &str, number: &str) -> bool {
    let is_device_key = name_words(key).iter().any(|word| {
        matches!(
            word.as_str(),
            "id" | "ids" | "node" | "nodes" | "device" | "devices" | "entity" | "nodeid" | "deviceid"
        )
    });
    is_device_key && device.aliases.iter().any(|alias| alias == number)
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|c| c.is_ascii_digit())
}

fn compact_of(text: &str) -> String {
    name_words(text).concat()
}

/// `unlockFront_door` is `unlock`, `front`, `door`.
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

/// Letters with dots and accents as one character each, as far as the words here have them; invisible characters are
/// left out.
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
            // Soft hyphens, joiners and marks hide a word from a list and from nobody's ear.
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
        ] {
            assert!(!is_guarded_text(word, &own), "{word}");
        }
    }

    #[test]
    fn a_device_is_addressed_by_every_name_that_servers_take() {
        let mut entry = device("Entry", "Hall", "Door Lock");
        entry.aliases = vec!["12".into(), "lock.hall_entry".into(), "Main access".into()];
        let house = [entry, device("Entry", "Back", "switch"), device("Hall Lamp", "", "")];
        let is_lock =
            |text: &str| addressed(text, &house).iter().any(|it| it.kind.as_deref() == Some("Door Lock"));
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
        ] {
            assert!(is_lock(text), "{text}");
        }
        for text in ["Back/Entry", "Hall Lamp", "hall", "on", "12", "dim", "lamp"] {
            assert!(!is_lock(text), "{text}");
        }
        assert!(is_id_of(&house[0], "nodeId", "12") && is_id_of(&house[0], "device", "12"));
        assert!(!is_id_of(&house[0], "level", "12"));
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
