//! The background transcriber: non-blocking, ordered, bounded, and with an answer for every transcript.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use tokio::time::Instant;
use toolwright_voice::{AnswerKind, Drop, Limits, MindError, Transcript, VoicePolicy};

use crate::support::{Room, ScriptedAssistant, Step, TestHome};

#[tokio::test]
async fn direct_command_needs_no_assistant() {
    let home = TestHome::default();
    let mind = ScriptedAssistant::new([]);
    let mut room = Room::new(&home, Some(mind.clone()), Limits::default());
    let done = room.ask("Turn on switch one").await;
    assert_eq!(
        (done.text.as_str(), done.kind),
        ("Successfully sent command to turn on Switch One.", AnswerKind::Done)
    );
    assert_eq!(done.model, None);
    room.ask("dim the desk light to 40 percent").await;
    assert_eq!(home.switched(), ["Switch One on", "Desk Light dim 40"]);
    assert_eq!(mind.asked(), Vec::<String>::new());
    assert_eq!(
        mind.heard.lock().expect("a lock")[0],
        "Turn on switch one -> Successfully sent command to turn on Switch One."
    );
    assert_eq!(home.listed(), 1, "the devices are asked for once");
}

#[tokio::test]
async fn time_needs_no_assistant() {
    let mut room = Room::new(&TestHome::default(), None, Limits::default());
    let answer = room.ask("What time is it?").await;
    assert!(answer.text.starts_with("It is ") && answer.text.ends_with("M."), "{}", answer.text);
    let answer = room.ask("what day is it today").await;
    assert!(answer.text.starts_with("Today is ") && answer.text.ends_with("day."), "{}", answer.text);
}

#[tokio::test]
async fn other_sentences_go_to_the_assistant() {
    let home = TestHome::default();
    let mind = ScriptedAssistant::new([Step::Say("**Okay**, tomorrow then! 🎉"), Step::Say("Which lamp?")]);
    let mut room = Room::new(&home, Some(mind.clone()), Limits::default());
    let answer = room.ask("turn on switch one tomorrow").await;
    assert_eq!((answer.text.as_str(), answer.kind), ("Okay, tomorrow then.", AnswerKind::Done));
    assert_eq!(room.ask("make it cosy").await.kind, AnswerKind::Asked, "a question goes on");
    assert_eq!(mind.asked(), ["turn on switch one tomorrow", "make it cosy"]);
    assert_eq!(home.switched(), Vec::<String>::new());
}

#[tokio::test]
async fn without_assistant_it_is_not_understood() {
    let mut room = Room::new(&TestHome::default(), None, Limits::default());
    let answer = room.ask("tell me a joke").await;
    assert_eq!(
        (answer.text.as_str(), answer.kind),
        ("I did not understand that.", AnswerKind::NotUnderstood)
    );
}

#[tokio::test]
async fn other_languages_go_to_the_assistant() {
    let home = TestHome::default();
    let mind = ScriptedAssistant::new([Step::Say("Gerne.")]);
    let mut room = Room::new(&home, Some(mind), Limits::default());
    room.hand(Transcript { language: Some("de".into()), ..Transcript::new("turn on switch one", "room") });
    assert_eq!(room.next().await.text, "Gerne.");
    room.hand(Transcript { language: Some("en-US".into()), ..Transcript::new("turn on switch one", "room") });
    room.next().await;
    assert_eq!(home.switched(), ["Switch One on"]);
}

#[tokio::test]
async fn failure_is_spoken_in_plain_words() {
    let mut room = Room::new(&TestHome::default(), None, Limits::default());
    let failed = room.ask("turn on the broken lamp").await;
    assert_eq!(failed.kind, AnswerKind::Failed);
    assert_eq!(
        failed.text,
        "The control zwave device tool could not do what was asked, because what it needs is not running."
    );
}

#[tokio::test]
async fn unreachable_devices_are_explained() {
    const WHY: &str = "The MQTT broker cannot be reached: Connection refused.";
    let home = TestHome::default();
    let mut room = Room::new(&home, None, Limits::default());
    assert_eq!(room.ask("turn on switch one").await.kind, AnswerKind::Done);
    home.is_away.store(true, Ordering::Relaxed);
    let failed = room.ask("turn off switch one").await;
    assert_eq!((failed.text.as_str(), failed.kind), (WHY, AnswerKind::Failed));
    // The devices are not known yet; a command for one is understood all the same.
    let mut room = Room::new(&home, None, Limits::default());
    let failed = room.ask("turn off switch one").await;
    let expected = format!("The devices cannot be reached right now. {WHY}");
    assert_eq!((failed.text, failed.kind), (expected, AnswerKind::Failed));
    assert_eq!(room.ask("tell me a joke").await.kind, AnswerKind::NotUnderstood);
}

#[tokio::test]
async fn devices_without_their_server_cannot_be_reached() {
    let home = TestHome { is_unconnected: true, ..TestHome::default() };
    let mut room = Room::new(&home, None, Limits::default());
    let failed = room.ask("turn on switch one").await;
    let expected = "The devices cannot be reached right now. Their server is not connected.";
    assert_eq!((failed.text.as_str(), failed.kind), (expected, AnswerKind::Failed));
    // Answers to other sentences do not mention the devices.
    assert_eq!(room.ask("tell me a joke").await.text, "I did not understand that.");
    assert_eq!(room.ask("what time is it").await.kind, AnswerKind::Done);
    // With a connected server, a name that it does not list is not understood.
    let mut room = Room::new(&TestHome::default(), None, Limits::default());
    assert_eq!(room.ask("turn on the nonsense").await.text, "I did not understand that.");
}

#[tokio::test(start_paused = true)]
async fn device_list_timeout_is_spoken() {
    let home = TestHome { delay: Duration::from_secs(3_600), ..TestHome::default() };
    let home = TestHome { listing: Some(serde_json::json!("never")), ..home };
    let mut room = Room::new(&home, None, Limits::default());
    let failed = room.ask("turn on switch one").await;
    let expected = "The devices cannot be reached right now. Their server does not answer.";
    assert_eq!((failed.text.as_str(), failed.kind), (expected, AnswerKind::Failed));
}

#[tokio::test]
async fn assistant_failure_affects_one_answer_only() {
    let mind = ScriptedAssistant::new([
        Step::Fail(MindError::Unavailable("connect ECONNREFUSED".into())),
        Step::Fail(MindError::NoAnswer("8 rounds".into())),
        Step::Panic,
        Step::Say(""),
        Step::Say("Here I am."),
    ]);
    let mut room = Room::new(&TestHome::default(), Some(mind), Limits::default());
    let mut said = Vec::new();
    for _ in 0..5 {
        said.push(room.ask("tell me something").await.text);
    }
    insta::assert_snapshot!(said.join("\n"), @r"
    I cannot reach my language model right now. Please try again later.
    I found no answer to that.
    Something went wrong here, so I have no answer.
    I found no answer to that.
    Here I am.
    ");
    assert_eq!(room.transcriber.load(), (0, 0));
}

#[tokio::test(start_paused = true)]
async fn slow_assistant_times_out() {
    let mind = ScriptedAssistant::new([Step::Wait(Duration::from_secs(600))]);
    let mut room = Room::new(
        &TestHome::default(),
        Some(mind),
        Limits { think: Duration::from_secs(5), ..Limits::default() },
    );
    room.tell("think hard", "room");
    let answer = room.answers.recv().await.expect("an answer").1;
    assert_eq!(answer.text, "That took me too long, so I stopped thinking about it.");
}

#[tokio::test]
async fn assistant_sentences_are_streamed() {
    let mind =
        ScriptedAssistant::new([Step::Stream(&["It is ", "sunny. And ", "it is **warm**. Enj", "oy it"])]);
    let mut room = Room::new(&TestHome::default(), Some(mind), Limits::default());
    room.tell("how is the weather", "room");
    let (sentences, answer) = room.answers.recv().await.expect("an answer");
    assert_eq!(sentences, ["It is sunny.", "And it is warm."]);
    assert_eq!(answer.text, "It is sunny. And it is warm. Enjoy it.");
}

#[tokio::test(start_paused = true)]
async fn a_slow_one_does_not_hold_up_the_next() {
    let home = TestHome::default();
    let mind = ScriptedAssistant::new([Step::Wait(Duration::from_secs(10))]);
    let mut room = Room::new(&home, Some(mind), Limits::default());
    let begun = Instant::now();
    room.tell("tell me a long story", "bedroom");
    room.tell("turn on switch one", "kitchen");
    assert_eq!(begun.elapsed(), Duration::ZERO, "nobody waited");
    assert_eq!(room.next().await.text, "Successfully sent command to turn on Switch One.");
    assert_eq!(room.next().await.text, "That took a while.");
}

#[tokio::test(start_paused = true)]
async fn sentences_of_one_room_keep_their_order() {
    let home = TestHome { delay: Duration::from_secs(1), ..TestHome::default() };
    let mut room = Room::new(&home, None, Limits::default());
    for _ in 0..5 {
        room.tell("turn on switch one", "room");
        room.tell("turn off switch one", "room");
    }
    for _ in 0..10 {
        room.next().await;
    }
    let expected: Vec<&str> = ["Switch One on", "Switch One off"].into_iter().cycle().take(10).collect();
    assert_eq!(home.switched(), expected);
}

#[tokio::test(start_paused = true)]
async fn overload_drops_the_oldest_and_reports_it() {
    let home = TestHome { delay: Duration::from_secs(1), ..TestHome::default() };
    let limits = Limits { waiting: 4, at_once: 1, ..Limits::default() };
    let mut room = Room::new(&home, None, limits);
    room.transcriber.warm().await;
    for number in 0..20 {
        room.tell("turn on switch one", &format!("room {number}"));
    }
    let mut answers = Vec::new();
    for _ in 0..20 {
        answers.push(room.next().await);
    }
    let dropped: Vec<&str> = answers
        .iter()
        .filter(|answer| answer.kind == AnswerKind::Dropped(Drop::Overload))
        .map(|answer| answer.conversation.as_str())
        .collect();
    assert_eq!(dropped.len(), 15, "one runs, four wait");
    assert_eq!(dropped[..3], ["room 1", "room 2", "room 3"]);
    let done: Vec<&str> = answers
        .iter()
        .filter(|answer| answer.kind == AnswerKind::Done)
        .map(|answer| answer.conversation.as_str())
        .collect();
    assert_eq!(done, ["room 0", "room 19", "room 18", "room 17", "room 16"], "the newest first");
    assert_eq!(room.transcriber.status().dropped_for(Drop::Overload), 15);
}

#[tokio::test(start_paused = true)]
async fn stale_transcript_is_dropped_and_reported() {
    let home = TestHome { delay: Duration::from_secs(15), ..TestHome::default() };
    let limits = Limits { at_once: 1, max_age: Duration::from_secs(10), ..Limits::default() };
    let mut room = Room::new(&home, None, limits);
    room.tell("turn on switch one", "room");
    room.tell("turn on switch two", "room");
    assert_eq!(room.next().await.kind, AnswerKind::Done);
    let stale = room.next().await;
    assert_eq!(
        (stale.kind, stale.text.as_str()),
        (AnswerKind::Dropped(Drop::Stale), "That was said too long ago, so I did nothing.")
    );
    assert_eq!(home.switched(), ["Switch One on"]);
}

#[tokio::test(start_paused = true)]
async fn at_the_end_everything_has_an_answer() {
    let mind = ScriptedAssistant::new([Step::Wait(Duration::from_secs(600))]);
    let limits = Limits { at_once: 1, think: Duration::from_secs(900), ..Limits::default() };
    let mut room = Room::new(&TestHome::default(), Some(mind), limits);
    room.tell("tell me a story", "a");
    room.tell("turn on switch one", "b");
    tokio::task::yield_now().await;
    room.transcriber.stop().await;
    for _ in 0..2 {
        assert_eq!(room.next().await.kind, AnswerKind::Dropped(Drop::Ending));
    }
    room.tell("turn on switch one", "c");
    assert_eq!(room.next().await.kind, AnswerKind::Dropped(Drop::Ending));
}

#[tokio::test]
async fn a_tool_that_the_voice_has_not_is_not_called_directly() {
    let home = TestHome::default();
    let mind = ScriptedAssistant::new([Step::Say("I cannot do that.")]);
    let nothing: Arc<VoicePolicy> = Arc::new(VoicePolicy::new(Some(&["*/list_zwave_devices".into()]), &[]));
    let mut room = Room::with(&home, Some(mind), Limits::default(), |options| options.policy = nothing);
    assert_eq!(room.ask("turn on switch one").await.text, "I cannot do that.");
    assert_eq!(home.switched(), Vec::<String>::new());
}

#[tokio::test]
async fn every_call_is_of_the_front_voice() {
    use std::sync::Mutex;
    use toolwright_executor::observer::Started;

    #[derive(Default)]
    struct Watcher(Mutex<Vec<String>>);
    impl toolwright_executor::CallObserver for Watcher {
        fn started(&self, call: &Started<'_>) {
            let caller = call.caller.expect("a caller");
            let session = caller.session.as_deref().unwrap_or_default();
            self.0
                .lock()
                .expect("a lock")
                .push(format!("{} {} {session} {}", caller.front, caller.client, call.name));
        }
    }
    let home = TestHome::default();
    let watcher = Arc::new(Watcher::default());
    let executor = home.executor();
    let executor = toolwright_executor::ToolExecutor::new(Arc::clone(executor.registry()))
        .with_observer(watcher.clone());
    let mut room =
        Room::with(&home, None, Limits::default(), |options| options.executor = Arc::new(executor));
    room.ask("turn on switch one").await;
    let calls = watcher.0.lock().expect("a lock").clone();
    assert_eq!(calls, ["voice voice room list_zwave_devices", "voice voice room control_zwave_device"]);
}

/// A tool that fails in a given way.
struct FailingTool(Failure);

#[derive(Clone, Copy)]
enum Failure {
    Says(&'static str),
    Unavailable,
    NotReady,
    WrongArguments,
    Panics,
    NeverEnds,
    TooMuch,
}

impl toolwright_executor::ToolFunction for FailingTool {
    fn call(
        self: Arc<Self>,
        _: String,
    ) -> futures_util::future::BoxFuture<
        'static,
        Result<toolwright_executor::ToolOutput, toolwright_executor::ToolFailure>,
    > {
        use toolwright_executor::{ToolFailure, ToolOutput};
        Box::pin(async move {
            let message = "connect ECONNREFUSED 127.0.0.1:1883, port 1883".to_owned();
            match self.0 {
                Failure::Says(message) => Err(ToolFailure::tool(message)),
                Failure::Unavailable => Err(ToolFailure::Unavailable { message }),
                Failure::NotReady => Err(ToolFailure::NotReady { message }),
                Failure::WrongArguments => Err(ToolFailure::InvalidArguments { message }),
                Failure::Panics => panic!("the tool breaks, as it was told to"),
                Failure::NeverEnds => std::future::pending().await,
                Failure::TooMuch => Ok(ToolOutput::structured("x", format!("\"{}\"", "x".repeat(5 << 20)))),
            }
        })
    }
}

#[tokio::test(start_paused = true)]
async fn u20_every_way_to_fail_can_be_said_aloud() {
    let failures = [
        Failure::Says("connect ECONNREFUSED 127.0.0.1:1883"),
        Failure::Says("Device \"Switch One\" is offline or not ready"),
        Failure::Says(
            "TypeError: Cannot read properties of undefined (reading 'id')\n    at Object.<anonymous> (/srv/x.js:1:2)",
        ),
        Failure::Says("MQTT broker on port 1883 refused the connection"),
        Failure::Says(""),
        Failure::Unavailable,
        Failure::NotReady,
        Failure::WrongArguments,
        Failure::Panics,
        Failure::NeverEnds,
        Failure::TooMuch,
    ];
    let mut said = Vec::new();
    for way in failures {
        let home = TestHome::default();
        let executor = home.executor();
        let definition =
            executor.find("control_zwave_device").expect("it is there").tool.definition().clone();
        executor.registry().register(definition, Arc::new(FailingTool(way))).expect("in order");
        let mut room = Room::with(&home, None, Limits::default(), |options| options.executor = executor);
        room.tell("turn on switch one", "room");
        let answer = room.answers.recv().await.expect("an answer").1;
        assert_eq!(answer.kind, AnswerKind::Failed, "{}", answer.text);
        assert!(answer.text.chars().count() < 300 && answer.text.ends_with('.'), "{}", answer.text);
        for unsaid in ["ECONN", "port", "Error", "{", "_", "/", "1883"] {
            assert!(!answer.text.contains(unsaid), "{unsaid}: {}", answer.text);
        }
        said.push(answer.text);
    }
    insta::assert_snapshot!(said.join("\n"));
}
