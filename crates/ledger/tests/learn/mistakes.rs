//! Mistakes that are repeated are learned after two of them.

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
fn there_are_thirty_kinds_over_twenty_tools_that_nothing_built_in_mends() {
    let tools: BTreeSet<&str> = MISTAKES.iter().map(|mistake| mistake.tool).collect();
    assert!(MISTAKES.len() >= 30 && tools.len() >= 20, "{} over {}", MISTAKES.len(), tools.len());
    let mut mended = Vec::new();
    for mistake in MISTAKES {
        let tool = mistake.definition();
        let outcome = World::new(LearnPolicy::Off).send(&tool, "s", &mistake.sent("value"), None);
        if !matches!(outcome, Outcome::Refused { .. }) {
            mended.push((mistake.tool, mistake.lesson));
        }
        let right = World::new(LearnPolicy::Off).send(&tool, "s", &mistake.right("value"), None);
        assert_eq!(right, Outcome::Unchanged, "{}", mistake.tool);
    }
    assert!(mended.is_empty(), "{mended:#?}");
}

#[test]
fn after_two_observations_the_right_rule_and_no_other_is_suggested() {
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
        // It is not applied by that.
        let again = world.send(&mistake.definition(), "three", &mistake.sent("third"), None);
        assert!(matches!(again, Outcome::Refused { .. }));
    }
}

#[test]
fn two_values_in_one_conversation_are_two_observations_and_the_same_one_is_not() {
    let mut world = World::new(LearnPolicy::Suggest);
    world.converse(&MISTAKES[0], "one", "same");
    world.converse(&MISTAKES[0], "one", "same");
    assert!(world.learning.suggestions().is_empty());
    world.converse(&MISTAKES[0], "one", "other");
    assert_eq!(world.learning.suggestions().len(), 1);
}

#[test]
fn with_apply_safe_nine_of_ten_repeats_are_mended_to_the_right_call() {
    let mut world = World::new(LearnPolicy::ApplySafe);
    let (mut repeats, mut mended) = (0, 0);
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
                    mended += 1;
                }
                _ => {
                    world.send(&tool, &session, &mistake.right(&value), None);
                }
            }
        }
    }
    assert!(mended * 10 >= repeats * 9, "{mended} of {repeats}");
    for suggestion in world.learning.suggestions() {
        let mistake =
            MISTAKES.iter().find(|mistake| teaches(mistake, &suggestion)).expect("nothing else is learned");
        assert_eq!(suggestion.status == Status::Active, mistake.safe, "{suggestion:#?}");
    }
}

#[test]
fn what_is_mended_already_is_not_suggested() {
    let tool = super::stream::tool("read_note", r#""path":T,"raw":{"type":"boolean"}"#, r#"["path"]"#);
    let mut world = World::new(LearnPolicy::Suggest);
    for session in ["a", "b", "c"] {
        // As if the gateway had let it through unmended.
        let mut record = world.record(&tool, session, r#"{"file_path":"x","raw":"true"}"#);
        record.error = Some(toolwright_ledger::Failure::default());
        world.observe(&record, &tool);
        world.send(&tool, session, r#"{"path":"x","raw":true}"#, None);
    }
    assert!(world.learning.suggestions().is_empty(), "{:#?}", world.learning.suggestions());
}
