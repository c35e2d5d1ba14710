//! Failing models: errors, fallback, and what the conversation keeps.

use std::sync::Arc;
use std::time::Duration;

use toolwright_agent::{Agent, AskErrorKind, Silent, Stop};
use toolwright_executor::{ToolExecutor, ToolOutput};
use toolwright_proxy::LlmFront;
use toolwright_testkit::llm_upstream::{Dialect, Finish, Habit, LlmUpstream, Part, Said};

use crate::stage::{
    ANY, DIALECTS, KEY, MODEL, RecordingListener, ask, llm_settings, registry, stage, tool,
    upstream_settings, usual,
};

#[tokio::test]
async fn every_status_has_its_kind_and_no_second_question() {
    for (status, kind) in [
        (400, AskErrorKind::Invalid),
        (401, AskErrorKind::Key),
        (403, AskErrorKind::Key),
        (404, AskErrorKind::NoModel),
        (413, AskErrorKind::TooLarge),
        (429, AskErrorKind::Busy),
        (500, AskErrorKind::Broken),
        (503, AskErrorKind::Busy),
        (529, AskErrorKind::Busy),
    ] {
        for dialect in DIALECTS {
            let stage = stage(dialect, vec![Said::error(status), Said::text("Too late.")], Vec::new()).await;
            let error = stage.agent.ask(ask("Hi."), &mut Silent).await.expect_err("it fails");
            assert_eq!(error.kind, kind, "{dialect:?} {status}");
            assert_eq!(error.sentence, kind.sentence());
            assert!(!error.details.is_empty() && !error.details.contains(KEY), "{}", error.details);
            assert_eq!(stage.upstream.exchanges().len(), 1, "nobody asks twice");
        }
    }
}

#[tokio::test]
async fn answers_that_break_off_are_no_answers() {
    for dialect in DIALECTS {
        for said in [
            Said::text("It is twelve o'clock and more.").sent("cut=120"),
            Said::text("It is twelve o'clock and more.").sent("cut=120+reset"),
            Said::parts(vec![Part::Text("It is".into())]).ending(Finish::Fails),
        ] {
            let stage = stage(dialect, vec![said], Vec::new()).await;
            let error = stage.agent.ask(ask("Hi.").in_conversation("c"), &mut Silent).await;
            // An error in mid-stream carries its own kind.
            let kind = error.expect_err("it breaks off").kind;
            assert!([AskErrorKind::Broken, AskErrorKind::Busy].contains(&kind), "{dialect:?} {kind:?}");
        }
    }
}

#[tokio::test]
async fn calls_before_a_failure_are_remembered() {
    let said = vec![Said::calls(&[("a", "{}")]), Said::error(529), Said::text("It was done.")];
    let stage =
        stage(Dialect::Anthropic, said, vec![tool("a", ANY, |_| async { Ok(ToolOutput::text("done it")) })])
            .await;
    let error = stage.agent.ask(ask("Do it.").in_conversation("c"), &mut Silent).await.expect_err("busy");
    assert_eq!((error.kind, error.calls.len()), (AskErrorKind::Busy, 1));
    let answer = stage.agent.ask(ask("Did you?").in_conversation("c"), &mut Silent).await.expect("an answer");
    assert_eq!((answer.stop, answer.turns), (Stop::Answered, 2));
    let exchanges = stage.upstream.exchanges();
    assert!(exchanges[2].asked.body.contains("done it"));
    crate::history::check(Dialect::Anthropic, &exchanges).expect("a conversation");
}

#[tokio::test]
async fn a_question_that_came_to_nothing_leaves_no_trace_in_the_conversation() {
    let said = vec![Said::error(500), Said::text("Hello.")];
    let stage = stage(Dialect::Anthropic, said, Vec::new()).await;
    stage.agent.ask(ask("First.").in_conversation("c"), &mut Silent).await.expect_err("it fails");
    let answer = stage.agent.ask(ask("Second.").in_conversation("c"), &mut Silent).await.expect("an answer");
    assert_eq!(answer.turns, 1);
    assert!(!stage.upstream.exchanges()[1].asked.body.contains("First."));
}

/// Two upstreams of different dialects, in this order.
async fn two(first: Dialect, second: Dialect) -> (LlmUpstream, LlmUpstream, Agent) {
    let (one, other) =
        (LlmUpstream::start().await.expect("a port"), LlmUpstream::start().await.expect("one"));
    let llm = llm_settings(vec![
        upstream_settings("one", first, &one.url),
        upstream_settings("other", second, &other.url),
    ]);
    let tools = vec![tool("a", ANY, |_| async { Ok(ToolOutput::text("1")) })];
    let executor = Arc::new(ToolExecutor::new(registry(tools)));
    let models = Arc::new(LlmFront::new(&llm, Arc::clone(executor.rules()), None).expect("in order"));
    (one, other, Agent::new(models, executor, usual()))
}

#[tokio::test]
async fn another_upstream_answers_for_one_that_is_overloaded() {
    for (first, second) in [
        (Dialect::Anthropic, Dialect::Ollama),
        (Dialect::Chat, Dialect::Anthropic),
        (Dialect::Ollama, Dialect::Chat),
    ] {
        let (one, other, agent) = two(first, second).await;
        one.script(MODEL, vec![Said::calls(&[("a", "{}")]), Said::error(529)]);
        other.script(MODEL, vec![Said::text("One.")]);
        let answer = agent.ask(ask("How many?"), &mut Silent).await.expect("an answer");
        assert_eq!((answer.text.as_str(), answer.upstream.as_str()), ("One.", "other"));
        assert_eq!((one.exchanges().len(), other.exchanges().len()), (2, 1));
        crate::history::check(second, &other.exchanges()).expect("a conversation");
    }
}

#[tokio::test]
async fn no_fallback_after_first_token() {
    let (one, other, agent) = two(Dialect::Anthropic, Dialect::Anthropic).await;
    one.script(MODEL, vec![Said::text("It is exactly twelve o'clock, and more words.").sent("cut=700")]);
    other.script(MODEL, vec![Said::text("It is six.")]);
    let mut listener = RecordingListener::default();
    let asked = agent.ask(ask("What time is it?"), &mut listener).await;
    assert!(!listener.pieces.concat().is_empty(), "something was heard");
    assert_eq!(asked.expect_err("it broke off").kind, AskErrorKind::Broken);
    assert_eq!(other.exchanges().len(), 0);
}

#[tokio::test]
async fn unreachable_upstream_and_unknown_model_are_reported() {
    let executor = Arc::new(ToolExecutor::new(registry(Vec::new())));
    // A port on which no program listens.
    let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let url = format!("http://{}", listener.local_addr().expect("an address"));
    drop(listener);
    let mut llm = llm_settings(vec![upstream_settings("gone", Dialect::Ollama, &url)]);
    let models = LlmFront::new(&llm, Arc::clone(executor.rules()), None).expect("in order");
    let agent = Agent::new(Arc::new(models), Arc::clone(&executor), usual());
    let error = agent.ask(ask("Hi."), &mut Silent).await.expect_err("nobody is there");
    assert_eq!(error.kind, AskErrorKind::Broken);
    assert!(error.details.contains("cannot be reached"), "{}", error.details);
    llm.models.clear();
    let models = LlmFront::new(&llm, Arc::clone(executor.rules()), None).expect("in order");
    let agent = Agent::new(Arc::new(models), executor, usual());
    let error = agent.ask(ask("Hi."), &mut Silent).await.expect_err("no such model");
    assert_eq!(error.kind, AskErrorKind::NoModel);
    let error = agent.ask(ask("Hi.").of_model(""), &mut Silent).await.expect_err("no such model");
    assert_eq!(error.kind, AskErrorKind::NoModel);
}

#[tokio::test]
async fn a_silent_upstream_is_given_up_after_its_own_time() {
    let upstream = LlmUpstream::start().await.expect("a port");
    upstream.script(MODEL, vec![Said::text("Never.").sent("slow=60000")]);
    let mut settings = upstream_settings("slow", Dialect::Chat, &upstream.url);
    settings.first_byte = Duration::from_millis(100);
    let executor = Arc::new(ToolExecutor::new(registry(Vec::new())));
    let models = LlmFront::new(&llm_settings(vec![settings]), Arc::clone(executor.rules()), None);
    let agent = Agent::new(Arc::new(models.expect("in order")), executor, usual());
    let error = agent.ask(ask("Hi."), &mut Silent).await.expect_err("it is silent");
    assert_eq!(error.kind, AskErrorKind::Slow);
}

#[tokio::test]
async fn empty_answer_gets_a_text() {
    for dialect in DIALECTS {
        let said = Said::parts(Vec::new()).ending(Finish::Stop).with_habit(Habit::Clean);
        let stage = stage(dialect, vec![said], Vec::new()).await;
        let mut listener = RecordingListener::default();
        let answer = stage.agent.ask(ask("Hi."), &mut listener).await.expect("an answer");
        assert_eq!(
            (answer.text.as_str(), listener.pieces.concat()),
            ("I have no answer to that.", answer.text.clone())
        );
    }
}
