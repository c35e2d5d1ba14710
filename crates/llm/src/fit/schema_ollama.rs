//! Schemas for Ollama: what its tools do not know is lost before the model sees it, so it is said in what they know.

use toolwright_jsonrpc::Json;

use super::schema::{Change, Findings};
use super::schema_level::Walk;
use super::schema_object::object_root;
use super::schema_tree::Tree;

/// Puts references in, and keeps the keywords that Ollama hands to the model's template.
pub(super) fn reduce(schema: &Json, found: &mut Findings) -> Change {
    let tree = Tree::of(schema);
    let object = object_root(&tree, found);
    let is_new_root = object.is_some();
    let root = object.as_ref().unwrap_or(&tree);
    let mut walk = Walk::new(root, found);
    let new = one(root, &mut walk, 0);
    match new.to_json() {
        Some(new) if is_new_root || !found.is_empty() => Change::To(new),
        _ => Change::None,
    }
}

fn one<'t>(schema: &'t Tree, walk: &mut Walk<'t, '_>, depth: usize) -> Tree {
    let Some(level) = walk.enter(schema, depth) else {
        if schema.members().is_none() {
            walk.found.rewritten.insert("schemas that are true or false");
        }
        return Tree::Object(Vec::new());
    };
    let mut out = Tree::Object(Vec::new());
    for (key, value) in &level.plain {
        match (*key, value) {
            ("type" | "description", value) => out.add(key, (*value).clone()),
            ("enum", Tree::List(_)) => out.add("enum", (*value).clone()),
            ("const", value) => {
                walk.found.rewritten.insert("const");
                out.add("enum", Tree::List(vec![(*value).clone()]));
            }
            ("items", Tree::List(items)) => {
                walk.found.rewritten.insert("lists of items");
                if let Some(first) = items.first() {
                    let first = one(first, walk, depth + 1);
                    out.add("items", first);
                }
            }
            ("items", item) => {
                let item = one(item, walk, depth + 1);
                out.add("items", item);
            }
            ("anyOf" | "oneOf", Tree::List(branches)) => {
                if *key == "oneOf" {
                    walk.found.rewritten.insert("oneOf");
                }
                let branches = branches.iter().map(|branch| one(branch, walk, depth + 1)).collect();
                out.add("anyOf", Tree::List(branches));
            }
            // Nothing refers to them any more.
            ("$defs" | "definitions", _) => {
                walk.found.rewritten.insert("$ref");
            }
            (other, _) => walk.found.left_out(other),
        }
    }
    if let Some(properties) = &level.properties {
        let properties = properties
            .iter()
            .map(|(name, property)| ((*name).to_owned(), one(property, walk, depth + 1)))
            .collect();
        out.add("properties", Tree::Object(properties));
    }
    if let Some(required) = &level.required {
        out.add("required", Tree::texts(required));
    }
    walk.leave(&level);
    out
}
