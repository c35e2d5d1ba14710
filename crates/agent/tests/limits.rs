//! Limits: large results, token and time budgets, repeated failures.

use std::time::Duration;

use toolwright_agent::{Limits, Silent, Stop};
use toolwright_executor::{ErrorCode, ToolFailure, ToolOutput};
use toolwright_testkit::llm_upstream::{Dialect, Ended, Said};

use crate::stage::{ANY, DIALECTS, RecordingListener, ask, stage, tool};

/// Longer than any step that does not hang.
const SOON: Duration = Duration::from_secs(20);

#[tokio::test]
async fn large_result_is_truncated_with_a_note() {
    for dialect in DIALECTS {
        let said = vec![Said::calls(&[("big", "{}")]), Said::text("It is long.")];
        let tools = vec![tool("big", ANY, |_| async { Ok(ToolOutput::text("ä".repeat(50_000))) })];
        let stage = stage(dialect, said, tools).await;
        let limits = Limits { result_bytes: 1_000, ..Limits::default() };
        let answer = stage.agent.ask(ask("Read it.").within(limits), &mut Silent).await.expect("an answer");
        let sent = &stage.upstream.exchanges()[1].asked.body;
        assert!(sent.contains("99000 of 100000 bytes were left out"), "{sent}");
        assert!(sent.len() < 8_000, "{}", sent.len());
        // The front receives the complete result.
        assert_eq!(answer.calls[0].result.as_ref().map(|output| output.text.len()), Ok(100_000));
    }
}

#[tokio::test]
async fn many_results_share_the_room_of_a_round() {
    let calls = vec![("big", "{}"); 32];
    let said = vec![Said::calls(&calls), Said::text("Much.")];
    let tools = vec![tool("big", ANY, |_| async { Ok(ToolOutput::text("x".repeat(1 << 20))) })];
    let stage = stage(Dialect::Chat, said, tools).await;
    stage.agent.ask(ask("Read."), &mut Silent).await.expect("an answer");
    let sent = stage.upstream.exchanges()[1].asked.body.len();
    assert!(sent < 200 << 10, "{sent}");
}

#[tokio::test]
async fn more_calls_than_a_round_may_have_are_answered_and_not_run() {
    let calls = vec![("a", "{}"); 40];
    let said = vec![Said::calls(&calls), Said::text("Many.")];
    let stage =
        stage(Dialect::Anthropic, said, vec![tool("a", ANY, |_| async { Ok(ToolOutput::text("1")) })]).await;
    let answer = stage.agent.ask(ask("Forty."), &mut Silent).await.expect("an answer");
    assert_eq!(answer.calls.len(), 40);
    let run = answer.calls.iter().filter(|call| call.result.is_ok()).count();
    assert_eq!(run, 32);
    let error = answer.calls[39].result.as_ref().expect_err("it was too many");
    assert_eq!(error.code, ErrorCode::Denied);
    assert_eq!(error.sentence, "Only 32 calls are run at once. Send this one again in the next round.");
    crate::history::check(Dialect::Anthropic, &stage.upstream.exchanges()).expect("a conversation");
}

#[tokio::test]
async fn token_limit_stops_requests() {
    let call = || Said::calls(&[("a", "{}")]);
    let said = vec![call(), call(), call(), call()];
    let stage =
        stage(Dialect::Anthropic, said, vec![tool("a", ANY, |_| async { Ok(ToolOutput::text("1")) })]).await;
    // The scripted model reports 120 tokens per response.
    let limits = Limits { tokens: 200, ..Limits::default() };
    let mut listener = RecordingListener::default();
    let answer = stage.agent.ask(ask("Go on.").within(limits), &mut listener).await.expect("an answer");
    assert_eq!((answer.stop, answer.rounds, answer.tokens.total()), (Stop::Tokens, 2, 240));
    assert_eq!(answer.text, "I stopped, because this question has used up what it may cost.");
    assert_eq!(listener.pieces.concat(), answer.text);
    assert_eq!(stage.upstream.exchanges().len(), 2);
}

#[tokio::test]
async fn a_model_that_takes_too_long_is_left() {
    for said in [Said::text("Late.").sent("slow=60000"), Said::text("Never.").sent("hold=2")] {
        let stage = stage(Dialect::Anthropic, vec![said], Vec::new()).await;
        let limits = Limits { time: Duration::from_millis(300), ..Limits::default() };
        let mut silent = Silent;
        let asked = stage.agent.ask(ask("Now?").within(limits), &mut silent);
        let answer = tokio::time::timeout(SOON, asked).await.expect("in time").expect("an answer");
        assert_eq!(answer.stop, Stop::Time);
        assert!(answer.text.ends_with("I ran out of time before I had an answer."), "{}", answer.text);
        stage
            .upstream
            .until("the model is cancelled", SOON, |all| all.iter().all(|one| one.ended == Ended::Gone))
            .await;
    }
}

#[tokio::test]
async fn a_tool_that_takes_too_long_is_stopped_and_has_its_result() {
    let said = vec![Said::calls(&[("hangs", "{}"), ("a", "{}")])];
    let tools = vec![
        tool("hangs", ANY, |_| std::future::pending()),
        tool("a", ANY, |_| async { Ok(ToolOutput::text("1")) }),
    ];
    let stage = stage(Dialect::Chat, said, tools).await;
    let limits = Limits { time: Duration::from_millis(300), ..Limits::default() };
    let mut silent = Silent;
    let asked = stage.agent.ask(ask("Go.").within(limits), &mut silent);
    let answer = tokio::time::timeout(SOON, asked).await.expect("in time").expect("an answer");
    assert_eq!((answer.stop, answer.calls.len()), (Stop::Time, 2));
    assert_eq!(answer.calls[0].result.as_ref().map_err(|error| error.code).err(), Some(ErrorCode::Cancelled));
    assert!(answer.calls[1].result.is_ok());
    assert_eq!(stage.executor.running(), 0);
}

#[tokio::test]
async fn repeated_failure_warns_and_then_stops() {
    for dialect in DIALECTS {
        let call = || Said::calls(&[("fails", r#"{"n": 1}"#)]);
        let said = vec![call(), call(), call(), call()];
        let tools =
            vec![tool("fails", ANY, |_| async { Err(ToolFailure::tool("The lamp does not answer.")) })];
        let stage = stage(dialect, said, tools).await;
        let answer = stage.agent.ask(ask("On."), &mut Silent).await.expect("an answer");
        assert_eq!((answer.stop, answer.rounds, answer.calls.len()), (Stop::Repeats, 3, 3));
        assert_eq!(
            answer.text,
            "I stopped, because the same call failed 3 times in the same way. The lamp does not answer."
        );
        let exchanges = stage.upstream.exchanges();
        let hints: Vec<usize> =
            exchanges.iter().map(|one| one.asked.body.matches("failed the same way").count()).collect();
        // The model is warned after the second failure; after the third there is no further request.
        assert_eq!(hints, [0, 0, 1], "{dialect:?}");
    }
}

#[tokio::test]
async fn another_call_or_another_error_is_no_repetition() {
    let count = std::sync::atomic::AtomicUsize::new(0);
    let tools = vec![tool("fails", ANY, move |_| {
        let times = count.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        async move { Err(ToolFailure::tool(format!("Attempt {times} failed."))) }
    })];
    let mut said: Vec<Said> = (0..4).map(|_| Said::calls(&[("fails", r#"{"n": 1}"#)])).collect();
    said.push(Said::text("It does not work."));
    let stage = stage(Dialect::Anthropic, said, tools).await;
    let answer = stage.agent.ask(ask("On."), &mut Silent).await.expect("an answer");
    assert_eq!((answer.stop, answer.calls.len()), (Stop::Answered, 4));
}

#[tokio::test]
async fn the_same_call_many_times_in_one_round_is_one_repetition() {
    let fails = ("fails", "{}");
    let said = vec![Said::calls(&[fails, fails, fails, fails]), Said::text("No.")];
    let tools = vec![tool("fails", ANY, |_| async { Err(ToolFailure::tool("No.")) })];
    let stage = stage(Dialect::Anthropic, said, tools).await;
    let answer = stage.agent.ask(ask("On."), &mut Silent).await.expect("an answer");
    assert_eq!((answer.stop, answer.calls.len()), (Stop::Answered, 4));
}
