//! Guards: denied calls, and calls that wait for a confirmation.

use std::sync::Arc;

use toolwright_agent::{Decision, Guard, Proposed, Silent, Stop, Verdict};
use toolwright_executor::{ErrorCode, ToolOutput};
use toolwright_testkit::llm_upstream::{Dialect, Said};

use crate::stage::{ANY, DIALECTS, RecordingListener, Runs, Stage, ask, stage, tool};

const UNLOCK: (&str, &str) = ("control_zwave_device", r#"{"device_name": "Front Door", "command": "ON"}"#);
const FITS: &str = r#"{"deviceName":"Front Door","action":"on"}"#;

/// A guard that decides by the repaired arguments.
struct Doors(Runs);

impl Guard for Doors {
    fn judge(&self, call: &Proposed<'_>) -> Verdict {
        self.0.add(&format!("{} {}", call.tool.qualified_name(), call.arguments));
        match call.arguments {
            FITS => Verdict::Confirm { question: "Shall I unlock the front door?".to_owned() },
            other if other.contains("Safe") => {
                Verdict::Deny { sentence: "The safe stays closed.".to_owned() }
            }
            _ => Verdict::Allow,
        }
    }
}

async fn doors(dialect: Dialect, said: Vec<Said>) -> (Stage, Runs, Runs) {
    let (runs, judged) = (Runs::default(), Runs::default());
    let tools = vec![runs.switch(), tool("look", ANY, |_| async { Ok(ToolOutput::text("dark")) })];
    (stage(dialect, said, tools).await, runs, judged)
}

#[tokio::test]
async fn a_guard_reads_what_would_be_run_and_not_what_was_sent() {
    let (stage, runs, judged) = doors(Dialect::Chat, vec![Said::calls(&[UNLOCK])]).await;
    let question = ask("Open up.").guarded_by(Arc::new(Doors(judged.clone())));
    let answer = stage.agent.ask(question, &mut Silent).await.expect("an answer");
    assert_eq!(judged.all(), [format!("home/control_zwave_device {FITS}")]);
    assert_eq!(answer.stop, Stop::Confirm);
    assert_eq!(runs.all(), Vec::<String>::new());
}

#[tokio::test]
async fn denied_call_is_reported_to_the_model() {
    for dialect in DIALECTS {
        let said = vec![
            Said::calls(&[("control_zwave_device", r#"{"deviceName": "Safe", "action": "on"}"#)]),
            Said::text("I may not open it."),
        ];
        let (stage, runs, judged) = doors(dialect, said).await;
        let question = ask("Open the safe.").guarded_by(Arc::new(Doors(judged)));
        let answer = stage.agent.ask(question, &mut Silent).await.expect("an answer");
        assert_eq!((answer.text.as_str(), answer.stop), ("I may not open it.", Stop::Answered));
        let error = answer.calls[0].result.as_ref().expect_err("denied");
        assert_eq!((error.code, error.sentence.as_str()), (ErrorCode::Denied, "The safe stays closed."));
        assert_eq!(runs.all(), Vec::<String>::new());
        assert!(stage.upstream.exchanges()[1].asked.body.contains("The safe stays closed."));
    }
}

#[tokio::test]
async fn held_call_runs_after_yes() {
    for dialect in DIALECTS {
        let said = vec![Said::calls(&[("look", "{}"), UNLOCK]), Said::text("The door is open.")];
        let (stage, runs, judged) = doors(dialect, said).await;
        let mut listener = RecordingListener::default();
        let question = ask("Open up.").guarded_by(Arc::new(Doors(judged.clone()))).in_conversation("hall");
        let mut answer = stage.agent.ask(question, &mut listener).await.expect("an answer");
        assert_eq!((answer.stop, answer.text.as_str()), (Stop::Confirm, "Shall I unlock the front door?"));
        assert_eq!(listener.pieces.concat(), "Shall I unlock the front door?");
        assert!(answer.calls[0].result.is_ok(), "the other call was run");
        let held = answer.held.take().expect("a call is held");
        assert_eq!(held.conversation(), Some("hall"));
        let [call] = held.calls() else { panic!("{held:?}") };
        assert_eq!((call.tool.as_str(), call.arguments.as_str()), ("home/control_zwave_device", FITS));
        assert_eq!(runs.all(), Vec::<String>::new());

        let mut listener = RecordingListener::default();
        let answer = stage.agent.go_on(held, Decision::Yes, &mut listener).await.expect("an answer");
        assert_eq!((answer.stop, answer.text.as_str()), (Stop::Answered, "The door is open."));
        assert_eq!(runs.all(), [FITS]);
        assert_eq!((answer.calls.len(), answer.turns), (1, 1), "one turn, with a word between");
        // The guard is not called again after the user's confirmation.
        assert_eq!(judged.all().len(), 2);
        let exchanges = stage.upstream.exchanges();
        assert_eq!(exchanges.len(), 2);
        crate::history::check(dialect, &exchanges).expect("a conversation");
        assert!(exchanges[1].asked.body.contains("Successfully sent command"));
        assert!(!exchanges[1].asked.body.contains("has to confirm"), "the result has taken its place");
    }
}

#[tokio::test]
async fn no_runs_nothing_and_sends_no_request() {
    let (stage, runs, judged) = doors(Dialect::Anthropic, vec![Said::calls(&[UNLOCK])]).await;
    let question = ask("Open up.").guarded_by(Arc::new(Doors(judged))).in_conversation("hall");
    let answer = stage.agent.ask(question, &mut Silent).await.expect("an answer");
    let held = answer.held.expect("a call is held");
    let answer = stage.agent.go_on(held, Decision::No, &mut Silent).await.expect("an answer");
    assert_eq!((answer.stop, answer.text.as_str()), (Stop::Answered, "All right, I did not do it."));
    assert_eq!(runs.all(), Vec::<String>::new());
    assert_eq!(stage.upstream.exchanges().len(), 1);
    // The next question contains the refusal.
    stage.upstream.script(crate::stage::MODEL, vec![Said::text("You said no.")]);
    stage.agent.ask(ask("Why not?").in_conversation("hall"), &mut Silent).await.expect("an answer");
    let exchanges = stage.upstream.exchanges();
    assert!(exchanges[1].asked.body.contains("The person said no"), "{}", exchanges[1].asked.body);
    crate::history::check(Dialect::Anthropic, &exchanges).expect("a conversation");
}

#[tokio::test]
async fn dropped_held_calls_leave_a_valid_conversation() {
    for dialect in DIALECTS {
        let said = vec![Said::calls(&[UNLOCK]), Said::text("It is noon.")];
        let (stage, runs, judged) = doors(dialect, said).await;
        let question = ask("Open up.").guarded_by(Arc::new(Doors(judged))).in_conversation("hall");
        drop(stage.agent.ask(question, &mut Silent).await.expect("an answer"));
        stage
            .agent
            .ask(ask("What time is it?").in_conversation("hall"), &mut Silent)
            .await
            .expect("an answer");
        assert_eq!(runs.all(), Vec::<String>::new());
        crate::history::check(dialect, &stage.upstream.exchanges()).expect("a conversation");
    }
}

#[tokio::test]
async fn changed_tool_is_not_run_after_confirmation() {
    let (stage, runs, judged) =
        doors(Dialect::Chat, vec![Said::calls(&[UNLOCK]), Said::text("It has changed.")]).await;
    let question = ask("Open up.").guarded_by(Arc::new(Doors(judged)));
    let answer = stage.agent.ask(question, &mut Silent).await.expect("an answer");
    let held = answer.held.expect("a call is held");
    // The server now has another tool under the same name.
    let other = runs.clone();
    let schema = crate::stage::ZWAVE.replace("\"dim\"", "\"dim\",\"burn\"");
    let (definition, function) = tool("control_zwave_device", &schema, move |arguments| {
        other.add(&arguments);
        async { Ok(ToolOutput::text("burnt")) }
    });
    stage.executor.registry().register(definition, function).expect("in order");
    let answer = stage.agent.go_on(held, Decision::Yes, &mut Silent).await.expect("an answer");
    assert_eq!(runs.all(), Vec::<String>::new());
    let error = answer.calls[0].result.as_ref().expect_err("it is not run");
    assert_eq!(error.code, ErrorCode::Denied);
}

/// A guard that panics allows nothing.
#[tokio::test]
async fn a_guard_that_panics_denies() {
    struct Breaks;
    impl Guard for Breaks {
        fn judge(&self, _: &Proposed<'_>) -> Verdict {
            panic!("on purpose")
        }
    }
    let (stage, runs, _) = doors(Dialect::Chat, vec![Said::calls(&[UNLOCK]), Said::text("No.")]).await;
    let answer =
        stage.agent.ask(ask("Open up.").guarded_by(Arc::new(Breaks)), &mut Silent).await.expect("one");
    assert_eq!(runs.all(), Vec::<String>::new());
    let error = answer.calls[0].result.as_ref().expect_err("denied");
    assert_eq!(error.sentence, "I could not find out whether this is allowed, so I did not do it.");
}
