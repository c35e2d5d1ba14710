//! Reconnecting after the broker is killed (Q26). `cargo xtask soak Q26` repeats it a hundred times.

use std::time::{Duration, Instant};

use serde_json::json;
use toolwright_voice::FrontState;

use crate::support::brokers::{Mosquitto, publish};
use crate::support::{RunningVoice, at_broker};

/// How often the broker is killed here.
const TIMES: usize = 10;
/// The total number of commands.
const TOGGLES: usize = 200;
/// The time limit for reconnecting.
const BACK: Duration = Duration::from_secs(5);

#[tokio::test(flavor = "multi_thread")]
async fn q26_a_broker_that_is_killed_and_restarted_is_found_again_and_every_toggle_counts_once() {
    let times = std::env::var("TOOLWRIGHT_Q26").ok().and_then(|times| times.parse().ok()).unwrap_or(TIMES);
    let mut broker = Mosquitto::start();
    let spoken = RunningVoice::start(at_broker(broker.port), None).await;
    let each = (TOGGLES / times).max(2);
    let mut expected = Vec::new();
    for round in 0..times {
        for number in 0..each {
            let (word, id) = (if number % 2 == 0 { "on" } else { "off" }, format!("{round}-{number}"));
            let message =
                json!({ "text": format!("turn {word} switch one"), "id": id, "conversation": "r26" })
                    .to_string();
            // Sent twice, like a client that did not receive an acknowledgement.
            for _ in 0..2 {
                let sent = publish(broker.port, &["-t", "voice/transcription", "-m", &message]);
                assert!(sent.status.success(), "{sent:?}");
            }
            expected.push(format!("Switch One {word}"));
        }
        let wanted = expected.len();
        // A message in flight when the broker is killed may be lost; this test does not cover it.
        let is_heard = |_: &_| {
            spoken.home.switched().len() >= wanted && spoken.count("dropped_duplicate") >= wanted as u64
        };
        spoken.until("every toggle and every repeat", is_heard).await;
        // Retained by the broker: it must not be processed after reconnecting.
        publish(
            broker.port,
            &[
                "-r",
                "-t",
                "voice/transcription",
                "-m",
                r#"{"text":"turn on switch two","source":"toolwright"}"#,
            ],
        );
        broker.kill();
        spoken.until("it is missed", |voice| voice.view().fronts[0].state == FrontState::Waiting).await;
        broker.restart();
        let since = Instant::now();
        spoken.ready().await;
        let took = since.elapsed();
        assert!(took <= BACK, "round {round}: it took {took:?} to come back");
    }
    assert_eq!(spoken.home.switched(), expected, "the right state, each toggle once");
    assert_eq!(spoken.count("dropped_duplicate"), expected.len() as u64);
    spoken.voice.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn missing_broker_delays_no_other_front() {
    let port = crate::support::brokers::free_port();
    let home = crate::support::TestHome::default();
    let mut settings = at_broker(port);
    let listen = std::net::SocketAddr::from(([127, 0, 0, 1], 0));
    settings.wyoming = Some(toolwright_config::WyomingSettings { listen, allow: Vec::new() });
    let options = toolwright_voice::VoiceOptions { settings, executor: home.executor(), mind: None };
    let spoken = RunningVoice { voice: toolwright_voice::Voice::start(options), home, port };
    spoken.voice.settled().await;
    assert_eq!(spoken.state("mqtt"), Some(FrontState::Waiting));
    assert_eq!(spoken.state("wyoming"), Some(FrontState::Ready));
    assert_eq!(spoken.voice.view().status, "degraded");
    spoken.until("the devices are known meanwhile", |voice| voice.view().devices == 8).await;
    spoken.voice.stop().await;
}
