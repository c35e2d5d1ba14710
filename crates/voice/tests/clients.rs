//! Third-party clients: `wyoming` and `rhasspy-hermes` from PyPI.

#[path = "../../../tests/servers/installed.rs"]
mod installed;

use std::process::Command;

use serde_json::{Value, json};

use crate::support::brokers::{Listener, Mosquitto, publish};
use crate::support::{RunningVoice, ScriptedAssistant, Step, at_broker};

/// Runs a script that uses the third-party library and returns the JSON lines that it prints.
fn run(script: &str, arguments: &[&str]) -> Vec<Value> {
    let mut command = Command::new(installed::client("voice-clients/bin/python"));
    let output = command.arg(installed::client_script(script)).args(arguments).output().expect("python runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout).expect("text");
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{line}: {error}")))
        .collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn the_client_of_wyoming_is_answered() {
    let mind = ScriptedAssistant::new([Step::Stream(&["A story. ", "It is over."])]);
    let (spoken, address) = crate::wyoming::start(Some(mind)).await;
    let seen = run("voice_wyoming.py", &[&address, "turn on switch one", "tell me a story"]);
    let kinds: Vec<&str> = seen.iter().map(|event| event["type"].as_str().unwrap_or_default()).collect();
    let streamed = ["handled-start", "handled-chunk", "handled-chunk", "handled-stop", "handled"];
    assert_eq!(kinds, [&["info", "pong", "handled"][..], &streamed].concat());
    assert_eq!(seen[0]["handle"], json!(["toolwright"]), "its library understands what we are");
    assert_eq!(seen[2]["text"], "Successfully sent command to turn on Switch One.");
    assert_eq!(seen.last().expect("an end")["text"], "A story. It is over.");
    assert_eq!(spoken.home.switched(), ["Switch One on"]);
    spoken.voice.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn rhasspy_hears_its_sessions_end_and_go_on() {
    let broker = Mosquitto::start();
    let mut settings = at_broker(broker.port);
    settings.hermes = true;
    let spoken = RunningVoice::start(settings, None).await;
    let listener = Listener::start(broker.port, &["hermes/#"], &[]);
    let messages = run("voice_hermes.py", &["write"]);
    let message = |name: &str| {
        let found = messages.iter().find(|message| message["name"] == name).expect(name);
        (found["topic"].as_str().expect("a topic").to_owned(), found["payload"].to_string())
    };
    let send = |name: &str| {
        let (topic, payload) = message(name);
        publish(broker.port, &["-t", &topic, "-m", &payload]);
    };
    let mut heard = Vec::new();
    for (name, topic) in [
        ("switch", "hermes/dialogueManager/endSession"),
        ("door", "hermes/dialogueManager/continueSession"),
        ("yes", "hermes/dialogueManager/endSession"),
        ("no session", "hermes/tts/say"),
        ("query", "hermes/nlu/intentParsed"),
        ("strange query", "hermes/nlu/intentNotRecognized"),
        ("nothing", "hermes/dialogueManager/endSession"),
    ] {
        if name == "yes" {
            // An immediate yes counts as said before the question.
            tokio::time::sleep(toolwright_voice::Limits::default().hearing).await;
        }
        send(name);
        heard.push(json!({ "topic": topic, "payload": listener.json(topic) }));
    }
    // The third-party classes parse every message.
    let read = run("voice_hermes.py", &["read", &json!(heard).to_string()]);
    let said: Vec<String> = read
        .iter()
        .map(|line| {
            let text = |key: &str| line[key].as_str().unwrap_or("-").to_owned();
            format!("{} site {} session {}: {}", text("class"), text("site"), text("session"), text("text"))
        })
        .collect();
    insta::assert_snapshot!(said.join("\n"), @r"
    DialogueEndSession site - session s-1: Successfully sent command to turn on Switch One.
    DialogueContinueSession site - session s-2: Shall I turn on Garage Door? Please say yes or no.
    DialogueEndSession site - session s-2: Successfully sent command to turn on Garage Door.
    TtsSay site hall session -: Successfully sent command to turn off Switch One.
    NluIntentParsed site hall session -: TurnOn Switch Two
    NluIntentNotRecognized site hall session -: sing me a song
    DialogueEndSession site - session s-3: -
    ");
    assert_eq!(spoken.home.switched(), ["Switch One on", "Garage Door on", "Switch One off"]);
    publish(broker.port, &["-t", "hermes/asr/textCaptured", "-m", "{"]);
    assert_eq!(listener.json("hermes/error/nlu")["context"], "hermes/asr/textCaptured");
    spoken.voice.stop().await;
}
