//! Laws: a learned rule changes no valid call, and undoing restores exactly.

use std::sync::Arc;

use proptest::prelude::*;
use serde_json::{Map, Value, json};
use toolwright_ledger::learn::{LearnPolicy, Learning, LearningOptions, Lesson, MemoryStore};
use toolwright_model::Outcome;
use toolwright_normalizer::rules::parse_learned;
use toolwright_normalizer::{Normalizer, RawArguments, RuleSet, Tool};

use super::stream::{MISTAKES, World, tool};

fn value() -> impl Strategy<Value = Value> {
    prop_oneof![
        "[a-z]{0,6}".prop_map(Value::from),
        (-5i64..50).prop_map(Value::from),
        any::<bool>().prop_map(Value::from),
        Just(Value::Null),
        prop::collection::vec((0i64..9).prop_map(Value::from), 0..3).prop_map(Value::from),
    ]
}

const NAMES: [&str; 6] = ["memo", "count", "level", "gist", "amount", "on"];

fn arguments() -> impl Strategy<Value = Map<String, Value>> {
    prop::collection::vec((prop::sample::select(&NAMES[..]), value()), 0..5)
        .prop_map(|members| members.into_iter().map(|(name, value)| (name.to_owned(), value)).collect())
}

fn lesson() -> impl Strategy<Value = Lesson> {
    let name = || prop::sample::select(&NAMES[..]).prop_map(str::to_owned);
    prop_oneof![
        (name(), name())
            .prop_filter("a name for itself", |(from, to)| from != to)
            .prop_map(|(from, to)| Lesson::ParamAlias { from, to }),
        (name(), prop::sample::select(&["bool", "int", "float", "string"][..]))
            .prop_map(|(from, to)| Lesson::TypeCoerce { from, coerce_to: to.to_owned() }),
        (name(), "[a-z]{1,3}").prop_map(|(from, sent)| Lesson::ValueMap {
            from,
            sent,
            meant: "\"high\"".to_owned()
        }),
        name().prop_map(|from| Lesson::ParamDefault { from, value: "7".to_owned() }),
    ]
}

proptest! {
    #[test]
    fn learned_rule_keeps_valid_calls(sent in arguments(), lessons in prop::collection::vec(lesson(), 1..4)) {
        for end in [r#"]}"#, r#"],"additionalProperties":false}"#] {
            let mut definition = tool("t", r#""memo":T,"count":{"type":"integer"},"level":{"enum":["high","low"]},"on":{"type":["boolean","string"]}"#, "[]");
            definition.input_schema = definition.input_schema.replace(r#"],"additionalProperties":false}"#, end);
            let tool = Tool::compile(&definition).expect("the schema is one");
            let text = Value::Object(sent.clone()).to_string();
            let rules = lessons.iter().enumerate().filter_map(|(index, lesson)| {
                let rule = lesson.rule(&format!("r{index}"), "office/t", "tried");
                parse_learned(&json!([rule]).to_string()).ok()
            });
            let learned = RuleSet::builtin().with_learned_rules(rules.flatten().collect());
            if tool.accepts(&text) {
                let outcome = Normalizer::new(learned).normalize(&tool, &RawArguments::json(&text));
                prop_assert_eq!(outcome, Outcome::Unchanged);
            }
        }
    }

}

proptest! {
    // Each case is a dozen conversations.
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn undoing_in_any_order_restores_the_rules(order in Just((0..6usize).collect::<Vec<_>>()).prop_shuffle(), kept in 0..6usize) {
        let mut world = World::new(LearnPolicy::Suggest);
        for mistake in &MISTAKES[..6] {
            world.converse(mistake, "one", "first");
            world.converse(mistake, "two", "second");
        }
        let ids: Vec<String> = world.learning.suggestions().into_iter().map(|one| one.id).collect();
        prop_assert_eq!(ids.len(), 6);
        world.learning.accept(&ids[kept], "anna", 1).expect("accepted");
        let (rules, before) = (world.learning.active_rules(), Arc::clone(&world.learning.rules().load()));
        for index in order.iter().filter(|index| **index != kept) {
            world.learning.accept(&ids[*index], "anna", 2).expect("accepted");
        }
        for index in order.iter().rev().filter(|index| **index != kept) {
            world.learning.undo(&ids[*index], "anna", 3).expect("undone");
        }
        prop_assert_eq!(world.learning.active_rules(), rules);
        let after = Arc::clone(&world.learning.rules().load());
        prop_assert_eq!(after.normalizer().rules().rules(), before.normalizer().rules().rules());
    }
}

#[test]
fn replayed_history_gives_the_same_rules() {
    let mut world = World::new(LearnPolicy::ApplySafe);
    for mistake in MISTAKES {
        world.converse(mistake, "one", "first");
        world.converse(mistake, "two", "second");
    }
    assert!(world.learning.active_rules().len() >= 20);
    let mut store = MemoryStore::default();
    for event in world.learning.history() {
        let line = serde_json::to_string(event).expect("JSON");
        let event = serde_json::from_str(&line).expect("an event");
        toolwright_ledger::learn::DecisionStore::append(&mut store, &event).expect("memory holds");
    }
    let (again, _) = Learning::open(LearningOptions::default(), Box::new(store)).expect("it opens");
    assert_eq!(again.active_rules(), world.learning.active_rules());
}
