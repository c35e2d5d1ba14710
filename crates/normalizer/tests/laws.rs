//! The laws of repair, as properties over generated tools and calls.
//!
//! `PROPTEST_CASES` sets the number of cases per law; without it 25,000 run, 175,000 in all.

use crate::generator;

use std::sync::LazyLock;

use bumpalo::Bump;
use generator::{any_text, mangled_call, tool_and_valid_call};
use proptest::prelude::*;
use proptest::test_runner::Config;
use serde_json::Value;
use toolwright_jsonrpc::raw::{Kind, Node, parse};
use toolwright_model::{Code, Finish, Outcome, ToolDefinition};
use toolwright_normalizer::{Normalizer, RawArguments, Tool};

const CASES: u32 = 25_000;

static NORMALIZER: LazyLock<Normalizer> = LazyLock::new(Normalizer::default);

fn config() -> Config {
    let cases = std::env::var("PROPTEST_CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(CASES);
    Config { cases, failure_persistence: None, max_shrink_iters: 2_000, ..Config::default() }
}

fn compile(schema: &str) -> Tool {
    let definition =
        ToolDefinition { name: "probe".into(), input_schema: schema.to_owned(), ..ToolDefinition::default() };
    Tool::compile(&definition).expect("the generator writes schemas that compile")
}

fn normalize(tool: &Tool, arguments: &str) -> Outcome {
    NORMALIZER.normalize(tool, &RawArguments::text(arguments, Finish::Unknown))
}

/// The scalars of a value as text, including those inside strings of JSON. Numbers keep their digits: as floats
/// some would be equal.
fn leaves(value: &Node<'_>, into: &mut Vec<String>) {
    match value.kind {
        Kind::Null => {}
        Kind::Bool(boolean) => into.push(boolean.to_string()),
        Kind::Number(digits) => into.push(digits.to_owned()),
        Kind::String(text) => {
            let text = text.decode();
            into.push(text.clone().into_owned());
            let arena = Bump::new();
            if let Ok(inner) = parse(&text, &arena)
                && matches!(inner.root.kind, Kind::Array(_) | Kind::Object(_))
            {
                leaves(&inner.root, into);
            }
        }
        Kind::Array(items) => items.iter().for_each(|item| leaves(item, into)),
        Kind::Object(members) => members.iter().for_each(|member| leaves(&member.value, into)),
    }
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn valid_call_keeps_its_bytes((schema, call) in tool_and_valid_call()) {
        let tool = compile(&schema);
        prop_assert!(tool.accepts(&call), "the generator made an invalid call: {} {}", schema, call);
        prop_assert_eq!(normalize(&tool, &call), Outcome::Unchanged);
    }

    #[test]
    fn repaired_call_validates_and_reports_changes((schema, call) in mangled_call()) {
        let tool = compile(&schema);
        match normalize(&tool, &call) {
            Outcome::Unchanged => prop_assert!(tool.accepts(&call)),
            Outcome::Repaired { arguments, changes } => {
                prop_assert!(tool.accepts(&arguments), "{}", arguments);
                prop_assert!(!changes.is_empty());
                prop_assert!(changes.iter().all(|change| !change.code.is_refusal()));
            }
            Outcome::Refused { problems, hint } => {
                prop_assert!(!problems.is_empty() && !hint.is_empty());
                prop_assert!(problems.iter().all(|problem| problem.code.is_refusal()));
            }
        }
    }

    #[test]
    fn normalization_is_idempotent((schema, call) in mangled_call()) {
        let tool = compile(&schema);
        if let Outcome::Repaired { arguments, .. } = normalize(&tool, &call) {
            prop_assert_eq!(normalize(&tool, &arguments), Outcome::Unchanged);
        }
    }

    #[test]
    fn no_value_is_lost((schema, call) in mangled_call()) {
        let tool = compile(&schema);
        let arena = Bump::new();
        let Ok(sent) = parse(&call, &arena) else { return Ok(()) };
        if let Outcome::Repaired { arguments, changes } = normalize(&tool, &call) {
            let result = parse(&arguments, &arena).expect("results are strict JSON");
            let (mut before, mut after) = (Vec::new(), Vec::new());
            leaves(&sent.root, &mut before);
            leaves(&result.root, &mut after);
            let reported: String = changes.iter().filter_map(|change| change.from.clone()).collect();
            for leaf in before.iter().filter(|leaf| !leaf.is_empty()) {
                let json = serde_json::to_string(leaf).expect("text");
                let kept = after.iter().any(|other| other == leaf || other.contains(json.trim_matches('"')));
                // A decoded JSON string is kept if its parts are.
                let opened = leaf.trim_start().starts_with(['{', '[', '"', '`']) || sent.root.as_text().is_some();
                let is_reported = reported.contains(json.trim_matches('"'));
                prop_assert!(kept || is_reported || opened, "{} is gone from {}", leaf, arguments);
            }
        }
    }

    #[test]
    fn fast_path_and_full_path_agree((schema, call) in mangled_call()) {
        let tool = compile(&schema);
        let explained = NORMALIZER.explain(&tool, &RawArguments::text(&call, Finish::Unknown));
        prop_assert_eq!(normalize(&tool, &call), explained.outcome);
    }

    #[test]
    fn valid_string_is_never_changed((schema, call) in mangled_call()) {
        let tool = compile(&schema);
        let parsed: Value = serde_json::from_str(&schema).expect("schema");
        let Ok(Value::Object(sent)) = serde_json::from_str::<Value>(&call) else { return Ok(()) };
        if let Outcome::Repaired { arguments, changes } = normalize(&tool, &call) {
            let result: Value = serde_json::from_str(&arguments).expect("results are strict JSON");
            let structural = changes.iter().any(|change| matches!(change.code, Code::EnvelopeRemoved | Code::WrapperRestored));
            for (key, value) in sent.iter().filter(|(_, value)| value.is_string()) {
                let plain = parsed["properties"][key] == serde_json::json!({"type": "string"});
                if plain && !structural {
                    prop_assert_eq!(&result[key], value, "{}", key);
                }
            }
        }
    }

    #[test]
    fn no_input_panics((schema, call) in any_text(), finish in 0..3u8) {
        let finish = [Finish::Unknown, Finish::Stop, Finish::Length][finish as usize];
        let definition = ToolDefinition { name: "probe".into(), input_schema: schema, ..ToolDefinition::default() };
        if let Ok(tool) = Tool::compile(&definition) {
            let outcome = NORMALIZER.normalize(&tool, &RawArguments::text(&call, finish));
            if let Outcome::Repaired { arguments, .. } = outcome {
                prop_assert!(tool.accepts(&arguments), "{}", arguments);
            }
        }
    }
}
