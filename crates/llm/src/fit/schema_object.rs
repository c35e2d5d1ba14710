//! The root of a schema: an object with properties, and no choice between schemas.

use toolwright_jsonrpc::{Json, raw};

use super::schema::{Change, Findings};
use super::schema_level::resolve;
use super::schema_tree::Tree;

/// What stands for other schemas or rules out values as a whole; upstreams refuse it at the root.
const NOT_AT_ROOT: [&str; 7] = ["anyOf", "oneOf", "allOf", "not", "enum", "const", "$ref"];

/// How many choices may lead from one to the next at the root.
const MOST_STEPS: usize = 6;

/// How many schemas a property may have when choices are put together.
const MOST_ALTERNATIVES: usize = 24;

/// A tool without arguments.
pub(super) fn empty() -> Change {
    Json::parse(r#"{"type":"object","properties":{}}"#).map_or(Change::None, Change::To)
}

/// Makes the root an object with properties, and changes nothing below it.
pub(super) fn reduce(schema: &Json, found: &mut Findings) -> Change {
    let Ok(members) = raw::members(schema.as_str()) else {
        found.is_root_changed = true;
        return empty();
    };
    let value = |key: &str| members.iter().find(|member| member.key == key).map(|member| member.value);
    let (kind, properties) = (value("type"), value("properties"));
    let is_plain = !NOT_AT_ROOT.iter().any(|key| value(key).is_some());
    let has_properties = properties.is_some_and(|text| text.starts_with('{'));
    if is_plain && kind == Some("\"object\"") && has_properties {
        return Change::None;
    }
    if is_plain && kind.is_none_or(|kind| kind == "\"object\"") && (has_properties || properties.is_none()) {
        // Only said what was meant: nobody needs to be told.
        let said = schema.with("type", &Json::text("object"));
        let said = if has_properties { said } else { said.with("properties", &Json::empty_object()) };
        return Change::To(said);
    }
    match object_root(&Tree::of(schema), found).and_then(|tree| tree.to_json()) {
        Some(new) => Change::To(new),
        None => Change::None,
    }
}

/// The schema with a root that is an object with properties; nothing when it is one.
pub(super) fn object_root(schema: &Tree, found: &mut Findings) -> Option<Tree> {
    let Some(members) = schema.members() else {
        found.is_root_changed = true;
        return Some(object(Vec::new(), Vec::new(), Vec::new()));
    };
    let kind = schema.get("type");
    let is_object = kind.is_some_and(|kind| kind.is_scalar("\"object\""));
    let has_properties = matches!(schema.get("properties"), Some(Tree::Object(_)));
    let is_plain = !NOT_AT_ROOT.iter().any(|key| schema.get(key).is_some());
    if is_object && has_properties && is_plain {
        return None;
    }
    // Without a type, or with properties, nothing but what was meant is said.
    if !is_plain || !(is_object || kind.is_none()) {
        found.is_root_changed = true;
    }
    if let Some(kind) = kind
        && !names_object(kind)
        && !has_properties
    {
        return Some(wrapped(schema));
    }
    let flat = gather(schema, schema, found, 0);
    let is_left =
        |key: &str| !["type", "properties", "required"].contains(&key) && !NOT_AT_ROOT.contains(&key);
    let rest = members.iter().filter(|(key, _)| is_left(key)).cloned().collect();
    let properties = flat.properties.into_iter().map(|(name, schemas)| (name, either(schemas))).collect();
    Some(object(properties, flat.required, rest))
}

fn names_object(kind: &Tree) -> bool {
    let is_object = |kind: &Tree| kind.is_scalar("\"object\"");
    is_object(kind) || kind.items().is_some_and(|kinds| kinds.iter().any(is_object))
}

/// A value that is no object, as the one argument `value`. What it refers to stays at the root.
fn wrapped(schema: &Tree) -> Tree {
    let is_shared = |key: &str| ["$defs", "definitions", "$schema"].contains(&key);
    let (shared, own): (Vec<_>, Vec<_>) =
        schema.members().unwrap_or_default().iter().cloned().partition(|(key, _)| is_shared(key));
    object(vec![("value".to_owned(), Tree::Object(own))], vec!["value".to_owned()], shared)
}

fn object(properties: Vec<(String, Tree)>, required: Vec<String>, rest: Vec<(String, Tree)>) -> Tree {
    let mut members =
        vec![("type".to_owned(), Tree::text("object")), ("properties".to_owned(), Tree::Object(properties))];
    if !required.is_empty() {
        members.push(("required".to_owned(), Tree::texts(&required)));
    }
    members.extend(rest);
    Tree::Object(members)
}

/// The properties of all schemas that may apply at the root, and those that all of them ask for.
#[derive(Debug, Default)]
struct Flat {
    properties: Vec<(String, Vec<Tree>)>,
    required: Vec<String>,
}

impl Flat {
    fn add(&mut self, name: &str, schemas: Vec<Tree>) {
        let index = match self.properties.iter().position(|(known, _)| known == name) {
            Some(index) => index,
            None => {
                self.properties.push((name.to_owned(), Vec::new()));
                self.properties.len() - 1
            }
        };
        let known = &mut self.properties[index].1;
        for schema in schemas {
            if known.len() < MOST_ALTERNATIVES && !known.contains(&schema) {
                known.push(schema);
            }
        }
    }

    fn require(&mut self, names: impl IntoIterator<Item = String>) {
        for name in names {
            if !self.required.contains(&name) {
                self.required.push(name);
            }
        }
    }

    /// Takes in what holds as well. What was said before of a property is not said again.
    fn and(&mut self, other: Flat) {
        for (name, schemas) in other.properties {
            if !self.properties.iter().any(|(known, _)| *known == name) {
                self.properties.push((name, schemas));
            }
        }
        self.require(other.required);
    }
}

fn gather(schema: &Tree, root: &Tree, found: &mut Findings, step: usize) -> Flat {
    let mut flat = Flat::default();
    if step > MOST_STEPS {
        found.is_cut = true;
        return flat;
    }
    if let Some(properties) = schema.get("properties").and_then(Tree::members) {
        for (name, property) in properties {
            flat.add(name, vec![property.clone()]);
        }
    }
    flat.require(
        schema.get("required").and_then(Tree::items).unwrap_or_default().iter().filter_map(Tree::as_text),
    );
    if let Some(reference) = schema.get("$ref").and_then(Tree::as_text) {
        match resolve(root, &reference) {
            Some(target) => flat.and(gather(target, root, found, step + 1)),
            None => found.is_unresolved = true,
        }
    }
    for part in schema.get("allOf").and_then(Tree::items).unwrap_or_default() {
        flat.and(gather(part, root, found, step + 1));
    }
    for key in ["anyOf", "oneOf"] {
        let Some(branches) = schema.get(key).and_then(Tree::items) else { continue };
        let branches: Vec<Flat> =
            branches.iter().map(|branch| gather(branch, root, found, step + 1)).collect();
        let mut choice = Flat::default();
        let is_in_all = |name: &String| branches.iter().all(|branch| branch.required.contains(name));
        choice.required = branches.first().map_or(Vec::new(), |first| {
            first.required.iter().filter(|name| is_in_all(name)).cloned().collect()
        });
        for (name, schemas) in branches.into_iter().flat_map(|branch| branch.properties) {
            choice.add(&name, schemas);
        }
        flat.and(choice);
    }
    flat
}

/// One schema for several: constants become a list of them, others a choice.
fn either(mut schemas: Vec<Tree>) -> Tree {
    if schemas.len() <= 1 {
        return schemas.pop().unwrap_or(Tree::Object(Vec::new()));
    }
    let is_value = |schema: &Tree| {
        let keys = schema.members().unwrap_or_default();
        let has_values = keys.iter().any(|(key, _)| key == "const" || key == "enum");
        has_values
            && keys.iter().all(|(key, _)| ["const", "enum", "type", "description", "title"].contains(&&**key))
    };
    let kinds = || schemas.iter().map(|schema| schema.get("type"));
    if !schemas.iter().all(is_value) || kinds().any(|kind| kind != schemas[0].get("type")) {
        return Tree::Object(vec![("anyOf".to_owned(), Tree::List(schemas))]);
    }
    let mut values: Vec<Tree> = Vec::new();
    for schema in &schemas {
        let constant = schema.get("const").into_iter();
        for value in constant.chain(schema.get("enum").and_then(Tree::items).unwrap_or_default()) {
            if !values.contains(value) {
                values.push(value.clone());
            }
        }
    }
    let mut one = Tree::Object(Vec::new());
    for key in ["type", "description"] {
        if let Some(value) = schemas[0].get(key) {
            one.add(key, value.clone());
        }
    }
    one.add("enum", Tree::List(values));
    one
}
