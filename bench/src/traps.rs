//! Calls that look mendable and are not: the right answer is a refusal.

mod cut;
mod names;
mod values;

use serde_json::{Value, json};

use crate::alias;
use crate::case::{Case, Sent, Verdict};
use crate::corpus::Corpus;
use crate::generate::{plain, send};
use crate::keys;
use crate::mutate::syntax::Slip;
use crate::mutate::{self, Edit, Mutation, Scene, apply};
use crate::rng::Rng;
use crate::site::{Path, Site};
use crate::tool_name;
use crate::write::{self, Style};

/// All kinds of traps.
const KINDS: [&str; 24] = [
    "trap:cut_in_string",
    "trap:cut_in_number",
    "trap:cut_after_key",
    "trap:cut_after_member",
    "trap:cut_before_close",
    "trap:close_missing_destructive",
    "trap:required_removed",
    "trap:expression",
    "trap:expression_raw",
    "trap:not_a_number_raw",
    "trap:lossy_number",
    "trap:unknown_enum_value",
    "trap:two_calls",
    "trap:meaningful_unknown",
    "trap:several_for_one",
    "trap:other_tool",
    "trap:two_sources",
    "trap:null_for_required",
    "trap:words_for_number",
    "trap:words_for_boolean",
    "trap:unrelated_name",
    "trap:object_for_text",
    "trap:wrapper_not_clear",
    "trap:tool_name_misspelt",
];

/// Names that have nothing to do with any tool here, with values that mean something.
const UNRELATED: [(&str, &str); 10] = [
    ("ship_date", "\"2026-09-01\""),
    ("watermark", "\"draft\""),
    ("loyalty_tier", "\"gold\""),
    ("gift_wrap", "true"),
    ("parking_spot", "12"),
    ("blood_group", "\"AB\""),
    ("warranty", "{\"years\": 2}"),
    ("discount_rate", "0.15"),
    ("approvers", "[\"lee\", \"kim\"]"),
    ("insured", "false"),
];

/// A trap: a broken value, or text broken beyond its value.
#[derive(Debug)]
pub enum Trap {
    /// A change that cannot be undone.
    Value(Mutation),
    /// Text as it is sent, with the finish.
    Text(String, Option<&'static str>),
    /// A change whose placeholder becomes raw text.
    Raw(Mutation, &'static str),
}

/// Stands in a value where raw text is to stand in the end.
pub const PLACEHOLDER: &str = "PLACEHOLDER-OF-RAW-TEXT";

/// One trap; half of those in values carry honest mistakes too.
pub fn case(corpus: &Corpus, scenes: &[Scene<'_>], index: usize, id: &str, rng: &mut Rng) -> Option<Case> {
    let kind = KINDS[index % KINDS.len()];
    (0..400).find_map(|_| {
        let scene = rng.pick(scenes)?;
        if kind == "trap:tool_name_misspelt" {
            return misspelt(corpus, scene, id, rng);
        }
        let trap = make(corpus, scenes, scene, kind, rng)?;
        let mut layers = vec![kind.to_string()];
        let sent = match trap {
            Trap::Text(text, finish) => Sent { arguments: Value::String(text), finish },
            Trap::Raw(mutation, raw) => {
                let value = apply::all(scene.call, &[mutation])?;
                let text = write::text(&value, &Style { pretty: rng.one_in(3), ..Style::default() });
                let text = text.replace(&format!("\"{PLACEHOLDER}\""), raw);
                Sent { arguments: Value::String(text), finish: None }
            }
            Trap::Value(mutation) => {
                if !scene.is_error(&mutation) {
                    return None;
                }
                let (chosen, mut slips) = with_mistakes(scene, mutation, rng);
                let value = apply::all(scene.call, &chosen)?;
                let sent = send(scene, &value, &mut slips, rng)?;
                layers.extend(chosen.iter().skip(1).map(Mutation::label));
                layers.extend(slips.iter().map(|slip| slip.label().to_string()));
                sent
            }
        };
        if readable_and_valid(scene, &sent) {
            return None;
        }
        Some(
            Case::new(id.to_string(), "generated", scene.tool, sent, (Verdict::Refuse, None))
                .with_layers(layers),
        )
    })
}

/// A valid call whose tool is not there: only one with a similar name.
fn misspelt(corpus: &Corpus, scene: &Scene<'_>, id: &str, rng: &mut Rng) -> Option<Case> {
    let called = tool_name::misspelt(corpus, scene.tool, rng)?;
    let sent = plain(scene.call, rng);
    let case = Case::new(id.to_string(), "generated", scene.tool, sent, (Verdict::Refuse, None));
    Some(case.among(&called).with_layers(vec!["trap:tool_name_misspelt".to_string()]))
}

fn make(
    corpus: &Corpus,
    scenes: &[Scene<'_>],
    scene: &Scene<'_>,
    kind: &'static str,
    rng: &mut Rng,
) -> Option<Trap> {
    cut::make(scenes, scene, kind, rng)
        .or_else(|| values::make(scene, kind, rng))
        .or_else(|| names::make(corpus, scene, kind, rng))
}

fn readable_and_valid(scene: &Scene<'_>, sent: &Sent) -> bool {
    match &sent.arguments {
        Value::String(text) => serde_json::from_str(text).is_ok_and(|value| scene.accepts(&value)),
        value => scene.accepts(value),
    }
}

/// Adds mistakes that can be mended, away from the trap, so that the trap is not the only thing wrong.
fn with_mistakes(scene: &Scene<'_>, trap: Mutation, rng: &mut Rng) -> (Vec<Mutation>, Vec<Slip>) {
    let (objects, has_envelope) = touched(&trap);
    let mut chosen = vec![trap];
    let mut slips = Vec::new();
    if rng.one_in(2) {
        return (chosen, slips);
    }
    let kinds = ["envelope:key", "envelope:call", "type:scalar_text", "key:case"];
    let mut candidates = mutate::candidates(scene, rng);
    candidates.retain(|mutation| {
        let apart = mutation.edits.iter().all(|edit| match edit {
            Edit::Rename(path, _) => !objects.contains(path),
            Edit::Envelope(_) => !has_envelope,
            _ => true,
        });
        kinds.contains(&mutation.kind) && apart
    });
    for _ in 0..=rng.below(2) {
        match rng.pick(&candidates) {
            Some(next) if mutate::fit(scene, &chosen, next) => chosen.push(next.clone()),
            _ => {}
        }
    }
    let texts = [Slip::Fence, Slip::ProseBefore, Slip::ChatToken, Slip::TrailingComma, Slip::Python];
    if rng.one_in(2) {
        slips.extend(rng.pick(&texts).copied());
    }
    (chosen, slips)
}

/// The objects whose members a trap depends on, and whether it is about the envelope.
fn touched(trap: &Mutation) -> (Vec<Path>, bool) {
    let mut objects = Vec::new();
    let mut has_envelope = false;
    for edit in &trap.edits {
        match edit {
            Edit::Insert(path, ..) | Edit::Remove(path, _) | Edit::Rename(path, _) => {
                objects.push(path.clone())
            }
            Edit::Change(path, _) => objects.push(path[..path.len().saturating_sub(1)].to_vec()),
            Edit::Lift(_) => objects.push(Vec::new()),
            Edit::Envelope(_) => has_envelope = true,
        }
    }
    (objects, has_envelope)
}

/// A name and value that no parameter of the object can be meant by.
pub fn unrelated(scene: &Scene<'_>, site: &Site<'_>, rng: &mut Rng) -> Option<(&'static str, Value)> {
    let (key, value) = *rng.pick(&UNRELATED)?;
    let declared = site.members()?.declared;
    let near = declared.iter().any(|(name, inner)| {
        let described = inner.get("description").and_then(Value::as_str).unwrap_or_default().to_lowercase();
        alias::may_mean(key, name) || keys::words(key).iter().any(|word| described.contains(word))
    });
    let told = keys::words(key).iter().any(|word| scene.tool.description.to_lowercase().contains(word));
    (!near && !told).then(|| (key, serde_json::from_str(value).unwrap_or(json!(true))))
}
