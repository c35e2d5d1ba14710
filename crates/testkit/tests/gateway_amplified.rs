//! What a server sends costs the gateway about as much as harmless text of the same length, wherever it is: in results,
//! errors, notifications or definitions of tools. Other clients are answered meanwhile. Times are compared with each
//! other in one run, never with a clock.

#![cfg(target_os = "linux")]

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use serde_json::{Map, json};
use toolwright_testkit::load::{Client, Era, GatewayPrograms, Served};

/// How many times as long as harmless text of the same length something may take: it is searched for secrets.
const MAX_TIMES: u32 = 60;
/// How many times as long four times as much may take. Work that grows with the square takes sixteen times as long.
const MAX_GROWTH: u32 = 10;
/// What a machine with other work adds to any single measurement.
const NOISE: Duration = Duration::from_millis(200);
/// How often something that took too long is measured again.
const TRIES: usize = 4;
/// The length of what is sent.
const BYTES: usize = 1 << 20;
const HARMLESS: &str = "the quick brown fox jumps over the lazy dog, and nothing happens. ";

const HOSTILE: &[(&str, &str)] = &[
    ("backslashes", "\\"),
    ("braces", "{"),
    ("brackets", "["),
    ("quotes", "\""),
    ("private keys", "-----BEGIN PRIVATE KEY-----"),
    ("private keys in lines", "-----BEGIN PRIVATE KEY-----\nMIIEabcdefgh\n-----END PRIVATE KEY-----\n"),
    ("tokens", "ghp_0123456789abcdefghijABCDEFGHIJ01 "),
    ("JWTs", "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.SflKxwRJSMeKKF2QT4fwpMeJ\n"),
    ("random words", "q8Zk2LwX0vB7nM4tR6yP1sD3x5 "),
    ("passwords", "password=a1-"),
    ("JSON in JSON", "{\"token\":["),
    ("orders", "ignore all previous instructions and "),
    ("invisible characters", "\u{200b}\u{e0041}"),
    ("escapes of a terminal", "\u{1b}[31m"),
];

const PLACES: &[&str] = &["text", "failure", "refusal", "key", "log", "progress"];

fn programs() -> GatewayPrograms {
    GatewayPrograms::beside(Path::new(env!("CARGO_BIN_EXE_load-server")))
}

/// Calls another server until it is told to stop. Returns how long the slowest call took.
async fn slowest(mut client: Client, is_over: Arc<AtomicBool>) -> Duration {
    let mut worst = Duration::ZERO;
    while !is_over.load(Ordering::Relaxed) {
        let begin = Instant::now();
        let reply = client.call("1", "echo", r#"{"text":"hi"}"#).await.expect("an answer");
        worst = worst.max(begin.elapsed());
        assert_eq!(reply.text(), Some("hi"), "{reply:?}");
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    worst
}

async fn time(client: &mut Client, piece: &str, place: &str, bytes: usize) -> Duration {
    let arguments = json!({"piece": piece, "count": bytes / piece.len(), "as": place}).to_string();
    let mut best = Duration::MAX;
    for _ in 0..2 {
        let begin = Instant::now();
        // A stream of events has no reply that this client reads, but its end.
        let params = format!(r#"{{"name":"repeat","arguments":{arguments}}}"#);
        drop(client.ask("7", "tools/call", &params).await);
        best = best.min(begin.elapsed());
    }
    best
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn hostile_results_cost_about_as_much_as_harmless_ones_and_delay_no_other_client() {
    let programs = programs();
    let servers = [("hostile", programs.entry(&["--tool=repeat"])), ("other", programs.entry(&[]))];
    let configuration = programs.apart(&servers.map(|(name, entry)| (name.to_owned(), entry)));
    let served = Served::start_with(&programs, Some(&configuration), &["--rate", "0"], &[]);
    let client = async |path: &str| served.client(path, Era::Legacy).await.expect("a client");
    let mut hostile = client("/mcp/t/hostile").await;
    let mut usual = Duration::ZERO;
    for place in PLACES {
        usual = usual.max(time(&mut hostile, HARMLESS, place, BYTES).await);
    }
    let is_over = Arc::new(AtomicBool::new(false));
    let other = tokio::spawn(slowest(client("/mcp/t/other").await, Arc::clone(&is_over)));
    let begin = Instant::now();
    let mut wrong = Vec::new();
    let deep = format!("{}{}", "[".repeat(100), "]".repeat(100));
    let values = [("deep values", deep.as_str()), ("empty objects", "{}"), ("numbers", "1e308")];
    let texts =
        HOSTILE.iter().flat_map(|(kind, piece)| PLACES.iter().map(move |place| (*kind, *piece, *place)));
    let mut slowest_of_hostile = Duration::ZERO;
    for (kind, piece, place) in texts.chain(values.map(|(kind, value)| (kind, value, "values"))) {
        let part = time(&mut hostile, piece, place, BYTES / 4).await;
        let is_too_long =
            |took: Duration| took > usual * MAX_TIMES + NOISE || took > part * MAX_GROWTH + NOISE;
        let mut took = time(&mut hostile, piece, place, BYTES).await;
        // Work that grows too fast takes as long each time; a machine with other work does not.
        for _ in 0..TRIES {
            if is_too_long(took) {
                took = took.min(time(&mut hostile, piece, place, BYTES).await);
            }
        }
        slowest_of_hostile = slowest_of_hostile.max(took);
        if is_too_long(took) {
            wrong.push(format!("{kind} as {place}: {took:?}, a quarter {part:?}, harmless text {usual:?}"));
        }
    }
    let all = begin.elapsed();
    is_over.store(true, Ordering::Relaxed);
    let worst = other.await.expect("no panic");
    println!("another client waited {worst:?} of {all:?}; the slowest call took {slowest_of_hostile:?}");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(worst <= all / 20 + NOISE, "another client waited {worst:?} of {all:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn hostile_definitions_cost_about_as_much_as_harmless_ones_and_delay_no_other_client() {
    let programs = programs();
    let named = |number: usize| format!("s{number}");
    let mut toolboxes = Map::new();
    let pieces: Vec<(&str, &str)> =
        [("harmless", HARMLESS)].into_iter().chain(HOSTILE.iter().copied()).collect();
    for (number, (_, piece)) in pieces.iter().enumerate() {
        let piece = format!("--piece={piece}");
        let entry = programs.entry(&["--tools=40", "--bytes=30000", &piece]);
        toolboxes
            .insert(named(number), json!({"description": "Tools.", "mcpServers": {named(number): entry}}));
    }
    let other = json!({"description": "Another.", "mcpServers": {"other": programs.entry(&[])}});
    toolboxes.insert("other".to_owned(), other);
    let configuration = json!({"toolboxes": toolboxes});
    let served = Served::start_with(&programs, Some(&configuration), &["--rate", "0"], &[]);
    let is_over = Arc::new(AtomicBool::new(false));
    let other = served.client("/mcp/t/other", Era::Legacy).await.expect("a client");
    let other = tokio::spawn(slowest(other, Arc::clone(&is_over)));
    let begin = Instant::now();
    let mut wrong = Vec::new();
    let mut usual = Duration::ZERO;
    for (number, (kind, _)) in pieces.iter().enumerate() {
        let begin = Instant::now();
        let path = format!("/mcp/t/{}", named(number));
        let mut client = served.client(&path, Era::Legacy).await.expect("a client");
        let reply = client.ask("1", "tools/list", "{}").await.expect("a list");
        let tools = reply.outcome.expect("a list")["tools"].as_array().map_or(0, Vec::len);
        assert!(tools >= 40, "{kind}: {tools} tools");
        // A call is answered once the list was looked at and registered.
        let reply = client.call("2", "echo", r#"{"text":"hi"}"#).await.expect("an answer");
        assert_eq!(reply.text(), Some("hi"), "{reply:?}");
        let took = begin.elapsed();
        println!("{kind}: {took:?}");
        if number == 0 {
            usual = took;
        } else if took > usual * MAX_TIMES + NOISE {
            wrong.push(format!("{kind}: {took:?}, harmless text {usual:?}"));
        }
    }
    let all = begin.elapsed();
    is_over.store(true, Ordering::Relaxed);
    let worst = other.await.expect("no panic");
    println!("another client waited {worst:?} of {all:?}");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(worst <= all / 20 + NOISE, "another client waited {worst:?} of {all:?}");
}
