//! Which of its senses a word has: `to` is an end, a recipient or a destination.
//!
//! A synonym is one only in the right sense. What is said around the word tells: the other words of
//! its name, what the schema says of it, the tool's name, the names beside it, the value itself.

use std::collections::HashMap;
use std::sync::LazyLock;

use super::compare::Surroundings;
use super::lexicon::{canonical, is_neutral, lines};
use super::looks::is_sql;
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
    let cue = cue(around);
    if let Some(senses) = SENSES.get(known_word) {
        // `file_path` for any `path`: words that add nothing choose no sense either.
        let shares = sent.meaning.iter().any(|own| own == known_word);
        let said: Vec<String> =
            sent.meaning.iter().filter(|own| !(shares && is_neutral(own))).cloned().collect();
        let meant = heard(senses, &said);
        if !meant.is_empty() {
            let mut here = senses_here(senses, known_word, known, around);
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
        let mut said: Vec<String> = sent.meaning.iter().filter(|own| *own != sent_word).cloned().collect();
        said.extend(cue);
        let meant = heard(senses, &said);
        let here = heard(senses, &known.meaning);
        if !meant.is_empty() && !here.is_empty() && !here.iter().any(|sense| meant.contains(sense)) {
            return false;
        }
    }
    true
}

/// What the value says about the sense of a word.
fn cue(around: Surroundings<'_>) -> Option<String> {
    let cue = if is_sql(around.text) { Some("sql") } else { around.shape.cue() };
    cue.map(str::to_owned)
}

/// Whether two words are known to have different senses here.
pub(crate) fn clash(
    sent_word: &str,
    sent: &Name,
    known_word: &str,
    known: &Name,
    around: Surroundings<'_>,
) -> bool {
    let differ = |meant: Vec<usize>, here: Vec<usize>| {
        !meant.is_empty() && !here.is_empty() && !here.iter().any(|sense| meant.contains(sense))
    };
    let known_senses = SENSES.get(known_word).map(Vec::as_slice).unwrap_or_default();
    let sent_senses = SENSES.get(sent_word).map(Vec::as_slice).unwrap_or_default();
    differ(heard(known_senses, &sent.meaning), senses_here(known_senses, known_word, known, around))
        || differ(heard(sent_senses, cue(around).as_slice()), heard(sent_senses, &known.meaning))
}

/// Whether a word beside `word` speaks for the very sense that it has in the known name.
pub(crate) fn confirm(word: &str, beside: &str, known: &Name, around: Surroundings<'_>) -> bool {
    SENSES.get(word).is_some_and(|senses| {
        let meant = heard(senses, &[beside.to_owned()]);
        !meant.is_empty()
            && senses_here(senses, word, known, around).iter().any(|sense| meant.contains(sense))
    })
}

/// The senses that what is said around a known name speaks for: first its own other words and its
/// description, then the names beside it and the tool's.
fn senses_here(senses: &[Vec<&str>], word: &str, known: &Name, around: Surroundings<'_>) -> Vec<usize> {
    let mut said: Vec<String> = known.meaning.iter().filter(|own| *own != word).cloned().collect();
    said.extend((around.described)());
    let here = heard(senses, &said);
    if !here.is_empty() {
        return here;
    }
    let beside = around.declared.iter().filter(|name| name.text != known.text);
    let mut said: Vec<String> = beside.flat_map(|name| name.meaning.iter().cloned()).collect();
    said.extend(around.tool_words.iter().cloned());
    heard(senses, &said)
}

/// The senses that some of the words speak for.
fn heard(senses: &[Vec<&str>], words: &[String]) -> Vec<usize> {
    let speaks = |cues: &Vec<&str>| words.iter().any(|word| cues.contains(&canonical(word)));
    senses.iter().enumerate().filter(|(_, cues)| speaks(cues)).map(|(sense, _)| sense).collect()
}
