//! `/api/rules`: the active rules, where they come from, and what they did.

use std::collections::{BTreeMap, HashMap};

use http::Response;
use serde_json::{Map, Value, json};
use toolwright_executor::ToolExecutor;
use toolwright_ledger::stats::{RuleRow, rfc3339};
use toolwright_model::BuiltinRules;
use toolwright_normalizer::rules::{Action, CaseStyle, CoerceTo, LEARNED_SET, Rule};

use super::query::Query;
use super::{Api, json};
use crate::inside::InsideBody;
use crate::refusal::Refusal;

/// The words for the calls that a rule is active for.
const EVERY_CALL: &str = "every call";
const MODEL_CALLS: &str = "model calls";

pub(super) fn answer(api: &Api, query: &Query) -> Result<Response<InsideBody>, Refusal> {
    query.allow(&[])?;
    let active = api.executor.rules().load();
    let rows = api.ledger.as_ref().map(|ledger| ledger.stats().summary().rules).unwrap_or_default();
    let fired: HashMap<&str, &RuleRow> = rows.iter().map(|row| (row.rule_id.as_str(), row)).collect();
    let of_models = api.llm.as_ref().map(|llm| llm.own_rules()).unwrap_or_default();
    let rules = active.normalizer().rules().in_order().into_iter().map(|rule| (rule, EVERY_CALL));
    let rules: Vec<Value> = rules
        .chain(of_models.iter().map(|rule| (rule, MODEL_CALLS)))
        .map(|(rule, active_for)| told(rule, active_for, fired.get(rule.id.as_str()).copied()))
        .collect();
    let servers: Map<String, Value> = builtin_rules_by_server(&api.executor)
        .into_iter()
        .map(|(server, setting)| (server, json!(setting)))
        .collect();
    json(&json!({ "rules": rules, "builtin_rules": servers }))
}

/// How far the built-in rules go for the tools of each server: its setting `builtinRules`.
pub fn builtin_rules_by_server(executor: &ToolExecutor) -> BTreeMap<String, &'static str> {
    let snapshot = executor.registry().snapshot();
    let of_servers =
        snapshot.tools().iter().filter_map(|tool| Some((tool.server()?, tool.tool().builtin_rules())));
    let word = |setting: BuiltinRules| match setting {
        BuiltinRules::Schema => "schema",
        BuiltinRules::Always => "always",
        BuiltinRules::Off => "off",
    };
    of_servers.map(|(server, setting)| (server.to_owned(), word(setting))).collect()
}

/// A rule as its file has it, with what is known of it besides.
fn told(rule: &Rule, active_for: &str, fired: Option<&RuleRow>) -> Value {
    let source = match rule.set {
        None => "file",
        Some(LEARNED_SET) => "learned",
        Some(_) => "built-in",
    };
    let tools: Vec<String> = rule.tools.iter().map(ToString::to_string).collect();
    let mut said = Map::new();
    let mut say = |key: &str, value: Value| drop(said.insert(key.to_owned(), value));
    say("id", json!(rule.id));
    say("type", json!(rule.type_name()));
    say("tools", json!(tools));
    for (key, value) in action(&rule.action) {
        say(key, value);
    }
    say("enabled", json!(rule.enabled));
    say("source", json!(source));
    if source == "built-in" {
        say("set", json!(rule.set));
    }
    say("active_for", json!(active_for));
    if let Some(note) = &rule.note {
        say("note", json!(note));
    }
    say("hits", json!(fired.map_or(0, |row| row.hits)));
    say("last_fired", json!(fired.and_then(|row| row.last).map(rfc3339)));
    Value::Object(said)
}

fn action(action: &Action) -> Vec<(&'static str, Value)> {
    match action {
        Action::ParamAlias { from, to } => vec![("from", json!(from)), ("to", json!(to))],
        Action::ParamDefault { name, value } => vec![("from", json!(name)), ("value", parsed(value))],
        Action::TypeCoerce { name, to } => {
            let word = CoerceTo::NAMES.iter().find(|(_, known)| known == to).map(|(word, _)| *word);
            vec![("from", json!(name)), ("coerce_to", json!(word))]
        }
        Action::JsonAcceptBoth { name } | Action::ParamDrop { name } => vec![("from", json!(name))],
        Action::NestedAlias { payload, path, from, to } => vec![
            ("in_payload", json!(payload)),
            ("array_path", json!(path.to_string())),
            ("from", json!(from)),
            ("to", json!(to)),
        ],
        Action::NestedDefault { payload, path, name, value } => vec![
            ("in_payload", json!(payload)),
            ("array_path", json!(path.to_string())),
            ("from", json!(name)),
            ("value", parsed(value)),
        ],
        Action::CaseConvert { style, name } => {
            let word = CaseStyle::NAMES.iter().find(|(_, known)| known == style).map(|(word, _)| *word);
            let only = name.iter().map(|name| ("from", json!(name)));
            only.chain([("to", json!(word))]).collect()
        }
        Action::ValueMap { name, pairs } => {
            let map: Map<String, Value> =
                pairs.iter().map(|(from, to)| (unquoted(from), parsed(to))).collect();
            vec![("from", json!(name)), ("value", Value::Object(map))]
        }
    }
}

fn parsed(json: &str) -> Value {
    serde_json::from_str(json).unwrap_or_else(|_| Value::String(json.to_owned()))
}

/// The keys of a rules file are texts.
fn unquoted(json: &str) -> String {
    match parsed(json) {
        Value::String(text) => text,
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use toolwright_normalizer::rules::{parse_file, parse_learned};

    use super::*;

    #[test]
    fn a_rule_is_told_as_its_file_has_it() {
        let file = json!([
            {"id":"a","tools":["t"],"type":"param_alias","from":"x","to":"y","note":"why"},
            {"id":"b","tools":["s/t","g*"],"type":"param_default","from":"w","value":[1]},
            {"id":"c","tools":["*"],"type":"type_coerce","from":"u","coerce_to":"bool","enabled":false},
            {"id":"d","tools":["t"],"type":"nested_alias","in_payload":"p","array_path":"steps[]","from":"x","to":"y"},
            {"id":"e","tools":["t"],"type":"value_map","from":"v","value":{"urgent":"high"}},
            {"id":"f","tools":["t"],"type":"case_convert","to":"camel"},
        ]);
        let rules = parse_file(&file.to_string()).expect("rules");
        let row = RuleRow { hits: 3, last: Some(1_000_000), ..RuleRow::default() };
        for (rule, written) in rules.iter().zip(file.as_array().expect("a list")) {
            let said = told(rule, EVERY_CALL, Some(&row));
            for (key, value) in written.as_object().expect("a rule") {
                assert_eq!(&said[key], value, "{key} of {said}");
            }
            assert_eq!((&said["source"], &said["hits"]), (&json!("file"), &json!(3)));
            assert_eq!(said["last_fired"], "1970-01-01T00:00:01Z");
        }
        let learned = r#"[{"id":"l","tools":["t"],"type":"param_alias","from":"x","to":"y"}]"#;
        let learned = parse_learned(learned).expect("rules");
        let said = told(&learned[0], EVERY_CALL, None);
        assert_eq!((&said["source"], &said["last_fired"]), (&json!("learned"), &Value::Null));
        let built_in = toolwright_normalizer::RuleSet::builtin();
        let said = told(&built_in.rules()[0], MODEL_CALLS, None);
        assert_eq!(said["active_for"], MODEL_CALLS);
        assert_eq!(said["source"], "built-in");
        assert!(said["set"].is_string(), "{said}");
    }
}
