//! Spoken questions: what they guard, their timeout, and who can answer them (T23).

use std::time::Duration;

use serde_json::json;
use toolwright_voice::{AnswerKind, Limits};

use crate::support::{Room, ScriptedAssistant, Step, TestHome};

const QUESTION: &str = "Shall I turn on Garage Door? Please say yes or no.";

#[tokio::test]
async fn garage_door_opens_only_after_yes() {
    let home = TestHome::default();
    let mut room = Room::new(&home, None, Limits::default());
    let asked = room.ask("turn on the garage door").await;
    assert_eq!((asked.text.as_str(), asked.kind), (QUESTION, AnswerKind::Asked));
    assert_eq!(home.switched(), Vec::<String>::new());
    let done = room.ask("yes, please").await;
    assert_eq!(
        (done.text.as_str(), done.kind),
        ("Successfully sent command to turn on Garage Door.", AnswerKind::Done)
    );
    assert_eq!(home.switched(), ["Garage Door on"]);
    // A yes confirms one question only.
    assert_eq!(room.ask("yes").await.kind, AnswerKind::NotUnderstood);
    assert_eq!(home.switched().len(), 1);
}

#[tokio::test]
async fn a_no_leaves_it_closed() {
    let home = TestHome::default();
    let mut room = Room::new(&home, None, Limits::default());
    room.ask("turn on the garage door").await;
    assert_eq!(room.ask("No!").await.text, "Okay, I leave it as it is.");
    room.ask("yes").await;
    assert_eq!(home.switched(), Vec::<String>::new());
}

#[tokio::test]
async fn qualified_yes_repeats_the_question() {
    let home = TestHome::default();
    let mut room = Room::new(&home, None, Limits::default());
    room.ask("turn on the garage door").await;
    for look_alike in ["yes, but tomorrow", "yes and no", "okay later"] {
        let again = room.ask(look_alike).await;
        assert_eq!(again.kind, AnswerKind::Asked, "{look_alike}");
        assert!(again.text.ends_with(QUESTION), "{}", again.text);
        assert_eq!(home.switched(), Vec::<String>::new());
    }
    room.ask("yes").await;
    assert_eq!(home.switched(), ["Garage Door on"]);
}

#[tokio::test]
async fn other_command_closes_the_question() {
    let home = TestHome::default();
    let mut room = Room::new(&home, None, Limits::default());
    room.ask("turn on the garage door").await;
    room.ask("turn on switch one").await;
    room.ask("yes").await;
    assert_eq!(home.switched(), ["Switch One on"]);
}

#[tokio::test]
async fn another_room_cannot_say_yes() {
    let home = TestHome::default();
    let mut room = Room::new(&home, None, Limits::default());
    room.tell("turn on the garage door", "kitchen");
    room.next().await;
    room.tell("yes", "hall");
    assert_eq!(room.next().await.kind, AnswerKind::NotUnderstood);
    assert_eq!(home.switched(), Vec::<String>::new());
    room.tell("yes", "kitchen");
    room.next().await;
    assert_eq!(home.switched(), ["Garage Door on"]);
}

#[tokio::test(start_paused = true)]
async fn a_yes_that_comes_too_late_does_nothing() {
    let home = TestHome::default();
    let mut room = Room::new(&home, None, Limits { confirm: Duration::from_secs(30), ..Limits::default() });
    room.ask("turn on the garage door").await;
    tokio::time::advance(Duration::from_secs(31)).await;
    let late = room.ask("yes").await;
    assert_eq!(late.text, "That was too long ago, so I did nothing. Please say it again.");
    assert_eq!(home.switched(), Vec::<String>::new());
}

#[tokio::test]
async fn yes_queued_before_question_confirms_nothing() {
    let home = TestHome { delay: Duration::from_millis(50), ..TestHome::default() };
    let hold = || {
        Step::HoldAfter(
            Duration::from_millis(100),
            "control_zwave_device",
            json!({"deviceName": "Garage Door", "action": "on"}),
        )
    };
    let mind = ScriptedAssistant::new([hold()]);
    let mut room = Room::new(&home, Some(mind), Limits::default());
    // Queued behind a direct command, and while the model runs.
    for first in ["turn on the garage door", "please let the car in"] {
        room.tell(first, "room");
        room.tell("yes", "room");
        assert_eq!(room.next().await.text, QUESTION, "{first}");
        let again = room.next().await;
        assert_eq!(again.kind, AnswerKind::Asked, "{first}");
        assert_eq!(again.text, format!("That came before my question. {QUESTION}"));
        assert_eq!(home.switched(), Vec::<String>::new(), "{first}");
        room.ask("no").await;
    }
    room.ask("turn on the garage door").await;
    room.ask("yes").await;
    assert_eq!(home.switched(), ["Garage Door on"]);
}

#[tokio::test(start_paused = true)]
async fn early_yes_repeats_the_question() {
    let home = TestHome::default();
    let hearing = Limits::default().hearing;
    let mut room = Room::with(&home, None, Limits::default(), |options| options.limits.hearing = hearing);
    room.ask("turn on the garage door").await;
    tokio::time::advance(hearing / 2).await;
    assert!(room.ask("yes").await.text.ends_with(QUESTION));
    // The question was repeated, so its delay restarts.
    tokio::time::advance(hearing).await;
    assert!(room.ask("yes").await.text.ends_with(QUESTION));
    assert_eq!(home.switched(), Vec::<String>::new());
    tokio::time::advance(hearing + Duration::from_millis(1)).await;
    assert_eq!(room.ask("yes").await.kind, AnswerKind::Done);
    assert_eq!(home.switched(), ["Garage Door on"]);
}

#[tokio::test]
async fn a_question_that_was_lost_cannot_be_answered() {
    let home = TestHome::default();
    let mut room = Room::new(&home, None, Limits::default());
    room.is_deaf = true;
    room.ask("turn on the garage door").await;
    room.is_deaf = false;
    assert!(room.ask("yes").await.text.ends_with(QUESTION));
    assert_eq!(home.switched(), Vec::<String>::new());
    room.ask("yes").await;
    assert_eq!(home.switched(), ["Garage Door on"]);
}

#[tokio::test]
async fn held_call_of_assistant_runs_after_yes() {
    let home = TestHome::default();
    let mind = ScriptedAssistant::new([Step::Hold(
        "control_zwave_device",
        json!({"device_name": "Garage Door", "command": "off"}),
    )]);
    let mut room = Room::new(&home, Some(mind.clone()), Limits::default());
    let asked = room.ask("close everything for the night").await;
    assert_eq!(asked.kind, AnswerKind::Asked);
    assert_eq!(asked.text, "Shall I turn off Garage Door? Please say yes or no.");
    assert_eq!(asked.model, Some(("scripted".into(), "tests".into())));
    room.ask("yes").await;
    // Repaired on the way, like every call.
    assert_eq!(home.switched(), ["Garage Door off"]);
}

#[tokio::test]
async fn a_held_call_of_a_tool_that_the_voice_has_not_is_never_run() {
    let home = TestHome::default();
    let mind = ScriptedAssistant::new([Step::Hold("unlock_house", json!({}))]);
    let mut room = Room::new(&home, Some(mind), Limits::default());
    room.ask("let the plumber in").await;
    let refused = room.ask("yes").await;
    assert_eq!(
        (refused.text.as_str(), refused.kind),
        ("I may not use that tool by voice.", AnswerKind::Failed)
    );
    assert_eq!(home.switched(), Vec::<String>::new());
}

#[tokio::test]
async fn of_two_lamps_the_one_that_is_named_next_is_switched() {
    let home = TestHome::default();
    let mut room = Room::new(&home, None, Limits::default());
    let asked = room.ask("turn on the lamp").await;
    assert_eq!(asked.text, "Which one do you mean: Lamp in Kitchen, or Lamp in Bedroom?");
    assert_eq!(asked.kind, AnswerKind::Asked);
    room.ask("the kitchen lamp").await;
    assert_eq!(home.switched(), ["Kitchen/Lamp on"]);
    room.ask("turn off the lamp").await;
    assert_eq!(room.ask("never mind").await.text, "Okay, I leave it as it is.");
    assert_eq!(home.switched().len(), 1);
}

/// A home whose server reports device types.
fn with_locks() -> TestHome {
    let devices = json!({"devices": [
        {"id": 5, "name": "Entry", "location": "Hall", "type": "Door Lock"},
        {"id": 6, "name": "Entry", "location": "Back", "type": "Door Lock"},
        {"id": 7, "name": "Solo", "type": "switch", "commandClasses": [37, 98, 159]},
        {"id": 8, "name": "Side", "deviceClass": {"generic": {"key": 64, "label": "Entry Control"}}},
        {"id": 9, "name": "Haustür", "type": "switch"},
        {"id": 10, "name": "Reading Lamp", "location": "Hall", "type": "dimmer", "commandClasses": [38, 113, 152, 159]},
        {"id": 11, "name": "Entry Light", "type": "switch", "aliases": ["spot"]},
    ]});
    TestHome { listing: Some(devices), ..TestHome::default() }
}

#[tokio::test]
async fn lock_needs_confirmation_under_every_name() {
    let home = with_locks();
    let mut room = Room::new(&home, None, Limits::default());
    for (said, question) in [
        ("turn on entry in the hall", "Shall I turn on Hall/Entry? Please say yes or no."),
        ("turn on solo", "Shall I turn on Solo? Please say yes or no."),
        ("turn on side", "Shall I turn on Side? Please say yes or no."),
        ("turn on Haustür", "Shall I turn on Haustür? Please say yes or no."),
    ] {
        let asked = room.ask(said).await;
        assert_eq!((asked.text.as_str(), asked.kind), (question, AnswerKind::Asked), "{said}");
        room.ask("no").await;
    }
    assert_eq!(home.switched(), Vec::<String>::new());
    for (said, done) in [
        ("turn on reading lamp", "Reading Lamp on"),
        ("dim reading lamp to 5 percent", "Reading Lamp dim 5"),
        ("turn off entry light", "Entry Light off"),
    ] {
        assert_eq!(room.ask(said).await.kind, AnswerKind::Done, "{said}");
        assert_eq!(home.switched().last().map(String::as_str), Some(done));
    }
}

#[tokio::test]
async fn lock_with_name_of_lamp_needs_confirmation() {
    let devices = json!({"devices": [
        {"name": "Twin", "location": "Hall", "type": "switch"},
        {"name": "Twin", "location": "Hall", "type": "Door Lock", "nodeId": 9},
        {"name": "Nolo", "type": "switch"},
        {"name": "Nolo", "type": "Door Lock"},
    ]});
    let home = TestHome { listing: Some(devices), ..TestHome::default() };
    let mut room = Room::new(&home, None, Limits::default());
    for said in ["turn on twin", "turn on nolo"] {
        assert_eq!(room.ask(said).await.kind, AnswerKind::Asked, "{said}");
        room.ask("no").await;
    }
    assert_eq!(home.switched(), Vec::<String>::new());
}

#[tokio::test]
async fn failed_device_list_requires_confirmation() {
    let home = TestHome::default();
    let mind = ScriptedAssistant::new([
        Step::Try("control_zwave_device", json!({"deviceName": "Backway", "action": "on"})),
        Step::Try("control_zwave_device", json!({"deviceName": "Desk Light", "action": "on"})),
    ]);
    let mut room = Room::new(&home, Some(mind), Limits::default());
    home.is_away.store(true, std::sync::atomic::Ordering::Relaxed);
    assert_eq!(room.ask("please let me in").await.text, "Shall I turn on Backway? Please say yes or no.");
    room.ask("no").await;
    assert_eq!(room.ask("some light please").await.kind, AnswerKind::Asked);
    assert_eq!(home.switched(), Vec::<String>::new());
}

#[tokio::test]
async fn the_question_has_every_argument_of_a_call() {
    let home = TestHome::default();
    let arguments = json!({"deviceName": "Lamp", "action": "on", "also": "unlock front door"});
    let mind = ScriptedAssistant::new([Step::Hold("house_scene", arguments)]);
    let everything = toolwright_voice::VoicePolicy::new(Some(&["*".to_owned()]), &[]);
    let mut room =
        Room::with(&home, Some(mind), Limits::default(), |options| options.policy = everything.into());
    let asked = room.ask("make it cosy").await;
    assert_eq!(asked.kind, AnswerKind::Asked);
    for part in [
        "use house scene of zwave",
        "deviceName set to Lamp",
        "action set to on",
        "also set to unlock front door",
    ] {
        assert!(asked.text.contains(part), "{part}: {}", asked.text);
    }
}

#[tokio::test]
async fn call_too_long_to_confirm_is_not_run() {
    let home = TestHome::default();
    let long = json!({"front_door": "x".repeat(280), "garage_door": "open"});
    let link = json!({"front_door": "https://example.com/open"});
    let mind = ScriptedAssistant::new([
        Step::Hold("house_scene", long),
        Step::Say("Yes what?"),
        Step::Hold("house_scene", link),
        Step::Say("Yes what?"),
    ]);
    let everything = toolwright_voice::VoicePolicy::new(Some(&["*".to_owned()]), &[]);
    let mut room =
        Room::with(&home, Some(mind), Limits::default(), |options| options.policy = everything.into());
    for sentence in ["make it cosy", "do the other thing"] {
        let refused = room.ask(sentence).await;
        assert_eq!(refused.kind, AnswerKind::Failed);
        assert!(refused.text.contains("Please do it on a screen"), "{}", refused.text);
        // A yes then confirms nothing.
        room.ask("yes").await;
    }
    assert_eq!(home.switched(), Vec::<String>::new());
}
