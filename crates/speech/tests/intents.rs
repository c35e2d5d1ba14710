//! Intent recognition, and sentences that only look like commands.

use toolwright_speech::{Command, Device, Does, Reading, Tells, choose, parse_devices, read_intent};

const DEVICES: &str = r#"Available Z-Wave devices (8 total):
- "Switch One" in Hall is online
- "Switch Two" in Hall is online
- "Lamp" in Kitchen is online
- "Lamp" in Bedroom is online
- "Desk Light" in Office is online
- "Garage Door" in Garage is online
- "Broken Lamp" is online
- "Outdoor Light" in Garden is online"#;

fn devices() -> Vec<Device> {
    parse_devices(DEVICES, None).devices
}

fn interpreted(text: &str) -> String {
    match read_intent(text, &devices()) {
        Reading::Certain(Command::Tell(tells)) => format!("{tells:?}"),
        Reading::Certain(Command::Device { device, does }) => {
            format!("{} in {}: {does:?}", device.name, device.location.unwrap_or_default())
        }
        Reading::Which { does, devices } => {
            let places: Vec<String> =
                devices.into_iter().map(|device| device.location.unwrap_or_default()).collect();
            format!("which of {}: {does:?}", places.join(", "))
        }
        Reading::Unsure => "unsure".to_owned(),
    }
}

#[test]
fn commands_with_one_reading_are_certain() {
    for (text, expected) in [
        ("turn on switch one", "Switch One in Hall: On"),
        ("Turn on Switch 1.", "Switch One in Hall: On"),
        ("Switch the switch two off!", "Switch Two in Hall: Off"),
        ("turn off the desk light", "Desk Light in Office: Off"),
        ("Could you please turn the desk light on, thanks", "Desk Light in Office: On"),
        ("okay turn on the kitchen lamp", "Lamp in Kitchen: On"),
        ("put the lamp in the bedroom off now", "Lamp in Bedroom: Off"),
        ("dim the desk light to forty percent", "Desk Light in Office: Dim(40)"),
        ("dim desk light to 5", "Desk Light in Office: Dim(5)"),
        ("set the desk light to 100%", "Desk Light in Office: Dim(100)"),
        ("set the brightness of the desk light to twenty five percent", "Desk Light in Office: Dim(25)"),
        ("turn the desk light down to 10 percent please", "Desk Light in Office: Dim(10)"),
    ] {
        assert_eq!(interpreted(text), expected, "{text}");
    }
}

#[test]
fn look_alikes_are_not() {
    for text in [
        "don't turn on switch one",
        "do not turn on switch one",
        "never turn off the desk light",
        "turn on switch one tomorrow",
        "turn on switch one at eight",
        "turn on switch one if it is dark",
        "turn on switch one in five minutes",
        "turn on switch one and switch two",
        "turn on everything",
        "turn on the lights",
        "turn on",
        "turn on the",
        "turn switch one",
        "what if I turn on switch one",
        "should I turn on switch one",
        "is switch one on?",
        "is the desk light off",
        "did you turn on switch one",
        "I turned on switch one",
        "why did switch one turn on",
        "switch one is on",
        "turn on the desk",
        "turn on the disk light",
        "turn the desk light on and off",
        "dim the desk light",
        "dim the desk light to 140 percent",
        "dim the desk light by 10 percent",
        "dim the desk light to minus ten percent",
        "set the desk light to 20",
        "set the desk light to twenty degrees",
        "set a timer to 20 percent",
        "schalte die Lampe ein",
        "",
        "...",
    ] {
        assert_eq!(interpreted(text), "unsure", "{text}");
    }
}

#[test]
fn ambiguous_device_is_a_question() {
    assert_eq!(interpreted("turn on the lamp"), "which of Kitchen, Bedroom: On");
    assert_eq!(interpreted("turn off the switch"), "which of Hall, Hall: Off");
}

#[test]
fn a_device_whose_name_has_the_words_of_a_command_is_found_by_its_whole_name() {
    let named = |name: &str| Device { name: name.to_owned(), location: None, ..Device::default() };
    let devices = [named("On Air Sign"), named("Fan Off")];
    let read = |text: &str| read_intent(text, &devices);
    let certain = |name: &str, does| Reading::Certain(Command::Device { device: named(name), does });
    assert_eq!(read("turn on on air sign"), certain("On Air Sign", Does::On));
    assert_eq!(read("turn off the on air sign"), certain("On Air Sign", Does::Off));
    assert_eq!(read("turn on fan off"), certain("Fan Off", Does::On));
    // The command has two interpretations: the device "Fan Off", or an unknown device.
    assert_eq!(read("turn the fan off"), Reading::Unsure);
}

#[test]
fn date_and_time_questions_are_recognized() {
    for (text, tells) in [
        ("What time is it?", Tells::Time),
        ("what's the time", Tells::Time),
        ("Hey, can you tell me the time please", Tells::Time),
        ("what time is it right now", Tells::Time),
        ("What's today's date?", Tells::Date),
        ("what is the date today", Tells::Date),
        ("what day is it today", Tells::Day),
        ("what day is today", Tells::Day),
        ("which month is it", Tells::Month),
        ("What year is it", Tells::Year),
    ] {
        assert_eq!(read_intent(text, &[]), Reading::Certain(Command::Tell(tells)), "{text}");
    }
    for text in [
        "what time is it in Tokyo",
        "what time is the meeting",
        "what time is it tomorrow",
        "what day is christmas",
        "what is the date of the meeting",
        "what is time",
        "is it time",
        "time",
    ] {
        assert_eq!(read_intent(text, &[]), Reading::Unsure, "{text}");
    }
}

#[test]
fn devices_are_read_from_lines_and_from_json() {
    let lines = devices();
    assert_eq!(lines.len(), 8);
    assert_eq!(lines[6], Device { name: "Broken Lamp".into(), location: None, ..Device::default() });
    let structured =
        r#"{"devices":[{"name":"Front Lock","location":"Porch","type":"lock"},{"name":""},{"x":1},"Fan"]}"#;
    let found = parse_devices("- \"Other\" in Hall is online", Some(structured)).devices;
    assert_eq!(
        found,
        [
            Device {
                name: "Front Lock".into(),
                location: Some("Porch".into()),
                kind: Some("lock".into()),
                ..Device::default()
            },
            Device { name: "Fan".into(), location: None, ..Device::default() },
        ]
    );
    assert_eq!(parse_devices("No devices.", None).devices, []);
    let lock = parse_devices("- \"Dome\" in Cellar is online (valve)", None).devices;
    assert_eq!((lock[0].location.as_deref(), lock[0].kind.as_deref()), (Some("Cellar"), Some("valve")));
}

#[test]
fn device_attributes_are_parsed_in_all_spellings() {
    let of = |item: &str| parse_devices("", Some(&format!("[{item}]"))).devices.remove(0);
    for (item, class) in [
        (r#"{"name":"A","commandClasses":[32,98]}"#, 98),
        (r#"{"name":"A","commandClasses":["0x62"]}"#, 98),
        (r#"{"name":"A","command_classes":["Door Lock"]}"#, 98),
        (r#"{"name":"A","commandClasses":[{"id":102,"name":"Barrier Operator"}]}"#, 102),
        (r#"{"name":"A","commandClasses":{"111":{"version":1}}}"#, 111),
        (r#"{"name":"A","values":{"98-0-targetMode":{"commandClass":98,"property":"targetMode"}}}"#, 98),
        (r#"{"name":"A","values":[{"commandClass":99,"value":98}]}"#, 99),
    ] {
        assert!(of(item).classes.contains(&class), "{item}: {:?}", of(item).classes);
    }
    let named =
        of(r#"{"name":"A","id":12,"aliases":["B","C"],"entity_id":"lock.a","device_class":"garage"}"#);
    assert_eq!(named.aliases, ["B", "C", "12", "lock.a"]);
    assert_eq!(named.kind.as_deref(), Some("garage"));
    // A level is not a command class.
    assert_eq!(of(r#"{"name":"A","level":98,"values":[{"commandClass":38,"value":98}]}"#).classes, [38]);
}

#[test]
fn devices_of_one_name_and_location_are_merged() {
    let items = r#"[{"name":"Twin","location":"Hall","type":"switch","id":3,"commandClasses":[37]},
        {"name":"Twin","location":"Hall","type":"Door Lock","id":9,"aliases":["bolt"],"commandClasses":[98]},
        {"name":"Twin","location":"Attic","type":"switch"}, {"nodeId":12,"type":"Door Lock"}, {"nodeId":13}]"#;
    let devices = parse_devices("", Some(items)).devices;
    assert_eq!(devices.len(), 4);
    assert_eq!(devices[0].kind.as_deref(), Some("switch; Door Lock"));
    assert_eq!(devices[0].aliases, ["3", "bolt", "9"]);
    assert_eq!(devices[0].classes, [37, 98]);
    // A device without a name is known by its number, and no words match it.
    assert_eq!((devices[2].name.as_str(), devices[2].aliases.as_slice()), ("", &["12".to_owned()][..]));
    assert_eq!(read_intent("turn on", &devices), Reading::Unsure);
}

#[test]
fn a_list_that_is_too_long_says_so() {
    let list = |count: usize| {
        let items: Vec<String> = (0..count).map(|at| format!(r#"{{"name":"Lamp {at}"}}"#)).collect();
        parse_devices("", Some(&format!("[{}]", items.join(","))))
    };
    assert!(!list(2_000).is_cut);
    assert_eq!((list(2_001).devices.len(), list(2_001).is_cut), (2_000, true));
}

proptest::proptest! {
    #[test]
    fn no_text_breaks_the_grammar(text in "\\PC{0,80}") {
        let _ = read_intent(&text, &devices());
    }

    #[test]
    fn a_word_more_makes_a_command_uncertain(word in "[a-z]{3,9}", front in proptest::bool::ANY) {
        let polite = ["please", "hey", "okay", "kindly", "thanks", "now"];
        proptest::prop_assume!(!polite.contains(&word.as_str()));
        let text = if front { format!("{word} turn on switch one") } else { format!("turn on switch one {word}") };
        proptest::prop_assert_eq!(read_intent(&text, &devices()), Reading::Unsure);
    }
}

#[test]
fn the_question_which_one_is_answered_by_the_place_alone() {
    let Reading::Which { devices, .. } = read_intent("turn on the lamp", &devices()) else {
        panic!("two lamps")
    };
    let chosen = |text: &str| choose(text, &devices).and_then(|device| device.location.clone());
    for text in [
        "kitchen",
        "the kitchen",
        "in the kitchen",
        "The one in the kitchen.",
        "Lamp in Kitchen",
        "the kitchen lamp",
    ] {
        assert_eq!(chosen(text).as_deref(), Some("Kitchen"), "{text}");
    }
    for text in ["in the hall", "not in the kitchen", "kitchen or bedroom", "in", "the", "both"] {
        assert_eq!(chosen(text), None, "{text}");
    }
}
