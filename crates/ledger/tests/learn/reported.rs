//! Mistakes from public bug reports: those that are already repaired cause no suggestion, and those that need a person
//! are never decided by repetition.

use serde_json::{Value, json};
use toolwright_ledger::Failure;
use toolwright_ledger::learn::{LearnPolicy, Status};
use toolwright_model::{Outcome, ToolDefinition};

use super::stream::World;

const REPORTED: &str = include_str!("../../../normalizer/tests/fixtures/repair-cases.json");

fn cases(verdict: &str) -> Vec<Value> {
    let mut reported: Value = serde_json::from_str(REPORTED).expect("JSON");
    let mut cases = std::mem::take(reported["cases"].as_array_mut().expect("cases"));
    // A wrong tool name does not concern arguments.
    cases.retain(|case| case["verdict"] == verdict && case["sent_tool_name"].is_null());
    cases
}

fn definition(case: &Value) -> ToolDefinition {
    ToolDefinition {
        name: case["tool"].as_str().expect("a tool").to_owned(),
        server: Some("reported".to_owned()),
        input_schema: case["schema"].to_string(),
        ..ToolDefinition::default()
    }
}

fn text(arguments: &Value) -> String {
    arguments.as_str().map_or_else(|| arguments.to_string(), str::to_owned)
}

/// The mistake fails, as if nothing had repaired it, and the model sends the right call.
fn converse(world: &mut World, tool: &ToolDefinition, session: &str, sent: &Value, right: &Value) {
    let mut failed = world.record(tool, session, &json!(text(sent)).to_string());
    failed.error = Some(Failure { code: "invalid_arguments".to_owned(), ..Failure::default() });
    world.observe(&failed, tool);
    let taken = world.record(tool, session, &right.to_string());
    world.observe(&taken, tool);
}

#[test]
fn reported_mistakes_that_are_repaired_cause_no_suggestion() {
    let cases = cases("repair");
    assert!(cases.len() >= 40, "{}", cases.len());
    for case in &cases {
        let (mut world, tool) = (World::new(LearnPolicy::ApplySafe), definition(case));
        for session in ["one", "two", "three"] {
            converse(&mut world, &tool, session, &case["sent"], &case["right"]);
        }
        let suggestions = world.learning.suggestions();
        assert!(suggestions.is_empty(), "{}: {suggestions:#?}", case["id"]);
    }
}

#[test]
fn repetition_never_replaces_a_person() {
    // The final calls of the models; each is a valid call that lost or invented something.
    let retries = [
        ("rc-024", json!({"question": "q", "options": ["Yes"]})),
        ("rc-029", json!({"path": "/test/file.txt"})),
        ("rc-056", json!({"path": "a.ts", "old_string": "", "new_string": "x"})),
        ("rc-057", json!({"path": "notes.md", "content": "first line"})),
        ("rc-059", json!({"customer": "c", "amount": 10})),
        ("rc-060", json!({"page": 1})),
        ("rc-061", json!({"cmd": "apply_patch '*** Begin Patch'"})),
    ];
    let cases = cases("refuse");
    assert_eq!(cases.len(), retries.len());
    for case in &cases {
        let (_, right) = retries.iter().find(|(id, _)| case["id"] == *id).expect("a retry for each");
        let (mut world, tool) = (World::new(LearnPolicy::ApplySafe), definition(case));
        for round in 0..20 {
            converse(&mut world, &tool, &format!("c{round}"), &case["sent"], right);
        }
        let applied: Vec<_> =
            world.learning.suggestions().into_iter().filter(|one| one.status != Status::Suggested).collect();
        assert!(applied.is_empty(), "{}: {applied:#?}", case["id"]);
        let again = world.send(&tool, "later", &case["sent"].to_string(), None);
        assert!(matches!(again, Outcome::Refused { .. }), "{}: {again:?}", case["id"]);
    }
}
