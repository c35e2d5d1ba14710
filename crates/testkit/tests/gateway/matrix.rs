//! Every real client with every real server, of both eras: the four ways in which the eras can meet.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::Stdio;
use std::time::Duration;

use serde_json::{Value, json};
use tokio::process::Command;
use tokio::time::timeout;
use toolwright_testkit::load::Served;

use crate::installed::{self, Server};
use crate::{beside, configuration, programs, serve, url};

/// Longer than all steps of a client take together.
const PATIENCE: Duration = Duration::from_secs(240);

/// What every client has to get from every server.
fn expected(era: &str) -> Vec<(&'static str, Value)> {
    let room = |labels: u32| json!({"roomName": "hall", "squareMeters": 10.0, "isInside": true, "labelCount": labels});
    let tools = [
        "announce_change",
        "count_cancelled",
        "count_steps",
        "fail",
        "greet",
        "measureRoom",
        "name_roots",
        "summarize",
        "wait_long",
    ];
    vec![
        ("era", json!(era)),
        ("list", json!(tools)),
        ("call", room(2)),
        ("mended", room(0)),
        ("fails", json!([true, true])),
        ("unknown", json!("refused")),
        ("progress", json!(["3 steps", ["step 1", "step 2", "step 3"]])),
        ("elicitation", json!("hi, Ada")),
        ("sampling", json!("short")),
        ("roots", json!("file:///a file:///b")),
        ("cancel", json!(1)),
        ("changed", json!(true)),
        ("resource", json!("Welcome.")),
        ("prompt", json!("Review this Rust program.")),
        ("missing", json!("refused")),
    ]
}

/// One client, and how it is started.
struct Client {
    program: PathBuf,
    words: Vec<PathBuf>,
    era: &'static str,
    drops_progress: bool,
}

fn entry(server: Server) -> Value {
    json!({"command": server.program, "args": server.args})
}

/// The servers, by their names: two of each era.
fn gateway() -> (Served, [&'static str; 4]) {
    let rmcp = beside("rmcp-server");
    let servers = [
        ("rmcp-legacy", entry(installed::rmcp(&rmcp, "legacy"))),
        ("rmcp-modern", entry(installed::rmcp(&rmcp, "modern"))),
        ("python-legacy", entry(installed::python_sdk_1())),
        ("python-modern", entry(installed::python_sdk_2())),
    ];
    let names = ["rmcp-legacy", "rmcp-modern", "python-legacy", "python-modern"];
    (serve(&servers), names)
}

/// How a client reaches the gateway.
#[derive(Clone, Copy)]
enum Way {
    /// By the port of one that runs.
    Http,
    /// By starting one for each server.
    Stdio,
}

async fn meets_every_server(client: Client) {
    meets_every_server_by(client, Way::Http).await;
}

async fn meets_every_server_by(client: Client, way: Way) {
    let (gateway, names) = gateway();
    let mut command = Command::new(&client.program);
    command.args(&client.words).arg(client.era).kill_on_drop(true).stdin(Stdio::null());
    command.env("XDG_STATE_HOME", gateway.folder()).env("XDG_RUNTIME_DIR", gateway.folder());
    for name in names {
        let address = match way {
            Way::Http => url(&gateway, &format!("/mcp/t/{name}")),
            Way::Stdio => {
                let words = json!([
                    programs().toolwright,
                    "stdio",
                    "--toolbox",
                    name,
                    "--config",
                    configuration(&gateway)
                ]);
                words.to_string()
            }
        };
        command.arg(name).arg(address);
    }
    let output = timeout(PATIENCE, command.output()).await.expect("the client ends").expect("it runs");
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    let mut got: BTreeMap<(String, String), Value> = BTreeMap::new();
    for line in String::from_utf8_lossy(&output.stdout).lines() {
        let Ok(line) = serde_json::from_str::<Value>(line) else { continue };
        let word = |key: &str| line[key].as_str().unwrap_or_default().to_owned();
        got.insert((word("server"), word("step")), line["got"].clone());
    }
    let mut faults = Vec::new();
    for name in names {
        for (step, expected) in expected(client.era) {
            let got = got.remove(&(name.to_owned(), step.to_owned())).unwrap_or(Value::Null);
            // This SDK drops progress that comes over stdio together with the answer, of any server.
            if step == "progress" && client.drops_progress && matches!(way, Way::Stdio) {
                assert_eq!(got[0], expected[0], "{name}");
            } else if !is_same(&got, &expected) {
                faults.push(format!("{name}, {step}: {got} instead of {expected}"));
            }
        }
    }
    faults.extend(got.into_iter().map(|((server, step), got)| format!("{server}, {step}: {got}")));
    assert!(faults.is_empty(), "{}\n{told}\n{}", faults.join("\n"), gateway.log());
}

/// Numbers are the same however a language writes them.
fn is_same(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Number(one), Value::Number(other)) => one.as_f64() == other.as_f64(),
        (Value::Object(one), Value::Object(other)) => {
            one.len() == other.len()
                && one.iter().all(|(key, one)| other.get(key).is_some_and(|other| is_same(one, other)))
        }
        _ => one == other,
    }
}

fn python(line: &str, era: &'static str) -> Client {
    let program = installed::client(&format!("python-{line}/bin/python"));
    let words = vec![installed::client_script(&format!("python_sdk_{line}.py"))];
    Client { program, words, era, drops_progress: false }
}

fn typescript(line: &str, era: &'static str) -> Client {
    let folder = installed::client("npm-clients");
    let words = vec![installed::client_script("typescript.mjs"), folder, line.into()];
    Client { program: installed::node(), words, era, drops_progress: true }
}

fn rmcp(era: &'static str) -> Client {
    Client { program: beside("rmcp-client"), words: Vec::new(), era, drops_progress: false }
}

#[tokio::test]
async fn the_first_python_sdk() {
    meets_every_server(python("1", "legacy")).await;
}

#[tokio::test]
async fn the_second_python_sdk_of_the_legacy_era() {
    meets_every_server(python("2", "legacy")).await;
}

#[tokio::test]
async fn the_second_python_sdk_of_the_modern_era() {
    meets_every_server(python("2", "modern")).await;
}

#[tokio::test]
async fn the_first_typescript_sdk() {
    meets_every_server(typescript("1", "legacy")).await;
}

#[tokio::test]
async fn the_second_typescript_sdk_of_the_legacy_era() {
    meets_every_server(typescript("2", "legacy")).await;
}

#[tokio::test]
async fn the_second_typescript_sdk_of_the_modern_era() {
    meets_every_server(typescript("2", "modern")).await;
}

#[tokio::test]
async fn the_first_python_sdk_over_stdio() {
    meets_every_server_by(python("1", "legacy"), Way::Stdio).await;
}

#[tokio::test]
async fn the_second_python_sdk_over_stdio() {
    meets_every_server_by(python("2", "modern"), Way::Stdio).await;
}

#[tokio::test]
async fn the_first_typescript_sdk_over_stdio() {
    meets_every_server_by(typescript("1", "legacy"), Way::Stdio).await;
}

#[tokio::test]
async fn the_second_typescript_sdk_over_stdio() {
    meets_every_server_by(typescript("2", "modern"), Way::Stdio).await;
}

#[tokio::test]
async fn rmcp_of_the_legacy_era() {
    meets_every_server(rmcp("legacy")).await;
}

#[tokio::test]
async fn rmcp_of_the_modern_era() {
    meets_every_server(rmcp("modern")).await;
}
