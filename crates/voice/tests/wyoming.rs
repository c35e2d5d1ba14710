//! The Wyoming front: its protocol behaviour, and hostile clients.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use toolwright_config::{VoiceSettings, WyomingSettings};
use toolwright_speech::{Event, Frames};

use crate::support::{PATIENCE, RunningVoice, ScriptedAssistant, Step};

pub fn settings() -> VoiceSettings {
    let listen = SocketAddr::from(([127, 0, 0, 1], 0));
    VoiceSettings {
        mqtt: None,
        wyoming: Some(WyomingSettings { listen, allow: Vec::new() }),
        ..VoiceSettings::default()
    }
}

pub async fn start(mind: Option<Arc<ScriptedAssistant>>) -> (RunningVoice, String) {
    let spoken = RunningVoice::start(settings(), mind).await;
    let address = spoken.detail("wyoming").expect("it is there").trim_start_matches("tcp://").to_owned();
    (spoken, address)
}

struct Client {
    stream: TcpStream,
    frames: Frames,
}

impl Client {
    async fn connect(address: &str) -> Client {
        Client { stream: TcpStream::connect(address).await.expect("connected"), frames: Frames::default() }
    }

    async fn send(&mut self, kind: &str, data: Value) {
        self.stream.write_all(&Event::new(kind, data).to_bytes()).await.expect("written");
    }

    async fn next(&mut self) -> Option<Event> {
        let reading = async {
            let mut buffer = [0; 4096];
            loop {
                if let Some(event) = self.frames.next().expect("an event") {
                    return Some(event);
                }
                match self.stream.read(&mut buffer).await {
                    Ok(0) | Err(_) => return None,
                    Ok(count) => self.frames.push(&buffer[..count]),
                }
            }
        };
        tokio::time::timeout(PATIENCE, reading).await.expect("an event in time")
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn it_tells_what_it_is_and_answers() {
    let (spoken, address) = start(None).await;
    let mut client = Client::connect(&address).await;
    client.send("describe", json!({})).await;
    let info = client.next().await.expect("info");
    assert_eq!((info.kind.as_str(), &info.data["handle"][0]["name"]), ("info", &json!("toolwright")));
    client.send("ping", json!({ "text": "hi" })).await;
    assert_eq!(client.next().await, Some(Event::new("pong", json!({ "text": "hi" }))));
    let context = json!({ "conversation_id": "c1" });
    client
        .send("transcript", json!({ "text": "turn on switch one", "language": "en", "context": context }))
        .await;
    let handled = client.next().await.expect("an answer");
    let text = "Successfully sent command to turn on Switch One.";
    assert_eq!(handled, Event::new("handled", json!({ "text": text, "context": context })));
    client.send("transcript", json!({ "text": "tell me a joke" })).await;
    assert_eq!(client.next().await.expect("an answer").kind, "not-handled");
    assert_eq!(spoken.home.switched(), ["Switch One on"]);
    spoken.voice.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn assistant_text_is_streamed_and_then_complete() {
    let mind = ScriptedAssistant::new([Step::Stream(&["One sentence. ", "Two sentences. ", "And the end"])]);
    let (spoken, address) = start(Some(mind)).await;
    let mut client = Client::connect(&address).await;
    client.send("transcript", json!({ "text": "tell me a story" })).await;
    let mut seen = Vec::new();
    loop {
        let event = client.next().await.expect("an event");
        let is_last = event.kind == "handled";
        seen.push(format!("{} {}", event.kind, event.data["text"].as_str().unwrap_or_default()));
        if is_last {
            break;
        }
    }
    insta::assert_snapshot!(seen.join("\n"), @r"
    handled-start 
    handled-chunk One sentence.
    handled-chunk  Two sentences.
    handled-chunk  And the end.
    handled-stop 
    handled One sentence. Two sentences. And the end.
    ");
    spoken.voice.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_question_is_answered_by_the_next_connection_of_the_conversation() {
    let (spoken, address) = start(None).await;
    for (text, conversation, kind) in
        [("turn on the garage door", "a", "Shall I"), ("yes", "b", "I did not"), ("yes", "a", "Successfully")]
    {
        // An immediate yes counts as said before the question.
        tokio::time::sleep(toolwright_voice::Limits::default().hearing).await;
        let mut client = Client::connect(&address).await;
        client
            .send("transcript", json!({ "text": text, "context": { "conversation_id": conversation } }))
            .await;
        let answer = client.next().await.expect("an answer");
        assert!(answer.data["text"].as_str().unwrap_or_default().starts_with(kind), "{answer:?}");
    }
    assert_eq!(spoken.home.switched(), ["Garage Door on"]);
    spoken.voice.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn garbage_ends_its_own_connection_only() {
    let (spoken, address) = start(None).await;
    let mut good = Client::connect(&address).await;
    let large = format!("{{\"type\":\"transcript\",\"data_length\":{}}}\n", u64::MAX);
    let hostile =
        ["GET / HTTP/1.1\r\n\r\n", "{}\n", "[1]\n", "{\"type\":\"x\",\"payload_length\":-5}\n", &large];
    for bytes in hostile {
        let mut bad = Client::connect(&address).await;
        bad.stream.write_all(bytes.as_bytes()).await.expect("written");
        let error = bad.next().await.expect("why");
        assert_eq!(error.kind, "error", "{bytes}");
        assert_eq!(bad.next().await, None, "{bytes}");
    }
    let mut endless = Client::connect(&address).await;
    let _ = endless.stream.write_all(&vec![b'x'; 300_000]).await;
    let mut silent = Client::connect(&address).await;
    silent.stream.write_all(b"{\"type\":\"transcript\"").await.expect("written");
    for wrong in [json!({}), json!({ "text": 5 }), json!({ "text": "x".repeat(5_000) })] {
        good.send("transcript", wrong).await;
        assert_eq!(good.next().await.expect("why").kind, "error");
        assert_eq!(
            good.next().await.expect("an end for those who do not look at errors").kind,
            "not-handled"
        );
    }
    good.send("audio-chunk", json!({ "rate": 16000 })).await;
    good.send("transcript", json!({ "text": "turn on switch one" })).await;
    assert_eq!(good.next().await.expect("an answer").kind, "handled");
    spoken.voice.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn clients_are_served_concurrently() {
    let mind = ScriptedAssistant::new([Step::Wait(Duration::from_millis(500))]);
    let (spoken, address) = start(Some(mind)).await;
    let mut slow = Client::connect(&address).await;
    slow.send("transcript", json!({ "text": "tell me a story", "context": { "conversation_id": "slow" } }))
        .await;
    let mut quick = Client::connect(&address).await;
    quick
        .send(
            "transcript",
            json!({ "text": "turn on switch one", "context": { "conversation_id": "quick" } }),
        )
        .await;
    let (first, second) = tokio::join!(quick.next(), slow.next());
    assert_eq!(first.expect("an answer").data["text"], "Successfully sent command to turn on Switch One.");
    assert_eq!(second.expect("an answer").data["text"], "That took a while.");
    spoken.voice.stop().await;
}
