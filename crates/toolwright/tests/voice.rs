//! `toolwright voice`, and the voice of `toolwright serve`.

#![cfg(unix)]

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};
use std::time::Duration;

use serde_json::{Value, json};

use crate::gateway::{Gateway, Home, until};
use crate::pages::Browser;

/// How long anything may take.
const PATIENCE: Duration = Duration::from_secs(60);

fn beside(name: &str) -> PathBuf {
    let program = Path::new(env!("CARGO_BIN_EXE_toolwright")).with_file_name(name);
    assert!(program.exists(), "{} is missing: cargo build -p toolwright-testkit", program.display());
    program
}

/// A house with switches, spoken to by Wyoming at a free port.
fn house(more: Value) -> Value {
    let mut file = json!({
        "mcpServers": { "house": { "command": beside("switch-server"), "args": ["--house"] } },
        "voice": { "mqtt": { "port": 0 }, "wyoming": { "listen": "127.0.0.1:0" } },
    });
    if let (Some(file), Some(more)) = (file["voice"].as_object_mut(), more.as_object()) {
        file.extend(more.clone());
    }
    file
}

/// A voice that runs, and what it said first.
struct Voice {
    child: Child,
    said: Value,
}

impl Drop for Voice {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Voice {
    fn start(home: &Home, flags: &[&str]) -> Voice {
        let arguments = [&["voice", "--json"], flags].concat();
        let mut command = home.command(&arguments);
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().expect("it starts");
        let mut line = String::new();
        BufReader::new(child.stdout.take().expect("stdout")).read_line(&mut line).expect("a line");
        let said = serde_json::from_str(&line).unwrap_or_else(|error| panic!("{line}: {error}"));
        Voice { child, said }
    }
}

/// Where a front is.
fn place(fronts: &Value, name: &str) -> String {
    let fronts = fronts.as_array().expect("fronts");
    let front =
        fronts.iter().find(|front| front["name"] == name).unwrap_or_else(|| panic!("{name}: {fronts:?}"));
    front["detail"].as_str().expect("a detail").trim_start_matches("tcp://").to_owned()
}

/// Says a sentence by Wyoming, and the answer.
fn say(address: &str, text: &str) -> Value {
    let mut stream = TcpStream::connect(address).expect("connected");
    stream.set_read_timeout(Some(PATIENCE)).expect("a time");
    writeln!(stream, "{}", json!({ "type": "transcript", "data": { "text": text } })).expect("written");
    let mut reader = BufReader::new(stream);
    let mut line = String::new();
    reader.read_line(&mut line).expect("a line");
    let event: Value = serde_json::from_str(&line).expect("JSON");
    let mut data = vec![0; event["data_length"].as_u64().expect("data") as usize];
    reader.read_exact(&mut data).expect("its data");
    let mut answer: Value = serde_json::from_slice(&data).expect("JSON");
    answer["type"] = event["type"].clone();
    answer
}

#[test]
fn a_fresh_machine_has_a_voice_that_tells_the_time() {
    let home = Home::new();
    let file = home.put(
        "voice.json",
        &json!({ "voice": { "mqtt": { "port": 0 }, "wyoming": { "listen": "127.0.0.1:0" } } }).to_string(),
    );
    let mut voice = Voice::start(&home, &["--config", &file.display().to_string()]);
    let fronts = &voice.said["fronts"];
    assert!(place(fronts, "broker").ends_with("this machine only"), "{fronts}");
    let answer = say(&place(fronts, "wyoming"), "what time is it");
    assert_eq!(answer["type"], "handled");
    assert!(answer["text"].as_str().unwrap_or_default().starts_with("It is "), "{answer}");
    let kill = std::process::Command::new("kill").arg(voice.child.id().to_string()).status();
    assert!(kill.expect("kill").success());
    assert_eq!(voice.child.wait().expect("its end").code(), Some(0));
    // It is written down as every call is, with its front.
    let (_, records, _) = home.run(&["audit", "tail", "--json"]);
    assert!(records.contains("\"front\":\"voice\"") && records.contains("get_current_datetime"), "{records}");
}

#[test]
fn a_spoken_command_reaches_a_server() {
    let home = Home::new();
    let file = home.put("voice.json", &house(json!({})).to_string());
    let voice = Voice::start(&home, &["--config", &file.display().to_string()]);
    let wyoming = place(&voice.said["fronts"], "wyoming");
    let done = "Successfully sent command to turn on Switch One.";
    until("the server is there", || say(&wyoming, "turn on switch one")["text"] == done);
    assert_eq!(
        say(&wyoming, "turn on the garage door")["text"],
        "Shall I turn on Garage Door? Please say yes or no."
    );
    // A yes that comes at once was said before the question.
    std::thread::sleep(std::time::Duration::from_millis(600));
    assert_eq!(say(&wyoming, "yes")["text"], "Successfully sent command to turn on Garage Door.");
}

#[test]
fn a_mistake_in_the_section_is_told_and_nothing_is_begun() {
    let home = Home::new();
    let file = home.put("voice.json", r#"{"voice": {"tols": ["*"]}}"#);
    let (code, _, said) = home.run(&["voice", "--config", &file.display().to_string()]);
    assert_eq!(code, 2, "{said}");
    assert!(
        said.contains("did you mean \"tools\"?") && said.contains("correct what is told above"),
        "{said}"
    );
}

#[test]
fn a_gateway_has_a_voice_as_its_file_says_and_shows_it() {
    let home = Home::new();
    let file = home.put("toolwright.json", &house(json!({})).to_string());
    let gateway = Gateway::start(&home, &["--config", &file.display().to_string(), "--rate", "0"]);
    let voice = || {
        let answer = gateway.send("GET", "/api/health", &gateway.headers(), "");
        serde_json::from_str::<Value>(&answer.body).expect("JSON")["voice"].clone()
    };
    until("the voice is there", || voice()["status"] == "ok");
    let wyoming = place(&voice()["fronts"], "wyoming");
    until("it answers", || say(&wyoming, "turn on switch one")["type"] == "handled");
    assert!(voice()["counts"]["direct"].as_u64() >= Some(1), "{}", voice());
    let browser = Browser::enter(&gateway);
    let page = browser.page("/voice");
    assert!(page.contains("wyoming") && page.contains(&wyoming) && page.contains("ready"), "{page}");

    // Another section is in force without a restart; one that cannot be used changes nothing.
    home.put("toolwright.json", &house(json!({ "wyoming": false })).to_string());
    until("Wyoming is gone", || {
        !voice()["fronts"].to_string().contains("wyoming") && voice()["status"] == "ok"
    });
    home.put("toolwright.json", &house(json!({ "atOnce": 0 })).to_string());
    std::thread::sleep(Duration::from_millis(1500));
    assert_eq!(voice()["status"], "ok");
    home.put("toolwright.json", &house(json!({ "enabled": false })).to_string());
    until("the voice is gone", || voice().is_null());
    assert!(browser.page("/voice").contains("has no voice"));
}
