//! The loop: rounds, order of results, concurrent calls, streamed texts.

use std::sync::Arc;

use tokio::sync::Barrier;
use toolwright_agent::{Limits, Offer, Silent, Stop};
use toolwright_executor::{ErrorCode, ToolOutput};
use toolwright_testkit::llm_upstream::{Dialect, Finish, Habit, Said};

use crate::stage::{ANY, DIALECTS, MODEL, RecordingListener, Runs, ask, stage, tool};

#[tokio::test]
async fn a_question_without_calls_is_one_request() {
    for dialect in DIALECTS {
        let stage = stage(dialect, vec![Said::text("Twelve.")], vec![Runs::default().switch()]).await;
        let mut listener = RecordingListener::default();
        let answer = stage.agent.ask(ask("Three times four?"), &mut listener).await.expect("an answer");
        assert_eq!((answer.text.as_str(), answer.stop, answer.rounds), ("Twelve.", Stop::Answered, 1));
        // There is exactly one request per turn.
        assert_eq!(stage.upstream.exchanges().len(), 1);
        assert_eq!(listener.pieces.concat(), "Twelve.");
        assert_eq!((answer.tokens.input, answer.tokens.output), (100, 20));
        assert_eq!((answer.model.as_str(), answer.upstream.as_str()), (MODEL, "scripted"));
    }
}

#[tokio::test]
async fn pieces_of_words_are_joined_as_they_are() {
    const TEXT: &str = "Donald Duck war’s, „Zürich“ 🌤 and  two spaces\n\nand lines.";
    for dialect in DIALECTS {
        for split in [1, 3, 7] {
            let said = Said::text(TEXT).sent(&format!("split={split}"));
            let stage = stage(dialect, vec![said], Vec::new()).await;
            let mut listener = RecordingListener::default();
            let answer = stage.agent.ask(ask("Who?"), &mut listener).await.expect("an answer");
            assert_eq!(answer.text, TEXT, "{dialect:?} {split}");
            assert_eq!(listener.pieces.concat(), TEXT, "{dialect:?} {split}");
            assert!(listener.pieces.len() > 1, "it came in pieces");
        }
    }
}

#[tokio::test]
async fn texts_and_calls_keep_their_order() {
    let said = vec![
        Said::calls(&[("a", "{}"), ("b", "{}")]).after("Let me look."),
        Said::calls(&[("b", "{}")]),
        Said::text("Found it."),
    ];
    let tools = vec![
        tool("a", ANY, |_| async { Ok(ToolOutput::text("A")) }),
        tool("b", ANY, |_| async { Ok(ToolOutput::text("B")) }),
    ];
    let stage = stage(Dialect::Anthropic, said, tools).await;
    let mut listener = RecordingListener::default();
    let answer = stage.agent.ask(ask("Where?"), &mut listener).await.expect("an answer");
    assert_eq!(
        listener.events,
        [
            "\"Let me look.",
            "--",
            "a begins",
            "b begins",
            "a ends",
            "b ends",
            "b begins",
            "b ends",
            "\"Found it."
        ]
    );
    let rounds: Vec<u32> = answer.calls.iter().map(|call| call.round).collect();
    assert_eq!((answer.text.as_str(), rounds), ("Found it.", vec![1, 1, 2]));
}

#[tokio::test]
async fn calls_of_one_round_run_at_the_same_time() {
    // No tool returns before all three have started: run in sequence they would never finish.
    let barrier = Arc::new(Barrier::new(3));
    let tools = ["a", "b", "c"].map(|name| {
        let barrier = Arc::clone(&barrier);
        tool(name, ANY, move |_| {
            let barrier = Arc::clone(&barrier);
            async move {
                barrier.wait().await;
                Ok(ToolOutput::text(name))
            }
        })
    });
    let said = vec![Said::calls(&[("a", "{}"), ("b", "{}"), ("c", "{}")]), Said::text("All.")];
    let stage = stage(Dialect::Chat, said, tools.into()).await;
    let answer = stage.agent.ask(ask("All three."), &mut Silent).await.expect("an answer");
    let texts: Vec<&str> =
        answer.calls.iter().map(|call| call.result.as_ref().map_or("", |output| &output.text)).collect();
    assert_eq!((answer.text.as_str(), texts), ("All.", vec!["a", "b", "c"]));
}

#[tokio::test]
async fn results_stand_in_the_order_of_calls_whichever_ends_first() {
    let (first, gate) = (Arc::new(tokio::sync::Notify::new()), Arc::new(tokio::sync::Notify::new()));
    let wait = Arc::clone(&gate);
    let slow = tool("slow", ANY, move |_| {
        let wait = Arc::clone(&wait);
        async move {
            wait.notified().await;
            Ok(ToolOutput::text("last"))
        }
    });
    let quick = tool("quick", ANY, move |_| {
        gate.notify_one();
        first.notify_one();
        async { Ok(ToolOutput::text("first")) }
    });
    for dialect in [Dialect::Anthropic] {
        let said = vec![Said::calls(&[("slow", "{}"), ("quick", "{}")]), Said::text("Both.")];
        let stage = stage(dialect, said, vec![slow.clone(), quick.clone()]).await;
        stage.agent.ask(ask("Both."), &mut Silent).await.expect("an answer");
        let events = stage.upstream.exchanges()[1].asked.json("/messages/2/content");
        let texts: Vec<String> =
            events.as_array().expect("results").iter().map(|block| block["content"].to_string()).collect();
        assert!(texts[0].contains("last") && texts[1].contains("first"), "{texts:?}");
    }
}

#[tokio::test]
async fn last_round_has_no_tools() {
    for dialect in DIALECTS {
        let call = || Said::calls(&[("a", r#"{"n": 1}"#)]);
        let said = vec![call(), call(), Said::text("As far as I know, one.")];
        let stage = stage(dialect, said, vec![tool("a", ANY, |_| async { Ok(ToolOutput::text("1")) })]).await;
        let limits = Limits { rounds: 2, ..Limits::default() };
        let answer = stage.agent.ask(ask("How many?").within(limits), &mut Silent).await.expect("an answer");
        assert_eq!((answer.stop, answer.rounds, answer.calls.len()), (Stop::Rounds, 3, 2));
        assert_eq!(answer.text, "As far as I know, one.");
        let exchanges = stage.upstream.exchanges();
        let last = &exchanges[2].asked;
        let is_without = match dialect {
            Dialect::Ollama => last.json("/tools").is_null(),
            Dialect::Anthropic => last.json("/tool_choice/type") == "none",
            _ => last.json("/tool_choice") == "none",
        };
        assert!(is_without, "{}", last.body);
        assert!(last.body.contains("No more tools can be called"), "{}", last.body);
        assert!(exchanges[..2].iter().all(|exchange| !exchange.asked.body.contains("No more tools")));
    }
}

#[tokio::test]
async fn calls_in_the_closing_answer_are_not_run() {
    let runs = Runs::default();
    let switch = ("control_zwave_device", r#"{"deviceName": "A", "action": "on"}"#);
    let said = vec![Said::calls(&[switch]), Said::calls(&[switch])];
    let stage = stage(Dialect::Chat, said, vec![runs.switch()]).await;
    let limits = Limits { rounds: 1, ..Limits::default() };
    let answer = stage.agent.ask(ask("On.").within(limits), &mut Silent).await.expect("an answer");
    assert_eq!((answer.stop, answer.text.as_str()), (Stop::Empty, "I have no answer to that."));
    assert_eq!((runs.all().len(), answer.calls.len()), (1, 1));
}

#[tokio::test]
async fn a_call_that_a_small_model_wrote_as_text_is_a_call() {
    let runs = Runs::default();
    let text = "<tool_call>\n{\"name\": \"control_zwave_device\", \"arguments\": {\"device_name\": \"Switch One\", \"command\": \"on\"}}\n</tool_call>";
    for dialect in [Dialect::Ollama, Dialect::Chat] {
        let said = vec![Said::text(text), Said::text("It is on.")];
        let stage = stage(dialect, said, vec![runs.switch()]).await;
        let mut listener = RecordingListener::default();
        let answer = stage.agent.ask(ask("On."), &mut listener).await.expect("an answer");
        assert_eq!(answer.text, "It is on.");
        assert_eq!(listener.pieces.concat(), "It is on.", "nobody hears the call");
    }
    assert_eq!(runs.all(), [r#"{"deviceName":"Switch One","action":"on"}"#; 2]);
}

#[tokio::test]
async fn a_tool_that_is_not_offered_is_not_run() {
    let runs = Runs::default();
    let said = vec![
        Said::calls(&[("control_zwave_device", r#"{"deviceName": "A", "action": "on"}"#)]),
        Said::text("I may not."),
    ];
    let tools = vec![runs.switch(), tool("look", ANY, |_| async { Ok(ToolOutput::text("dark")) })];
    let stage = stage(Dialect::Anthropic, said, tools).await;
    let question = ask("On.").offering(Offer::of(&["home/lo*"]));
    let answer = stage.agent.ask(question, &mut Silent).await.expect("an answer");
    assert_eq!(runs.all(), Vec::<String>::new());
    let error = answer.calls[0].result.as_ref().expect_err("it is not run");
    assert_eq!(error.code, ErrorCode::Denied);
    let offered = stage.upstream.exchanges()[0].asked.json("/tools");
    let names: Vec<&str> =
        offered.as_array().expect("tools").iter().filter_map(|tool| tool["name"].as_str()).collect();
    assert_eq!(names, ["look"]);
}

#[tokio::test]
async fn without_an_offer_no_tools_are_sent() {
    let stage = stage(Dialect::Chat, vec![Said::text("Hello.")], vec![Runs::default().switch()]).await;
    stage.agent.ask(ask("Hi.").offering(Offer::Nothing), &mut Silent).await.expect("an answer");
    assert!(stage.upstream.exchanges()[0].asked.json("/tools").is_null());
}

#[tokio::test]
async fn a_tool_can_be_made_to_be_called_first() {
    for (dialect, pointer, wanted) in [
        (Dialect::Anthropic, "/tool_choice/name", "control_zwave_device"),
        (Dialect::Chat, "/tool_choice/function/name", "control_zwave_device"),
    ] {
        let runs = Runs::default();
        let said = vec![
            Said::calls(&[("control_zwave_device", r#"{"deviceName": "A", "action": "on"}"#)]),
            Said::text("On."),
        ];
        let tools = vec![runs.switch(), tool("look", ANY, |_| async { Ok(ToolOutput::text("dark")) })];
        let stage = stage(dialect, said, tools).await;
        let mut question = ask("On.");
        question.must_call = Some("home/control_zwave_device".to_owned());
        stage.agent.ask(question, &mut Silent).await.expect("an answer");
        let exchanges = stage.upstream.exchanges();
        assert_eq!(exchanges[0].asked.json(pointer), wanted);
        // Only once: otherwise the model would call it forever.
        assert!(exchanges[1].asked.json("/tool_choice").is_null(), "{}", exchanges[1].asked.body);
        let mut missing = ask("On.");
        missing.must_call = Some("fly".to_owned());
        let error = stage.agent.ask(missing, &mut Silent).await.expect_err("there is none");
        assert_eq!(error.details, "no tool \"fly\" is offered; those that are: control_zwave_device, look");
    }
}

#[tokio::test]
async fn only_tool_is_requested_as_required() {
    for (dialect, pointer, wanted) in
        [(Dialect::Anthropic, "/tool_choice/type", "any"), (Dialect::Chat, "/tool_choice", "required")]
    {
        let stage = stage(dialect, vec![Said::text("No.")], vec![Runs::default().switch()]).await;
        let mut question = ask("On.");
        question.must_call = Some("control_zwave_device".to_owned());
        stage.agent.ask(question, &mut Silent).await.expect("an answer");
        assert_eq!(stage.upstream.exchanges()[0].asked.json(pointer), wanted);
    }
}

#[tokio::test]
async fn calls_get_unique_ids() {
    for habit in [Habit::NoId, Habit::SameIndex] {
        for dialect in DIALECTS {
            let call = || Said::calls(&[("a", "{}"), ("a", r#"{"n": 2}"#)]).with_habit(habit);
            let tools = vec![tool("a", ANY, |arguments| async move { Ok(ToolOutput::text(arguments)) })];
            let stage = stage(dialect, vec![call(), call(), Said::text("Four.")], tools).await;
            let answer = stage.agent.ask(ask("Again."), &mut Silent).await.expect("an answer");
            let mut ids: Vec<&str> = answer.calls.iter().map(|call| call.id.as_str()).collect();
            ids.sort_unstable();
            ids.dedup();
            assert_eq!(ids.len(), answer.calls.len(), "{dialect:?} {habit:?}");
            crate::history::check(dialect, &stage.upstream.exchanges()).expect("a conversation");
        }
    }
}

#[tokio::test]
async fn a_call_that_was_cut_off_is_not_run() {
    let runs = Runs::default();
    let cut = Said::calls(&[("control_zwave_device", r#"{"deviceName": "Switch One", "action": "o"#)]);
    let said = vec![cut.ending(Finish::Length), Said::text("It was too long.")];
    let stage = stage(Dialect::Chat, said, vec![runs.switch()]).await;
    let answer = stage.agent.ask(ask("On."), &mut Silent).await.expect("an answer");
    assert!(answer.calls[0].result.is_err());
    assert_eq!(runs.all(), Vec::<String>::new());
}

#[tokio::test]
async fn an_answer_can_be_made_on_any_thread() {
    fn is_send<T: Send>(value: T) -> T {
        value
    }
    let stage = stage(Dialect::Ollama, vec![Said::text("Yes.")], Vec::new()).await;
    let asked = tokio::spawn(async move {
        let mut listener = RecordingListener::default();
        is_send(stage.agent.ask(ask("Really?"), &mut listener)).await.map(|answer| answer.text)
    });
    assert_eq!(asked.await.expect("it ends").ok().as_deref(), Some("Yes."));
}
