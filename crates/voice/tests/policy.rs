//! Permissions of the voice (T23).

use std::sync::Arc;

use toolwright_executor::{RegisteredTool, ToolExecutor};
use toolwright_speech::Device;
use toolwright_voice::{KnownDevices, Verdict, VoicePolicy};

use crate::support::TestHome;

fn tool(executor: &ToolExecutor, name: &str) -> Arc<RegisteredTool> {
    executor.find(name).unwrap_or_else(|error| panic!("{name}: {error}")).tool
}

#[tokio::test]
async fn the_voice_has_tools_of_its_own_and_no_files() {
    let executor = TestHome::default().executor();
    let policy = VoicePolicy::default();
    for name in ["get_current_datetime", "search_web", "control_speaker_volume", "control_zwave_device"] {
        assert!(policy.has(&tool(&executor, name)), "{name}");
    }
    for name in ["read_file", "write_to_file", "unlock_house", "tidy_up"] {
        assert!(!policy.has(&tool(&executor, name)), "{name}");
        let verdict = policy.judge(&tool(&executor, name), "{}", &KnownDevices::all(Vec::new()));
        assert!(matches!(verdict, Verdict::Deny(_)), "{name}: {verdict:?}");
    }
}

#[tokio::test]
async fn a_list_of_tools_takes_the_place_of_the_usual_one() {
    let executor = TestHome::default().executor();
    let policy = VoicePolicy::new(Some(&["zwave/*".to_owned(), "search_web".to_owned()]), &[]);
    for (name, has) in
        [("unlock_house", true), ("search_web", true), ("get_current_datetime", false), ("read_file", false)]
    {
        assert_eq!(policy.has(&tool(&executor, name)), has, "{name}");
    }
    assert!(!VoicePolicy::new(Some(&[]), &[]).has(&tool(&executor, "search_web")), "nothing is nothing");
}

#[tokio::test]
async fn locks_doors_and_what_destroys_need_a_yes() {
    let executor = TestHome::default().executor();
    let policy = VoicePolicy::new(Some(&["*".to_owned()]), &["aquarium".to_owned()]);
    let lock = Device {
        name: "Entrance".into(),
        location: None,
        kind: Some("door lock".into()),
        ..Device::default()
    };
    let home = KnownDevices::all(vec![lock]);
    let judge = |name: &str, arguments: &str| policy.judge(&tool(&executor, name), arguments, &home);
    for (name, arguments) in [
        ("unlock_house", "{}"),
        ("tidy_up", "{}"),
        ("control_zwave_device", r#"{"deviceName":"Garage Door","action":"on"}"#),
        ("control_zwave_device", r#"{"deviceName":"front-door lock","action":"off"}"#),
        ("control_zwave_device", r#"{"deviceName":"Alarm","action":"off"}"#),
        ("control_zwave_device", r#"{"deviceName":"entrance","action":"on"}"#),
        ("control_zwave_device", r#"{"deviceName":"Aquarium Pump","action":"off"}"#),
        ("control_zwave_device", r#"{"device":{"id":["lock.front"]}}"#),
        ("control_zwave_device", "no JSON"),
    ] {
        assert_eq!(judge(name, arguments), Verdict::Confirm, "{name} {arguments}");
    }
    for (name, arguments) in [
        ("control_zwave_device", r#"{"deviceName":"Outdoor Light","action":"on"}"#),
        ("control_zwave_device", r#"{"deviceName":"Doorbell Light","action":"on"}"#),
        ("control_zwave_device", r#"{"deviceName":"Clock","action":"on"}"#),
        ("search_web", r#"{"query":"how to open a garage door"}"#),
        ("list_zwave_devices", r#"{"filter":"door"}"#),
    ] {
        assert_eq!(judge(name, arguments), Verdict::Allow, "{name} {arguments}");
    }
}

#[tokio::test]
async fn keys_are_looked_at_at_every_depth_and_ids_too() {
    let executor = TestHome::default().executor();
    let policy = VoicePolicy::new(Some(&["*".to_owned()]), &[]);
    let lock = Device {
        name: "Entry".into(),
        location: Some("Hall".into()),
        kind: Some("Door Lock".into()),
        aliases: vec!["5".into()],
        ..Device::default()
    };
    let lamp = Device { name: "Lamp".into(), location: Some("Hall".into()), ..Device::default() };
    let home = KnownDevices::all(vec![lock, lamp]);
    let judge = |arguments: &str| policy.judge(&tool(&executor, "house_scene"), arguments, &home);
    let deep = format!("{}\"unlock\"{}", r#"{"a":["#.repeat(20), "]}".repeat(20));
    let deep_key = format!("{}{{\"front_door\":1}}{}", r#"{"a":["#.repeat(20), "]}".repeat(20));
    for arguments in [
        r#"{"front_door":"open","alarm":false}"#,
        r#"{"nodeId":5,"action":"on"}"#,
        r#"{"deviceName":"5","action":"on"}"#,
        r#"{"deviceName":"Hall/Entry","action":"on"}"#,
        r#"{"command":"turn on entry please"}"#,
        &deep,
        &deep_key,
    ] {
        assert_eq!(judge(arguments), Verdict::Confirm, "{arguments}");
    }
    for arguments in [
        r#"{"deviceName":"Hall/Lamp","action":"dim","level":5}"#,
        r#"{"deviceName":"Lamp","action":"on"}"#,
        r#"{"scene":"movie night","brightness":5,"rooms":["Hall"]}"#,
    ] {
        assert_eq!(judge(arguments), Verdict::Allow, "{arguments}");
    }
}

#[tokio::test]
async fn a_name_that_promises_to_look_does_not_hide_a_command() {
    let home = TestHome::default();
    let looks = ["status_set", "check_in", "find_and_set", "read_write", "get_state", "check_zwave_health"];
    let executor = home.executor_with(&looks);
    let policy = VoicePolicy::new(Some(&["*".to_owned()]), &[]);
    let none = KnownDevices::all(Vec::new());
    let judge = |name: &str, arguments: &str| policy.judge(&tool(&executor, name), arguments, &none);
    for (name, arguments) in [
        ("status_set", r#"{"entity":"front door","state":"open"}"#),
        ("status_set", r#"{"entity":"front door","state":1}"#),
        ("check_in", r#"{"front_door":"unlock"}"#),
        ("check_in", r#"{"front_door":true}"#),
        ("find_and_set", r#"{"x":"garage","to":"open"}"#),
        ("read_write", r#"{"alarm":"off"}"#),
        ("get_state", r#"{"front_door":"open"}"#),
        ("get_state", r#"{"q":"unlock the front door"}"#),
        ("get_state", "no JSON"),
    ] {
        assert_eq!(judge(name, arguments), Verdict::Confirm, "{name} {arguments}");
    }
    for (name, arguments) in [
        ("get_state", r#"{"entity":"front door"}"#),
        ("get_state", r#"{"entity":"lamp","state":"on"}"#),
        ("status_set", r#"{"entity":"lamp","state":"on"}"#),
        ("check_zwave_health", "{}"),
        ("search_web", r#"{"query":"open garage door"}"#),
        ("list_zwave_devices", r#"{"filter":"lock"}"#),
    ] {
        assert_eq!(judge(name, arguments), Verdict::Allow, "{name} {arguments}");
    }
}

#[tokio::test]
async fn the_number_of_a_lock_is_known_in_every_spelling() {
    let executor = TestHome::default().executor();
    let policy = VoicePolicy::new(Some(&["*".to_owned()]), &[]);
    let lock = Device {
        name: "Backway".into(),
        kind: Some("Door Lock".into()),
        aliases: vec!["12".into()],
        ..Device::default()
    };
    let home = KnownDevices::all(vec![lock]);
    let judge = |name: &str, arguments: &str| policy.judge(&tool(&executor, name), arguments, &home);
    for arguments in [
        r#"{"nodeId":12}"#,
        r#"{"nodeId":12.0}"#,
        r#"{"nodeId":1.2e1}"#,
        r#"{"nodeId":"012"}"#,
        r#"{"node":"0x0c"}"#,
        r#"{"target":12,"value":"open"}"#,
        r#"{"target":"12"}"#,
        r#"{"addr":{"n":12}}"#,
        r#"{"items":[[12,"open"]]}"#,
        r#"{"12":"open"}"#,
        r#"{"node-12":"open"}"#,
        r#"{"cmd":"12 open"}"#,
        r#"{"cmd":"open node 012"}"#,
        r#"{"scene":"goodnightunlockall"}"#,
    ] {
        assert_eq!(judge("house_scene", arguments), Verdict::Confirm, "{arguments}");
    }
    for arguments in [
        r#"{"nodeId":120}"#,
        r#"{"nodeId":12.5}"#,
        r#"{"brightness":12}"#,
        r#"{"title":"12 monkeys"}"#,
        r#"{"scene":"goodnightblockall"}"#,
    ] {
        assert_eq!(judge("house_scene", arguments), Verdict::Allow, "{arguments}");
    }
    // A tool that declares a key for its device may have other numbers too.
    let dim = r#"{"deviceName":"Lamp","action":"dim","level":12}"#;
    assert_eq!(judge("control_zwave_device", dim), Verdict::Allow);
}

#[tokio::test]
async fn without_the_whole_list_every_call_that_does_something_needs_a_yes() {
    let executor = TestHome::default().executor();
    let policy = VoicePolicy::new(Some(&["*".to_owned()]), &[]);
    let lamp = Device { name: "Lamp".into(), ..Device::default() };
    let known = KnownDevices::some(vec![lamp]);
    let judge = |name: &str, arguments: &str| policy.judge(&tool(&executor, name), arguments, &known);
    for (name, arguments) in [
        ("control_zwave_device", r#"{"deviceName":"Lamp","action":"on"}"#),
        ("control_zwave_device", r#"{"deviceName":"Backway","action":"on"}"#),
        ("house_scene", r#"{"scene":"movie"}"#),
    ] {
        assert_eq!(judge(name, arguments), Verdict::Confirm, "{name} {arguments}");
    }
    for (name, arguments) in [
        ("list_zwave_devices", "{}"),
        ("get_current_datetime", "{}"),
        ("search_web", r#"{"query":"weather"}"#),
        ("control_speaker_volume", r#"{"action":"set","volume":30}"#),
    ] {
        assert_eq!(judge(name, arguments), Verdict::Allow, "{name} {arguments}");
    }
}
