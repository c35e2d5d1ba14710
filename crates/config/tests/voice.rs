//! The section `voice`: each value, the defaults, and the limited effect of an error.

use crate::support;

use std::path::PathBuf;
use std::time::Duration;

use support::{clean, problems, read};
use toolwright_config::{
    BrokerChoice, BrokerPassword, Configuration, MqttProtocol, Severity, VoiceSettings, WyomingSettings,
};

fn voice(configuration: &Configuration) -> &VoiceSettings {
    configuration.voice.as_ref().expect("there is a section")
}

#[test]
fn absent_section_is_off_and_empty_section_has_defaults() {
    for text in [r#"{"mcpServers": {}}"#, r#"{"voice": null}"#] {
        let read = clean(text);
        assert!(read.voice.is_none() && !read.is_voice_wrong);
    }
    assert_eq!(*voice(&clean(r#"{"voice": {}}"#)), VoiceSettings::default());
    assert_eq!(*voice(&clean(r#"{"voice": true}"#)), VoiceSettings::default());
    assert!(!voice(&clean(r#"{"voice": false}"#)).is_enabled);
    let usual = VoiceSettings::default();
    assert!(usual.is_enabled && !usual.hermes);
    assert_eq!(usual.wyoming, Some(WyomingSettings::default()));
    assert!(usual.wyoming.expect("Wyoming").listen.ip().is_loopback());
}

#[test]
fn all_keys_are_read() {
    let configuration = clean(
        r#"{"voice": {"enabled": "true",
            "mqtt": {"url": "mqtts://house.local", "username": "ann", "password": "${TOKEN}", "caFile": "ca.pem", "clientId": "desk",
                "topicPrefix": "house/voice", "responsePrefixes": ["answers"], "protocol": "3.1.1"},
            "hermes": true, "wyoming": {"listen": "0.0.0.0:10500", "allow": ["192.168.1.0/24"]},
            "tools": ["zwave/*"], "confirm": ["pool"], "confirmMs": 10000, "maxAgeMs": 5000, "thinkMs": "9000",
            "waiting": 5, "atOnce": 2, "model": "qwen3:8b", "listTool": "list", "controlTool": "house/set"}}"#,
    );
    let settings = voice(&configuration);
    let mqtt = settings.mqtt.as_ref().expect("MQTT");
    let BrokerChoice::Outside(broker) = &mqtt.broker else { panic!("{mqtt:?}") };
    assert_eq!(
        (broker.shown().as_str(), broker.username.as_deref()),
        ("mqtts://house.local:8883", Some("ann"))
    );
    let BrokerPassword::Text(password) = &broker.password else { panic!("{broker:?}") };
    assert_eq!(password.expose(), "t0ken-of-ann");
    assert!(configuration.secrets().contains(&"t0ken-of-ann".to_owned()));
    assert!(!format!("{configuration:?}").contains("t0ken-of-ann"));
    assert_eq!(broker.ca_file, Some(PathBuf::from("/home/ann/desk/ca.pem")));
    assert_eq!((mqtt.topic_prefix.as_str(), mqtt.client_id.as_deref()), ("house/voice", Some("desk")));
    assert_eq!(mqtt.response_prefixes, ["answers"]);
    assert_eq!(mqtt.protocol, MqttProtocol::Three);
    assert!(settings.hermes);
    let wyoming = settings.wyoming.as_ref().expect("Wyoming");
    assert!(wyoming.allow[0].contains("192.168.1.9".parse().expect("an address")));
    assert_eq!(
        (settings.tools.clone(), settings.confirm.clone()),
        (Some(vec!["zwave/*".into()]), vec!["pool".into()])
    );
    let second = |seconds| Some(Duration::from_secs(seconds));
    assert_eq!(
        (settings.confirm_time, settings.max_age, settings.think_time),
        (second(10), second(5), second(9))
    );
    assert_eq!((settings.waiting, settings.at_once), (Some(5), Some(2)));
    assert_eq!((settings.model.as_deref(), settings.list_tool.as_str()), (Some("qwen3:8b"), "list"));
    assert_eq!(settings.control_tool, "house/set");
    let inside = clean(r#"{"voice": {"mqtt": {"port": 1900}, "wyoming": false}}"#);
    assert_eq!(voice(&inside).mqtt.as_ref().expect("MQTT").broker, BrokerChoice::Inside { port: Some(1900) });
    assert!(voice(&inside).wyoming.is_none());
    assert!(voice(&clean(r#"{"voice": {"mqtt": false}}"#)).mqtt.is_none());
}

#[test]
fn every_error_disables_the_voice_and_has_a_fix() {
    let mut output = String::new();
    for section in [
        r#"5"#,
        r#"{"tols": []}"#,
        r#"{"tools": "all"}"#,
        r#"{"confirmMs": 0}"#,
        r#"{"atOnce": 1000}"#,
        r#"{"hermes": true, "mqtt": false}"#,
        r#"{"mqtt": {"url": "http://x"}}"#,
        r#"{"mqtt": {"username": "ann"}}"#,
        r#"{"mqtt": {"url": "mqtt://x", "port": 5}}"#,
        r#"{"mqtt": {"url": "mqtt://x", "password": "p"}}"#,
        r#"{"mqtt": {"url": "mqtt://ann@x", "password": "p", "passwordFile": "f"}}"#,
        r#"{"mqtt": {"url": "mqtt://x", "caFile": "ca.pem"}}"#,
        r#"{"mqtt": {"topicPrefix": "a/+"}}"#,
        r#"{"mqtt": {"protocol": "4"}}"#,
        r#"{"wyoming": {"listen": "10500"}}"#,
        r#"{"wyoming": {"listen": "0.0.0.0:10500"}}"#,
        r#"{"wyoming": {"allow": ["house"]}}"#,
        r#"{"listTool": " "}"#,
    ] {
        let text = format!("{{\"voice\": {section}, \"mcpServers\": {{\"a\": {{\"command\": \"x\"}}}}}}");
        let read = read(&text).expect("the rest is read");
        assert!(read.voice.is_none() && read.is_voice_wrong, "{section}");
        assert_eq!(read.servers().count(), 1, "{section}");
        let found = problems(&text);
        assert!(found.iter().all(|problem| problem.severity == Severity::Warning), "{section}");
        assert!(!found.is_empty(), "{section}");
        for problem in found {
            output.push_str(&format!("{section}\n  {}\n  {}\n", problem.message, problem.fix));
        }
    }
    insta::assert_snapshot!(output);
}
