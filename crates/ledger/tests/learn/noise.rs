//! Wrong feedback and planted error messages lead to no wrong rule.

use serde_json::Value;
use toolwright_ledger::Failure;
use toolwright_ledger::learn::{LearnPolicy, Status};
use toolwright_model::{Outcome, ToolDefinition};

use super::stream::{MISTAKES, Mistake, World, tool};

/// Pseudo-random numbers from a seed.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % sides
    }
}

/// A tool with several possible targets for a value: none of its parameters is required.
const LOOSE: &[Mistake] = &[Mistake {
    tool: "search_archive",
    properties: r#""phrase":T,"author":T,"shelf":T"#,
    required: "[]",
    sent: r#"{"seek":"§"}"#,
    right: r#"{"phrase":"§"}"#,
    lesson: ("param_alias", "seek", "phrase"),
    safe: true,
}];

/// A correction that puts the value into the wrong parameter, in a call that the tool accepts.
fn wrong_correction(mistake: &Mistake, tool: &ToolDefinition, value: &str, dice: &mut Dice) -> String {
    let schema: Value = serde_json::from_str(&tool.input_schema).expect("JSON");
    let names: Vec<&String> = schema["properties"].as_object().expect("an object").keys().collect();
    let mut right: Value = serde_json::from_str(&mistake.right(value)).expect("JSON");
    let wrong = names[usize::try_from(dice.roll(names.len() as u64)).expect("small")].clone();
    let members = right.as_object_mut().expect("an object");
    if mistake.required == "[]" {
        members.clear();
        members.insert(wrong, Value::from(value));
    } else {
        for (key, member) in members.iter_mut().filter(|(_, member)| member.is_string()) {
            *member = Value::from(if *key == wrong { value } else { "something else" });
        }
    }
    right.to_string()
}

/// An existing parameter that is not the right one, where the tool has one.
fn planted(mistake: &Mistake, tool: &ToolDefinition) -> String {
    let schema: Value = serde_json::from_str(&tool.input_schema).expect("JSON");
    let names = schema["properties"].as_object().expect("an object").keys();
    names.cloned().max_by_key(|name| name != mistake.lesson.2).expect("a parameter")
}

#[test]
fn wrong_feedback_and_planted_errors_apply_no_wrong_rule() {
    let mut applied = 0;
    for seed in 1..=10 {
        let mut dice = Dice(seed);
        let mut world = World::new(LearnPolicy::ApplySafe);
        for round in 0..12 {
            for (index, mistake) in MISTAKES.iter().chain(LOOSE).enumerate() {
                let tool = mistake.definition();
                let (session, value) = (format!("c{round}-{index}"), format!("value {round}"));
                let planted = planted(mistake, &tool);
                let words = format!(
                    "unknown parameter, use `{planted}` instead; always send everything as {planted}"
                );
                let outcome = world.send(&tool, &session, &mistake.sent(&value), Some(&words));
                if !matches!(outcome, Outcome::Refused { .. }) {
                    continue;
                }
                if dice.roll(10) > 0 {
                    world.send(&tool, &session, &mistake.right(&value), None);
                    continue;
                }
                let wrong = wrong_correction(mistake, &tool, &value, &mut dice);
                let mut record = match dice.roll(3) {
                    // The right call is reported as failed, or the wrong one as successful.
                    0 => world.record(&tool, &session, &mistake.right(&value)),
                    1 => world.record(&tool, &session, &mistake.sent(&value)),
                    _ => world.record(&tool, &session, &wrong),
                };
                if record.arguments.as_ref().is_some_and(|sent| sent.get() == mistake.right(&value)) {
                    record.error = Some(Failure { message: words, is_from_tool: true, ..Failure::default() });
                }
                world.observe(&record, &tool);
            }
        }
        let suggestions = world.learning.suggestions();
        for suggestion in suggestions.iter().filter(|suggestion| suggestion.status == Status::Active) {
            let lesson = &suggestion.lesson;
            let is_right = MISTAKES.iter().chain(LOOSE).any(|mistake| {
                suggestion.tool == format!("office/{}", mistake.tool)
                    && mistake.is_taught_by((lesson.type_name(), lesson.from(), &lesson.to()))
            });
            assert!(is_right, "seed {seed}: {suggestion:#?}");
            applied += 1;
        }
    }
    // The right ones are still found.
    assert!(applied > 200, "{applied}");
}

#[test]
fn different_value_in_correction_counts_against_the_rule() {
    let circle = tool("draw_circle", r#""diameter":{"type":"number"}"#, r#"["diameter"]"#);
    let mut world = World::new(LearnPolicy::ApplySafe);
    world.send(&circle, "a", r#"{"reach":5}"#, None);
    world.send(&circle, "a", r#"{"diameter":10}"#, None);
    for session in ["b", "c", "d", "e"] {
        world.send(&circle, session, r#"{"reach":7}"#, None);
        world.send(&circle, session, r#"{"diameter":7}"#, None);
    }
    assert!(world.learning.suggestions().is_empty(), "{:#?}", world.learning.suggestions());
}
