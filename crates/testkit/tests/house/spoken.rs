//! The house that is spoken to: a sentence comes in by MQTT, Wyoming or Hermes, a real switch turns, and the answer comes back.

use std::path::Path;
use std::process::Command;
use std::time::Instant;

use serde_json::{Value, json};
use toolwright_testkit::house::{House, device};
use toolwright_testkit::llm_upstream::{Dialect, LlmUpstream, Said};
use toolwright_testkit::load::{GatewayPrograms, Served};

use crate::brokers::{Listener, publish};
use crate::{PATIENCE, installed, program};

pub const DONE_ON: &str = "Successfully sent command to turn on Switch One. It reports ON.";
const DONE_OFF: &str = "Successfully sent command to turn off Switch One. It reports OFF.";

/// The entry of the house's server.
pub fn zwave(house: &House) -> Value {
    let variables: serde_json::Map<String, Value> =
        house.variables().into_iter().map(|(name, value)| (name, Value::from(value))).collect();
    json!({"command": program(), "env": variables})
}

/// A configuration with a voice at the house's broker, and with more.
pub fn configuration(house: &House, server: &Value, more: &Value) -> Value {
    let mut file = json!({
        "mcpServers": {"zwave": server},
        "builtinTools": true,
        "voice": {"mqtt": {"url": house.broker_url()}, "hermes": true, "wyoming": {"listen": "127.0.0.1:0"}},
    });
    if let (Some(file), Some(more)) = (file.as_object_mut(), more.as_object()) {
        file.extend(more.clone());
    }
    file
}

/// The section of a scripted model that speaks this dialect.
fn scripted(upstream: &LlmUpstream, dialect: Dialect) -> Value {
    let kind = match dialect {
        Dialect::Ollama => "ollama",
        _ => "anthropic",
    };
    json!({
        "llm": {"upstreams": {"up": {"kind": kind, "url": upstream.url, "apiKey": "sk-none"}}, "models": {"*": "up/*"}},
        "agent": {"model": "scripted"},
    })
}

pub fn serve(configuration: &Value) -> Served {
    let programs = GatewayPrograms::beside(Path::new(env!("CARGO_BIN_EXE_load-server")));
    tokio::task::block_in_place(|| {
        Served::start_with(&programs, Some(configuration), &[], &[("TOOLWRIGHT_LOG", "info")])
    })
}

/// What the gateway says of its voice.
async fn voice(gateway: &Served) -> Value {
    let page = gateway.page("/api/health").await.expect("an answer").text();
    serde_json::from_str::<Value>(&page).unwrap_or_else(|error| panic!("{page}: {error}"))["voice"].clone()
}

pub async fn until_ready(gateway: &Served, devices: u64) -> Value {
    let until = Instant::now() + PATIENCE;
    loop {
        let voice = voice(gateway).await;
        if voice["status"] == "ok" && voice["devices"].as_u64() >= Some(devices) {
            return voice;
        }
        assert!(Instant::now() < until, "{voice}\n{}", gateway.log());
        tokio::time::sleep(std::time::Duration::from_millis(100)).await;
    }
}

pub fn port(house: &House) -> u16 {
    house.broker_url().rsplit(':').next().and_then(|port| port.parse().ok()).expect("a port")
}

/// Says a sentence on the broker, and hears the answer.
pub fn say(house: &House, listener: &Listener, text: &str) -> Value {
    let sent = json!({"text": text, "source": "test", "duration": 1.5}).to_string();
    let output = publish(port(house), &["-t", "voice/transcription", "-m", &sent]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    loop {
        let answer = listener.json("voice/ai-response");
        if answer["question"] == text {
            return answer;
        }
    }
}

/// A script of ours on the library of others: the JSON that it prints, a line each.
fn run(script: &str, arguments: &[&str]) -> Vec<Value> {
    let mut command = Command::new(installed::client("voice-clients/bin/python"));
    let output = command.arg(installed::client_script(script)).args(arguments).output().expect("python runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout).expect("text");
    text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn turn_on_switch_one_turns_the_switch_on_by_mqtt_wyoming_and_hermes() {
    let house = House::begin().await;
    let gateway = serve(&configuration(&house, &zwave(&house), &json!({})));
    let ready = until_ready(&gateway, 1).await;
    tokio::task::block_in_place(|| {
        let listener = Listener::start(port(&house), &["voice/#", "hermes/#"], &[]);
        let answer = say(&house, &listener, "turn on switch one");
        assert_eq!(answer["answer"], DONE_ON, "{answer}");
        for key in ["timestamp", "source", "duration", "conversationTurns"] {
            assert!(!answer[key].is_null(), "{key}: {answer}");
        }
        assert_eq!(house.state(device::SWITCH_ONE), json!(true));

        let fronts = ready["fronts"].as_array().expect("fronts");
        let wyoming = fronts.iter().find(|front| front["name"] == "wyoming").expect("Wyoming");
        let address = wyoming["detail"].as_str().expect("a place").trim_start_matches("tcp://");
        let heard = run("voice_wyoming.py", &[address, "turn off switch one"]);
        let last = heard.last().expect("an answer");
        assert_eq!((&last["type"], &last["text"]), (&json!("handled"), &json!(DONE_OFF)));
        assert_eq!(house.state(device::SWITCH_ONE), json!(false));

        let messages = run("voice_hermes.py", &["write"]);
        let switch = messages.iter().find(|message| message["name"] == "switch").expect("a message");
        let (topic, payload) = (switch["topic"].as_str().expect("a topic"), switch["payload"].to_string());
        publish(port(&house), &["-t", topic, "-m", &payload]);
        let ended = listener.json("hermes/dialogueManager/endSession");
        assert_eq!((&ended["sessionId"], &ended["text"]), (&json!("s-1"), &json!(DONE_ON)));
        assert_eq!(house.state(device::SWITCH_ONE), json!(true));

        // Two lamps: nobody is switched before it is known which one is meant.
        let which = say(&house, &listener, "dim the lamp to 40 percent");
        assert!(which["answer"].as_str().is_some_and(|text| text.ends_with('?')), "{which}");
        assert_eq!(house.state(device::BEDROOM_LAMP), json!(0));
        let done = say(&house, &listener, "dim the bedroom lamp to 40 percent");
        assert_eq!(house.state(device::BEDROOM_LAMP), json!(40), "{done}");
        assert_eq!(house.state(device::LIVING_ROOM_LAMP), json!(0));

        // What heats needs a yes. A device that does not answer is reported, and look-alikes of a command do nothing.
        let asked = say(&house, &listener, "turn on the old heater");
        assert_eq!(
            (&asked["kind"], house.state(device::SWITCH_ONE)),
            (&json!("asked"), json!(true)),
            "{asked}"
        );
        // A yes that comes at once was said before the question.
        std::thread::sleep(std::time::Duration::from_millis(600));
        let dead = say(&house, &listener, "yes");
        assert!(dead["answer"].as_str().is_some_and(|text| text.contains("offline")), "{dead}");
        assert_eq!(dead["kind"], "failed", "{dead}");
        for sentence in
            ["do not turn off switch one", "turn off switch one tomorrow", "what if I turn off switch one"]
        {
            say(&house, &listener, sentence);
            assert_eq!(house.state(device::SWITCH_ONE), json!(true), "{sentence}");
        }
    });
}

#[tokio::test(flavor = "multi_thread")]
async fn background_transcriber_tool_execution_goes_through_the_executor_for_every_client() {
    let house = House::begin().await;
    for (dialect, command, state) in [(Dialect::Anthropic, "on", true), (Dialect::Ollama, "off", false)] {
        let upstream = LlmUpstream::start().await.expect("a port");
        let call = json!({"device_name": "Switch One", "command": command}).to_string();
        let wrong = json!({"deviceName": "light", "action": "on"}).to_string();
        upstream.script(
            "scripted",
            vec![
                Said::calls(&[("control_zwave_device", &call)]),
                Said::text("It is done."),
                Said::calls(&[("control_zwave_device", &wrong)]),
                Said::text("There are two lights."),
            ],
        );
        let gateway = serve(&configuration(&house, &zwave(&house), &scripted(&upstream, dialect)));
        until_ready(&gateway, 1).await;
        tokio::task::block_in_place(|| {
            let listener = Listener::start(port(&house), &["voice/#"], &[]);
            let answer = say(&house, &listener, "would you please take care of the first switch for me");
            assert_eq!(answer["answer"], "It is done.", "{answer}\n{}", gateway.log());
            assert_eq!(answer["model"], "scripted");
            let provider = if dialect == Dialect::Ollama { "ollama" } else { "anthropic" };
            assert_eq!((&answer["provider"], &answer["conversationTurns"]), (&json!(provider), &json!(1)));
            assert_eq!(house.state(device::SWITCH_ONE), json!(state));
            let log = gateway.log();
            assert!(
                log.contains(r#"{device_name: "...", command: "..."} → {deviceName: "...", action: "..."}"#),
                "{log}"
            );

            // What the server refuses reaches the model in the server's own words.
            let answer = say(&house, &listener, "and now some light in here would be lovely");
            assert_eq!(answer["answer"], "There are two lights.", "{answer}");
            let words = r#"\"light\" could be \"Hall/Hall Light\" or \"Porch/Porch Light\". Send one of these names."#;
            let asked = upstream.exchanges().last().expect("an exchange").asked.json("/messages").to_string();
            assert!(asked.replace(r"\\\", r"\").contains(words), "{asked}");
        });
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn retry_does_not_block_startup_local_tools_answer_while_the_zwave_server_is_missing() {
    let house = House::begin().await;
    let missing = json!({"command": "/nowhere/zwave-mcp-server"});
    let gateway = serve(&configuration(&house, &missing, &json!({})));
    until_ready(&gateway, 0).await;
    tokio::task::block_in_place(|| {
        let listener = Listener::start(port(&house), &["voice/#"], &[]);
        let answer = say(&house, &listener, "what time is it");
        assert!(answer["answer"].as_str().is_some_and(|text| text.starts_with("It is ")), "{answer}");
        let until = Instant::now() + PATIENCE;
        while !gateway.log().contains("MCP connection failed after 3 attempts") {
            assert!(Instant::now() < until, "{}", gateway.log());
            std::thread::sleep(std::time::Duration::from_millis(100));
        }
        let log = gateway.log();
        assert!(log.contains("Continuing with local tools only"), "{log}");
        let answer = say(&house, &listener, "what day is it");
        assert!(answer["answer"].as_str().is_some_and(|text| text.contains("day")), "{answer}");
        let answer = say(&house, &listener, "turn on switch one");
        assert_ne!(answer["answer"], DONE_ON);
        assert_eq!(house.state(device::SWITCH_ONE), json!(false));
    });
    // The server is there again: nothing is started anew but it.
    gateway.configure(&configuration(&house, &zwave(&house), &json!({})).to_string());
    tokio::task::block_in_place(|| {
        let listener = Listener::start(port(&house), &["voice/#"], &[]);
        let until = Instant::now() + PATIENCE;
        while say(&house, &listener, "turn on switch one")["answer"] != DONE_ON {
            assert!(Instant::now() < until, "{}", gateway.log());
            std::thread::sleep(std::time::Duration::from_millis(200));
        }
        assert_eq!(house.state(device::SWITCH_ONE), json!(true));
    });
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_is_slow_to_start_holds_up_nothing_else() {
    let house = House::begin().await;
    let mut slow = zwave(&house);
    slow["args"] = json!(["-c", "sleep 4; exec \"$0\"", program()]);
    slow["command"] = json!("sh");
    let gateway = serve(&configuration(&house, &slow, &json!({})));
    until_ready(&gateway, 0).await;
    tokio::task::block_in_place(|| {
        let listener = Listener::start(port(&house), &["voice/#"], &[]);
        let answer = say(&house, &listener, "what time is it");
        assert!(answer["answer"].as_str().is_some_and(|text| text.starts_with("It is ")), "{answer}");
    });
    until_ready(&gateway, 1).await;
    tokio::task::block_in_place(|| {
        let listener = Listener::start(port(&house), &["voice/#"], &[]);
        assert_eq!(say(&house, &listener, "turn on switch one")["answer"], DONE_ON);
        assert_eq!(house.state(device::SWITCH_ONE), json!(true));
    });
}

/// Q26 in the size of CI: the broker is killed and started again, and every toggle ends as it was said.
#[tokio::test(flavor = "multi_thread")]
async fn q26_a_broker_that_is_killed_and_started_again_costs_no_command_its_right_end() {
    const KILLS: usize = 10;
    const TOGGLES: usize = 4;
    let house = House::begin().await;
    let gateway = serve(&configuration(&house, &zwave(&house), &json!({})));
    until_ready(&gateway, 1).await;
    for round in 0..KILLS {
        tokio::task::block_in_place(|| {
            house.kill_broker();
            house.restart_broker();
        });
        until_ready(&gateway, 1).await;
        tokio::task::block_in_place(|| {
            let listener = Listener::start(port(&house), &["voice/#"], &[]);
            let until = Instant::now() + PATIENCE;
            // The house's own gateway has to be back at the broker too.
            while say(&house, &listener, "turn off switch one")["answer"] != DONE_OFF {
                assert!(Instant::now() < until, "round {round}\n{}", gateway.log());
            }
            for toggle in 0..TOGGLES {
                let (word, done, state) = match toggle % 2 {
                    0 => ("on", DONE_ON, true),
                    _ => ("off", DONE_OFF, false),
                };
                let answer = say(&house, &listener, &format!("turn {word} switch one"));
                assert_eq!(answer["answer"], done, "round {round}");
                assert_eq!(house.state(device::SWITCH_ONE), json!(state), "round {round}");
            }
        });
    }
    // A command that stays at the broker was said once: it is of the past for everybody who comes later.
    tokio::task::block_in_place(|| {
        let listener = Listener::start(port(&house), &["voice/#"], &[]);
        let kept = r#"{"text":"turn on the hall light"}"#;
        publish(port(&house), &["-r", "-t", "voice/transcription", "-m", kept]);
        while listener.json("voice/ai-response")["question"] != "turn on the hall light" {}
        assert_eq!(house.state(device::HALL_LIGHT), json!(true));
        assert_eq!(say(&house, &listener, "turn off the hall light")["kind"], "done");
    });
    drop(gateway);
    let gateway = serve(&configuration(&house, &zwave(&house), &json!({})));
    until_ready(&gateway, 1).await;
    tokio::task::block_in_place(|| {
        let listener = Listener::start(port(&house), &["voice/#"], &[]);
        assert_eq!(say(&house, &listener, "turn on switch one")["answer"], DONE_ON);
    });
    assert_eq!(house.state(device::HALL_LIGHT), json!(false), "a retained command was done");
}
