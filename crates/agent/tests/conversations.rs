//! The memory: by conversation, limited, and complete.

use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use toolwright_agent::{AgentSettings, Clock, Front, MemorySettings, Question, Silent};
use toolwright_executor::ToolOutput;
use toolwright_testkit::llm_upstream::{Dialect, Said};

use crate::stage::{ANY, DIALECTS, MODEL, ask, stage, stage_with, tool, usual};

/// A clock that the test advances.
struct TestClock(Mutex<Instant>);

impl TestClock {
    fn wind(&self, time: Duration) {
        *self.0.lock().expect("no test broke") += time;
    }
}

impl Clock for TestClock {
    fn now(&self) -> Instant {
        *self.0.lock().expect("no test broke")
    }
}

fn said(texts: &[&str]) -> Vec<Said> {
    texts.iter().map(|text| Said::text(text)).collect()
}

#[tokio::test]
async fn a_conversation_goes_on_until_two_minutes_of_silence() {
    let clock = Arc::new(TestClock(Mutex::new(Instant::now())));
    let mut stage = stage(Dialect::Anthropic, said(&["Ann.", "You.", "Who?"]), Vec::new()).await;
    stage.agent = stage.agent.with_clock(Arc::clone(&clock) as _);
    let one = stage.agent.ask(ask("I am Ann.").in_conversation("hall"), &mut Silent).await.expect("one");
    clock.wind(Duration::from_secs(119));
    let two = stage.agent.ask(ask("Who am I?").in_conversation("hall"), &mut Silent).await.expect("two");
    clock.wind(Duration::from_secs(121));
    let three = stage.agent.ask(ask("Who am I?").in_conversation("hall"), &mut Silent).await.expect("three");
    assert_eq!([one.turns, two.turns, three.turns], [1, 2, 1]);
    let counts: Vec<usize> = stage
        .upstream
        .exchanges()
        .iter()
        .map(|one| one.asked.json("/messages").as_array().map_or(0, Vec::len))
        .collect();
    assert_eq!(counts, [1, 3, 1]);
}

#[tokio::test]
async fn conversations_do_not_hear_each_other_and_a_question_alone_remembers_nothing() {
    let stage = stage(Dialect::Chat, said(&["One.", "Two.", "Three.", "Four."]), Vec::new()).await;
    for question in [ask("a").in_conversation("x"), ask("b").in_conversation("y"), ask("c"), ask("d")] {
        let answer = stage.agent.ask(question, &mut Silent).await.expect("an answer");
        assert_eq!(answer.turns, 1);
    }
    for exchange in stage.upstream.exchanges() {
        let roles = exchange.asked.json("/messages");
        assert_eq!(roles.as_array().map(Vec::len), Some(2), "{roles}");
    }
    stage.agent.forget("x");
    stage.upstream.script(MODEL, said(&["Five."]));
    let answer = stage.agent.ask(ask("e").in_conversation("x"), &mut Silent).await.expect("an answer");
    assert_eq!(answer.turns, 1);
}

#[tokio::test]
async fn remembered_turns_are_sent_to_the_model() {
    for dialect in DIALECTS {
        let stage = stage(dialect, said(&["The lamp."]), Vec::new()).await;
        stage.agent.remember("hall", "Turn on the lamp.", "The lamp is on.");
        stage.agent.remember("attic", "Open the window.", "The window is open.");
        let question = ask("What did I turn on?").in_conversation("hall");
        let answer = stage.agent.ask(question, &mut Silent).await.expect("an answer");
        assert_eq!(answer.turns, 2);
        let asked = stage.upstream.exchanges()[0].asked.json("/messages").to_string();
        assert!(asked.contains("The lamp is on.") && !asked.contains("window"), "{asked}");
    }
}

#[tokio::test]
async fn dropped_turns_are_dropped_completely() {
    let settings = AgentSettings {
        memory: MemorySettings { turns: 2, bytes: 4_000, ..MemorySettings::default() },
        ..usual()
    };
    for dialect in DIALECTS {
        let mut script = Vec::new();
        for _ in 0..5 {
            script.push(Said::calls(&[("read", "{}"), ("read", r#"{"n": 2}"#)]).after("Let me read."));
            script.push(Said::text("Read."));
        }
        let tools = vec![tool("read", ANY, |_| async { Ok(ToolOutput::text("x".repeat(1_500))) })];
        let stage = stage_with(dialect, script, tools, settings.clone()).await;
        for _ in 0..5 {
            stage.agent.ask(ask("Read it.").in_conversation("hall"), &mut Silent).await.expect("an answer");
        }
        let exchanges = stage.upstream.exchanges();
        assert_eq!(exchanges.len(), 10);
        crate::history::check(dialect, &exchanges).expect("a conversation");
        let longest = exchanges.iter().map(|one| one.asked.body.len()).max().unwrap_or_default();
        assert!(longest < 12_000, "{longest}");
    }
}

#[tokio::test]
async fn every_front_has_its_instructions() {
    let settings = AgentSettings { voice_prompt: Some("Speak like a butler.".into()), ..usual() };
    let stage = stage_with(Dialect::Chat, said(&["a", "b", "c"]), Vec::new(), settings).await;
    let mut own = ask("Hi.");
    own.system = Some("Rhyme.".to_owned());
    for question in [ask("Hi."), Question::new(Front::Voice, "Hi."), own] {
        stage.agent.ask(question, &mut Silent).await.expect("an answer");
    }
    let prompts: Vec<String> = stage
        .upstream
        .exchanges()
        .iter()
        .map(|one| one.asked.json("/messages/0/content").as_str().unwrap_or_default().to_owned())
        .collect();
    assert!(prompts[0].starts_with("You answer questions of a person at a command line."), "{prompts:?}");
    assert_eq!(&prompts[1..], ["Speak like a butler.", "Rhyme."]);
}
