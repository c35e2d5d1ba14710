//! Every explanation has steps, and its costs add up.

use serde_json::Value;
use toolwright_model::{Annotations, Code, Finish, Outcome, ToolDefinition};
use toolwright_normalizer::{Explanation, Normalizer, RawArguments, Tool, Verdict};

const CALLS: [&str; 2] =
    [include_str!("../../../bench/corpus/reported.jsonl"), include_str!("../../../bench/corpus/traps.jsonl")];

/// Every call of the corpora that names its tool, with its explanation.
fn explained() -> Vec<(String, Tool, Explanation)> {
    let lines = CALLS.iter().flat_map(|file| file.lines());
    let cases = lines.map(|line| serde_json::from_str::<Value>(line).expect("a line of the corpus is JSON"));
    cases
        .filter(|case| case["tools"].is_null())
        .map(|case| {
            let tool = &case["tool"];
            let definition = ToolDefinition {
                name: tool["name"].as_str().unwrap_or_default().to_owned(),
                input_schema: tool["inputSchema"].to_string(),
                annotations: Annotations {
                    destructive: tool["annotations"]["destructiveHint"] == true,
                    ..Annotations::default()
                },
                ..ToolDefinition::default()
            };
            let tool = Tool::compile(&definition).expect("schemas of the corpus compile");
            let arguments = &case["arguments"];
            let text = arguments.as_str().map_or_else(|| arguments.to_string(), str::to_owned);
            let finish = if case["finish"] == "stop" { Finish::Stop } else { Finish::Unknown };
            let explanation = Normalizer::default().explain(&tool, &RawArguments::text(&text, finish));
            (text, tool, explanation)
        })
        .collect()
}

#[test]
fn chosen_costs_add_up_to_total() {
    let mut repaired = 0;
    for (sent, _, explanation) in explained() {
        assert!(!explanation.steps.is_empty(), "no steps for {sent}");
        let Outcome::Repaired { changes, .. } = &explanation.outcome else { continue };
        repaired += 1;
        let of = |verdict: Verdict| explanation.steps.iter().filter(move |step| step.verdict == verdict);
        let sum: u32 = of(Verdict::Chosen).map(|step| step.cost).sum();
        let totals: Vec<u32> = of(Verdict::Total).map(|step| step.cost).collect();
        assert_eq!(totals, [sum], "{sent}: {:#?}", explanation.steps);
        assert_eq!(of(Verdict::Chosen).count(), changes.len(), "{sent}");
        // Only lenient parsing and rules are free.
        for (step, change) in of(Verdict::Chosen).zip(changes) {
            let is_free = change.rule.is_some() || change.code.as_str().starts_with('S');
            assert!(step.cost > 0 || is_free, "{sent}: {step:?}");
        }
    }
    assert!(repaired > 300, "only {repaired} repaired calls");
}

#[test]
fn hint_is_never_refused() {
    let mut forms = 0;
    for (sent, tool, explanation) in explained() {
        let Outcome::Refused { problems, hint } = &explanation.outcome else { continue };
        assert!(problems.iter().all(|problem| !problem.message.is_empty()) && !hint.is_empty(), "{sent}");
        let Some(form) = hint.strip_prefix("send ") else { continue };
        forms += 1;
        let is_open = |code: Code| {
            matches!(code, Code::AmbiguousReading | Code::MeaningfulUnknown | Code::ConflictingValues)
        };
        assert!(!problems.iter().any(|problem| is_open(problem.code)), "{sent}: {hint}");
        if !form.contains(['<', '…']) && form.ends_with('}') {
            assert!(tool.accepts(form), "{sent}: {hint}");
        }
    }
    assert!(forms > 30, "only {forms} forms");
}
