//! Repeated mistakes are learned after two observations.

use std::collections::BTreeSet;

use toolwright_ledger::learn::{LearnPolicy, Status, Suggestion};
use toolwright_model::Outcome;

use super::stream::{MISTAKES, Mistake, World};

fn teaches(mistake: &Mistake, suggestion: &Suggestion) -> bool {
    let lesson = &suggestion.lesson;
    suggestion.tool == format!("office/{}", mistake.tool)
        && mistake.is_taught_by((lesson.type_name(), lesson.from(), &lesson.to()))
}

#[test]
fn builtin_rules_repair_none_of_the_test_mistakes() {
    let tools: BTreeSet<&str> = MISTAKES.iter().map(|mistake| mistake.tool).collect();
    assert!(MISTAKES.len() >= 30 && tools.len() >= 20, "{} over {}", MISTAKES.len(), tools.len());
    let mut repaired = Vec::new();
    for mistake in MISTAKES {
        let tool = mistake.definition();
        let outcome = World::new(LearnPolicy::Off).send(&tool, "s", &mistake.sent("value"), None);
        if !matches!(outcome, Outcome::Refused { .. }) {
            repaired.push((mistake.tool, mistake.lesson));
        }
        let right = World::new(LearnPolicy::Off).send(&tool, "s", &mistake.right("value"), None);
        assert_eq!(right, Outcome::Unchanged, "{}", mistake.tool);
    }
    assert!(repaired.is_empty(), "{repaired:#?}");
}

#[test]
fn two_observations_suggest_exactly_the_right_rule() {
    for mistake in MISTAKES {
        let mut world = World::new(LearnPolicy::Suggest);
        world.converse(mistake, "one", "first");
        assert!(world.learning.suggestions().is_empty(), "{}", mistake.tool);
        world.converse(mistake, "two", "second");
        let suggestions = world.learning.suggestions();
        assert_eq!(suggestions.len(), 1, "{} {:?}: {suggestions:#?}", mistake.tool, mistake.lesson);
        let suggestion = &suggestions[0];
        assert!(teaches(mistake, suggestion), "{suggestion:#?}");
        assert_eq!(suggestion.status, Status::Suggested);
        assert_eq!((suggestion.evidence.observations, suggestion.evidence.sessions), (2, 2));
        assert_eq!(
            (suggestion.replay.mends, suggestion.replay.of, suggestion.replay.changes_good),
            (2, 2, 0)
        );
        assert_eq!(world.learning.why_not_safe(&suggestion.id).expect("known").is_none(), mistake.safe);
        // A suggestion alone applies nothing.
        let again = world.send(&mistake.definition(), "three", &mistake.sent("third"), None);
        assert!(matches!(again, Outcome::Refused { .. }));
    }
}

#[test]
fn distinct_values_in_one_conversation_are_distinct_observations() {
    let mut world = World::new(LearnPolicy::Suggest);
    world.converse(&MISTAKES[0], "one", "same");
    world.converse(&MISTAKES[0], "one", "same");
    assert!(world.learning.suggestions().is_empty());
    world.converse(&MISTAKES[0], "one", "other");
    assert_eq!(world.learning.suggestions().len(), 1);
}

#[test]
fn apply_safe_repairs_nine_of_ten_repeats() {
    let mut world = World::new(LearnPolicy::ApplySafe);
    let (mut repeats, mut repaired) = (0, 0);
    for round in 0..12 {
        for (index, mistake) in MISTAKES.iter().enumerate() {
            let (session, value) = (format!("c{round}-{index}"), format!("value {round} {index}"));
            let tool = mistake.definition();
            let outcome = world.send(&tool, &session, &mistake.sent(&value), None);
            if round >= 2 {
                repeats += 1;
            }
            match outcome {
                Outcome::Repaired { arguments, .. } => {
                    let right: serde_json::Value =
                        serde_json::from_str(&mistake.right(&value)).expect("JSON");
                    let got: serde_json::Value = serde_json::from_str(&arguments).expect("JSON");
                    assert_eq!(got, right, "{}", mistake.tool);
                    repaired += 1;
                }
                _ => {
                    world.send(&tool, &session, &mistake.right(&value), None);
                }
            }
        }
    }
    assert!(repaired * 10 >= repeats * 9, "{repaired} of {repeats}");
    for suggestion in world.learning.suggestions() {
        let mistake =
            MISTAKES.iter().find(|mistake| teaches(mistake, &suggestion)).expect("nothing else is learned");
        assert_eq!(suggestion.status == Status::Active, mistake.safe, "{suggestion:#?}");
    }
}

#[test]
fn repaired_mistakes_are_not_suggested() {
    let tool = super::stream::tool("read_note", r#""path":T,"raw":{"type":"boolean"}"#, r#"["path"]"#);
    let mut world = World::new(LearnPolicy::Suggest);
    for session in ["a", "b", "c"] {
        // As if the gateway had not repaired it.
        let mut record = world.record(&tool, session, r#"{"file_path":"x","raw":"true"}"#);
        record.error = Some(toolwright_ledger::Failure::default());
        world.observe(&record, &tool);
        world.send(&tool, session, r#"{"path":"x","raw":true}"#, None);
    }
    assert!(world.learning.suggestions().is_empty(), "{:#?}", world.learning.suggestions());
}
