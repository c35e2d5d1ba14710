//! Which of its senses a word has: `to` is an end, a recipient or a destination.
//!
//! A synonym is one only in the right sense. What is said around the word tells: the other words of
//! its name, what the schema says of it, the tool's name, the names beside it, the value itself.

use std::collections::HashMap;
use std::sync::LazyLock;

use super::compare::Surroundings;
use super::lexicon::{canonical, lines};
use super::name::Name;

/// For every word of several senses the words that speak for each.
static SENSES: LazyLock<HashMap<&'static str, Vec<Vec<&'static str>>>> = LazyLock::new(|| {
    let mut senses = HashMap::new();
    for line in lines(include_str!("vocabulary/senses.txt")) {
        let mut parts = line.split('|').map(str::trim);
        let Some(word) = parts.next() else { continue };
        senses.insert(word, parts.map(|cues| cues.split_whitespace().map(canonical).collect()).collect());
    }
    senses
});

/// Whether a word of the sent name may stand for a word of the known one in the sense it has there.
pub(crate) fn agree(
    sent_word: &str,
    sent: &Name,
    known_word: &str,
    known: &Name,
    around: Surroundings<'_>,
) -> bool {
    let others = |name: &Name, word: &str| -> Vec<String> {
        name.meaning.iter().filter(|own| *own != word).cloned().collect()
    };
    let cue = around.shape.cue().map(str::to_owned);
    if let Some(senses) = SENSES.get(known_word) {
        let meant = heard(senses, &sent.meaning);
        if !meant.is_empty() {
            let mut said = others(known, known_word);
            said.extend((around.described)());
            let mut here = heard(senses, &said);
            if here.is_empty() {
                let beside = around.declared.iter().filter(|name| name.text != known.text);
                said = beside.flat_map(|name| name.meaning.iter().cloned()).collect();
                said.extend(around.tool_words.iter().cloned());
                here = heard(senses, &said);
            }
            if here.is_empty() {
                here = heard(senses, cue.as_slice());
            }
            // Nothing is said: the same word is taken at its word, another one in the usual sense.
            if here.is_empty() {
                if sent_word == known_word {
                    return true;
                }
                here.push(0);
            }
            if !here.iter().any(|sense| meant.contains(sense)) {
                return false;
            }
        }
    }
    if let Some(senses) = SENSES.get(sent_word) {
        let mut said = others(sent, sent_word);
        said.extend(cue);
        let meant = heard(senses, &said);
        let here = heard(senses, &known.meaning);
        if !meant.is_empty() && !here.is_empty() && !here.iter().any(|sense| meant.contains(sense)) {
            return false;
        }
    }
    true
}

/// The senses that some of the words speak for.
fn heard(senses: &[Vec<&str>], words: &[String]) -> Vec<usize> {
    let speaks = |cues: &Vec<&str>| words.iter().any(|word| cues.contains(&canonical(word)));
    senses.iter().enumerate().filter(|(_, cues)| speaks(cues)).map(|(sense, _)| sense).collect()
}
