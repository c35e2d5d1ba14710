//! Whatever a model sends and tools do: each call has exactly one result, in order, and every request is a
//! valid conversation for its provider.

use std::sync::Arc;
use std::time::Duration;

use proptest::prelude::*;
use toolwright_agent::{Guard, Limits, Proposed, Silent, Stop, Verdict};
use toolwright_executor::{ToolExecutor, ToolFailure, ToolOutput};
use toolwright_testkit::llm_upstream::{Dialect, Finish, Habit, Part, Said};

use crate::history;
use crate::stage::{ANY, DIALECTS, Tools, ask, registry, stage_of, tool, usual};

/// Calls that a model may send.
const CALLS: [(&str, &str); 9] = [
    ("works", r#"{"n": 1}"#),
    ("works", r#"{"n": "2"}"#),
    ("Works", "{'n': 3,}"),
    ("fails", r#"{"n": 1}"#),
    ("panics", "{}"),
    ("hangs", "{}"),
    ("denied", "{}"),
    ("is_nowhere", r#"{"x": 1}"#),
    ("works", r#"{"n": [true]}"#),
];

fn tools() -> Tools {
    vec![
        tool("works", ANY, |arguments| async move { Ok(ToolOutput::text(arguments)) }),
        tool("fails", ANY, |_| async { Err(ToolFailure::tool("It is broken.")) }),
        tool("panics", ANY, |_| async { panic!("on purpose") }),
        tool("hangs", ANY, |_| std::future::pending()),
        tool("denied", ANY, |_| async { Ok(ToolOutput::text("it must not run")) }),
    ]
}

struct Denies;

impl Guard for Denies {
    fn judge(&self, call: &Proposed<'_>) -> Verdict {
        match call.tool.name() {
            "denied" => Verdict::Deny { sentence: "That is not allowed.".to_owned() },
            _ => Verdict::Allow,
        }
    }
}

/// A round of the model: optional text, and some calls.
fn round() -> impl Strategy<Value = (Option<&'static str>, Vec<usize>)> {
    let words =
        prop::option::of(prop::sample::select(vec!["Let me see.", "<tool_call>", "Hm", "{\"name\":"]));
    (words, prop::collection::vec(0..CALLS.len(), 0..5))
}

fn said((words, calls): &(Option<&'static str>, Vec<usize>), habit: Habit) -> Said {
    let calls = calls
        .iter()
        .map(|call| Part::Call { name: CALLS[*call].0.to_owned(), arguments: CALLS[*call].1.to_owned() });
    let words = words.map(|words| Part::Text(words.to_owned()));
    Said::parts(words.into_iter().chain(calls).collect()).with_habit(habit)
}

async fn holds(
    dialect: Dialect,
    script: Vec<(Option<&'static str>, Vec<usize>)>,
    habit: Habit,
    rounds: u32,
) -> Result<(), TestCaseError> {
    let executor = ToolExecutor::new(registry(tools())).with_timeout("hangs", Duration::from_millis(5));
    let mut turns: Vec<Said> = script.iter().map(|round| said(round, habit)).collect();
    turns.push(Said::text("Done.").ending(Finish::Stop));
    let stage = stage_of(dialect, turns, executor, usual()).await;
    let limits = Limits { rounds, ..Limits::default() };
    let question = ask("Do it.").guarded_by(Arc::new(Denies)).within(limits).in_conversation("law");
    let answer = stage.agent.ask(question, &mut Silent).await;
    let answer = answer.map_err(|error| TestCaseError::fail(format!("{error:?}")))?;
    let exchanges = stage.upstream.exchanges();
    history::check(dialect, &exchanges).map_err(TestCaseError::fail)?;
    prop_assert_eq!(exchanges.len() as u32, answer.rounds);
    prop_assert!(answer.rounds <= rounds + 1);
    prop_assert!(!answer.text.is_empty());
    // Every call that was sent in a round with tools has one result, and no other call has one.
    let mut expected: Vec<&str> = Vec::new();
    for (_, calls) in script.iter().take(answer.rounds.min(rounds) as usize) {
        if calls.is_empty() {
            break;
        }
        expected.extend(calls.iter().map(|call| CALLS[*call].0));
    }
    let called: Vec<&str> = answer.calls.iter().map(|call| call.sent_name.as_str()).collect();
    prop_assert_eq!(called, expected);
    for call in &answer.calls {
        let is_good =
            matches!((call.sent_name.as_str(), call.sent.contains("true")), ("works" | "Works", false));
        prop_assert_eq!(call.result.is_ok(), is_good, "{:?}", call);
    }
    // The stored conversation is valid too.
    stage.upstream.script(crate::stage::MODEL, vec![Said::text("Yes.")]);
    let over = stage.upstream.unsaid(crate::stage::MODEL);
    if over == 1 {
        let again = stage.agent.ask(ask("And now?").in_conversation("law"), &mut Silent).await;
        prop_assert_eq!(again.map(|answer| answer.stop).ok(), Some(Stop::Answered));
        history::check(dialect, &stage.upstream.exchanges()).map_err(TestCaseError::fail)?;
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn each_call_has_one_result_and_the_history_is_valid(
        dialect in prop::sample::select(DIALECTS.to_vec()),
        script in prop::collection::vec(round(), 0..5),
        habit in prop::sample::select(vec![Habit::Clean, Habit::Together, Habit::NoId]),
        rounds in 1..4_u32,
    ) {
        // A tool that panics on purpose writes to standard error, which no reader of the tests needs.
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
        runtime.block_on(holds(dialect, script, habit, rounds))?;
    }
}
