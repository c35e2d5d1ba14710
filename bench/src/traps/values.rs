//! Traps in values: what is there cannot become what is asked for without guessing.

use serde_json::{Value, json};

use super::{PLACEHOLDER, Trap};
use crate::keys;
use crate::mutate::{Change, Edit, Mutation, Scene};
use crate::rng::Rng;
use crate::schema;
use crate::site::{self, Site, Step};

const WORDS: [&str; 6] = ["sideways", "purple", "hexagonal", "midnight", "lukewarm", "sporadic"];

/// Makes a trap of this kind in a call, or nothing when there is no place for it.
pub fn make(scene: &Scene<'_>, kind: &'static str, rng: &mut Rng) -> Option<Trap> {
    let test: fn(&Site<'_>) -> bool = match kind {
        "trap:required_removed" => is_irreplaceable,
        "trap:expression" | "trap:words_for_number" => is_number,
        "trap:expression_raw" | "trap:not_a_number_raw" => |site| is_number(site) && site.required,
        "trap:lossy_number" => is_integer,
        "trap:unknown_enum_value" => |site| site.branch.get("enum").is_some() && site.value.is_string(),
        "trap:several_for_one" => |site| site.value.is_number() && !is_item(site) || is_plain_text(site),
        "trap:null_for_required" => |site| is_irreplaceable(site) && !is_item(site),
        "trap:words_for_boolean" => |site| site.value.is_boolean(),
        "trap:object_for_text" => |site| is_plain_text(site) && site.branch.get("enum").is_none(),
        _ => return None,
    };
    let found: Vec<&Site<'_>> =
        scene.sites.iter().filter(|site| !site.path.is_empty() && !site.in_union && test(site)).collect();
    let site = *rng.pick(&found)?;
    let change = |value: Value| Mutation::new(kind, Edit::Change(site.path.clone(), Change::To(value)));
    let value = match kind {
        "trap:required_removed" => return removed(site, kind),
        "trap:expression" => json!(rng.word(&["5*2800", "60 * 60", "2^10", "100/3", "(3+4)*2", "10 - 4"])),
        "trap:expression_raw" => {
            return Some(Trap::Raw(
                change(json!(PLACEHOLDER)),
                rng.word(&["5*2800", "60 * 60", "100/3", "7+8"]),
            ));
        }
        "trap:not_a_number_raw" => {
            return Some(Trap::Raw(change(json!(PLACEHOLDER)), rng.word(&["NaN", "Infinity", "-Infinity"])));
        }
        "trap:words_for_number" => {
            json!(rng.word(&["about ten", "a few", "12 apples", "5 minutes", "twelve", "unlimited"]))
        }
        "trap:lossy_number" => lossy(site.value.as_i64()?, rng),
        "trap:unknown_enum_value" => foreign_word(site, rng)?,
        "trap:several_for_one" => several(site)?,
        "trap:null_for_required" => nothing(scene, site, rng)?,
        "trap:words_for_boolean" => json!(rng.word(&["maybe", "sometimes", "enabled?", "if possible"])),
        "trap:object_for_text" => json!({"first": "north", "second": "south"}),
        _ => return None,
    };
    Some(Trap::Value(change(value)))
}

fn is_item(site: &Site<'_>) -> bool {
    matches!(site.path.last(), Some(Step::Index(_)))
}

/// Required, and neither a default nor a constant says what it would have been.
fn is_irreplaceable(site: &Site<'_>) -> bool {
    let told = ["default", "const"].iter().any(|word| site.schema.get(word).is_some());
    site.required && site.key().is_some() && !told
}

fn is_number(site: &Site<'_>) -> bool {
    site.value.is_number() && site.branch.get("enum").is_none()
}

fn is_integer(site: &Site<'_>) -> bool {
    is_number(site) && site.branch.get("type") == Some(&json!("integer"))
}

/// Text that is not declared to hold JSON.
fn is_plain_text(site: &Site<'_>) -> bool {
    let described = site.branch.get("description").and_then(Value::as_str).unwrap_or_default().to_lowercase();
    let key = site.key().map(keys::normal).unwrap_or_default();
    let may_hold = ["json", "content", "body", "value", "text", "message", "data"];
    let named = may_hold.iter().any(|word| key.contains(word) || described.contains(word));
    site.value.is_string() && site.required && !is_item(site) && !named
}

fn removed(site: &Site<'_>, kind: &'static str) -> Option<Trap> {
    let (_, parent) = site.path.split_last()?;
    let edit = Edit::Remove(parent.to_vec(), site.key()?.to_string());
    Some(Trap::Value(Mutation::new(kind, edit)))
}

fn lossy(number: i64, rng: &mut Rng) -> Value {
    let whole = number.clamp(-1_000_000, 1_000_000);
    let text = format!("{whole}.{}", rng.word(&["7", "25", "9", "001"]));
    match serde_json::from_str(&text) {
        Ok(number) if rng.one_in(2) => number,
        _ => Value::String(text),
    }
}

fn foreign_word(site: &Site<'_>, rng: &mut Rng) -> Option<Value> {
    let word = rng.word(&WORDS);
    let values = site.branch.get("enum")?.as_array()?.iter().filter_map(Value::as_str).map(keys::normal);
    let far = values.into_iter().all(|value| {
        keys::distance(&value, word) >= 4 && !word.contains(value.as_str()) && !value.contains(word)
    });
    far.then(|| json!(word))
}

fn several(site: &Site<'_>) -> Option<Value> {
    let other = match (site.value, site.branch.get("enum").and_then(Value::as_array)) {
        (value, Some(list)) => list.iter().find(|other| *other != value)?.clone(),
        (Value::String(text), _) => json!(format!("{text}-2")),
        (Value::Number(number), _) => json!(number.as_f64()? + 1.0),
        _ => return None,
    };
    Some(json!([site.value, other]))
}

/// Null, or a word for it where the type is no text.
fn nothing(scene: &Scene<'_>, site: &Site<'_>, rng: &mut Rng) -> Option<Value> {
    let word =
        rng.one_in(3) && !site::names_type(site.branch, "string") && !site::names_type(site.branch, "array");
    let value = if word { json!(rng.word(&["", "None", "null"])) } else { Value::Null };
    (!schema::accepts(&scene.tool.schema, site.schema, &value)).then_some(value)
}
