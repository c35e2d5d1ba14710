//! On and off: "turn on the lamp", "switch the lamp off".
//!
//! Not: "don't turn on the lamp", "turn on the lamp tomorrow", "what if I turn on the lamp", "is the lamp on?".

use super::{CommandPhrase, Does, without_article};

/// The verbs of this command.
const VERBS: &[&str] = &["turn", "switch", "put"];

/// All interpretations of the words as this command.
pub(super) fn read(words: &[String]) -> Vec<CommandPhrase<'_>> {
    let Some((verb, rest)) = words.split_first() else { return Vec::new() };
    if !VERBS.contains(&verb.as_str()) {
        return Vec::new();
    }
    let first = rest.split_first().and_then(|(word, device)| Some((does(word)?, device)));
    let last = rest.split_last().and_then(|(word, device)| Some((does(word)?, device)));
    let said = |(does, device)| CommandPhrase { does, device: without_article(device) };
    first.into_iter().chain(last).map(said).filter(|said| !said.device.is_empty()).collect()
}

fn does(word: &str) -> Option<Does> {
    match word {
        "on" => Some(Does::On),
        "off" => Some(Does::Off),
        _ => None,
    }
}
