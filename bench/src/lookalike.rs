//! Valid calls, plain ones and such that look broken. None of them may change.

use serde_json::{Value, json};

use crate::case::{Case, Sent, Verdict};
use crate::generate::plain;
use crate::keys::Spelling;
use crate::mutate::{self, Change, Edit, Mutation, Scene, apply};
use crate::rng::Rng;
use crate::site::{self, Site};
use crate::traps::unrelated;
use crate::write::{self, Style};

/// Texts that are strings and nothing else, whatever they look like.
const TEXTS: [&str; 14] = [
    "true",
    "42",
    "0123456789",
    "null",
    "None",
    "{\"blocks\": []}",
    "[\"a\", \"b\"]",
    "{'a': 1}",
    "```json\n{\"a\": 1}\n```",
    "3.0",
    " padded ",
    "1e5",
    "That path is fine.</payload>\n</invoke>",
    "C:\\new\\table",
];

/// A valid call: every second one as it is in the corpus, the others as look-alikes.
pub fn case(scenes: &[Scene<'_>], index: usize, id: String, rng: &mut Rng) -> Option<Case> {
    if index.is_multiple_of(2) {
        let scene = scenes.get((index / 2) % scenes.len().max(1))?;
        let sent = plain(scene.call, rng);
        let kind = if sent.arguments.is_string() { "valid:text" } else { "valid:object" };
        return Some(finished(scene, id, scene.call.clone(), sent, kind.to_string()));
    }
    (0..300).find_map(|_| {
        let scene = rng.pick(scenes)?;
        let mutation = look_alike(scene, rng)?;
        let value = apply::all(scene.call, std::slice::from_ref(&mutation))?;
        if value == *scene.call && mutation.kind != "whole_float" || !scene.accepts(&value) {
            return None;
        }
        let kind = format!("valid:{}", mutation.kind);
        let style = Style { pretty: rng.one_in(2), ..Style::default() };
        let text = rng.one_in(3).then(|| Value::String(write::text(&value, &style)));
        let sent = Sent { arguments: text.unwrap_or_else(|| value.clone()), finish: None };
        Some(finished(scene, id.clone(), value, sent, kind))
    })
}

fn finished(scene: &Scene<'_>, id: String, expected: Value, sent: Sent, kind: String) -> Case {
    Case::new(id, "generated", scene.tool, sent, (Verdict::Unchanged, Some(expected))).with_layers(vec![kind])
}

fn look_alike(scene: &Scene<'_>, rng: &mut Rng) -> Option<Mutation> {
    match rng.below(6) {
        0 => unknown_member(scene, rng),
        1 => other_spelling(scene, rng),
        2 => text_like_something(scene, rng),
        3 => whole_float(scene, rng),
        4 => null_where_allowed(scene, rng),
        _ => {
            // What would be a mistake elsewhere but this schema accepts: unions, open objects, nullable values.
            let mut harmless = mutate::changes(scene, rng);
            harmless.retain(|mutation| !scene.is_error(mutation));
            rng.pick(&harmless).cloned()
        }
    }
}

fn pick<'s>(scene: &'s Scene<'_>, rng: &mut Rng, test: impl Fn(&Site<'_>) -> bool) -> Option<&'s Site<'s>> {
    let found: Vec<&Site<'_>> = scene.sites.iter().filter(|site| test(site)).collect();
    rng.pick(&found).copied()
}

fn is_open(site: &Site<'_>) -> bool {
    site.members().is_some_and(|members| !members.closed && !members.by_pattern)
}

/// A further member of an open object.
fn unknown_member(scene: &Scene<'_>, rng: &mut Rng) -> Option<Mutation> {
    let site = pick(scene, rng, is_open)?;
    let (key, value) = unrelated(scene, site, rng)?;
    Some(Mutation::new("unknown_in_open", Edit::Insert(site.path.clone(), key.to_string(), value)))
}

/// An optional member of an open object in another spelling, alone or beside the declared one.
fn other_spelling(scene: &Scene<'_>, rng: &mut Rng) -> Option<Mutation> {
    let site = pick(scene, rng, is_open)?;
    let (members, sent) = (site.members()?, site.value.as_object()?);
    let optional: Vec<&String> = sent.keys().filter(|key| !members.needs(key)).collect();
    let spelling = *rng.pick(&Spelling::ALL)?;
    if rng.one_in(2) {
        let key = (*rng.pick(&optional)?).clone();
        let to = spelling.of(&key);
        (to != key)
            .then(|| Mutation::new("spelling_in_open", Edit::Rename(site.path.clone(), vec![(key, to)])))
    } else {
        let keys: Vec<&String> = sent.keys().collect();
        let key = *rng.pick(&keys)?;
        let to = spelling.of(key);
        let edit = Edit::Insert(site.path.clone(), to.clone(), json!("other"));
        (!members.declared.contains_key(&to)).then(|| Mutation::new("spelling_beside", edit))
    }
}

fn text_like_something(scene: &Scene<'_>, rng: &mut Rng) -> Option<Mutation> {
    let site = pick(scene, rng, |site| site.value.is_string() && !site.path.is_empty())?;
    let text = json!(rng.word(&TEXTS));
    Some(Mutation::new("text_like_something", Edit::Change(site.path.clone(), Change::To(text))))
}

/// `10.0` is an integer.
fn whole_float(scene: &Scene<'_>, rng: &mut Rng) -> Option<Mutation> {
    let small = |site: &Site<'_>| site.value.as_i64().is_some_and(|number| number.abs() < 1_000_000);
    let site = pick(scene, rng, small)?;
    let number = json!(site.value.as_f64()?);
    Some(Mutation::new("whole_float", Edit::Change(site.path.clone(), Change::To(number))))
}

fn null_where_allowed(scene: &Scene<'_>, rng: &mut Rng) -> Option<Mutation> {
    let site = pick(scene, rng, |site| site.members().is_some())?;
    let declared = site::members(site.branch)?.declared;
    let names: Vec<&String> = declared.keys().collect();
    let key = *rng.pick(&names)?;
    Some(Mutation::new("null_where_allowed", Edit::Insert(site.path.clone(), key.clone(), Value::Null)))
}
