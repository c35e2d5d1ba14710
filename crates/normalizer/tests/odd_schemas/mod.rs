//! A generator of odd schemas: every keyword that is validated, in any combination, with recursive
//! references. A schema is a merge of small fragments, so that a failing one shrinks to few.

mod near;

pub use near::near;

use proptest::collection::{btree_map, vec};
use proptest::prelude::*;
use proptest::sample::{select, subsequence};
use serde_json::{Map, Value, json};

/// The draft of JSON Schema that is generated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dialect {
    /// 2020-12, without `$schema`, as most servers send it.
    Modern,
    /// Draft 7, with `$schema`, as zod writes it.
    Seven,
}

/// The keys that schemas and values share.
pub const KEYS: &[&str] = &["a", "b", "ab", "x_1", "path", "file_path", "deviceName", "é"];

/// Patterns, each with texts that it matches.
pub const PATTERNS: &[(&str, &[&str])] = &[
    ("^a", &["a", "ab", "abc"]),
    ("b$", &["b", "ab"]),
    ("^[a-z]+$", &["path", "abc"]),
    (r"\d", &["x_1", "42"]),
    (r"^\w{2,4}$", &["ab", "x_1", "path"]),
    ("_", &["x_1", "file_path"]),
    ("^.{3}$", &["abc", "a😀c"]),
    ("^(a|b)c?$", &["a", "b", "bc"]),
    (r"^[^\d\s]*$", &["", "abc", "é"]),
    (r"\S+@\S+", &["a@b"]),
    ("^$", &[""]),
    (r"^[\w-]+$", &["a-b", "x_1"]),
    (r"\.", &["a.b"]),
    (r"^\/x", &["/x"]),
    (r"^\p{L}+$", &["é", "abc"]),
    (r"^[A-Za-z_$][\w$]*$", &["$x", "path"]),
    (r"\u0061", &["a", "ab"]),
];

/// Numbers as JSON text, so that `1.0` stays `1.0`.
pub const NUMBERS: &[&str] = &[
    "-3",
    "-1",
    "0",
    "1",
    "2",
    "3",
    "5",
    "10",
    "12",
    "100",
    "0.5",
    "-0.5",
    "1.0",
    "2.0",
    "1.5",
    "2.5",
    "3.75",
    "1000.0",
    "9007199254740993",
    "-0.0",
];

/// Texts that often look like other types.
pub const TEXTS: &[&str] = &[
    "",
    "a",
    "b",
    "ab",
    "abc",
    "bc",
    "42",
    "true",
    "null",
    "x_1",
    "é",
    "😀",
    "a😀c",
    "path",
    "a-b",
    "a.b",
    "a@b",
    "/x",
    "$x",
    "[1]",
    r#"{"a":1}"#,
    " ",
    "line\nbreak",
];

const TYPES: &[&str] = &["object", "array", "string", "number", "integer", "boolean", "null"];

/// Maximum number of `$defs` in a schema.
const DEFS: usize = 3;

/// A whole schema.
pub fn schema(dialect: Dialect) -> impl Strategy<Value = Value> {
    (root(dialect), vec(inner(dialect), 0..=DEFS)).prop_map(move |(root, defs)| assemble(dialect, root, defs))
}

fn root(dialect: Dialect) -> impl Strategy<Value = Value> {
    let object = vec(objects(dialect, inner(dialect).boxed()), 1..4);
    let rest = vec(fragment(dialect, inner(dialect).boxed()), 0..3);
    let typed = prop_oneof![3 => Just(json!({"type": "object"})), 1 => Just(json!({}))];
    prop_oneof![
        40 => (typed, object, rest).prop_map(|(typed, object, rest)| {
            merged(std::iter::once(typed).chain(object).chain(rest))
        }),
        4 => inner(dialect),
        1 => any::<bool>().prop_map(Value::Bool),
    ]
}

/// A schema within another.
fn inner(dialect: Dialect) -> impl Strategy<Value = Value> {
    let leaf = vec(prop_oneof![6 => scalars(), 2 => values(), 1 => reference()], 1..3).prop_map(merged);
    let leaf = prop_oneof![12 => leaf, 1 => any::<bool>().prop_map(Value::Bool)];
    leaf.prop_recursive(3, 20, 4, move |inner| {
        prop_oneof![
            8 => vec(fragment(dialect, inner.boxed()), 1..4).prop_map(merged),
            1 => any::<bool>().prop_map(Value::Bool),
        ]
    })
}

fn fragment(dialect: Dialect, inner: BoxedStrategy<Value>) -> impl Strategy<Value = Value> {
    prop_oneof![
        4 => scalars(),
        2 => values(),
        6 => objects(dialect, inner.clone()),
        4 => arrays(dialect, inner.clone()),
        4 => combinators(inner),
        2 => reference(),
    ]
}

fn merged(fragments: impl IntoIterator<Item = Value>) -> Value {
    let members = fragments.into_iter().flat_map(|fragment| match fragment {
        Value::Object(members) => members,
        _ => Map::new(),
    });
    Value::Object(members.collect())
}

fn number() -> impl Strategy<Value = Value> {
    select(NUMBERS).prop_map(|text| serde_json::from_str(text).expect("a number"))
}

fn pattern() -> impl Strategy<Value = &'static str> {
    select(PATTERNS).prop_map(|(pattern, _)| pattern)
}

/// Types and the limits of strings and numbers.
fn scalars() -> impl Strategy<Value = Value> {
    prop_oneof![
        6 => select(TYPES).prop_map(|name| json!({ "type": name })),
        2 => subsequence(TYPES, 1..4).prop_map(|names| json!({ "type": names })),
        1 => (0..4u8).prop_map(|count| json!({ "minLength": count })),
        1 => (0..4u8).prop_map(|count| json!({ "maxLength": count })),
        2 => pattern().prop_map(|pattern| json!({ "pattern": pattern })),
        1 => number().prop_map(|limit| json!({ "minimum": limit })),
        1 => number().prop_map(|limit| json!({ "maximum": limit })),
        1 => number().prop_map(|limit| json!({ "exclusiveMinimum": limit })),
        1 => number().prop_map(|limit| json!({ "exclusiveMaximum": limit })),
        1 => select(&["1", "2", "3", "0.5", "0.25", "2.0", "0.01"][..])
            .prop_map(|step| json!({ "multipleOf": serde_json::from_str::<Value>(step).expect("a number") })),
    ]
}

/// `enum` and `const`.
fn values() -> impl Strategy<Value = Value> {
    prop_oneof![
        vec(value(), 1..4).prop_map(|mut options| {
            let mut seen = Vec::new();
            options.retain(|option| {
                !seen.contains(option) && {
                    seen.push(option.clone());
                    true
                }
            });
            json!({ "enum": options })
        }),
        value().prop_map(|value| json!({ "const": value })),
    ]
}

/// A value from scratch.
fn value() -> impl Strategy<Value = Value> {
    let scalar = prop_oneof![
        3 => select(TEXTS).prop_map(|text| json!(text)),
        3 => number(),
        1 => any::<bool>().prop_map(Value::Bool),
        1 => Just(Value::Null),
    ];
    prop_oneof![
        6 => scalar.clone(),
        1 => vec(scalar.clone(), 0..3).prop_map(Value::Array),
        1 => btree_map(select(KEYS).prop_map(str::to_owned), scalar, 0..3)
            .prop_map(|members| Value::Object(members.into_iter().collect())),
    ]
}

fn keys(count: std::ops::Range<usize>) -> impl Strategy<Value = Vec<&'static str>> {
    subsequence(KEYS, count)
}

fn members(inner: BoxedStrategy<Value>) -> impl Strategy<Value = Value> {
    btree_map(select(KEYS).prop_map(str::to_owned), inner, 1..4)
        .prop_map(|members| Value::Object(members.into_iter().collect()))
}

fn objects(dialect: Dialect, inner: BoxedStrategy<Value>) -> impl Strategy<Value = Value> {
    let names = prop_oneof![
        pattern().prop_map(|pattern| json!({ "pattern": pattern })),
        (1..6u8).prop_map(|count| json!({ "maxLength": count })),
        keys(1..4).prop_map(|keys| json!({ "enum": keys })),
        any::<bool>().prop_map(Value::Bool),
    ];
    let needs = btree_map(select(KEYS).prop_map(str::to_owned), keys(0..3), 1..3);
    let depends = members(inner.clone());
    let rest = prop_oneof![2 => Just(json!(false)), 1 => Just(json!(true)), 2 => inner.clone()];
    let about_members = members(inner.clone()).prop_map(|members| json!({ "properties": members })).boxed();
    let common = prop_oneof![
        8 => about_members.clone(),
        4 => keys(0..3).prop_map(|keys| json!({ "required": keys })),
        4 => rest.clone().prop_map(|rest| json!({ "additionalProperties": rest })),
        3 => (pattern(), inner).prop_map(|(pattern, inner)| {
            json!({ "patternProperties": Map::from_iter([(pattern.to_owned(), inner)]) })
        }),
        1 => names.prop_map(|names| json!({ "propertyNames": names })),
        1 => (0..3u8).prop_map(|count| json!({ "minProperties": count })),
        1 => (0..4u8).prop_map(|count| json!({ "maxProperties": count })),
    ];
    match dialect {
        Dialect::Modern => prop_oneof![
            11 => common,
            1 => needs.prop_map(|needs| json!({ "dependentRequired": needs })),
            1 => depends.prop_map(|depends| json!({ "dependentSchemas": depends })),
            2 => rest.clone().prop_map(|rest| json!({ "unevaluatedProperties": rest })),
            2 => layered("unevaluatedProperties", rest, vec(about_members, 1..3)),
        ]
        .boxed(),
        Dialect::Seven => prop_oneof![
            11 => common,
            1 => needs.prop_map(|needs| json!({ "dependencies": needs })),
            1 => depends.prop_map(|depends| json!({ "dependencies": depends })),
        ]
        .boxed(),
    }
}

fn arrays(dialect: Dialect, inner: BoxedStrategy<Value>) -> impl Strategy<Value = Value> {
    let rest = prop_oneof![1 => any::<bool>().prop_map(Value::Bool), 3 => inner.clone()];
    let prefix = vec(inner.clone(), 1..3);
    let about_items = prop_oneof![
        prefix.clone().prop_map(|prefix| json!({ "prefixItems": prefix })),
        inner.clone().prop_map(|inner| json!({ "contains": inner })),
    ];
    let common = prop_oneof![
        3 => rest.clone().prop_map(|items| json!({ "items": items })),
        2 => inner.clone().prop_map(|inner| json!({ "contains": inner })),
        1 => (0..3u8).prop_map(|count| json!({ "minItems": count })),
        1 => (0..4u8).prop_map(|count| json!({ "maxItems": count })),
        1 => any::<bool>().prop_map(|unique| json!({ "uniqueItems": unique })),
    ];
    match dialect {
        Dialect::Modern => prop_oneof![
            8 => common,
            2 => prefix.prop_map(|prefix| json!({ "prefixItems": prefix })),
            1 => (inner, 0..3u8, 0..3u8).prop_map(|(inner, min, max)| {
                json!({ "contains": inner, "minContains": min, "maxContains": max })
            }),
            1 => rest.clone().prop_map(|rest| json!({ "unevaluatedItems": rest })),
            1 => layered("unevaluatedItems", rest, vec(about_items, 1..3)),
        ]
        .boxed(),
        Dialect::Seven => prop_oneof![
            8 => common,
            2 => prefix.clone().prop_map(|prefix| json!({ "items": prefix })),
            2 => (prefix, rest).prop_map(|(prefix, rest)| json!({ "items": prefix, "additionalItems": rest })),
        ]
        .boxed(),
    }
}

/// `unevaluated…` over schemas that apply to the same value.
fn layered(
    unevaluated: &'static str,
    rest: impl Strategy<Value = Value>,
    layers: impl Strategy<Value = Vec<Value>>,
) -> impl Strategy<Value = Value> {
    (rest, layers, 0..7u8, any::<bool>()).prop_map(move |(rest, mut layers, form, closed_inside)| {
        if closed_inside && let Some(first) = layers[0].as_object_mut() {
            first.insert(unevaluated.to_owned(), json!(true));
        }
        let last = layers[layers.len() - 1].clone();
        let mut fragment = match form {
            0 => json!({ "allOf": layers }),
            1 => json!({ "anyOf": layers }),
            2 => json!({ "oneOf": layers }),
            3 => json!({ "if": layers[0], "then": last }),
            4 => json!({ "if": layers[0], "else": last }),
            5 => json!({ "dependentSchemas": { "a": layers[0], "b": last } }),
            _ => json!({ "not": { "not": last } }),
        };
        fragment[unevaluated] = rest;
        fragment
    })
}

fn combinators(inner: BoxedStrategy<Value>) -> impl Strategy<Value = Value> {
    let some = vec(inner.clone(), 1..4);
    let optional = prop::option::of(inner.clone());
    prop_oneof![
        3 => some.clone().prop_map(|schemas| json!({ "allOf": schemas })),
        4 => some.clone().prop_map(|schemas| json!({ "anyOf": schemas })),
        4 => some.prop_map(|schemas| json!({ "oneOf": schemas })),
        1 => inner.clone().prop_map(|schema| json!({ "not": schema })),
        2 => (inner, optional.clone(), optional).prop_map(|(test, then, otherwise)| {
            let mut fragment = Map::from_iter([("if".to_owned(), test)]);
            fragment.extend(then.map(|then| ("then".to_owned(), then)));
            fragment.extend(otherwise.map(|otherwise| ("else".to_owned(), otherwise)));
            Value::Object(fragment)
        }),
    ]
}

/// A reference by number, to be resolved when the whole schema is known.
fn reference() -> impl Strategy<Value = Value> {
    (0..=DEFS, any::<bool>()).prop_map(|(target, by_anchor)| json!({ "$ref": [target, by_anchor] }))
}

/// Inserts the definitions and resolves the references.
fn assemble(dialect: Dialect, mut root: Value, mut defs: Vec<Value>) -> Value {
    let has_anchor: Vec<bool> =
        defs.iter().map(|def| dialect == Dialect::Modern && def.is_object()).collect();
    let speller = Speller { dialect, has_anchor };
    speller.spell(&mut root, Place::AtRoot);
    for (index, def) in defs.iter_mut().enumerate() {
        speller.spell(def, Place::AtDef(index));
        if let (true, Value::Object(members)) = (speller.has_anchor[index], def) {
            members.insert("$anchor".into(), json!(format!("anchor{index}")));
        }
    }
    let Value::Object(members) = &mut root else { return root };
    if dialect == Dialect::Seven {
        members.insert("$schema".into(), json!("http://json-schema.org/draft-07/schema#"));
    }
    if !defs.is_empty() {
        let defs = defs.into_iter().enumerate().map(|(index, def)| (format!("d{index}"), def));
        members.insert(speller.defs_key().into(), Value::Object(defs.collect()));
    }
    root
}

/// The position of a reference in the schema: one that does not descend into the value must not lead back
/// to its origin.
#[derive(Clone, Copy)]
enum Place {
    AtRoot,
    AtDef(usize),
    Deeper,
}

struct Speller {
    dialect: Dialect,
    has_anchor: Vec<bool>,
}

/// Keywords whose schemas apply to the same value.
const SAME_VALUE: &[&str] =
    &["allOf", "anyOf", "oneOf", "not", "if", "then", "else", "dependentSchemas", "dependencies"];

impl Speller {
    fn defs_key(&self) -> &'static str {
        if self.dialect == Dialect::Modern { "$defs" } else { "definitions" }
    }

    fn spell(&self, schema: &mut Value, place: Place) {
        let Value::Object(members) = schema else { return };
        if let Some(numbers) = members.get("$ref").and_then(Value::as_array).cloned() {
            match self.target(&numbers, place) {
                Some(target) => members.insert("$ref".into(), json!(target)),
                None => members.remove("$ref"),
            };
        }
        for (keyword, value) in members.iter_mut() {
            let place = if SAME_VALUE.contains(&keyword.as_str()) { place } else { Place::Deeper };
            match keyword.as_str() {
                "enum" | "const" | "required" | "dependentRequired" => {}
                "properties" | "patternProperties" | "dependentSchemas" | "dependencies" => {
                    let inner = value.as_object_mut().into_iter().flat_map(|members| members.values_mut());
                    inner.for_each(|inner| self.spell(inner, place));
                }
                _ => match value {
                    Value::Array(items) => items.iter_mut().for_each(|item| self.spell(item, place)),
                    other => self.spell(other, place),
                },
            }
        }
    }

    fn target(&self, numbers: &[Value], place: Place) -> Option<String> {
        let index = numbers[0].as_u64()? as usize;
        let leads_back = match place {
            Place::AtRoot => index == DEFS,
            Place::AtDef(own) => index == DEFS || index <= own,
            Place::Deeper => false,
        };
        if leads_back || index < DEFS && index >= self.has_anchor.len() {
            return None;
        }
        Some(match index {
            DEFS => "#".to_owned(),
            _ if self.has_anchor[index] && numbers[1] == json!(true) => format!("#anchor{index}"),
            _ => format!("#/{}/d{index}", self.defs_key()),
        })
    }
}
