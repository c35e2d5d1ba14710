//! Spoken questions: what they guard, their timeout, and who can answer them (T23).

use std::time::Duration;

use serde_json::json;
use toolwright_voice::{AnswerKind, Limits};

use crate::support::{House, Room, ScriptedMind, Step};

const QUESTION: &str = "Shall I turn on Garage Door? Please say yes or no.";

#[tokio::test]
async fn a_garage_door_opens_after_a_yes_and_not_before() {
    let house = House::default();
    let mut room = Room::new(&house, None, Limits::default());
    let asked = room.ask("turn on the garage door").await;
    assert_eq!((asked.text.as_str(), asked.kind), (QUESTION, AnswerKind::Asked));
    assert_eq!(house.switched(), Vec::<String>::new());
    let done = room.ask("yes, please").await;
    assert_eq!(
        (done.text.as_str(), done.kind),
        ("Successfully sent command to turn on Garage Door.", AnswerKind::Done)
    );
    assert_eq!(house.switched(), ["Garage Door on"]);
    // A yes confirms one question only.
    assert_eq!(room.ask("yes").await.kind, AnswerKind::NotUnderstood);
    assert_eq!(house.switched().len(), 1);
}

#[tokio::test]
async fn a_no_leaves_it_closed() {
    let house = House::default();
    let mut room = Room::new(&house, None, Limits::default());
    room.ask("turn on the garage door").await;
    assert_eq!(room.ask("No!").await.text, "Okay, I leave it as it is.");
    room.ask("yes").await;
    assert_eq!(house.switched(), Vec::<String>::new());
}

#[tokio::test]
async fn yes_but_tomorrow_is_no_yes_and_is_asked_again() {
    let house = House::default();
    let mut room = Room::new(&house, None, Limits::default());
    room.ask("turn on the garage door").await;
    for look_alike in ["yes, but tomorrow", "yes and no", "okay later"] {
        let again = room.ask(look_alike).await;
        assert_eq!(again.kind, AnswerKind::Asked, "{look_alike}");
        assert!(again.text.ends_with(QUESTION), "{}", again.text);
        assert_eq!(house.switched(), Vec::<String>::new());
    }
    room.ask("yes").await;
    assert_eq!(house.switched(), ["Garage Door on"]);
}

#[tokio::test]
async fn whoever_asks_for_something_else_has_not_said_yes() {
    let house = House::default();
    let mut room = Room::new(&house, None, Limits::default());
    room.ask("turn on the garage door").await;
    room.ask("turn on switch one").await;
    room.ask("yes").await;
    assert_eq!(house.switched(), ["Switch One on"]);
}

#[tokio::test]
async fn another_room_cannot_say_yes() {
    let house = House::default();
    let mut room = Room::new(&house, None, Limits::default());
    room.tell("turn on the garage door", "kitchen");
    room.next().await;
    room.tell("yes", "hall");
    assert_eq!(room.next().await.kind, AnswerKind::NotUnderstood);
    assert_eq!(house.switched(), Vec::<String>::new());
    room.tell("yes", "kitchen");
    room.next().await;
    assert_eq!(house.switched(), ["Garage Door on"]);
}

#[tokio::test(start_paused = true)]
async fn a_yes_that_comes_too_late_does_nothing() {
    let house = House::default();
    let mut room = Room::new(&house, None, Limits { confirm: Duration::from_secs(30), ..Limits::default() });
    room.ask("turn on the garage door").await;
    tokio::time::advance(Duration::from_secs(31)).await;
    let late = room.ask("yes").await;
    assert_eq!(late.text, "That was too long ago, so I did nothing. Please say it again.");
    assert_eq!(house.switched(), Vec::<String>::new());
}

#[tokio::test]
async fn a_yes_from_before_the_question_opens_nothing() {
    let house = House { delay: Duration::from_millis(50), ..House::default() };
    let hold = || {
        Step::HoldAfter(
            Duration::from_millis(100),
            "control_zwave_device",
            json!({"deviceName": "Garage Door", "action": "on"}),
        )
    };
    let mind = ScriptedMind::new([hold()]);
    let mut room = Room::new(&house, Some(mind), Limits::default());
    // Queued behind a direct command, and while the model runs.
    for first in ["turn on the garage door", "please let the car in"] {
        room.tell(first, "room");
        room.tell("yes", "room");
        assert_eq!(room.next().await.text, QUESTION, "{first}");
        let again = room.next().await;
        assert_eq!(again.kind, AnswerKind::Asked, "{first}");
        assert_eq!(again.text, format!("That came before my question. {QUESTION}"));
        assert_eq!(house.switched(), Vec::<String>::new(), "{first}");
        room.ask("no").await;
    }
    room.ask("turn on the garage door").await;
    room.ask("yes").await;
    assert_eq!(house.switched(), ["Garage Door on"]);
}

#[tokio::test(start_paused = true)]
async fn a_yes_that_comes_before_anybody_heard_the_question_is_asked_again() {
    let house = House::default();
    let hearing = Limits::default().hearing;
    let mut room = Room::with(&house, None, Limits::default(), |options| options.limits.hearing = hearing);
    room.ask("turn on the garage door").await;
    tokio::time::advance(hearing / 2).await;
    assert!(room.ask("yes").await.text.ends_with(QUESTION));
    // The question was repeated, so its delay restarts.
    tokio::time::advance(hearing).await;
    assert!(room.ask("yes").await.text.ends_with(QUESTION));
    assert_eq!(house.switched(), Vec::<String>::new());
    tokio::time::advance(hearing + Duration::from_millis(1)).await;
    assert_eq!(room.ask("yes").await.kind, AnswerKind::Done);
    assert_eq!(house.switched(), ["Garage Door on"]);
}

#[tokio::test]
async fn a_question_that_was_lost_cannot_be_answered() {
    let house = House::default();
    let mut room = Room::new(&house, None, Limits::default());
    room.is_deaf = true;
    room.ask("turn on the garage door").await;
    room.is_deaf = false;
    assert!(room.ask("yes").await.text.ends_with(QUESTION));
    assert_eq!(house.switched(), Vec::<String>::new());
    room.ask("yes").await;
    assert_eq!(house.switched(), ["Garage Door on"]);
}

#[tokio::test]
async fn what_a_mind_holds_back_is_run_after_a_yes() {
    let house = House::default();
    let mind = ScriptedMind::new([Step::Hold(
        "control_zwave_device",
        json!({"device_name": "Garage Door", "command": "off"}),
    )]);
    let mut room = Room::new(&house, Some(mind.clone()), Limits::default());
    let asked = room.ask("close everything for the night").await;
    assert_eq!(asked.kind, AnswerKind::Asked);
    assert_eq!(asked.text, "Shall I turn off Garage Door? Please say yes or no.");
    assert_eq!(asked.model, Some(("scripted".into(), "tests".into())));
    room.ask("yes").await;
    // Repaired on the way, like every call.
    assert_eq!(house.switched(), ["Garage Door off"]);
}

#[tokio::test]
async fn a_held_call_of_a_tool_that_the_voice_has_not_is_never_run() {
    let house = House::default();
    let mind = ScriptedMind::new([Step::Hold("unlock_house", json!({}))]);
    let mut room = Room::new(&house, Some(mind), Limits::default());
    room.ask("let the plumber in").await;
    let refused = room.ask("yes").await;
    assert_eq!(
        (refused.text.as_str(), refused.kind),
        ("I may not use that tool by voice.", AnswerKind::Failed)
    );
    assert_eq!(house.switched(), Vec::<String>::new());
}

#[tokio::test]
async fn of_two_lamps_the_one_that_is_named_next_is_switched() {
    let house = House::default();
    let mut room = Room::new(&house, None, Limits::default());
    let asked = room.ask("turn on the lamp").await;
    assert_eq!(asked.text, "Which one do you mean: Lamp in Kitchen, or Lamp in Bedroom?");
    assert_eq!(asked.kind, AnswerKind::Asked);
    room.ask("the kitchen lamp").await;
    assert_eq!(house.switched(), ["Kitchen/Lamp on"]);
    room.ask("turn off the lamp").await;
    assert_eq!(room.ask("never mind").await.text, "Okay, I leave it as it is.");
    assert_eq!(house.switched().len(), 1);
}

/// A home whose server reports device types.
fn with_locks() -> House {
    let devices = json!({"devices": [
        {"id": 5, "name": "Entry", "location": "Hall", "type": "Door Lock"},
        {"id": 6, "name": "Entry", "location": "Back", "type": "Door Lock"},
        {"id": 7, "name": "Solo", "type": "switch", "commandClasses": [37, 98, 159]},
        {"id": 8, "name": "Side", "deviceClass": {"generic": {"key": 64, "label": "Entry Control"}}},
        {"id": 9, "name": "Haustür", "type": "switch"},
        {"id": 10, "name": "Reading Lamp", "location": "Hall", "type": "dimmer", "commandClasses": [38, 113, 152, 159]},
        {"id": 11, "name": "Entry Light", "type": "switch", "aliases": ["spot"]},
    ]});
    House { listing: Some(devices), ..House::default() }
}

#[tokio::test]
async fn a_lock_is_asked_for_under_every_name() {
    let house = with_locks();
    let mut room = Room::new(&house, None, Limits::default());
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
    assert_eq!(house.switched(), Vec::<String>::new());
    for (said, done) in [
        ("turn on reading lamp", "Reading Lamp on"),
        ("dim reading lamp to 5 percent", "Reading Lamp dim 5"),
        ("turn off entry light", "Entry Light off"),
    ] {
        assert_eq!(room.ask(said).await.kind, AnswerKind::Done, "{said}");
        assert_eq!(house.switched().last().map(String::as_str), Some(done));
    }
}

#[tokio::test]
async fn a_lock_that_is_called_like_a_lamp_is_asked_for() {
    let devices = json!({"devices": [
        {"name": "Twin", "location": "Hall", "type": "switch"},
        {"name": "Twin", "location": "Hall", "type": "Door Lock", "nodeId": 9},
        {"name": "Nolo", "type": "switch"},
        {"name": "Nolo", "type": "Door Lock"},
    ]});
    let house = House { listing: Some(devices), ..House::default() };
    let mut room = Room::new(&house, None, Limits::default());
    for said in ["turn on twin", "turn on nolo"] {
        assert_eq!(room.ask(said).await.kind, AnswerKind::Asked, "{said}");
        room.ask("no").await;
    }
    assert_eq!(house.switched(), Vec::<String>::new());
}

#[tokio::test]
async fn while_the_list_of_devices_fails_every_call_is_asked_for() {
    let house = House::default();
    let mind = ScriptedMind::new([
        Step::Try("control_zwave_device", json!({"deviceName": "Backway", "action": "on"})),
        Step::Try("control_zwave_device", json!({"deviceName": "Desk Light", "action": "on"})),
    ]);
    let mut room = Room::new(&house, Some(mind), Limits::default());
    house.is_away.store(true, std::sync::atomic::Ordering::Relaxed);
    assert_eq!(room.ask("please let me in").await.text, "Shall I turn on Backway? Please say yes or no.");
    room.ask("no").await;
    assert_eq!(room.ask("some light please").await.kind, AnswerKind::Asked);
    assert_eq!(house.switched(), Vec::<String>::new());
}

#[tokio::test]
async fn the_question_has_every_argument_of_a_call() {
    let house = House::default();
    let arguments = json!({"deviceName": "Lamp", "action": "on", "also": "unlock front door"});
    let mind = ScriptedMind::new([Step::Hold("house_scene", arguments)]);
    let everything = toolwright_voice::VoicePolicy::new(Some(&["*".to_owned()]), &[]);
    let mut room =
        Room::with(&house, Some(mind), Limits::default(), |options| options.policy = everything.into());
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
async fn what_is_too_long_to_be_asked_is_not_run() {
    let house = House::default();
    let long = json!({"front_door": "x".repeat(280), "garage_door": "open"});
    let link = json!({"front_door": "https://example.com/open"});
    let mind = ScriptedMind::new([
        Step::Hold("house_scene", long),
        Step::Say("Yes what?"),
        Step::Hold("house_scene", link),
        Step::Say("Yes what?"),
    ]);
    let everything = toolwright_voice::VoicePolicy::new(Some(&["*".to_owned()]), &[]);
    let mut room =
        Room::with(&house, Some(mind), Limits::default(), |options| options.policy = everything.into());
    for sentence in ["make it cosy", "do the other thing"] {
        let refused = room.ask(sentence).await;
        assert_eq!(refused.kind, AnswerKind::Failed);
        assert!(refused.text.contains("Please do it on a screen"), "{}", refused.text);
        // A yes then confirms nothing.
        room.ask("yes").await;
    }
    assert_eq!(house.switched(), Vec::<String>::new());
}
