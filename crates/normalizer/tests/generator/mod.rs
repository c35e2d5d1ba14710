//! Generated tools with valid calls, nearly valid calls, and plain noise.

use proptest::prelude::*;
use proptest::sample::{select, subsequence};

/// A schema and a generator of its values.
#[derive(Clone, Debug)]
enum Shape {
    Integer,
    Number,
    Text,
    Boolean,
    Choice(Vec<&'static str>),
    List(Box<Shape>),
    Object { members: Vec<(&'static str, Shape, bool)>, closed: bool },
    Nullable(Box<Shape>),
    Either(Box<Shape>, Box<Shape>),
    Map(Box<Shape>),
}

const NAMES: &[&str] = &[
    "path",
    "fileName",
    "max_results",
    "query",
    "dryRun",
    "labels",
    "start_date",
    "end_date",
    "config",
    "id",
    "user-name",
    "old_text",
    "new_text",
    "count",
    "recursive",
    "body",
    "x",
    "größe",
    "arguments",
    "value",
];

const TEXTS: &[&str] = &[
    "a",
    "",
    "true",
    "42",
    "null",
    "None",
    "[1,2]",
    "{\"a\":1}",
    "C:\\Users\\new",
    "\\s+\\d",
    "😀",
    "line\nbreak",
    "tab\t",
    "It's",
    "say \"hi\"",
    "src/a.rs",
    "0123",
    "1e3",
    "{'a': 1}",
    "```json",
    "<|im_end|>",
    "In Progress",
    "-",
    "a,b",
    "\u{1}\u{7f}",
    "ÄÖ",
    "//",
    "yes",
];

fn shape() -> impl Strategy<Value = Shape> {
    let leaf = prop_oneof![
        1 => Just(Shape::Integer),
        1 => Just(Shape::Number),
        3 => Just(Shape::Text),
        1 => Just(Shape::Boolean),
        1 => subsequence(vec!["low", "in_progress", "high", "c", "c++", "1", "true"], 1..4).prop_map(Shape::Choice),
    ];
    leaf.prop_recursive(3, 16, 4, |inner| {
        prop_oneof![
            inner.clone().prop_map(|shape| Shape::List(Box::new(shape))),
            object(inner.clone()),
            inner.clone().prop_map(|shape| Shape::Nullable(Box::new(shape))),
            (inner.clone(), inner.clone()).prop_map(|(a, b)| Shape::Either(Box::new(a), Box::new(b))),
            inner.prop_map(|shape| Shape::Map(Box::new(shape))),
        ]
    })
}

fn object(inner: impl Strategy<Value = Shape> + Clone) -> impl Strategy<Value = Shape> {
    (subsequence(NAMES.to_vec(), 0..5), any::<bool>()).prop_flat_map(move |(names, closed)| {
        let count = names.len();
        (Just(names), prop::collection::vec((inner.clone(), any::<bool>()), count), Just(closed)).prop_map(
            |(names, shapes, closed)| {
                let members = names
                    .into_iter()
                    .zip(shapes)
                    .map(|(name, (shape, needed))| (name, shape, needed))
                    .collect();
                Shape::Object { members, closed }
            },
        )
    })
}

fn schema_of(shape: &Shape) -> String {
    match shape {
        Shape::Integer => r#"{"type":"integer"}"#.into(),
        Shape::Number => r#"{"type":"number"}"#.into(),
        Shape::Text => r#"{"type":"string"}"#.into(),
        Shape::Boolean => r#"{"type":"boolean"}"#.into(),
        Shape::Choice(options) => {
            let list: Vec<String> = options.iter().map(|option| format!("{option:?}")).collect();
            format!(r#"{{"enum":[{}]}}"#, list.join(","))
        }
        Shape::List(inner) => format!(r#"{{"type":"array","items":{}}}"#, schema_of(inner)),
        Shape::Object { members, closed } => {
            let properties: Vec<String> =
                members.iter().map(|(name, shape, _)| format!("{name:?}:{}", schema_of(shape))).collect();
            let required: Vec<String> = members
                .iter()
                .filter(|(_, _, needed)| *needed)
                .map(|(name, _, _)| format!("{name:?}"))
                .collect();
            let closing = if *closed { r#","additionalProperties":false"# } else { "" };
            format!(
                r#"{{"type":"object","properties":{{{}}},"required":[{}]{closing}}}"#,
                properties.join(","),
                required.join(",")
            )
        }
        Shape::Nullable(inner) => format!(r#"{{"anyOf":[{},{{"type":"null"}}]}}"#, schema_of(inner)),
        Shape::Either(a, b) => format!(r#"{{"anyOf":[{},{}]}}"#, schema_of(a), schema_of(b)),
        Shape::Map(inner) => format!(r#"{{"type":"object","additionalProperties":{}}}"#, schema_of(inner)),
    }
}

/// JSON text of a string, sometimes with unnecessary escapes.
fn text() -> impl Strategy<Value = String> {
    let plain = prop_oneof![3 => select(TEXTS).prop_map(str::to_owned), 1 => any::<String>()];
    (plain, any::<bool>()).prop_map(|(text, escape)| {
        let json = serde_json::to_string(&text).expect("text");
        if escape { json.replace('a', "\\u0061").replace('/', "\\/") } else { json }
    })
}

fn value_of(shape: &Shape) -> BoxedStrategy<String> {
    match shape {
        Shape::Integer => {
            select(&["0", "-1", "7", "10.0", "1e3", "9007199254740993", "12345678901234567890123", "-0"][..])
                .prop_map(str::to_owned)
                .boxed()
        }
        Shape::Number => {
            select(&["0.5", "1.0", "1.10", "-2e-3", "3", "1E5", "0.1000"][..]).prop_map(str::to_owned).boxed()
        }
        Shape::Text => text().boxed(),
        Shape::Boolean => any::<bool>().prop_map(|boolean| boolean.to_string()).boxed(),
        Shape::Choice(options) => select(options.clone()).prop_map(|option| format!("{option:?}")).boxed(),
        Shape::List(inner) => prop::collection::vec(value_of(inner), 0..4)
            .prop_map(|items| format!("[{}]", items.join(" , ")))
            .boxed(),
        Shape::Object { members, closed } => {
            let parts: Vec<BoxedStrategy<Option<String>>> = members
                .iter()
                .map(|(name, shape, needed)| {
                    let (name, needed) = (*name, *needed);
                    (value_of(shape), any::<bool>())
                        .prop_map(move |(value, there)| {
                            (needed || there).then(|| format!("{name:?}: {value}"))
                        })
                        .boxed()
                })
                .collect();
            let extra = (any::<bool>(), text())
                .prop_map(|(there, value)| there.then(|| format!("\"File_Name\":{value}")));
            (parts, extra, any::<u64>(), Just(*closed))
                .prop_map(|(parts, extra, turn, closed)| {
                    let mut members: Vec<String> = parts.into_iter().flatten().collect();
                    if !closed {
                        members.extend(extra);
                    }
                    if !members.is_empty() {
                        let turn = turn as usize % members.len();
                        members.rotate_left(turn);
                    }
                    format!("{{{}}}", members.join(",\n"))
                })
                .boxed()
        }
        Shape::Nullable(inner) => prop_oneof![Just("null".to_owned()), value_of(inner)].boxed(),
        Shape::Either(a, b) => prop_oneof![value_of(a), value_of(b)].boxed(),
        Shape::Map(inner) => prop::collection::vec(value_of(inner), 0..3)
            .prop_map(|values| {
                let members: Vec<String> =
                    values.iter().enumerate().map(|(n, value)| format!("\"k{n}\":{value}")).collect();
                format!("{{{}}}", members.join(","))
            })
            .boxed(),
    }
}

/// A schema and a call that it accepts.
pub fn tool_and_valid_call() -> impl Strategy<Value = (String, String)> {
    object(shape().boxed()).prop_flat_map(|shape| (Just(schema_of(&shape)), value_of(&shape)))
}

/// A schema and a call with a few mistakes.
pub fn mangled_call() -> impl Strategy<Value = (String, String)> {
    let mistakes = prop::collection::vec((0..MISTAKES.len(), any::<u64>()), 1..4);
    (tool_and_valid_call(), mistakes).prop_map(|((schema, mut call), mistakes)| {
        for (mistake, seed) in mistakes {
            call = MISTAKES[mistake](&call, seed);
        }
        (schema, call)
    })
}

type Mistake = fn(&str, u64) -> String;

/// Mistakes that models make, on the text of a call.
const MISTAKES: &[Mistake] = &[
    |call, _| format!("{{\"arguments\":{call}}}"),
    |call, _| format!("[{call}]"),
    |call, _| serde_json::to_string(call).unwrap_or_default(),
    |call, _| format!("```json\n{call}\n```"),
    |call, _| format!("Here you are: {call} Done."),
    |call, _| call.replace("true", "\"true\"").replace("false", "\"false\""),
    |call, _| call.replace("\"path\"", "\"file_path\"").replace("\"fileName\"", "\"file_name\""),
    |call, _| call.replace("\"count\"", "\"cuont\"").replace("\"start_date\"", "\"startDate\""),
    |call, _| call.replace(": 7", ": \"7\"").replace(": 0", ": \"0\""),
    |call, _| call.replacen('{', "{\"description\": \"x\", ", 1),
    |call, _| call.replace("\"in_progress\"", "\"In Progress\"").replace("\"high\"", "\"HIGH\""),
    |call, _| call.replace('}', ",}"),
    |call, _| call.replace("true", "True").replace("null", "None"),
    |call, _| call.replacen("\"query\"", "\"search_query\"", 1).replacen("\"labels\"", "\"label\"", 1),
    |call, _| call.replace(": [", ": ").replacen(']', "", 1),
    |call, seed| {
        let at = call
            .char_indices()
            .map(|(at, _)| at)
            .nth(seed as usize % call.chars().count().max(1))
            .unwrap_or(0);
        call[..at].to_owned()
    },
    |call, seed| {
        let at = call
            .char_indices()
            .map(|(at, _)| at)
            .nth(seed as usize % call.chars().count().max(1))
            .unwrap_or(0);
        let noise = ["\"", "'", "}", ",", "\\", "\n", " ", "null", "0", ":"][(seed >> 32) as usize % 10];
        format!("{}{noise}{}", &call[..at], &call[at..])
    },
    |call, _| format!("{call}{call}"),
    |call, _| call.replace(": \"", ": [\""),
    |call, _| call.replace('"', "'"),
];

/// Any text for a schema and any text for a call, biased towards brackets and keywords.
pub fn any_text() -> impl Strategy<Value = (String, String)> {
    let words = select(
        &[
            "{",
            "}",
            "[",
            "]",
            "\"",
            "'",
            ":",
            ",",
            "\\",
            "\n",
            "true",
            "None",
            "12",
            "-",
            ".5",
            "e3",
            "\"a\"",
            "\"type\"",
            "\"string\"",
            "\"properties\"",
            "\"$ref\"",
            "\"#\"",
            "\"items\"",
            "\"anyOf\"",
            "\"object\"",
            "\"required\"",
            "//",
            "/*",
            "```",
            "<|x|>",
            "“",
            "😀",
            "\"enum\"",
            "\"allOf\"",
            "\"not\"",
            "\"arguments\"",
            "a",
            "…",
            "\u{0}",
        ][..],
    );
    let noise = prop::collection::vec(words, 0..24).prop_map(|words| words.concat());
    let schemas = prop_oneof![
        noise.clone(),
        Just(r##"{"$ref":"#"}"##.to_owned()),
        Just(r##"{"properties":{"a":{"$ref":"#"}},"anyOf":[{"$ref":"#"},{"type":"object"}]}"##.to_owned()),
        Just(r##"{"allOf":[{"$ref":"#/$defs/a"}],"$defs":{"a":{"anyOf":[{"$ref":"#/$defs/b"},{"type":"array"}]},"b":{"allOf":[{"$ref":"#/$defs/a"}]}}}"##.to_owned()),
        tool_and_valid_call().prop_map(|(schema, _)| schema),
    ];
    (schemas, prop_oneof![noise, any::<String>(), mangled_call().prop_map(|(_, call)| call)])
}
