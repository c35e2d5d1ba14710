//! Something that means nothing, sent for a parameter that could have been left out.

use serde_json::{Map, Value};

use super::{Edit, Mutation, Scene, is_touchy};
use crate::keys;
use crate::rng::Rng;
use crate::site::{self, Site};
use crate::{alias, schema};

/// Names of members that say nothing when they are null.
const UNKNOWN: [&str; 6] = ["reason", "notes", "request_id", "context", "comment", "session"];

/// Adds nulls, empty strings and words for null.
pub fn add(scene: &Scene<'_>, rng: &mut Rng, found: &mut Vec<Mutation>) {
    for site in &scene.sites {
        let (Some(members), Some(sent)) = (site.members(), site.value.as_object()) else { continue };
        for (key, declared) in members.declared {
            if sent.contains_key(key) || members.needs(key) {
                continue;
            }
            let root = &scene.tool.schema;
            let declared = schema::resolve(root, declared);
            let mut push = |kind, value| {
                found.push(Mutation::new(kind, Edit::Insert(site.path.clone(), key.clone(), value)));
            };
            // Where null is valid it may mean something; so does a word beside it.
            if schema::accepts(root, declared, &Value::Null) {
                continue;
            }
            push("null:null", Value::Null);
            // That a word means nothing is a guess: too much of one for what cannot be undone.
            if scene.tool.is_destructive() || is_touchy(key) {
                continue;
            }
            if !site::names_type(declared, "array") {
                push("null:empty", Value::String(String::new()));
                if !has_value_like_none(declared) {
                    push("null:word", Value::from(rng.word(&["None", "null"])));
                }
            }
        }
        if let Some(mutation) = unknown(site, sent, rng) {
            found.push(mutation);
        }
    }
}

fn has_value_like_none(declared: &Value) -> bool {
    let values = declared.get("enum").and_then(Value::as_array).into_iter().flatten();
    values
        .filter_map(Value::as_str)
        .any(|value| matches!(keys::normal(value).as_str(), "none" | "null" | "off"))
}

/// A null under a name the closed object does not know.
fn unknown(site: &Site<'_>, sent: &Map<String, Value>, rng: &mut Rng) -> Option<Mutation> {
    let members = site.members().filter(|members| members.closed && !members.by_pattern)?;
    let key = rng.word(&UNKNOWN);
    let clear = !sent.contains_key(key) && !members.declared.keys().any(|name| alias::may_mean(key, name));
    clear
        .then(|| Mutation::new("null:unknown", Edit::Insert(site.path.clone(), key.to_string(), Value::Null)))
}
