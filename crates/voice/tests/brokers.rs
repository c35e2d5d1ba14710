//! The MQTT front at Mosquitto and at the built-in broker, with real clients of both revisions.

use std::time::Duration;

use serde_json::json;
use toolwright_config::{
    BrokerChoice, BrokerPassword, BrokerSettings, MqttProtocol, SecretText, VoiceSettings,
};

use crate::support::brokers::{Listener, Mosquitto, publish};
use crate::support::{RunningVoice, ScriptedAssistant, Step, at_broker, inside};

const IN: &str = "voice/transcription";
const OUT: &str = "voice/ai-response";

fn said(text: &str) -> String {
    json!({ "text": text, "timestamp": jiff::Timestamp::now().to_string(), "source": "test", "duration": 1.0 }).to_string()
}

/// The complete scenario at one broker.
async fn story(settings: VoiceSettings, revision: &str) {
    let mind = ScriptedAssistant::new([Step::Say("I am **fine**.")]);
    let spoken = RunningVoice::start(settings, Some(mind)).await;
    let port = spoken.port;
    let listener = Listener::start(port, &["voice/#"], &["-V", revision]);
    // The status is retained, so later clients receive it too.
    let status = listener.json("voice/status");
    assert_eq!((&status["online"], &status["source"]), (&json!(true), &json!("toolwright")));

    publish(port, &["-V", revision, "-t", IN, "-m", &said("turn on switch one")]);
    let answer = listener.json(OUT);
    assert_eq!(answer["question"], "turn on switch one");
    assert_eq!(answer["answer"], "Successfully sent command to turn on Switch One.");
    assert_eq!((&answer["source"], &answer["model"]), (&json!("toolwright"), &json!("direct")));
    assert_eq!((&answer["conversationTurns"], &answer["provider"]), (&json!(0), &json!("toolwright")));
    assert!(answer["duration"].is_number() && answer["timestamp"].is_string(), "{answer}");
    assert_eq!(spoken.home.switched(), ["Switch One on"]);

    publish(port, &["-V", revision, "-t", IN, "-m", &said("how are you")]);
    let answer = listener.json(OUT);
    assert_eq!((&answer["answer"], &answer["model"]), (&json!("I am fine."), &json!("scripted")));

    // Plain text is accepted as a sentence.
    publish(port, &["-V", revision, "-t", IN, "-m", "turn off switch one"]);
    assert_eq!(listener.json(OUT)["kind"], "done");

    // A message with the retain flag is processed now, once, and never again.
    publish(port, &["-V", revision, "-r", "-t", IN, "-m", &said("turn on switch two")]);
    assert_eq!(listener.json(OUT)["question"], "turn on switch two");
    // A repeated message is processed once.
    for _ in 0..3 {
        publish(port, &["-V", revision, "-t", IN, "-m", r#"{"text":"turn off switch two","id":"a-1"}"#]);
    }
    assert_eq!(listener.json(OUT)["id"], "a-1");
    // A stale message is not processed, and an error is published.
    let old =
        json!({ "text": "turn on switch two", "timestamp": "2020-01-01T00:00:00Z", "id": "old" }).to_string();
    publish(port, &["-V", revision, "-t", IN, "-m", &old]);
    let error = listener.json("voice/error");
    assert_eq!((&error["error"], &error["id"]), (&json!("stale"), &json!("old")));
    // So is a malformed one.
    publish(port, &["-V", revision, "-t", IN, "-m", "{\"text\":"]);
    assert_eq!(listener.json("voice/error")["error"], "malformed");
    publish(port, &["-V", revision, "-t", IN, "-m", &"x".repeat(70_000)]);
    assert_eq!(listener.json("voice/error")["error"], "malformed");
    // Toolwright's own messages are ignored.
    publish(
        port,
        &["-V", revision, "-t", IN, "-m", r#"{"text":"turn on switch two","source":"toolwright"}"#],
    );
    publish(port, &["-V", revision, "-t", IN, "-m", &said("what time is it")]);
    assert_eq!(listener.json(OUT)["question"], "what time is it");

    let retained_ones = spoken.home.switched().iter().filter(|switched| *switched == "Switch Two on").count();
    // With MQTT 5, connected subscribers receive a retained publication like any other.
    assert!(retained_ones <= 1, "{:?}", spoken.home.switched());
    assert_eq!(spoken.count("dropped_duplicate"), 2);
    assert_eq!((spoken.count("dropped_stale"), spoken.count("dropped_malformed")), (1, 2));
    spoken.voice.stop().await;
    assert_eq!(listener.json("voice/status")["online"], false);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_story_at_mosquitto_with_clients_of_311() {
    let broker = Mosquitto::start();
    story(at_broker(broker.port), "mqttv311").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_story_at_mosquitto_with_clients_of_5() {
    let broker = Mosquitto::start();
    story(at_broker(broker.port), "mqttv5").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_story_at_the_broker_inside_with_clients_of_311() {
    story(inside(), "mqttv311").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_story_at_the_broker_inside_with_clients_of_5() {
    story(inside(), "mqttv5").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_story_when_we_speak_311_ourselves() {
    let broker = Mosquitto::start();
    let mut settings = at_broker(broker.port);
    settings.mqtt.as_mut().expect("MQTT").protocol = MqttProtocol::Three;
    story(settings, "mqttv5").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn retained_command_is_ignored_on_connect() {
    for revision in [MqttProtocol::Three, MqttProtocol::Five] {
        let broker = Mosquitto::start();
        publish(broker.port, &["-r", "-t", IN, "-m", "turn on switch one"]);
        let mut settings = at_broker(broker.port);
        settings.mqtt.as_mut().expect("MQTT").protocol = revision;
        let spoken = RunningVoice::start(settings, None).await;
        let listener = Listener::start(broker.port, &[OUT], &[]);
        publish(broker.port, &["-t", IN, "-m", "turn on switch two"]);
        assert_eq!(listener.json(OUT)["question"], "turn on switch two");
        assert_eq!(spoken.home.switched(), ["Switch Two on"], "{revision:?}");
        spoken.voice.stop().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn reply_uses_response_topic() {
    let broker = Mosquitto::start();
    for settings in [inside(), at_broker(broker.port)] {
        let spoken = RunningVoice::start(settings, None).await;
        let port = spoken.port;
        let listener = Listener::start(port, &["voice/answers/ann", OUT], &["-V", "mqttv5"]);
        let ask = |topic: &str, text: &str| {
            let property = [
                "-V",
                "mqttv5",
                "-D",
                "publish",
                "response-topic",
                topic,
                "-D",
                "publish",
                "correlation-data",
                "c7",
            ];
            publish(port, &[&property[..], &["-t", IN, "-m", text]].concat());
        };
        ask("voice/answers/ann", "turn on switch one");
        assert_eq!(listener.json("voice/answers/ann")["question"], "turn on switch one");
        // A response topic that Toolwright subscribes to is not used: it would process its own answer.
        ask(IN, "turn off switch one");
        assert_eq!(listener.json(OUT)["question"], "turn off switch one");
        // Nor a topic on which a device would take the answer for a command.
        ask("zwave/Front_Door/lock/set", "turn on switch one");
        assert_eq!(listener.json(OUT)["question"], "turn on switch one");
        ask("voice/answers/+", "turn on switch two");
        assert!(listener.within(Duration::from_millis(300)).is_none_or(|line| line.contains("switch two")));
        spoken.voice.stop().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn topics_begin_as_they_are_configured() {
    let broker = Mosquitto::start();
    let mut settings = at_broker(broker.port);
    settings.mqtt.as_mut().expect("MQTT").topic_prefix = "house/first".into();
    let spoken = RunningVoice::start(settings, None).await;
    let listener = Listener::start(broker.port, &["house/#"], &[]);
    publish(broker.port, &["-t", "house/first/transcription", "-m", "turn on switch one"]);
    assert_eq!(listener.json("house/first/ai-response")["kind"], "done");
    spoken.voice.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn wrong_broker_password_is_reported() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("passwords");
    let made = std::process::Command::new(crate::support::brokers::program("mosquitto_passwd"))
        .args(["-b", "-c"])
        .arg(&file)
        .args(["ann", "the-password"])
        .output()
        .expect("mosquitto_passwd runs");
    assert!(made.status.success(), "{made:?}");
    let broker = Mosquitto::with(&format!("password_file {}\nallow_anonymous false", file.display()));
    let with = |password: BrokerPassword| {
        let mut settings = at_broker(broker.port);
        let mqtt = settings.mqtt.as_mut().expect("MQTT");
        let address =
            BrokerSettings::parse(&format!("mqtt://ann@127.0.0.1:{}", broker.port)).expect("an address");
        mqtt.broker = BrokerChoice::Outside(BrokerSettings { password, ..address });
        settings
    };
    let in_file = folder.path().join("password");
    std::fs::write(&in_file, "the-password\n").expect("a file");
    for right in [BrokerPassword::Text(SecretText::new("the-password")), BrokerPassword::File(in_file)] {
        let spoken = RunningVoice::start(with(right), None).await;
        spoken.voice.stop().await;
    }
    let home = crate::support::TestHome::default();
    let wrong = with(BrokerPassword::Text(SecretText::new("another")));
    let options = toolwright_voice::VoiceOptions { settings: wrong, executor: home.executor(), mind: None };
    let spoken = RunningVoice { voice: toolwright_voice::Voice::start(options), home, port: broker.port };
    spoken
        .until("it is told", |voice| voice.view().fronts[0].detail.contains("check username and password"))
        .await;
    spoken.voice.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_encrypted_broker_is_reached_with_its_certificate_and_not_without() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name).display().to_string();
    let openssl = |arguments: &[&str]| {
        let made = std::process::Command::new("openssl").args(arguments).output().expect("openssl runs");
        assert!(made.status.success(), "{made:?}");
    };
    let key = ["-newkey", "rsa:2048", "-nodes", "-keyout"];
    openssl(
        &[
            &["req", "-x509", "-days", "2", "-subj", "/CN=house", "-out", &path("ca.pem")][..],
            &key,
            &[&path("ca.key")],
        ]
        .concat(),
    );
    openssl(
        &[&["req", "-subj", "/CN=localhost", "-out", &path("request.pem")][..], &key, &[&path("key.pem")]]
            .concat(),
    );
    std::fs::write(path("names"), "subjectAltName=DNS:localhost,IP:127.0.0.1").expect("a file");
    let (request, names) = (path("request.pem"), path("names"));
    let sign = ["x509", "-req", "-days", "2", "-CAcreateserial", "-in", &request, "-extfile", &names, "-CA"];
    openssl(&[&sign[..], &[&path("ca.pem"), "-CAkey", &path("ca.key"), "-out", &path("cert.pem")]].concat());
    let broker = Mosquitto::with(&format!("certfile {}\nkeyfile {}", path("cert.pem"), path("key.pem")));
    let with = |ca_file| {
        let mut settings = at_broker(broker.port);
        let address =
            BrokerSettings::parse(&format!("mqtts://localhost:{}", broker.port)).expect("an address");
        settings.mqtt.as_mut().expect("MQTT").broker =
            BrokerChoice::Outside(BrokerSettings { ca_file, ..address });
        settings
    };
    let spoken = RunningVoice::start(with(Some(folder.path().join("ca.pem"))), None).await;
    let tls = ["--cafile", &path("ca.pem")];
    let listener = Listener::start(broker.port, &[OUT], &tls);
    publish(broker.port, &[&tls[..], &["-t", IN, "-m", "turn on switch one"]].concat());
    assert_eq!(listener.json(OUT)["kind"], "done");
    spoken.voice.stop().await;

    let home = crate::support::TestHome::default();
    let options =
        toolwright_voice::VoiceOptions { settings: with(None), executor: home.executor(), mind: None };
    let stranger = RunningVoice { voice: toolwright_voice::Voice::start(options), home, port: broker.port };
    stranger
        .until("it is not trusted", |voice| {
            voice.view().fronts[0].state == toolwright_voice::FrontState::Waiting
        })
        .await;
    stranger.voice.stop().await;
}
