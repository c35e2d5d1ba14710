//! What a running gateway tells of its calls over HTTP, and a suggestion that is accepted there.

#![cfg(unix)]

use crate::gateway;
use crate::notes;

use std::io::{BufRead, BufReader, Write};
use std::net::TcpStream;
use std::time::Duration;

use gateway::{Gateway, Home, until};
use serde_json::{Value, json};

fn get(gateway: &Gateway, path: &str) -> Value {
    let answer = gateway.send("GET", path, &gateway.headers(), "");
    assert_eq!(answer.status, 200, "{path}: {answer:?}");
    serde_json::from_str(&answer.body).unwrap_or_else(|error| panic!("{error}: {answer:?}"))
}

fn post(gateway: &Gateway, path: &str, body: &str) -> (u16, Value) {
    let answer = gateway.send("POST", path, &gateway.headers(), body);
    (answer.status, serde_json::from_str(&answer.body).unwrap_or_default())
}

/// A gateway with one server, two mistakes and their corrections.
fn taught(home: &Home) -> Gateway {
    home.put("toolwright.json", &notes::configuration(&json!({})));
    let gateway = Gateway::start(home, &[]);
    for words in ["buy milk", "feed the cat"] {
        notes::correct_itself(&gateway, words);
    }
    gateway
}

#[test]
fn a_gateway_tells_what_happened_and_takes_a_decision() {
    let home = Home::new();
    let gateway = taught(&home);
    until("all is indexed", || get(&gateway, "/api/health")["index"]["behind"] == json!(0));
    let health = get(&gateway, "/api/health");
    assert_eq!((&health["status"], &health["journal"]["state"]), (&json!("ok"), &json!("ok")), "{health}");
    let calls = get(&gateway, "/api/operations?tool=send_note");
    let calls = calls.as_array().expect("a list");
    assert_eq!(calls.len(), 4, "{calls:?}");
    assert_eq!((&calls[0]["status"], &calls[0]["server"]), (&json!("ok"), &json!("notes")), "{calls:?}");
    assert_eq!(calls[1]["error_code"], "invalid_arguments", "{calls:?}");
    assert_eq!(calls[0]["args"]["prose"], "feed the cat", "{calls:?}");
    let found = get(&gateway, "/api/operations?q=milk&outcome=error");
    assert_eq!(found.as_array().map(Vec::len), Some(1), "{found}");
    let id = found[0]["req_id"].as_str().expect("an id");
    assert_eq!(get(&gateway, &format!("/api/operations/{id}")), found[0]);
    let stats = get(&gateway, "/api/stats");
    assert_eq!((&stats["count"], &stats["errors"]), (&json!(4), &json!(2)), "{stats}");
    assert_eq!(get(&gateway, "/api/normalizer")["total_processed"], json!(4));

    until("there is a suggestion", || !get(&gateway, "/api/suggestions")["suggestions"][0].is_null());
    let suggestion = get(&gateway, "/api/suggestions")["suggestions"][0].clone();
    let id = suggestion["id"].as_str().expect("an id").to_owned();
    let patterns = get(&gateway, "/api/error-patterns");
    assert_eq!(patterns["patterns"][0]["suggested_rule"]["id"], suggestion["id"], "{patterns}");
    let (status, accepted) = post(&gateway, &format!("/api/suggestions/{id}/accept"), r#"{"by":"anna"}"#);
    assert_eq!((status, &accepted["status"]), (200, &json!("active")), "{accepted}");
    assert!(notes::send(&gateway, "payload", "water the plants"), "the rule is active for the next call");
    let rules = get(&gateway, "/api/rules");
    let of_models = |rule: &&Value| rule["id"] == "read_file-offset-drop";
    let of_models = rules["rules"].as_array().expect("a list").iter().find(of_models).expect("it is listed");
    assert_eq!(of_models["active_for"], "model calls", "{of_models}");
    assert_eq!(rules["builtin_rules"]["notes"], "schema", "{rules}");
    let is_ours = |rule: &&Value| rule["source"] == "learned";
    let rule =
        rules["rules"].as_array().expect("a list").iter().find(is_ours).expect("a learned rule").clone();
    assert_eq!((&rule["from"], &rule["to"]), (&json!("payload"), &json!("prose")), "{rule}");
    assert!(rule["note"].as_str().is_some_and(|note| note.contains("anna")), "{rule}");
    assert!(rule["hits"].as_u64() >= Some(1) && rule["last_fired"].is_string(), "{rule}");
    let (status, _) = post(&gateway, &format!("/api/suggestions/{id}/undo"), "{}");
    assert_eq!(status, 200);
    assert!(!notes::send(&gateway, "payload", "again"), "the rule is not active for the next call");
    let history = get(&gateway, "/api/suggestions/history");
    assert_eq!(history["events"][0]["event"], "undone", "{history}");
    assert_eq!(history["events"][1]["by"], "anna", "{history}");
}

/// Reads events until one of a call with these words comes. Gives its id.
fn hear(gateway: &Gateway, last: &str, words: &str) -> String {
    let mut stream = TcpStream::connect(("127.0.0.1", gateway.port)).expect("connected");
    stream.set_read_timeout(Some(Duration::from_secs(60))).expect("set");
    let request = format!(
        "GET /api/operations/live HTTP/1.1\r\nHost: localhost:{}\r\n{}{last}\r\n",
        gateway.port,
        gateway.headers()
    );
    stream.write_all(request.as_bytes()).expect("sent");
    let mut id = String::new();
    for line in BufReader::new(stream).lines() {
        let line = line.expect("a line");
        if let Some(given) = line.strip_prefix("id: ") {
            // The first one comes before any event: the stream is open.
            if id.is_empty() && last.is_empty() {
                notes::send(gateway, "prose", words);
            }
            id = given.to_owned();
        }
        if line.starts_with("data: ") && line.contains(words) {
            return id;
        }
    }
    panic!("the stream ended");
}

#[test]
fn live_calls_go_on_after_a_restart() {
    let home = Home::new();
    let mut gateway = taught(&home);
    let id = hear(&gateway, "", "call the vet");
    notes::send(&gateway, "prose", "while nobody listens");
    gateway.signal("TERM");
    gateway.end(Duration::from_secs(20));
    let gateway = Gateway::start(&home, &[]);
    let later = hear(&gateway, &format!("Last-Event-ID: {id}\r\n"), "while nobody listens");
    assert_ne!(later, id);
}
