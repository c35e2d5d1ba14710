//! Models that a request names besides the one that it asks: routers take lists of fallbacks, and some tools have a model.
//!
//! Who may ask some models only must not reach others that way.

use toolwright_jsonrpc::{Json, raw};

use super::Asked;

/// Members that name models, in small letters and without `_` and `-`: OpenRouter, LiteLLM, Vercel, and tools that ask a
/// model themselves.
const NAMING: [&str; 13] = [
    "model",
    "models",
    "modelid",
    "modelname",
    "deployment",
    "deploymentid",
    "fallback",
    "fallbacks",
    "fallbackmodels",
    "defaultfallbacks",
    "contextwindowfallbacks",
    "allowedmodels",
    "modellist",
];
/// Members by which a provider chooses a model that the request does not name.
const CHOOSING: [&str; 2] = ["route", "preset"];
/// Members that hold what people and models say, schemas and the client's own notes: no provider reads a model there.
const SAID: [&str; 9] = [
    "messages",
    "input",
    "system",
    "instructions",
    "metadata",
    "response_format",
    "format",
    "text",
    "tool_choice",
];
/// Schemas of tools.
const SCHEMAS: [&str; 3] = ["input_schema", "parameters", "function"];
/// How deep it is looked. What lies deeper is taken for one that names something.
const MOST_DEPTH: usize = 8;

/// A model that is named besides.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OtherModel {
    /// The member that names it.
    pub member: String,
    /// The model; nothing where the provider chooses one.
    pub model: Option<String>,
}

impl Asked {
    /// The models besides [`Asked::model`] that the request names, or leaves to the provider.
    pub fn other_models(&self) -> Vec<OtherModel> {
        let mut found = Vec::new();
        for member in raw::members(self.body()).unwrap_or_default() {
            if member.key == "model" || SAID.contains(&&*member.key) {
                continue;
            }
            look(&member.key, member.value, 0, &mut found);
        }
        found
    }
}

fn look(key: &str, value: &str, depth: usize, found: &mut Vec<OtherModel>) {
    if matches!(value, "null" | "false" | "[]" | "{}" | "\"\"") {
        return;
    }
    let plain: String = key.chars().filter(|letter| !matches!(letter, '_' | '-')).collect();
    let plain = plain.to_ascii_lowercase();
    if CHOOSING.contains(&plain.as_str()) || depth > MOST_DEPTH {
        found.push(OtherModel { member: key.to_owned(), model: None });
    } else if NAMING.contains(&plain.as_str()) {
        named(key, value, depth, found);
    } else {
        inside(value, depth, found);
    }
}

/// Looks into a value that names nothing itself.
fn inside(value: &str, depth: usize, found: &mut Vec<OtherModel>) {
    if let Ok(members) = raw::members(value) {
        for member in members.iter().filter(|member| !SCHEMAS.contains(&&*member.key)) {
            look(&member.key, member.value, depth + 1, found);
        }
    } else if let Ok(items) = raw::items(value) {
        items.iter().for_each(|item| inside(item, depth + 1, found));
    }
}

/// The models in the value of a member that names some: a text, or lists and objects of them.
fn named(key: &str, value: &str, depth: usize, found: &mut Vec<OtherModel>) {
    let mut push = |model| found.push(OtherModel { member: key.to_owned(), model });
    if depth > MOST_DEPTH {
        push(None);
    } else if let Ok(items) = raw::items(value) {
        items.iter().for_each(|item| named(key, item, depth + 1, found));
    } else if let Ok(members) = raw::members(value) {
        // `{"gpt-4": ["gpt-3.5"]}`, or `{"model": "gpt-4"}`
        for member in members {
            let is_name = NAMING.contains(&&*member.key);
            if !is_name && depth < MOST_DEPTH && raw::items(member.value).is_ok() {
                found.push(OtherModel { member: key.to_owned(), model: Some(member.key.into_owned()) });
            }
            if is_name || raw::items(member.value).is_ok() {
                named(key, member.value, depth + 1, found);
            }
        }
    } else {
        push(Json::parse(value).ok().and_then(|json| json.to_text()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Dialect;

    fn others(body: &str) -> Vec<(String, Option<String>)> {
        let asked = Asked::read(Dialect::OpenAiChat, body.as_bytes()).expect("a request");
        asked.other_models().into_iter().map(|other| (other.member, other.model)).collect()
    }

    #[test]
    fn every_way_to_another_model_is_found() {
        for (body, member, model) in [
            (r#"{"model":"a","models":["b"],"messages":[]}"#, "models", Some("b")),
            (r#"{"model":"a","mod\u0065ls":["b"],"messages":[]}"#, "models", Some("b")),
            (r#"{"model":"a","model_id":"b","messages":[]}"#, "model_id", Some("b")),
            (r#"{"model":"a","litellm_params":{"model":"b"},"messages":[]}"#, "model", Some("b")),
            (r#"{"model":"a","route":"fallback","messages":[]}"#, "route", None),
            (r#"{"model":"a","preset":"x","messages":[]}"#, "preset", None),
            (r#"{"model":"a","models":[1],"messages":[]}"#, "models", None),
            (r#"{"model":"a","fallbacks":[{"model":"b"}],"messages":[]}"#, "fallbacks", Some("b")),
            (r#"{"model":"a","extra_body":{"models":["b"]},"messages":[]}"#, "models", Some("b")),
            (
                r#"{"model":"a","providerOptions":{"gateway":{"models":["b"]}},"messages":[]}"#,
                "models",
                Some("b"),
            ),
            (
                r#"{"model":"a","plugins":[{"id":"auto-router","allowed_models":["b"]}],"messages":[]}"#,
                "allowed_models",
                Some("b"),
            ),
            (
                r#"{"model":"a","tools":[{"type":"image_generation","model":"b"}],"messages":[]}"#,
                "model",
                Some("b"),
            ),
        ] {
            let wanted = (member.to_owned(), model.map(str::to_owned));
            assert!(others(body).contains(&wanted), "{body}: {:?}", others(body));
        }
        let by_name = others(r#"{"model":"a","fallbacks":[{"a":["b"]}],"messages":[]}"#);
        assert!(by_name.contains(&("fallbacks".to_owned(), Some("b".to_owned()))), "{by_name:?}");
    }

    #[test]
    fn what_is_said_and_schemas_name_no_model() {
        for body in [
            r#"{"model":"a","messages":[{"role":"user","content":"x","models":["b"]}],"temperature":1}"#,
            r#"{"model":"a","metadata":{"model":"b"},"messages":[]}"#,
            r#"{"model":"a","models":null,"route":"","fallbacks":[],"messages":[]}"#,
            r#"{"model":"a","tools":[{"type":"function","function":{"name":"f","parameters":{"properties":{"model":{"type":"string"}}}}}],"messages":[]}"#,
            r#"{"model":"a","tools":[{"name":"f","input_schema":{"properties":{"model":{"type":"string"}}}}],"messages":[]}"#,
        ] {
            assert_eq!(others(body), [], "{body}");
        }
    }
}
