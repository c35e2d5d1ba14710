//! Recall and false positives of the scanner on a corpus of tools.

use serde_json::Value;
use toolwright_security::{Context, Finding, Severity, scan_tool};

fn cases(text: &str) -> Vec<Value> {
    serde_json::from_str(text).expect("a list of cases")
}

/// The name of a case and the findings that a user would see.
fn scan_case(case: &Value) -> (&str, Vec<Finding>) {
    let others = case["others"].as_array().cloned().unwrap_or_default();
    let context = Context::new(others.iter().filter_map(Value::as_str));
    let mut findings = scan_tool(&case["tool"].to_string(), &context);
    findings.retain(|finding| finding.severity >= Severity::Medium);
    (case["case"].as_str().expect("a name"), findings)
}

#[test]
fn poisoned_tools_are_found() {
    let cases = cases(include_str!("../corpus/poisoned.json"));
    assert!(cases.len() >= 40);
    let mut missed = Vec::new();
    let mut under_another_code = Vec::new();
    for case in &cases {
        let (name, findings) = scan_case(case);
        if findings.is_empty() {
            missed.push(name);
        } else if !findings.iter().any(|finding| finding.code == case["kind"]) {
            under_another_code.push(name);
        }
    }
    let found = cases.len() - missed.len();
    println!("recall: {found} of {} ({:.1} %)", cases.len(), 100.0 * found as f64 / cases.len() as f64);
    println!("missed: {missed:?}");
    println!("found under another code: {under_another_code:?}");
    assert!(found * 100 >= cases.len() * 95, "missed: {missed:?}");
    assert!(under_another_code.len() <= 2, "{under_another_code:?}");
}

#[test]
fn harmless_tools_have_no_findings() {
    let cases = cases(include_str!("../corpus/benign.json"));
    assert!(cases.len() >= 80);
    let false_positives: Vec<_> =
        cases.iter().map(scan_case).filter(|(_, findings)| !findings.is_empty()).collect();
    println!("false positives: {} of {}: {false_positives:#?}", false_positives.len(), cases.len());
    assert!(false_positives.len() <= 2, "{false_positives:#?}");
}
