//! Parameters under another name: other spelling, slip of the pen, synonym.

use serde_json::Value;

use super::{Edit, Mutation, Scene, is_touchy};
use crate::alias;
use crate::keys::{self, Spelling};
use crate::rng::Rng;
use crate::site::{Members, Site};

/// Words that differ by a slip from a word that parameters use: a slip must not become one of them.
const REAL_WORDS: [&str; 44] = [
    "state", "stage", "title", "tile", "tittle", "table", "cable", "tale", "label", "level", "query",
    "every", "quote", "note", "mode", "node", "date", "data", "count", "court", "chart", "char", "chat",
    "image", "mage", "value", "valve", "vale", "vales", "speed", "seed", "sped", "start", "stat", "since",
    "sine", "files", "flies", "prompt", "shape", "order", "odder", "owner", "width",
];

/// Adds other names for members.
pub fn add(scene: &Scene<'_>, rng: &mut Rng, found: &mut Vec<Mutation>) {
    for site in &scene.sites {
        let (Some(members), Some(sent)) = (site.members(), site.value.as_object()) else { continue };
        for key in sent.keys().filter(|key| members.declared.contains_key(*key)) {
            if !members.rejects_other_name_for(key) {
                continue;
            }
            let mut push = |kind, to: String| {
                let pairs = vec![(key.clone(), to)];
                found.push(Mutation::new(kind, Edit::Rename(site.path.clone(), pairs)));
            };
            let spelling = rng.pick(&Spelling::ALL).copied().unwrap_or(Spelling::Snake);
            if let Some(to) = spelled(&members, key, spelling) {
                push("key:case", to);
            }
            if site.in_union || is_touchy(key) {
                continue;
            }
            if let Some(to) = typo(key, rng).filter(|to| is_clear_typo(site, &members, key, to)) {
                push("key:typo", to);
            }
            let others = alias::of(key);
            if let Some(to) = rng.pick(others).filter(|to| is_clear_alias(site, &members, key, to)) {
                push("key:alias", (*to).to_string());
            }
        }
    }
    let spelling = rng.pick(&[Spelling::Snake, Spelling::Camel, Spelling::Kebab]).copied();
    found.extend(spelling.and_then(|spelling| all_spelled(scene, spelling)));
}

/// The name in another spelling, when that is new and no other parameter is spelled alike.
fn spelled(members: &Members<'_>, key: &str, spelling: Spelling) -> Option<String> {
    let to = spelling.of(key);
    let normal = keys::normal(key);
    let twins = members.declared.keys().filter(|name| keys::normal(name) == normal).count();
    (to != key && twins == 1 && keys::normal(&to) == normal).then_some(to)
}

/// A model that writes all names in its own spelling, at all levels.
fn all_spelled(scene: &Scene<'_>, spelling: Spelling) -> Option<Mutation> {
    let mut edits = Vec::new();
    for site in &scene.sites {
        let (Some(members), Some(sent)) = (site.members(), site.value.as_object()) else { continue };
        let declared = sent.keys().filter(|key| members.declared.contains_key(*key));
        let pairs: Vec<(String, String)> =
            declared.filter_map(|key| Some((key.clone(), spelled(&members, key, spelling)?))).collect();
        // In an open object optional names may be anything; only a missing required one shows the mistake.
        if pairs.iter().any(|(key, _)| members.rejects_other_name_for(key)) {
            edits.push(Edit::Rename(site.path.clone(), pairs));
        }
    }
    let names: usize =
        edits.iter().map(|edit| if let Edit::Rename(_, pairs) = edit { pairs.len() } else { 0 }).sum();
    (names >= 2).then_some(Mutation { kind: "key:case_all", edits })
}

/// One slip inside a name of at least five letters.
fn typo(key: &str, rng: &mut Rng) -> Option<String> {
    let mut letters: Vec<char> = key.chars().collect();
    if keys::normal(key).len() < 5 {
        return None;
    }
    let at = 1 + rng.below(letters.len() - 2);
    if !letters[at].is_ascii_lowercase() {
        return None;
    }
    // A short name must keep all its letters to be known again.
    let ways = if keys::normal(key).len() < 6 { 2 } else { 4 };
    match rng.below(ways) {
        0 if letters.get(at + 1).is_some_and(char::is_ascii_lowercase) => letters.swap(at, at + 1),
        0 | 1 => letters.insert(at, letters[at]),
        2 => {
            letters.remove(at);
        }
        _ => letters[at] = neighbour(letters[at]),
    }
    Some(letters.into_iter().collect())
}

/// The letter to the left on the keyboard, or to the right at its edge.
fn neighbour(letter: char) -> char {
    for row in ["qwertyuiop", "asdfghjkl", "zxcvbnm"] {
        let letters: Vec<char> = row.chars().collect();
        if let Some(at) = letters.iter().position(|other| *other == letter) {
            return if at == 0 { letters[1] } else { letters[at - 1] };
        }
    }
    letter
}

fn is_clear_typo(site: &Site<'_>, members: &Members<'_>, key: &str, to: &str) -> bool {
    let others = members.declared.keys().filter(|name| *name != key);
    let sent = |name: &str| site.value.get(name).is_some();
    to != key
        && !keys::words(to)
            .iter()
            .any(|word| REAL_WORDS.contains(&word.as_str()) && !keys::words(key).contains(word))
        && others.into_iter().all(|name| keys::distance(name, to) >= if sent(name) { 2 } else { 3 })
}

/// No parameter that is still free may be meant by the other name.
fn is_clear_alias(site: &Site<'_>, members: &Members<'_>, key: &str, to: &str) -> bool {
    let normal = keys::normal(to);
    let described = members.declared.get(key).and_then(|schema| schema.get("description"));
    if described.and_then(Value::as_str).is_some_and(|description| alias::is_denied(to, description)) {
        return false;
    }
    members.declared.keys().filter(|name| *name != key).all(|name| {
        let free = site.value.get(name).is_none();
        keys::normal(name) != normal && !(free && alias::may_mean(to, name))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_typo_is_one_step_away() {
        let mut rng = Rng::for_case(1, "typo", 0);
        for _ in 0..200 {
            if let Some(to) = typo("destination", &mut rng) {
                assert!(keys::distance("destination", &to) <= 1, "{to}");
            }
        }
        assert_eq!(typo("path", &mut rng), None);
    }
}
