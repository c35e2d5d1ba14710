//! Values near a schema: mostly valid, sometimes not.

use serde_json::{Map, Value, json};

use super::{KEYS, NUMBERS, PATTERNS, TEXTS};

/// Maximum depth of generated values.
const MAX_DEPTH: u32 = 5;

/// An object near the schema. The same seed gives the same value.
pub fn near(schema: &Value, seed: u64) -> Value {
    let mut maker = Maker { root: schema, dice: Dice(seed) };
    let active = maker.active(&[schema]);
    Value::Object(maker.object(&active, 0))
}

/// A small random number generator, independent of any crate's version.
struct Dice(u64);

impl Dice {
    fn roll(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    fn below(&mut self, bound: usize) -> usize {
        (self.roll() % bound.max(1) as u64) as usize
    }

    /// True in `share` of a hundred cases.
    fn percent(&mut self, share: usize) -> bool {
        self.below(100) < share
    }

    fn pick<'t, T>(&mut self, options: &'t [T]) -> Option<&'t T> {
        options.get(self.below(options.len()))
    }
}

struct Maker<'s> {
    root: &'s Value,
    dice: Dice,
}

impl<'s> Maker<'s> {
    /// The schemas that apply to one value, with one branch selected from every union.
    fn active(&mut self, schemas: &[&'s Value]) -> Vec<&'s Value> {
        let mut found: Vec<&'s Value> = schemas.to_vec();
        let mut next = 0;
        while next < found.len() && found.len() < 16 {
            let schema = found[next];
            next += 1;
            found.extend(schema.get("$ref").and_then(|target| self.follow(target)));
            found.extend(schema.get("allOf").and_then(Value::as_array).into_iter().flatten());
            for union in ["anyOf", "oneOf"] {
                let branches = schema.get(union).and_then(Value::as_array);
                found.extend(branches.and_then(|branches| self.dice.pick(branches)));
            }
            if let Some(test) = schema.get("if") {
                let passes = self.dice.percent(50);
                found.extend(passes.then_some(test));
                found.extend(schema.get(if passes { "then" } else { "else" }));
            }
        }
        found
    }

    fn follow(&self, target: &Value) -> Option<&'s Value> {
        let target = target.as_str()?.strip_prefix('#')?;
        match target.strip_prefix("anchor") {
            Some(index) => self.root.get("$defs")?.get(format!("d{index}")),
            None => self.root.pointer(target),
        }
    }

    fn value(&mut self, schemas: &[&'s Value], depth: u32) -> Value {
        let active = self.active(schemas);
        if self.dice.percent(6) {
            return self.anything();
        }
        if let Some(value) = active.iter().find_map(|schema| schema.get("const")) {
            return value.clone();
        }
        if let Some(options) = active.iter().find_map(|schema| schema.get("enum")?.as_array()) {
            return self.dice.pick(options).cloned().unwrap_or(Value::Null);
        }
        match self.kind(&active) {
            "object" if depth < MAX_DEPTH => Value::Object(self.object(&active, depth)),
            "array" if depth < MAX_DEPTH => Value::Array(self.array(&active, depth)),
            "object" => json!({}),
            "array" => json!([]),
            "number" | "integer" => self.number(&active),
            "boolean" => Value::Bool(self.dice.percent(50)),
            "null" => Value::Null,
            _ => json!(self.text(&active)),
        }
    }

    fn anything(&mut self) -> Value {
        match self.dice.below(7) {
            0 => Value::Null,
            1 => Value::Bool(true),
            2 => self.number(&[]),
            3 => json!([self.text(&[])]),
            4 => Value::Object(Map::from_iter([("a".to_owned(), json!(self.text(&[])))])),
            _ => json!(self.text(&[])),
        }
    }

    /// A type that most of the schemas allow.
    fn kind(&mut self, active: &[&'s Value]) -> &'s str {
        let named: Vec<Vec<&'s str>> = active.iter().filter_map(|schema| types(schema)).collect();
        let fits = |name: &&&'s str| named.iter().all(|names| names.contains(*name));
        let common: Vec<&'s str> = named.iter().flatten().filter(fits).copied().collect();
        let hinted = || active.iter().find_map(|schema| hint(schema));
        match (self.dice.pick(&common), self.dice.pick(&named)) {
            (Some(name), _) => name,
            (None, Some(names)) => names.first().copied().unwrap_or("string"),
            (None, None) => match hinted() {
                Some(name) if self.dice.percent(80) => name,
                _ => ["object", "array", "string", "integer", "boolean", "null"][self.dice.below(6)],
            },
        }
    }

    fn object(&mut self, active: &[&'s Value], depth: u32) -> Map<String, Value> {
        let mut members = Map::new();
        let lists =
            |keyword: &str| active.iter().filter_map(|schema| schema.get(keyword)).collect::<Vec<_>>();
        let declared: Vec<String> = lists("properties")
            .into_iter()
            .filter_map(Value::as_object)
            .flat_map(|properties| properties.keys().cloned())
            .collect();
        let required: Vec<String> = lists("required")
            .into_iter()
            .filter_map(Value::as_array)
            .flatten()
            .filter_map(|key| key.as_str().map(str::to_owned))
            .collect();
        let closed = active.iter().any(|schema| {
            ["additionalProperties", "unevaluatedProperties"]
                .iter()
                .any(|keyword| schema.get(keyword) == Some(&Value::Bool(false)))
        });
        for key in required.iter().filter(|_| self.dice.percent(96)).collect::<Vec<_>>() {
            members.insert(key.clone(), Value::Null);
        }
        for key in &declared {
            if self.dice.percent(55) {
                members.insert(key.clone(), Value::Null);
            }
        }
        let further = if self.dice.percent(if closed { 8 } else { 30 }) { 1 + self.dice.below(2) } else { 0 };
        for _ in 0..further {
            members.insert(KEYS[self.dice.below(KEYS.len())].to_owned(), Value::Null);
        }
        for (key, value) in &mut members {
            let schemas: Vec<&'s Value> = active.iter().flat_map(|schema| about_key(schema, key)).collect();
            *value = self.value(&schemas, depth + 1);
        }
        members
    }

    fn array(&mut self, active: &[&'s Value], depth: u32) -> Vec<Value> {
        let limit =
            |keyword: &'static str| active.iter().filter_map(move |schema| schema.get(keyword)?.as_u64());
        let least = limit("minItems").max().unwrap_or(0) as usize;
        let most = limit("maxItems").min().map_or(least.max(3), |most| most as usize);
        let count = least + self.dice.below(most.saturating_sub(least) + 1);
        let mut items: Vec<Value> = (0..count)
            .map(|index| {
                let schemas: Vec<&'s Value> =
                    active.iter().filter_map(|schema| about_item(schema, index)).collect();
                self.value(&schemas, depth + 1)
            })
            .collect();
        if let Some(wanted) = active.iter().find_map(|schema| schema.get("contains"))
            && self.dice.percent(75)
        {
            let item = self.value(&[wanted], depth + 1);
            match self.dice.below(items.len() + 1) {
                at if at < items.len() => items[at] = item,
                _ => items.push(item),
            }
        }
        items
    }

    fn number(&mut self, active: &[&'s Value]) -> Value {
        let fits = |number: f64| {
            active.iter().all(|schema| {
                let limit = |keyword: &str| schema.get(keyword).and_then(Value::as_f64);
                limit("minimum").is_none_or(|limit| number >= limit)
                    && limit("maximum").is_none_or(|limit| number <= limit)
                    && limit("exclusiveMinimum").is_none_or(|limit| number > limit)
                    && limit("exclusiveMaximum").is_none_or(|limit| number < limit)
            })
        };
        let mut text = NUMBERS[self.dice.below(NUMBERS.len())];
        for _ in 0..6 {
            if text.parse().is_ok_and(fits) {
                break;
            }
            text = NUMBERS[self.dice.below(NUMBERS.len())];
        }
        serde_json::from_str(text).expect("a number")
    }

    fn text(&mut self, active: &[&'s Value]) -> String {
        let wanted = active.iter().find_map(|schema| schema.get("pattern")?.as_str());
        let matching = PATTERNS.iter().find(|(pattern, _)| Some(*pattern) == wanted).map(|(_, texts)| *texts);
        let pool = match matching {
            Some(texts) if self.dice.percent(85) => texts,
            _ => TEXTS,
        };
        let fits = |text: &str| {
            let count = text.chars().count() as u64;
            active.iter().all(|schema| {
                let limit = |keyword: &str| schema.get(keyword).and_then(Value::as_u64);
                limit("minLength").is_none_or(|limit| count >= limit)
                    && limit("maxLength").is_none_or(|limit| count <= limit)
            })
        };
        let mut text = pool[self.dice.below(pool.len())];
        for _ in 0..6 {
            if fits(text) {
                break;
            }
            text = pool[self.dice.below(pool.len())];
        }
        text.to_owned()
    }
}

fn types(schema: &Value) -> Option<Vec<&str>> {
    match schema.get("type")? {
        Value::String(name) => Some(vec![name]),
        Value::Array(names) => Some(names.iter().filter_map(Value::as_str).collect()),
        _ => None,
    }
}

/// The type that the keywords of a schema imply.
fn hint(schema: &Value) -> Option<&'static str> {
    const HINTS: &[(&str, &str)] = &[
        ("properties", "object"),
        ("required", "object"),
        ("additionalProperties", "object"),
        ("patternProperties", "object"),
        ("unevaluatedProperties", "object"),
        ("items", "array"),
        ("prefixItems", "array"),
        ("contains", "array"),
        ("uniqueItems", "array"),
        ("pattern", "string"),
        ("minLength", "string"),
        ("maxLength", "string"),
        ("minimum", "number"),
        ("maximum", "number"),
        ("multipleOf", "number"),
    ];
    HINTS.iter().find(|(keyword, _)| schema.get(keyword).is_some()).map(|(_, name)| *name)
}

/// The schemas for the value of a key.
fn about_key<'s>(schema: &'s Value, key: &str) -> Vec<&'s Value> {
    let mut found: Vec<&'s Value> =
        schema.get("properties").and_then(|all| all.get(key)).into_iter().collect();
    let patterns = schema.get("patternProperties").and_then(Value::as_object).into_iter().flatten();
    for (pattern, about) in patterns {
        let known = PATTERNS.iter().find(|(source, _)| source == pattern);
        if known.is_some_and(|(_, texts)| texts.contains(&key)) {
            found.push(about);
        }
    }
    if found.is_empty() {
        found.extend(schema.get("additionalProperties").or_else(|| schema.get("unevaluatedProperties")));
    }
    found
}

/// The schema for the item at an index.
fn about_item(schema: &Value, index: usize) -> Option<&Value> {
    let prefix = schema.get("prefixItems").or_else(|| schema.get("items").filter(|items| items.is_array()));
    prefix.and_then(|prefix| prefix.get(index)).or_else(|| match schema.get("items") {
        Some(Value::Array(_)) => schema.get("additionalItems"),
        Some(items) => Some(items),
        None => schema.get("unevaluatedItems"),
    })
}
