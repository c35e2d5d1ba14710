//! Replay of recorded calls, each normalized with only what was learned before it.

use serde_json::Value;
use toolwright_ledger::learn::{LearnPolicy, ReplayCall, ReplayResult, Replayer};
use toolwright_model::{Finish, Outcome, ToolDefinition};
use toolwright_normalizer::{RuleSet, Tool};

use super::stream::MISTAKES;

fn answer(
    replayer: &mut Replayer,
    definition: &ToolDefinition,
    session: &str,
    arguments: &str,
    ok: bool,
) -> Outcome {
    let tool = Tool::compile(definition).expect("the schema is one");
    let result = Some(ReplayResult { ok, error: (!ok).then_some("invalid arguments") });
    let finish = Finish::Unknown;
    let call = ReplayCall { definition, tool: &tool, arguments, finish, session: Some(session), result };
    replayer.answer(&call).expect("memory holds")
}

fn rules_after(policy: LearnPolicy, conversations: usize) -> (Vec<Outcome>, Value) {
    let mut replayer = Replayer::new(RuleSet::builtin(), policy).expect("it begins");
    let mistake = &MISTAKES[0];
    let mut outcomes = Vec::new();
    for index in 0..conversations {
        let (session, value) = (format!("s{index}"), format!("v{index}"));
        let definition = mistake.definition();
        outcomes.push(answer(&mut replayer, &definition, &session, &mistake.sent(&value), false));
        answer(&mut replayer, &definition, &session, &mistake.right(&value), true);
    }
    (outcomes, serde_json::from_str(&replayer.rules_line()).expect("JSON"))
}

#[test]
fn third_mistake_is_repaired_but_not_the_second() {
    let (outcomes, rules) = rules_after(LearnPolicy::ApplySafe, 3);
    assert!(matches!(outcomes[0], Outcome::Refused { .. }));
    assert!(matches!(outcomes[1], Outcome::Refused { .. }));
    assert!(matches!(outcomes[2], Outcome::Repaired { .. }), "{:?}", outcomes[2]);
    let expected = serde_json::json!({"rules": [{
        "type": "param_alias", "tool": "office/create_page", "from": "source", "to": "markdown",
        "status": "active", "evidence": 2,
    }]});
    assert_eq!(rules, expected);
}

#[test]
fn suggest_repairs_nothing_and_off_learns_nothing() {
    let (outcomes, rules) = rules_after(LearnPolicy::Suggest, 3);
    assert!(outcomes.iter().all(|outcome| matches!(outcome, Outcome::Refused { .. })));
    assert_eq!(rules["rules"][0]["status"], "suggested");
    assert_eq!(rules["rules"][0]["evidence"], 3);
    assert_eq!(rules_after(LearnPolicy::Off, 3).1, serde_json::json!({"rules": []}));
}
