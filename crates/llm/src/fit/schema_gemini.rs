//! Schemas for Gemini, also behind others: few keywords, one type each, strings as the only lists of values.

use toolwright_jsonrpc::Json;
use toolwright_jsonrpc::raw::is_json_number;

use super::schema::{Change, Findings};
use super::schema_level::{Level, Walk};
use super::schema_object::object_root;
use super::schema_tree::Tree;

/// Keywords that stay as they are; those with a rule of their own are not among them.
const KEPT: [&str; 13] = [
    "title",
    "description",
    "nullable",
    "minItems",
    "maxItems",
    "minProperties",
    "maxProperties",
    "minLength",
    "maxLength",
    "pattern",
    "minimum",
    "maximum",
    "propertyOrdering",
];

/// The schema of a tool. A tool without arguments has none: an object without properties is refused.
pub(super) fn reduce(schema: &Json, found: &mut Findings) -> Change {
    let tree = Tree::of(schema);
    let object = object_root(&tree, found);
    let root = object.as_ref().unwrap_or(&tree);
    if root.get("properties").and_then(Tree::members).is_none_or(<[_]>::is_empty) {
        if root.get("additionalProperties").is_some_and(|others| !others.is_scalar("false")) {
            found.left_out("objects with any properties");
        }
        return Change::Left;
    }
    finish(root, object.is_some(), found)
}

/// The schema of an answer.
pub(super) fn reduce_value(schema: &Json, found: &mut Findings) -> Change {
    finish(&Tree::of(schema), false, found)
}

fn finish(root: &Tree, is_new_root: bool, found: &mut Findings) -> Change {
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
        return Tree::typed("string");
    };
    let new = Reduced::of(&level, walk).and_then_write(&level, walk, depth);
    walk.leave(&level);
    new
}

/// What a level comes to.
#[derive(Debug, Default)]
struct Reduced {
    kind: Option<String>,
    is_nullable: bool,
    values: Vec<Tree>,
}

impl Reduced {
    fn of(level: &Level<'_>, walk: &mut Walk<'_, '_>) -> Reduced {
        let mut new = Reduced::default();
        new.take_type(level, walk);
        new.take_values(level, walk);
        new
    }

    fn take_type(&mut self, level: &Level<'_>, walk: &mut Walk<'_, '_>) {
        let mut kinds: Vec<String> = match level.get("type") {
            Some(Tree::List(kinds)) => {
                walk.found.rewritten.insert("lists of types");
                kinds.iter().filter_map(Tree::as_text).collect()
            }
            Some(kind) => kind.as_text().into_iter().collect(),
            None => Vec::new(),
        };
        let count = kinds.len();
        kinds.retain(|kind| kind != "null");
        if kinds.len() < count {
            walk.found.rewritten.insert("the type null");
            self.is_nullable = true;
        }
        // With an object or a list among them, the rest of the schema is about that.
        let is_rich = |kind: &String| {
            kind == "object" && level.properties.is_some() || kind == "array" && level.get("items").is_some()
        };
        self.kind = kinds.iter().find(|kind| is_rich(kind)).or(kinds.first()).cloned();
        if self.kind.is_none() && self.is_nullable {
            self.kind = Some("string".to_owned());
        }
    }

    fn take_values(&mut self, level: &Level<'_>, walk: &mut Walk<'_, '_>) {
        let (values, keyword) = match (level.get("enum"), level.get("const")) {
            (Some(Tree::List(values)), constant) => {
                if constant.is_some() {
                    walk.found.left_out("const");
                }
                (values.clone(), "enum")
            }
            (_, Some(constant)) => {
                walk.found.rewritten.insert("const");
                (vec![constant.clone()], "const")
            }
            (Some(_), None) => return walk.found.left_out("enum"),
            (None, None) => return,
        };
        if values.iter().any(|value| value.is_scalar("null")) {
            walk.found.rewritten.insert("null among values");
            self.is_nullable = true;
        }
        let is_string = self.kind.as_deref().is_none_or(|kind| kind == "string");
        let others = || values.iter().filter(|value| !value.is_scalar("null"));
        if is_string && others().all(Tree::is_text) {
            self.values = others().filter(|value| !value.is_scalar("\"\"")).cloned().collect();
            if self.values.len() < others().count() {
                walk.found.rewritten.insert("empty values");
            }
            return;
        }
        walk.found.left_out(if keyword == "enum" { "enum of other things than strings" } else { keyword });
        if self.kind.is_none() {
            self.kind = others().next().map(|value| kind_of(value).to_owned());
        }
    }

    fn and_then_write<'t>(mut self, level: &Level<'t>, walk: &mut Walk<'t, '_>, depth: usize) -> Tree {
        if let Some(union) = self.union(level, walk, depth) {
            return union;
        }
        let kind = self.kind.take().unwrap_or_else(|| {
            walk.found.rewritten.insert("schemas without a type");
            guessed(level).to_owned()
        });
        let mut out = Tree::typed(&kind);
        for (key, value) in &level.plain {
            match *key {
                key if KEPT.contains(&key) => out.add(key, (*value).clone()),
                "format" if ["\"enum\"", "\"date-time\""].iter().any(|known| value.is_scalar(known)) => {
                    out.add("format", (*value).clone());
                }
                "exclusiveMinimum" | "exclusiveMaximum" | "$defs" | "definitions" => {
                    walk.found.rewritten.insert(if key.starts_with('e') {
                        "exclusive bounds"
                    } else {
                        "$ref"
                    });
                }
                // Seen before, or below.
                "type" | "enum" | "const" => {}
                "items" if kind == "array" => {}
                other => walk.found.left_out(other),
            }
        }
        for (keyword, bound, step) in
            [("exclusiveMinimum", "minimum", 1), ("exclusiveMaximum", "maximum", -1)]
        {
            if let Some(Tree::Scalar(limit)) = level.get(keyword)
                && is_json_number(limit)
            {
                let whole =
                    (kind == "integer").then(|| limit.parse::<i64>().ok()?.checked_add(step)).flatten();
                out.add(bound, Tree::Scalar(whole.map_or(limit.clone(), |whole| whole.to_string())));
            }
        }
        if !self.values.is_empty() {
            out.add("enum", Tree::List(std::mem::take(&mut self.values)));
        }
        if self.is_nullable {
            out.add("nullable", Tree::yes());
        }
        if kind == "array" {
            let item = item(level, walk, depth);
            out.add("items", item);
        }
        self.write_properties(&mut out, &kind, level, walk, depth);
        out
    }

    fn write_properties<'t>(
        &self,
        out: &mut Tree,
        kind: &str,
        level: &Level<'t>,
        walk: &mut Walk<'t, '_>,
        depth: usize,
    ) {
        let properties = level.properties.as_deref().unwrap_or_default();
        if kind != "object" || properties.is_empty() {
            if level.properties.is_some() {
                walk.found.left_out("properties that are empty or of no object");
            }
            if level.required.as_ref().is_some_and(|names| !names.is_empty()) {
                walk.found.left_out("required names without a property");
            }
            return;
        }
        let new =
            properties.iter().map(|(name, property)| ((*name).to_owned(), one(property, walk, depth + 1)));
        let new = Tree::Object(new.collect());
        if let Some(required) = &level.required {
            let known: Vec<&String> = required.iter().filter(|name| new.get(name).is_some()).collect();
            if known.len() < required.len() {
                walk.found.left_out("required names without a property");
            }
            let known = Tree::texts(&known);
            out.add("properties", new);
            out.add("required", known);
        } else {
            out.add("properties", new);
        }
    }

    /// A choice of schemas; nothing where there is none, or where a type says enough.
    fn union<'t>(&mut self, level: &Level<'t>, walk: &mut Walk<'t, '_>, depth: usize) -> Option<Tree> {
        let (keyword, branches) = ["anyOf", "oneOf"]
            .into_iter()
            .find_map(|key| level.get(key).and_then(Tree::items).map(|branches| (key, branches)))?;
        let says_enough = self.kind.is_some() || level.properties.is_some() || !self.values.is_empty();
        if says_enough || branches.is_empty() {
            return None;
        }
        if keyword == "oneOf" {
            walk.found.rewritten.insert("oneOf");
        }
        let is_null = |branch: &&Tree| branch.get("type").is_some_and(|kind| kind.is_scalar("\"null\""));
        if branches.iter().any(|branch| is_null(&branch)) {
            walk.found.rewritten.insert("the type null");
            self.is_nullable = true;
        }
        let mut new: Vec<Tree> = Vec::new();
        for branch in branches.iter().filter(|branch| !is_null(branch)) {
            let branch = one(branch, walk, depth + 1);
            if !new.contains(&branch) {
                new.push(branch);
            }
        }
        if self.is_nullable {
            new.iter_mut().for_each(|branch| branch.add("nullable", Tree::yes()));
        }
        // A choice stands alone: what was beside it moves into it.
        for (key, value) in &level.plain {
            match (*key, new.iter_mut().find(|branch| branch.get("description").is_none())) {
                ("anyOf" | "oneOf", _) if *key == keyword => {}
                ("type" | "enum" | "const", _) => {}
                ("description", Some(branch)) => {
                    walk.found.rewritten.insert("words beside a choice");
                    branch.add("description", (*value).clone());
                }
                ("$defs" | "definitions", _) => {
                    walk.found.rewritten.insert("$ref");
                }
                (other, _) => walk.found.left_out(other),
            }
        }
        match new.len() {
            0 => {
                self.kind = Some("string".to_owned());
                None
            }
            1 => {
                walk.found.rewritten.insert("choices of one");
                new.pop()
            }
            _ => Some(Tree::Object(vec![("anyOf".to_owned(), Tree::List(new))])),
        }
    }
}

/// A list must say what is in it.
fn item<'t>(level: &Level<'t>, walk: &mut Walk<'t, '_>, depth: usize) -> Tree {
    match level.get("items") {
        Some(item @ Tree::Object(_)) => one(item, walk, depth + 1),
        other => {
            walk.found.rewritten.insert("lists without one schema of their items");
            let listed = other.or(level.get("prefixItems")).and_then(Tree::items).and_then(<[_]>::first);
            listed.map_or_else(|| Tree::typed("string"), |first| one(first, walk, depth + 1))
        }
    }
}

fn guessed(level: &Level<'_>) -> &'static str {
    match level {
        level if level.properties.is_some() => "object",
        level if level.get("items").is_some() || level.get("prefixItems").is_some() => "array",
        level if ["minimum", "maximum", "multipleOf"].iter().any(|key| level.get(key).is_some()) => "number",
        _ => "string",
    }
}

fn kind_of(value: &Tree) -> &'static str {
    match value {
        Tree::List(_) => "array",
        Tree::Object(_) => "object",
        Tree::Scalar(text) if text == "true" || text == "false" => "boolean",
        Tree::Scalar(text) if text.starts_with('"') => "string",
        Tree::Scalar(text) if text.contains(['.', 'e', 'E']) => "number",
        Tree::Scalar(_) => "integer",
    }
}
