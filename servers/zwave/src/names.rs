//! Device lookup by name.
//!
//! First the exact name, then other spellings, with or without the location, then words that match one
//! device and no other. A name that matches two devices is refused with both names: switching the wrong
//! light is worse than a question.

use strsim::jaro_winkler;

/// The longest accepted name, in bytes.
const LONGEST_NAME: usize = 200;
/// Limit of suggestions.
const SUGGESTIONS: usize = 3;
/// The minimum similarity of a suggestion.
const LIKENESS: f64 = 0.75;

/// Something with a name and a location.
pub trait Named {
    /// Its name.
    fn name(&self) -> &str;
    /// Its location; may be empty.
    fn location(&self) -> &str;
}

/// Why no device was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Missing {
    /// There is none; these are the closest matches.
    Unknown(Vec<String>),
    /// Several devices match.
    Ambiguous(Vec<String>),
}

/// The only device that matches.
pub fn find<'a, N: Named>(devices: &'a [N], requested: &str) -> Result<&'a N, Missing> {
    let requested = requested.trim();
    if requested.is_empty() || requested.len() > LONGEST_NAME {
        return Err(Missing::Unknown(Vec::new()));
    }
    let folded = fold(requested);
    let folded = folded.strip_prefix("the ").unwrap_or(&folded);
    let steps: [&dyn Fn(&N) -> bool; 3] =
        [&|device| device.name() == requested, &|device| address(device) == requested, &|device| {
            !folded.is_empty() && spellings(device).iter().any(|it| it == folded)
        }];
    for fits in steps {
        let found: Vec<&N> = devices.iter().filter(|device| fits(device)).collect();
        match found.as_slice() {
            [] => {}
            [one] => return Ok(one),
            many => return Err(ambiguous(many)),
        }
    }
    by_words(devices, folded)
}

/// The unambiguous name of a device: with its location.
pub fn address<N: Named>(device: &N) -> String {
    match device.location() {
        "" => device.name().to_owned(),
        location => format!("{location}/{}", device.name()),
    }
}

/// The quoted name with its location, for people.
pub fn quoted_name<N: Named>(device: &N) -> String {
    match device.location() {
        "" => format!("\"{}\"", device.name()),
        location => format!("\"{}\" in {location}", device.name()),
    }
}

/// Lower-case letters and digits with single spaces: the normal form of typed, spoken and sanitized names.
fn fold(text: &str) -> String {
    let spaced: String = text
        .chars()
        .map(|c| if c.is_alphanumeric() { c } else { ' ' })
        .flat_map(char::to_lowercase)
        .collect();
    spaced.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn spellings<N: Named>(device: &N) -> Vec<String> {
    let (name, location) = (fold(device.name()), fold(device.location()));
    let mut spellings = vec![name.clone()];
    if !location.is_empty() {
        spellings.push(format!("{location} {name}"));
        spellings.push(format!("{name} in {location}"));
        spellings.push(format!("{name} in the {location}"));
    }
    spellings
}

/// The device that has every word, at least one of them in its name, if no other device is similar.
fn by_words<'a, N: Named>(devices: &'a [N], requested: &str) -> Result<&'a N, Missing> {
    let words: Vec<&str> = requested.split(' ').filter(|word| !matches!(*word, "" | "the")).collect();
    if words.is_empty() {
        return Err(Missing::Unknown(Vec::new()));
    }
    // "light" is part of "lights" as well: a partial match of another device makes the name ambiguous.
    let near: Vec<&N> = devices
        .iter()
        .filter(|device| {
            let all = format!("{} {}", fold(device.location()), fold(device.name()));
            words.iter().all(|word| all.contains(word))
        })
        .collect();
    match near.as_slice() {
        [one] if has_words(*one, &words) => Ok(one),
        [] | [_] => Err(Missing::Unknown(suggestions(devices, requested, &words))),
        many => Err(ambiguous(many)),
    }
}

fn has_words<N: Named>(device: &N, words: &[&str]) -> bool {
    let (name, location) = (fold(device.name()), fold(device.location()));
    let in_name = |word: &str| name.split(' ').any(|own| own == word);
    let in_location = |word: &str| location.split(' ').any(|own| own == word);
    words.iter().all(|word| in_name(word) || in_location(word)) && words.iter().any(|word| in_name(word))
}

fn ambiguous<N: Named>(devices: &[&N]) -> Missing {
    Missing::Ambiguous(devices.iter().map(|device| address(*device)).collect())
}

fn suggestions<N: Named>(devices: &[N], requested: &str, words: &[&str]) -> Vec<String> {
    let mut scored: Vec<(f64, String)> = devices
        .iter()
        .map(|device| {
            let name = fold(device.name());
            let shares_word = words.iter().any(|word| name.split(' ').any(|own| own == *word));
            let whole = spellings(device).iter().map(|it| jaro_winkler(requested, it)).fold(0.0, f64::max);
            let is_part = name.contains(requested) || requested.contains(&name);
            // A common word counts more than similar letters.
            let score = whole + if is_part { 1.0 } else { 0.0 } + if shares_word { 0.5 } else { 0.0 };
            (score, address(device))
        })
        .filter(|(score, _)| *score >= LIKENESS)
        .collect();
    scored.sort_by(|one, other| other.0.total_cmp(&one.0));
    scored.dedup_by(|one, other| one.1 == other.1);
    scored.into_iter().take(SUGGESTIONS).map(|(_, name)| name).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[derive(Debug, PartialEq, Eq)]
    struct Thing(String, String);

    impl Named for Thing {
        fn name(&self) -> &str {
            &self.0
        }

        fn location(&self) -> &str {
            &self.1
        }
    }

    fn home() -> Vec<Thing> {
        [
            ("Switch One", ""),
            ("Lamp", "Living Room"),
            ("Lamp", "Bedroom"),
            ("Hall Light", "Hall"),
            ("Porch Light", "Porch"),
            ("Porch Sensor", "Porch"),
            ("Old Heater", "Cellar"),
            ("Fan 1", ""),
            ("Fan_1", ""),
        ]
        .iter()
        .map(|(name, location)| Thing((*name).to_owned(), (*location).to_owned()))
        .collect()
    }

    fn found(requested: &str) -> Result<String, Missing> {
        find(&home(), requested).map(address)
    }

    #[test]
    fn a_name_is_found_as_it_is_and_in_other_spellings() {
        for requested in
            ["Switch One", "switch one", "SWITCH_ONE", "Switch_One", " switch-one ", "Switch  One"]
        {
            assert_eq!(found(requested).as_deref(), Ok("Switch One"), "{requested}");
        }
    }

    #[test]
    fn a_location_tells_two_of_the_same_name_apart() {
        let both = Missing::Ambiguous(vec!["Living Room/Lamp".into(), "Bedroom/Lamp".into()]);
        assert_eq!(found("Lamp"), Err(both.clone()));
        assert_eq!(found("lamp"), Err(both));
        for requested in ["Bedroom/Lamp", "bedroom lamp", "Lamp in Bedroom", "the lamp in the bedroom"] {
            assert_eq!(found(requested).as_deref(), Ok("Bedroom/Lamp"), "{requested}");
        }
    }

    #[test]
    fn light_is_not_one_of_two_lights() {
        let both = vec!["Hall/Hall Light".to_owned(), "Porch/Porch Light".to_owned()];
        assert_eq!(found("light"), Err(Missing::Ambiguous(both)));
        assert_eq!(found("hall").as_deref(), Ok("Hall/Hall Light"));
    }

    #[test]
    fn a_word_of_one_device_finds_it_and_part_of_a_word_does_not() {
        assert_eq!(found("heater").as_deref(), Ok("Cellar/Old Heater"));
        assert_eq!(found("heat"), Err(Missing::Unknown(vec!["Cellar/Old Heater".into()])));
        let lights = [Thing("Hall Light".into(), String::new()), Thing("Hall Lights".into(), String::new())];
        let both = Missing::Ambiguous(vec!["Hall Light".into(), "Hall Lights".into()]);
        assert_eq!(find(&lights, "light"), Err(both));
    }

    #[test]
    fn a_place_alone_is_no_device() {
        assert_eq!(found("cellar"), Err(Missing::Unknown(vec!["Cellar/Old Heater".into()])));
    }

    #[test]
    fn of_two_with_the_same_topics_only_the_exact_name_is_one() {
        assert_eq!(found("Fan 1").as_deref(), Ok("Fan 1"));
        assert_eq!(found("Fan_1").as_deref(), Ok("Fan_1"));
        assert_eq!(found("fan 1"), Err(Missing::Ambiguous(vec!["Fan 1".into(), "Fan_1".into()])));
    }

    #[test]
    fn closest_matches_are_suggested_only() {
        assert_eq!(found("Swich One"), Err(Missing::Unknown(vec!["Switch One".into()])));
        let Err(Missing::Unknown(names)) = found("Porch Lamp Sensor Light") else { panic!("not found") };
        assert!((1..=3).contains(&names.len()), "{names:?}");
        for requested in ["", "  ", "...", "the", "灯", &"x".repeat(300), "dishwasher"] {
            assert_eq!(found(requested), Err(Missing::Unknown(Vec::new())), "{requested}");
        }
    }

    proptest! {
        #[test]
        fn found_device_has_the_requested_words(requested in "\\PC{0,30}") {
            if let Ok(device) = find(&home(), &requested) {
                let own = format!("{} {}", fold(&device.1), fold(&device.0));
                for word in fold(&requested).split(' ') {
                    prop_assert!(own.contains(word) || matches!(word, "in" | "the"), "{requested} is not {own}");
                }
            }
        }

        #[test]
        fn full_name_is_always_found(at in 0usize..9) {
            let home = home();
            let whole = address(&home[at]);
            prop_assert_eq!(find(&home, &whole), Ok(&home[at]));
        }
    }
}
