//! JSON on a page: configurations load without a problem, rules files are right, and answers have the keys that answers have.

use std::ffi::OsString;
use std::path::Path;

use serde_json::Value;
use toolwright_config::{ConfigError, parse};
use toolwright_model::Code;
use toolwright_normalizer::rules::parse_file;

/// What a block of JSON is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JsonKind {
    Config,
    Rules,
    /// Lines that `toolwright normalize` writes.
    Answers,
    /// Lines of `changes` and `problems`.
    Findings,
    /// Lines that `toolwright normalize` writes for wrong ones.
    WrongLines,
    /// What is posted to a webhook.
    Notice,
}

/// Keys by which a configuration is known.
const SECTIONS: [&str; 10] = [
    "mcpServers",
    "toolboxes",
    "llm",
    "agent",
    "voice",
    "security",
    "ledger",
    "notify",
    "telemetry",
    "store",
];

/// What it is, by its shape.
pub fn kind(text: &str) -> Result<JsonKind, String> {
    let values = values(text)?;
    let all = |key: &str| !values.is_empty() && values.iter().all(|value| value.get(key).is_some());
    let is_config = |value: &Value| SECTIONS.iter().any(|key| value.get(key).is_some());
    match values.as_slice() {
        [Value::Array(rules)] if rules.iter().all(|rule| rule.get("type").is_some()) => Ok(JsonKind::Rules),
        [value] if is_config(value) => Ok(JsonKind::Config),
        [value] if value.get("notice").is_some() => Ok(JsonKind::Notice),
        _ if all("outcome") => Ok(JsonKind::Answers),
        _ if all("code") => Ok(JsonKind::Findings),
        _ if all("line") && all("error") => Ok(JsonKind::WrongLines),
        _ => Err("nobody knows what this JSON is: teach crates/toolwright/tests/book/json.rs, or say `checked_by=FILE`".to_owned()),
    }
}

/// What is wrong with it.
pub fn mistakes(kind: JsonKind, text: &str) -> Result<(), String> {
    let all = |check: fn(&Value) -> Result<(), String>| values(text)?.iter().try_for_each(check);
    match kind {
        JsonKind::Config => config(text),
        JsonKind::Rules => {
            parse_file(text).map(drop).map_err(|errors| format!("no such rules file: {errors:?}"))
        }
        JsonKind::Answers => all(|value| {
            let keys = ["id", "name", "outcome", "arguments", "changes", "problems"];
            only(value, &keys)?;
            keys.iter()
                .try_for_each(|key| value.get(key).map(drop).ok_or_else(|| format!("no \"{key}\"")))?;
            let findings = ["changes", "problems"].iter().filter_map(|key| value[key].as_array());
            findings.flatten().try_for_each(finding)
        }),
        JsonKind::Findings => all(finding),
        JsonKind::WrongLines => all(|value| only(value, &["id", "line", "error"])),
        JsonKind::Notice => all(|value| {
            only(value, &["text", "source", "notice"])?;
            only(&value["notice"], &["number", "ts", "kind", "text", "page"])
        }),
    }
}

/// The problems of a configuration in which every variable has a value.
pub fn config(text: &str) -> Result<(), String> {
    let said = said_of(text, &|name| {
        Some(if name == "HOME" { "/home/me".into() } else { format!("value-of-{name}").into() })
    });
    if said.is_empty() { Ok(()) } else { Err(said) }
}

/// What is said of a configuration where only these variables are set.
pub fn problems(text: &str) -> String {
    said_of(text, &|name| match name {
        "HOME" => Some("/home/ann".into()),
        "TOKEN" => Some("t0ken-of-ann".into()),
        _ => None,
    })
}

fn said_of(text: &str, environment: &dyn Fn(&str) -> Option<OsString>) -> String {
    match parse(text, Path::new("toolwright.json"), &environment) {
        Ok(configuration) => configuration.problems.iter().map(|problem| format!("{problem}\n")).collect(),
        Err(ConfigError::Wrong(problem)) => format!("{problem}\n"),
        Err(error) => format!("{error}\n"),
    }
}

fn finding(value: &Value) -> Result<(), String> {
    only(value, &["code", "path", "from", "to", "rule", "message", "why"])?;
    let code = value["code"].as_str().unwrap_or_default();
    let is_known = Code::ALL.iter().any(|known| known.to_string() == code);
    is_known.then_some(()).ok_or_else(|| format!("\"{code}\" is no code"))
}

fn only(value: &Value, keys: &[&str]) -> Result<(), String> {
    let object = value.as_object().ok_or("not an object")?;
    match object.keys().find(|key| !keys.contains(&key.as_str())) {
        Some(key) => Err(format!("there is no key \"{key}\" in such an object")),
        None => Ok(()),
    }
}

/// One value, or one in each line.
fn values(text: &str) -> Result<Vec<Value>, String> {
    let stream = serde_json::Deserializer::from_str(text).into_iter::<Value>();
    stream.collect::<Result<_, _>>().map_err(|error| format!("not JSON: {error}"))
}
