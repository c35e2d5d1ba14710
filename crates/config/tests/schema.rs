//! The JSON Schema of the file: a file without problems is valid, and an unusable one is not.

use crate::support;
use crate::wrong_cases;

use std::path::Path;

use serde_json::Value;
use toolwright_config::{JSON_SCHEMA, blanked};
use wrong_cases::CASES;

fn schema() -> jsonschema::Validator {
    let schema: Value = serde_json::from_str(JSON_SCHEMA).expect("it is JSON");
    jsonschema::meta::validate(&schema).expect("it is a schema");
    jsonschema::draft202012::new(&schema).expect("it compiles")
}

fn value(text: &str) -> Value {
    serde_json::from_str(&blanked(text)).unwrap_or_else(|error| panic!("{error}: {text}"))
}

#[track_caller]
fn is_valid(schema: &jsonschema::Validator, text: &str) {
    let value = value(text);
    let errors: Vec<String> =
        schema.iter_errors(&value).map(|error| format!("{}: {error}", error.instance_path())).collect();
    assert!(errors.is_empty(), "{errors:?}\n{text}");
}

#[test]
fn client_files_are_valid() {
    let schema = schema();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/clients");
    let mut count = 0;
    for entry in std::fs::read_dir(folder).expect("the folder") {
        let text = std::fs::read_to_string(entry.expect("an entry").path()).expect("a file");
        is_valid(&schema, &text);
        count += 1;
    }
    assert!(count >= 8, "{count}");
}

#[test]
fn documented_examples_are_valid() {
    let schema = schema();
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/configuration.md");
    let page = std::fs::read_to_string(page).expect("the page");
    let mut count = 0;
    for part in page.split("```config\n").skip(1) {
        is_valid(&schema, part.split("```").next().expect("its end"));
        count += 1;
    }
    assert!(count > 0, "the page has no examples");
}

#[test]
fn fixed_files_are_valid() {
    let schema = schema();
    for case in CASES.iter().filter(|case| !case.fixed.is_empty()) {
        assert_ne!(case.fixed, case.wrong, "{}", case.title);
        is_valid(&schema, case.fixed);
    }
}

#[test]
fn unusable_files_are_not_valid() {
    let schema = schema();
    for wrong in [
        "[]",
        r#"{"mcpServers": []}"#,
        r#"{"mcpServers": {"a": "npx"}}"#,
        r#"{"mcpServers": {"a": {}}}"#,
        r#"{"mcpServers": {"a": {"command": ""}}}"#,
        r#"{"mcpServers": {"a": {"command": 5}}}"#,
        r#"{"mcpServers": {"": {"command": "x"}}}"#,
        r#"{"mcpServers": {"a": {"command": "x", "args": "-y"}}}"#,
        r#"{"mcpServers": {"a": {"command": "x", "env": ["A=b"]}}}"#,
        r#"{"mcpServers": {"a": {"command": "x", "toolFilters": "read"}}}"#,
        r#"{"mcpServers": {"a": {"command": "x", "toolFilters": ["!"]}}}"#,
        r#"{"mcpServers": {"a": {"command": "x", "timeoutMs": 0}}}"#,
        r#"{"mcpServers": {"a": {"command": "x", "timeoutMs": "soon"}}}"#,
        r#"{"mcpServers": {"a": {"command": "x", "maxResponseBytes": 1000}}}"#,
        r#"{"maxResponseBytes": "64 MiB", "mcpServers": {"a": {"command": "x"}}}"#,
        r#"{"mcpServers": {"a": {"command": "x", "disabled": "maybe"}}}"#,
        r#"{"mcpServers": {"a": {"url": "https://x", "oauth": {"callbackPort": 70000}}}}"#,
        r#"{"toolboxes": {"t": {"description": "d"}}}"#,
        r#"{"toolboxes": {"t": []}}"#,
        r#"{"builtinTools": "maybe"}"#,
        r#"{"acceptLegacyToolKey": 1}"#,
        r#"{"ledger": true}"#,
        r#"{"ledger": {"durability": "disk"}}"#,
        r#"{"ledger": {"onFailure": false}}"#,
        r#"{"ledger": {"keepDays": 0}}"#,
        r#"{"ledger": {"keepDays": 1.5}}"#,
        r#"{"ledger": {"keepBytes": "512 MiB"}}"#,
        r#"{"ledger": {"segmentBytes": 1}}"#,
        r#"{"ledger": {"logDir": ""}}"#,
        r#"{"redact": []}"#,
        r#"{"redact": {"keys": "dsn"}}"#,
        r#"{"redact": {"entropy": "maybe"}}"#,
        r#"{"store": 5}"#,
        r#"{"store": ""}"#,
        r#"{"learn": true}"#,
        r#"{"telemetry": "http://127.0.0.1:4318"}"#,
        r#"{"telemetry": {"otlp": "127.0.0.1:4318"}}"#,
        r#"{"telemetry": {"headers": ["a: b"]}}"#,
        r#"{"llm": []}"#,
        r#"{"llm": {"upstreams": []}}"#,
        r#"{"llm": {"upstreams": {"a": "http://localhost"}}}"#,
        r#"{"llm": {"upstreams": {"a": {"kind": "ollama"}}}}"#,
        r#"{"llm": {"upstreams": {"a": {"url": "http://localhost"}}}}"#,
        r#"{"llm": {"upstreams": {"a": {"kind": "gemini", "url": "http://localhost"}}}}"#,
        r#"{"llm": {"upstreams": {"a": {"kind": "ollama", "url": "localhost"}}}}"#,
        r#"{"llm": {"upstreams": {"a/b": {"kind": "ollama", "url": "http://localhost"}}}}"#,
        r#"{"llm": {"upstreams": {"a": {"kind": "ollama", "url": "http://localhost", "apiKey": "x", "apiKeyFile": "y"}}}}"#,
        r#"{"llm": {"upstreams": {"a": {"kind": "ollama", "url": "http://localhost", "apiKey": ""}}}}"#,
        r#"{"llm": {"upstreams": {"a": {"kind": "openai", "url": "http://localhost", "api": "completions"}}}}"#,
        r#"{"llm": {"upstreams": {"a": {"kind": "openai", "url": "http://localhost", "quirks": {"schemas": "few"}}}}}"#,
        r#"{"llm": {"upstreams": {"a": {"kind": "openai", "url": "http://localhost", "quirks": {"nameChars": 1}}}}}"#,
        r#"{"llm": {"models": {"*": "a"}}}"#,
        r#"{"llm": {"models": {"*": []}}}"#,
        r#"{"llm": {"models": {"": "a/*"}}}"#,
        r#"{"llm": {"reask": 4}}"#,
        r#"{"llm": {"keepBodies": 1}}"#,
    ] {
        assert!(!schema.is_valid(&value(wrong)), "{wrong}");
        assert!(wrong == "[]" || !support::problems(wrong).is_empty(), "{wrong}");
    }
}

#[test]
fn invalid_server_does_not_enable_builtin_tools() {
    for wrong in [
        r#"{"mcpServers": {"a": {"command": "x", "env": {"KEY": "${NOT_SET_ANYWHERE}"}}}}"#,
        r#"{"mcpServers": {"a": {"command": "x", "protocol": "new"}}}"#,
        r#"{"mcpServers": {"a": "x"}}"#,
        r#"{"mcpServers": {"a": {}}}"#,
        r#"{"mcpServers": ["x"]}"#,
        r#"{"toolboxes": {"dev": {"mcpServers": {"a": {"command": 5}}}}}"#,
        r#"{"toolboxes": {"dev": "x"}}"#,
    ] {
        // A file that cannot be used at all enables nothing either.
        let Ok(read) = support::read(wrong) else { continue };
        assert!(!read.serves_own_tools(), "{wrong}");
    }
    assert!(support::clean("{}").serves_own_tools());
    let wanted = r#"{"mcpServers": {"a": {}}, "builtinTools": true}"#;
    assert!(support::read(wanted).expect("a file").serves_own_tools());
}

#[test]
fn invalid_switch_affects_nothing_else() {
    let clean = support::clean(
        r#"{"mcpServers": {"a": {"command": "x"}}, "builtinTools": true, "acceptLegacyToolKey": "true"}"#,
    );
    assert_eq!((clean.serves_builtin_tools, clean.accepts_legacy_tool_key), (Some(true), true));
    let without = support::clean(r#"{"mcpServers": {"a": {"command": "x"}}}"#);
    assert_eq!((without.serves_builtin_tools, without.accepts_legacy_tool_key), (None, false));
    assert!(support::clean(r#"{"builtinTools": false}"#).toolboxes.is_empty());
    let wrong = support::read("{\"mcpServers\": {\"a\": {\"command\": \"x\"}},\n  \"builtinTools\": 1,\n  \"acceptLegacyKey\": true}")
        .expect("the servers can be used");
    assert_eq!((wrong.servers().count(), wrong.serves_builtin_tools, wrong.has_errors()), (1, None, false));
    let messages: Vec<String> = wrong.problems.iter().map(ToString::to_string).collect();
    assert_eq!(
        messages,
        [
            "warning: in the configuration\n --> /home/ann/desk/toolwright.json:2:19\n2 |   \"builtinTools\": 1,\n  |                   ^ \"builtinTools\" is true or false, not a number\n  = fix: write true or false, without quotes",
            "warning: in the configuration\n --> /home/ann/desk/toolwright.json:3:3\n3 |   \"acceptLegacyKey\": true}\n  |   ^ unknown key \"acceptLegacyKey\"\n  = fix: did you mean \"acceptLegacyToolKey\"?",
        ]
    );
}
