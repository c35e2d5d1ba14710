//! Traps in names: a value whose place nobody can tell, or two values for one place.

use serde_json::{Value, json};

use super::{Trap, unrelated};
use crate::corpus::Corpus;
use crate::keys::{self, Spelling};
use crate::mutate::envelope::{Envelope, Form};
use crate::mutate::{Edit, Mutation, Scene};
use crate::rng::Rng;
use crate::site::Site;

/// Makes a trap of this kind in a call, or nothing when there is no place for it.
pub fn make(corpus: &Corpus, scene: &Scene<'_>, kind: &'static str, rng: &mut Rng) -> Option<Trap> {
    let objects: Vec<&Site<'_>> =
        scene.sites.iter().filter(|site| site.members().is_some() && !site.in_union).collect();
    let site = *rng.pick(&objects)?;
    let mutation = match kind {
        "trap:meaningful_unknown" => {
            let (key, value) = unrelated(scene, site, rng).filter(|_| is_closed(site))?;
            Mutation::new(kind, Edit::Insert(site.path.clone(), key.to_string(), value))
        }
        "trap:unrelated_name" => unrelated_name(scene, site, kind, rng)?,
        "trap:two_sources" => two_sources(site, kind, rng)?,
        "trap:other_tool" => other_tool(corpus, scene, kind, rng)?,
        "trap:wrapper_not_clear" => half_lifted(scene, kind, rng)?,
        _ => return None,
    };
    Some(Trap::Value(mutation))
}

fn is_closed(site: &Site<'_>) -> bool {
    site.members().is_some_and(|members| members.closed && !members.by_pattern)
}

/// A required parameter under a name that gives no hint.
fn unrelated_name(scene: &Scene<'_>, site: &Site<'_>, kind: &'static str, rng: &mut Rng) -> Option<Mutation> {
    let members = site.members()?;
    let plain = |key: &&String| {
        let schema = members.declared.get(*key);
        let telling = ["enum", "const", "pattern", "$ref", "anyOf", "oneOf"];
        members.needs(key)
            && site.value.get(key.as_str()).is_some_and(|value| value.is_string() || value.is_number())
            && !telling.iter().any(|word| schema.is_some_and(|schema| schema.get(word).is_some()))
    };
    let keys: Vec<&String> = site.value.as_object()?.keys().filter(plain).collect();
    let key = (*rng.pick(&keys)?).clone();
    let (other, _) = unrelated(scene, site, rng)?;
    Some(Mutation::new(kind, Edit::Rename(site.path.clone(), vec![(key, other.to_string())])))
}

/// Two spellings of one parameter with different values.
fn two_sources(site: &Site<'_>, kind: &'static str, rng: &mut Rng) -> Option<Mutation> {
    let members = site.members()?;
    let sent = site.value.as_object()?;
    let keys: Vec<&String> = sent.keys().filter(|key| members.rejects_other_name_for(key)).collect();
    let key = *rng.pick(&keys)?;
    let mut forms: Vec<String> = Spelling::ALL.iter().map(|spelling| spelling.of(key)).collect();
    forms.retain(|form| form != key && !sent.contains_key(form) && !members.declared.contains_key(form));
    forms.dedup();
    let first = rng.pick(&forms)?.clone();
    let other = match sent.get(key)? {
        Value::String(text) => json!(format!("{text}2")),
        Value::Number(number) => json!(number.as_i64()?.checked_add(1)?),
        Value::Bool(value) => json!(!value),
        _ => return None,
    };
    let mut edits = vec![Edit::Insert(site.path.clone(), first.clone(), other)];
    forms.retain(|form| *form != first);
    if !is_closed(site) || rng.one_in(2) {
        let second = rng.pick(&forms)?.clone();
        edits.push(Edit::Rename(site.path.clone(), vec![(key.clone(), second)]));
    }
    Some(Mutation { kind, edits })
}

/// A whole call, but of another tool.
fn other_tool(corpus: &Corpus, scene: &Scene<'_>, kind: &'static str, rng: &mut Rng) -> Option<Mutation> {
    let other = rng.pick(&corpus.tools)?;
    let (own, name) = (keys::normal(&scene.tool.name), keys::normal(&other.name));
    let holder = rng.word(&["arguments", "parameters", "input"]);
    let free = scene.tool.parameters().all(|parameter| {
        let words = keys::words(parameter);
        !words.iter().any(|word| word == "name" || word == holder)
    });
    let apart = !own.contains(&name) && !name.contains(&own) && keys::distance(&own, &name) > 3;
    let envelope = Envelope::Call("name", holder, other.name.clone(), Form::Plain);
    (free && apart).then(|| Mutation::new(kind, Edit::Envelope(envelope)))
}

/// Only the optional members of a required object, at the top: what it requires is nowhere.
fn half_lifted(scene: &Scene<'_>, kind: &'static str, rng: &mut Rng) -> Option<Mutation> {
    let found: Vec<&Site<'_>> = scene
        .sites
        .iter()
        .filter(|site| site.path.len() == 1 && site.required && !site.in_union && site.key().is_some())
        .collect();
    let site = *rng.pick(&found)?;
    let members = site.members()?;
    let outer = scene.sites.first()?.members()?;
    let sent = site.value.as_object()?;
    let required: Vec<&String> = sent.keys().filter(|key| members.needs(key)).collect();
    let apart = sent.keys().all(|key| !outer.declared.contains_key(key));
    let lost = (*rng.pick(&required)?).clone();
    if !apart || sent.len() < 2 {
        return None;
    }
    let edits = vec![Edit::Remove(site.path.clone(), lost), Edit::Lift(site.key()?.to_string())];
    Some(Mutation { kind, edits })
}
