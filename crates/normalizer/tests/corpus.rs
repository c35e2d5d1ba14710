//! Calls that users reported and a hand-made corpus, each with its one right verdict.
//!
//! A miss is listed by its id with the sent, expected and returned values.

use serde_json::Value;
use toolwright_model::{Annotations, Finish, Outcome, ToolDefinition};
use toolwright_normalizer::{NamedTool, Normalizer, RawArguments, Tool, find_tool};

const REPORTED: &str = include_str!("fixtures/repair-cases.json");
const EXAMINED: &str = include_str!("../../../bench/corpus/reported.jsonl");
const TRAPS: &str = include_str!("../../../bench/corpus/traps.jsonl");
const MIXED: &str = include_str!("../../../bench/corpus/mixed.jsonl");
const NAMES: &str = include_str!("../../../bench/corpus/names.jsonl");

/// One call with its verdict, from any of the files.
struct Case {
    id: String,
    sent_name: Option<String>,
    tools: Vec<Value>,
    arguments: String,
    finish: Finish,
    verdict: String,
    right: Value,
    right_name: Option<String>,
}

fn text_of(arguments: &Value) -> String {
    arguments.as_str().map_or_else(|| arguments.to_string(), str::to_owned)
}

fn definition(tool: &Value) -> ToolDefinition {
    ToolDefinition {
        name: tool["name"].as_str().unwrap_or_default().to_owned(),
        server: tool["server"].as_str().map(str::to_owned),
        input_schema: tool["inputSchema"].to_string(),
        annotations: Annotations {
            destructive: tool["annotations"]["destructiveHint"] == true,
            ..Annotations::default()
        },
        ..ToolDefinition::default()
    }
}

/// The outcome of a case, if it is not the expected one.
fn miss(case: &Case) -> Option<String> {
    let definitions: Vec<ToolDefinition> = case.tools.iter().map(definition).collect();
    let names: Vec<NamedTool<'_>> = definitions
        .iter()
        .map(|tool| {
            NamedTool::new(&tool.name, tool.server.as_deref()).destroying(tool.annotations.destructive)
        })
        .collect();
    let (index, renamed) = match &case.sent_name {
        None => (0, false),
        Some(sent) => match find_tool(sent, &names, &[]) {
            Ok(found) => (found.index, found.code.is_some()),
            Err(_) => {
                return (case.verdict != "refuse").then(|| format!("{}: tool {sent} not found", case.id));
            }
        },
    };
    let tool = Tool::compile(&definitions[index]).expect("schemas of the corpus compile");
    let outcome = Normalizer::default().normalize(&tool, &RawArguments::text(&case.arguments, case.finish));
    let (verdict, arguments) = match &outcome {
        Outcome::Unchanged if renamed => ("repair", case.arguments.clone()),
        Outcome::Unchanged => ("unchanged", case.arguments.clone()),
        Outcome::Repaired { arguments, .. } => ("repair", arguments.clone()),
        Outcome::Refused { .. } => ("refuse", String::new()),
    };
    let right_tool = case.right_name.as_deref().is_none_or(|name| name == tool.name());
    let right = verdict == case.verdict
        && (verdict != "repair"
            || right_tool && same(&serde_json::from_str(&arguments).expect("JSON"), &case.right));
    (!right).then(|| {
        format!(
            "{}: expected {} {}, got {outcome:?}\n    sent {}",
            case.id, case.verdict, case.right, case.arguments
        )
    })
}

/// Equal by value; JSON text inside a string is compared by value too.
fn same(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::String(a), Value::String(b)) if a != b => {
            match (serde_json::from_str::<Value>(a), serde_json::from_str::<Value>(b)) {
                (Ok(a), Ok(b)) => same(&a, &b),
                _ => false,
            }
        }
        (Value::Array(a), Value::Array(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b)),
        (Value::Object(a), Value::Object(b)) => {
            a.len() == b.len() && a.iter().all(|(key, a)| b.get(key).is_some_and(|b| same(a, b)))
        }
        (Value::Number(a), Value::Number(b)) => a == b || a.as_f64() == b.as_f64(),
        _ => a == b,
    }
}

fn assert_no_miss(cases: Vec<Case>, at_least: usize) {
    assert!(cases.len() >= at_least, "only {} cases", cases.len());
    let misses: Vec<String> = cases.iter().filter_map(miss).collect();
    assert!(misses.is_empty(), "{} of {} cases missed:\n{}", misses.len(), cases.len(), misses.join("\n"));
}

fn corpus_line(line: &str) -> Case {
    let case: Value = serde_json::from_str(line).expect("a line of the corpus is JSON");
    let finish = match case["finish"].as_str() {
        Some("stop") => Finish::Stop,
        Some("length") => Finish::Length,
        _ => Finish::Unknown,
    };
    let tools = case["tools"].as_array().cloned().unwrap_or_else(|| vec![case["tool"].clone()]);
    Case {
        id: case["id"].as_str().unwrap_or_default().to_owned(),
        sent_name: case["name"].as_str().map(str::to_owned),
        tools,
        arguments: text_of(&case["arguments"]),
        finish,
        verdict: case["expect"]["verdict"].as_str().unwrap_or_default().to_owned(),
        right: case["expect"]["arguments"].clone(),
        right_name: case["expect"]["name"].as_str().map(str::to_owned),
    }
}

#[test]
fn every_reported_mismatch_gets_its_verdict() {
    let file: Value = serde_json::from_str(REPORTED).expect("the fixture is JSON");
    let cases = file["cases"].as_array().expect("a list of cases").iter().map(|case| Case {
        id: case["id"].as_str().unwrap_or_default().to_owned(),
        sent_name: case["sent_tool_name"].as_str().map(str::to_owned),
        tools: vec![serde_json::json!({"name": case["tool"], "inputSchema": case["schema"]})],
        arguments: text_of(&case["sent"]),
        finish: Finish::Unknown,
        verdict: case["verdict"].as_str().unwrap_or_default().to_owned(),
        right: case["right"].clone(),
        right_name: None,
    });
    assert_no_miss(cases.collect(), 63);
}

#[test]
fn every_call_in_the_style_of_reports_is_repaired_exactly() {
    assert_no_miss(EXAMINED.lines().map(corpus_line).collect(), 370);
}

#[test]
fn every_trap_is_refused_or_unchanged() {
    assert_no_miss(TRAPS.lines().map(corpus_line).collect(), 550);
}

/// Look-alike names are never accepted. Some of the true aliases are refused (the score counts them),
/// but none is assigned to another parameter.
#[test]
fn no_name_is_assigned_to_another() {
    let cases: Vec<Case> = NAMES.lines().map(corpus_line).collect();
    assert!(cases.len() >= 1400, "only {} cases", cases.len());
    let is_refused = |miss: &String| miss.contains(", got Refused");
    let taken: Vec<String> = cases.iter().filter_map(miss).filter(|miss| !is_refused(miss)).collect();
    assert!(taken.is_empty(), "{} of {} taken:\n{}", taken.len(), cases.len(), taken.join("\n"));
}

#[test]
fn every_mixed_case_gets_its_verdict() {
    assert_no_miss(MIXED.lines().map(corpus_line).collect(), 500);
}
