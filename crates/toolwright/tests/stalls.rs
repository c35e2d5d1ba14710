//! No small input stalls the gateway: what one client sends costs it about as much as harmless text of the same length,
//! and other clients are answered meanwhile. Times are compared with each other in one run, never with a clock.

#![cfg(unix)]

use crate::gateway;

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpListener;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use gateway::{Gateway, Home, modern_request};
use serde_json::{Value, json};

/// How many times as long as a harmless call of the same length a call may take.
const MAX_TIMES: u32 = 25;
/// What a machine with other work adds to any single measurement.
const NOISE: Duration = Duration::from_millis(150);
/// The length of what is sent.
const BYTES: usize = 32 << 10;

fn many(piece: &str) -> String {
    piece.repeat(BYTES / piece.len())
}

/// What took seconds once, and what is close to it.
fn hostile_texts() -> Vec<(&'static str, String)> {
    vec![
        ("backslashes", many("\\")),
        ("private keys", many("-----BEGIN PRIVATE KEY-----")),
        (
            "private keys in lines",
            many("-----BEGIN PRIVATE KEY-----\nMIIEabcdefgh\n-----END PRIVATE KEY-----\n"),
        ),
        ("tokens", many("ghp_0123456789abcdefghijABCDEFGHIJ01 ")),
        ("JWTs", many("eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.SflKxwRJSMeKKF2QT4fwpMeJ\n")),
        ("random words", many("q8Zk2LwX0vB7nM4tR6yP1sD3x5 ")),
        ("passwords", many("password=a1-")),
        ("options", many("--user=")),
        ("dashes", many(" --")),
        ("escaped quotes", many("\\\"")),
        ("JSON in JSON", many("{\"token\":[")),
    ]
}

/// Arguments with a text at each place in which it is looked at.
fn calls(text: &str) -> Vec<(&'static str, Value)> {
    vec![
        ("argument", json!({ "path": "notes.md", "note": text })),
        ("secret key", json!({ "path": "notes.md", "token": text })),
        // The error repeats it.
        ("error", json!({ "path": text })),
        ("key", json!({ "path": "notes.md", text: 1 })),
    ]
}

fn time(work: impl FnOnce()) -> Duration {
    let begin = Instant::now();
    work();
    begin.elapsed()
}

fn call(gateway: &Gateway, arguments: &Value) {
    let params = json!({ "name": "read_file", "arguments": arguments });
    let (body, headers) = modern_request("tools/call", params);
    let answer = gateway.send("POST", "/mcp/t/builtin", &format!("{}{headers}", gateway.headers()), &body);
    assert_eq!(answer.status, 200, "{}", &answer.body[..answer.body.floor_char_boundary(200)]);
}

#[test]
fn hostile_arguments_cost_about_as_much_as_harmless_ones_and_delay_no_other_client() {
    let home = Home::new();
    let gateway = Gateway::start(&home, &["--rate", "0"]);
    let harmless = many("the quick brown fox jumps over the lazy dog, and nothing happens. ");
    let usual = calls(&harmless)
        .iter()
        .map(|(_, arguments)| (0..3).map(|_| time(|| call(&gateway, arguments))).min().unwrap_or_default())
        .max()
        .unwrap_or_default();
    let is_over = AtomicBool::new(false);
    let (worst_of_others, wrong, all) = std::thread::scope(|scope| {
        let other = scope.spawn(|| {
            let mut worst = Duration::ZERO;
            while !is_over.load(Ordering::Relaxed) {
                worst = worst.max(time(|| assert_eq!(gateway.send("GET", "/healthz", "", "").status, 200)));
            }
            worst
        });
        let mut wrong = Vec::new();
        let begin = Instant::now();
        for (kind, text) in hostile_texts() {
            for (place, arguments) in calls(&text) {
                let took = (0..2).map(|_| time(|| call(&gateway, &arguments))).min().unwrap_or_default();
                if took > usual * MAX_TIMES + NOISE {
                    wrong.push(format!("{kind} as {place}: {took:?}, harmless text {usual:?}"));
                }
            }
        }
        let all = begin.elapsed();
        is_over.store(true, Ordering::Relaxed);
        (other.join().expect("the other client is answered"), wrong, all)
    });
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    // One call in eighty must not take an eighth of the time of all.
    assert!(worst_of_others <= all / 8 + NOISE, "another client waited {worst_of_others:?} of {all:?}");
}

#[test]
fn names_and_headers_of_clients_cost_no_more() {
    let home = Home::new();
    let gateway = Gateway::start(&home, &["--rate", "0"]);
    let ask = |name: &str, client: &str, header: &str| {
        let params = json!({ "name": name, "arguments": {} });
        let (body, headers) = modern_request("tools/call", params);
        let body = body.replace("\"name\":\"test\"", &format!("\"name\":{}", json!(client)));
        let headers = format!("{}{headers}User-Agent: {header}\r\n", gateway.headers());
        drop(gateway.send("POST", "/mcp/t/builtin", &headers, &body));
    };
    let cut = |text: &str| text[..8 << 10].replace('\n', " ");
    let harmless = cut(&many("the quick brown fox jumps over the lazy dog. "));
    let usual = time(|| ask(&harmless, &harmless, &harmless)).max(time(|| ask("a", "b", "c")));
    for (kind, text) in hostile_texts() {
        let text = cut(&text);
        for (place, took) in [
            ("tool", time(|| ask(&text, "client", "agent"))),
            ("client", time(|| ask("read_file", &text, "agent"))),
            ("header", time(|| ask("read_file", "client", &text))),
        ] {
            assert!(took <= usual * MAX_TIMES + NOISE, "{kind} as {place}: {took:?}, usual {usual:?}");
        }
    }
}

/// An upstream that writes a long answer in small pieces, as fast as it is read.
fn fast_upstream(pieces: usize) -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = listener.local_addr().expect("an address").port();
    let event =
        |choice: Value| format!("data: {}\n\n", json!({ "id": "c", "model": "m", "choices": [choice] }));
    let piece = event(json!({ "index": 0, "delta": { "content": "lorem ipsum dolor " } })).repeat(1000);
    let end = event(json!({ "index": 0, "delta": {}, "finish_reason": "stop" })) + "data: [DONE]\n\n";
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let (mut stream, piece, end) = (stream.expect("a connection"), piece.clone(), end.clone());
            std::thread::spawn(move || {
                let mut reader = BufReader::new(stream.try_clone().expect("a copy"));
                let (mut length, mut line) = (0, String::new());
                while reader.read_line(&mut line).is_ok_and(|read| read > 2) {
                    if let Some(value) = line.to_ascii_lowercase().strip_prefix("content-length:") {
                        length = value.trim().parse().expect("a length");
                    }
                    line.clear();
                }
                reader.read_exact(&mut vec![0; length]).expect("a body");
                let head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n";
                stream.write_all(head.as_bytes()).expect("a head");
                for _ in 0..pieces / 1000 {
                    stream.write_all(piece.as_bytes()).expect("pieces");
                }
                stream.write_all(end.as_bytes()).expect("an end");
            });
        }
    });
    port
}

#[test]
fn fast_streams_of_models_delay_no_other_client() {
    const STREAMS: usize = 4;
    let home = Home::new();
    let url = format!("http://127.0.0.1:{}/v1", fast_upstream(200_000));
    let upstream = json!({ "kind": "openai", "url": url, "apiKey": "k" });
    let llm = json!({ "llm": { "upstreams": { "fast": upstream }, "models": { "*": "fast/*" } } });
    home.put("toolwright.json", &llm.to_string());
    let gateway = Gateway::start(&home, &["--rate", "0"]);
    let request = json!({ "model": "m", "stream": true, "max_tokens": 9, "messages": [{ "role": "user", "content": "x" }] });
    let read = |_| {
        let answer = gateway.send("POST", "/v1/messages", &gateway.headers(), &request.to_string());
        assert!(answer.status == 200 && answer.body.contains("message_stop"), "{}", answer.head);
    };
    let is_over = AtomicBool::new(false);
    let (worst_of_others, all) = std::thread::scope(|scope| {
        let other = scope.spawn(|| {
            let mut worst = Duration::ZERO;
            while !is_over.load(Ordering::Relaxed) {
                worst = worst.max(time(|| assert_eq!(gateway.send("GET", "/healthz", "", "").status, 200)));
            }
            worst
        });
        let begin = Instant::now();
        std::thread::scope(|streams| {
            (0..STREAMS).for_each(|number| drop(streams.spawn(move || read(number))))
        });
        let all = begin.elapsed();
        is_over.store(true, Ordering::Relaxed);
        (other.join().expect("the other client is answered"), all)
    });
    assert!(worst_of_others <= all / 8 + NOISE, "another client waited {worst_of_others:?} of {all:?}");
}

#[test]
fn heavy_calls_do_not_delay_the_end() {
    let home = Home::new();
    let mut gateway = Gateway::start(&home, &["--rate", "0", "--grace", "1"]);
    let text = "\\".repeat(400 << 10);
    std::thread::scope(|scope| {
        for _ in 0..4 {
            let arguments = json!({ "path": "notes.md", "token": text });
            let gateway = &gateway;
            scope.spawn(move || {
                let (body, headers) =
                    modern_request("tools/call", json!({ "name": "read_file", "arguments": arguments }));
                // It may be cut off.
                let _ = gateway.try_send(
                    "POST",
                    "/mcp/t/builtin",
                    &format!("{}{headers}", gateway.headers()),
                    &body,
                );
            });
        }
        std::thread::sleep(Duration::from_millis(100));
        gateway.signal("TERM");
    });
    assert!(gateway.end(Duration::from_secs(30)).is_some(), "it ends");
}
