//! Word sense disambiguation: `to` is an end, a recipient or a destination.
//!
//! Synonyms are valid only in the right sense. The context decides: the other words of the name, its
//! description in the schema, the tool's name, the names next to it, the value itself.

use std::collections::HashMap;
use std::sync::LazyLock;

use super::compare::NameContext;
use super::lexicon::{canonical, is_neutral, lines};
use super::looks::is_sql;
use super::name::SplitName;

/// For every word with several senses the cues of each.
static SENSES: LazyLock<HashMap<&'static str, Vec<Vec<&'static str>>>> = LazyLock::new(|| {
    let mut senses = HashMap::new();
    for line in lines(include_str!("vocabulary/senses.txt")) {
        let mut parts = line.split('|').map(str::trim);
        let Some(word) = parts.next() else { continue };
        senses.insert(word, parts.map(|cues| cues.split_whitespace().map(canonical).collect()).collect());
    }
    senses
});

/// Whether a word of the sent name may replace a word of the known one in the sense it has there.
pub(crate) fn agree(
    sent_word: &str,
    sent: &SplitName,
    known_word: &str,
    known: &SplitName,
    around: NameContext<'_>,
) -> bool {
    let cue = cue(around);
    if let Some(senses) = SENSES.get(known_word) {
        // `file_path` for any `path`: neutral words select no sense either.
        let shares = sent.meaning.iter().any(|own| own == known_word);
        let context: Vec<String> =
            sent.meaning.iter().filter(|own| !(shares && is_neutral(own))).cloned().collect();
        let sent_senses = matching_senses(senses, &context);
        if !sent_senses.is_empty() {
            let mut here = senses_here(senses, known_word, known, around);
            if here.is_empty() {
                here = matching_senses(senses, cue.as_slice());
            }
            // Without a cue the same word is accepted, another one only in its usual sense.
            if here.is_empty() {
                if sent_word == known_word {
                    return true;
                }
                here.push(0);
            }
            if !here.iter().any(|sense| sent_senses.contains(sense)) {
                return false;
            }
        }
    }
    if let Some(senses) = SENSES.get(sent_word) {
        let mut context: Vec<String> = sent.meaning.iter().filter(|own| *own != sent_word).cloned().collect();
        context.extend(cue);
        let sent_senses = matching_senses(senses, &context);
        let here = matching_senses(senses, &known.meaning);
        if !sent_senses.is_empty()
            && !here.is_empty()
            && !here.iter().any(|sense| sent_senses.contains(sense))
        {
            return false;
        }
    }
    true
}

/// The cue that the value gives for the sense of a word.
fn cue(around: NameContext<'_>) -> Option<String> {
    let cue = if is_sql(around.text) { Some("sql") } else { around.shape.cue() };
    cue.map(str::to_owned)
}

/// Whether two words are known to have different senses here.
pub(crate) fn clash(
    sent_word: &str,
    sent: &SplitName,
    known_word: &str,
    known: &SplitName,
    around: NameContext<'_>,
) -> bool {
    let differ = |sent_senses: Vec<usize>, here: Vec<usize>| {
        !sent_senses.is_empty() && !here.is_empty() && !here.iter().any(|sense| sent_senses.contains(sense))
    };
    let known_senses = SENSES.get(known_word).map(Vec::as_slice).unwrap_or_default();
    let sent_senses = SENSES.get(sent_word).map(Vec::as_slice).unwrap_or_default();
    differ(matching_senses(known_senses, &sent.meaning), senses_here(known_senses, known_word, known, around))
        || differ(
            matching_senses(sent_senses, cue(around).as_slice()),
            matching_senses(sent_senses, &known.meaning),
        )
}

/// Whether a neighbouring word is a cue for the sense that `word` has in the known name.
pub(crate) fn confirm(word: &str, neighbour: &str, known: &SplitName, around: NameContext<'_>) -> bool {
    SENSES.get(word).is_some_and(|senses| {
        let sent_senses = matching_senses(senses, &[neighbour.to_owned()]);
        !sent_senses.is_empty()
            && senses_here(senses, word, known, around).iter().any(|sense| sent_senses.contains(sense))
    })
}

/// The senses supported by the context of a known name: first by its own other words and its
/// description, then by the neighbouring names and the tool's name.
fn senses_here(senses: &[Vec<&str>], word: &str, known: &SplitName, around: NameContext<'_>) -> Vec<usize> {
    let mut context: Vec<String> = known.meaning.iter().filter(|own| *own != word).cloned().collect();
    context.extend((around.described)());
    let here = matching_senses(senses, &context);
    if !here.is_empty() {
        return here;
    }
    let neighbours = around.declared.iter().filter(|name| name.text != known.text);
    let mut context: Vec<String> = neighbours.flat_map(|name| name.meaning.iter().cloned()).collect();
    context.extend(around.tool_words.iter().cloned());
    matching_senses(senses, &context)
}

/// The senses for which some of the words are cues.
fn matching_senses(senses: &[Vec<&str>], words: &[String]) -> Vec<usize> {
    let has_cue = |cues: &Vec<&str>| words.iter().any(|word| cues.contains(&canonical(word)));
    senses.iter().enumerate().filter(|(_, cues)| has_cue(cues)).map(|(sense, _)| sense).collect()
}
