//! The end of a gateway (Q17): every call that was begun has an answer, and nothing is left behind.

#![cfg(unix)]

use crate::gateway;

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use gateway::{Gateway, Home, modern_request, processes_with, until};
use serde_json::json;

const ROUNDS: u64 = 20;
const CLIENTS: usize = 8;

/// A configuration with a server that takes its time, and a word that its process can be found by.
fn with_server(home: &Home) -> (String, String) {
    let program = Path::new(env!("CARGO_BIN_EXE_toolwright")).with_file_name("hostile-server");
    assert!(program.exists(), "{} is missing: cargo build -p toolwright-testkit", program.display());
    let mark = format!("--mark={}", home.path().display());
    let servers =
        json!({ "mcpServers": { "slow": { "command": program, "args": ["--lists-habits", mark] } } });
    let file = home.put("toolwright.json", &servers.to_string());
    (file.display().to_string(), mark)
}

/// What became of the calls of all clients.
#[derive(Default)]
struct Tally {
    answered: AtomicUsize,
    refused: AtomicUsize,
    lost: AtomicUsize,
}

/// Reads one answer: its status, its body, and whether another request may follow.
fn read_answer(stream: &mut BufReader<TcpStream>) -> std::io::Result<(u16, String, bool)> {
    let (mut status, mut length, mut is_chunked, mut is_last) = (0, 0, false, false);
    loop {
        let mut line = String::new();
        if stream.read_line(&mut line)? == 0 {
            return Err(std::io::ErrorKind::UnexpectedEof.into());
        }
        let line = line.trim_end().to_ascii_lowercase();
        if line.is_empty() {
            break;
        }
        if let Some(rest) = line.strip_prefix("http/1.1 ") {
            status = rest[..3].parse().unwrap_or(0);
        }
        length = line.strip_prefix("content-length: ").and_then(|it| it.parse().ok()).unwrap_or(length);
        is_chunked |= line == "transfer-encoding: chunked";
        is_last |= line == "connection: close";
    }
    let mut body = vec![0; length];
    stream.read_exact(&mut body)?;
    let mut is_whole = !is_chunked;
    while !is_whole {
        let mut line = String::new();
        stream.read_line(&mut line)?;
        let size = usize::from_str_radix(line.trim(), 16).map_err(|_| std::io::ErrorKind::InvalidData)?;
        let mut chunk = vec![0; size + 2];
        stream.read_exact(&mut chunk)?;
        body.extend_from_slice(&chunk[..size]);
        is_whole = size == 0;
    }
    Ok((status, String::from_utf8_lossy(&body).into_owned(), is_last))
}

/// Calls again and again on one connection until it is told that it was the last time.
fn call_until_the_end(port: u16, request: &str, tally: &Tally) {
    let Ok(stream) = TcpStream::connect(("127.0.0.1", port)) else { return };
    stream.set_read_timeout(Some(Duration::from_secs(60))).expect("a timeout");
    let mut stream = BufReader::new(stream);
    loop {
        if stream.get_mut().write_all(request.as_bytes()).is_err() {
            return;
        }
        match read_answer(&mut stream) {
            Ok((200, body, is_last)) => {
                assert!(body.contains("\"result\"") || body.contains("\"error\""), "{body}");
                tally.answered.fetch_add(1, Ordering::Relaxed);
                if is_last {
                    return;
                }
            }
            Ok((503, body, _)) => {
                assert!(body.contains("\"error\""), "{body}");
                tally.refused.fetch_add(1, Ordering::Relaxed);
                return;
            }
            Ok((status, body, _)) => panic!("{status} {body}"),
            Err(_) => {
                tally.lost.fetch_add(1, Ordering::Relaxed);
                return;
            }
        }
    }
}

fn request(gateway: &Gateway, tool: &str) -> String {
    let (body, headers) =
        modern_request("tools/call", json!({ "name": tool, "arguments": { "text": "hello" } }));
    format!(
        "POST /mcp/t/default HTTP/1.1\r\nHost: localhost\r\n{}{headers}Content-Length: {}\r\n\r\n{body}",
        gateway.headers(),
        body.len()
    )
}

#[test]
fn under_load_every_call_that_was_begun_is_answered_and_no_server_is_left() {
    let home = Home::new();
    let (file, mark) = with_server(&home);
    let (mut answered, mut refused) = (0, 0);
    for round in 0..ROUNDS {
        let mut gateway = Gateway::start(&home, &["--config", &file, "--rate", "0"]);
        let (port, request) = (gateway.port, request(&gateway, "spread-out"));
        let tally = Tally::default();
        std::thread::scope(|scope| {
            for _ in 0..CLIENTS {
                scope.spawn(|| call_until_the_end(port, &request, &tally));
            }
            until("calls are answered", || tally.answered.load(Ordering::Relaxed) > CLIENTS);
            std::thread::sleep(Duration::from_millis((round * 7) % 50));
            gateway.signal(if round % 2 == 0 { "TERM" } else { "INT" });
        });
        let status = gateway.end(Duration::from_secs(30)).expect("it ends");
        assert_eq!(status.code(), Some(0), "round {round}");
        assert_eq!(tally.lost.load(Ordering::Relaxed), 0, "round {round}: a call without an answer");
        answered += tally.answered.load(Ordering::Relaxed);
        refused += tally.refused.load(Ordering::Relaxed);
        until("no server is left", || processes_with(&mark).is_empty());
    }
    assert!(answered > 0, "{answered} answered, {refused} refused");
}

#[test]
fn a_call_without_end_is_ended_with_words_when_the_grace_is_over() {
    let home = Home::new();
    let (file, mark) = with_server(&home);
    let mut gateway = Gateway::start(&home, &["--config", &file, "--grace", "1"]);
    let (port, request) = (gateway.port, request(&gateway, "hang"));
    let tally = Tally::default();
    std::thread::scope(|scope| {
        scope.spawn(|| call_until_the_end(port, &request, &tally));
        until("the call runs", || {
            gateway.send("GET", "/readyz", "", "").body.contains("\"requestsInFlight\":1")
        });
        std::thread::sleep(Duration::from_millis(300));
        gateway.signal("TERM");
    });
    assert_eq!(gateway.end(Duration::from_secs(30)).expect("it ends").code(), Some(0));
    assert_eq!(tally.lost.load(Ordering::Relaxed), 0, "it has words");
    until("no server is left", || processes_with(&mark).is_empty());
}

#[test]
fn a_second_signal_ends_it_at_once_and_the_servers_too() {
    let home = Home::new();
    let (file, mark) = with_server(&home);
    let mut gateway = Gateway::start(&home, &["--config", &file, "--grace", "600"]);
    let (port, request) = (gateway.port, request(&gateway, "hang"));
    let tally = Tally::default();
    std::thread::scope(|scope| {
        scope.spawn(|| call_until_the_end(port, &request, &tally));
        until("the server runs", || !processes_with(&mark).is_empty());
        until("the call runs", || {
            gateway.send("GET", "/readyz", "", "").body.contains("\"requestsInFlight\":1")
        });
        gateway.signal("TERM");
        std::thread::sleep(Duration::from_millis(600));
        assert!(gateway.end(Duration::ZERO).is_none(), "it waits for the call");
        let asked = Instant::now();
        gateway.signal("TERM");
        let status = gateway.end(Duration::from_secs(20)).expect("it ends");
        assert_eq!(status.code(), Some(143));
        assert!(asked.elapsed() < Duration::from_secs(10), "{:?}", asked.elapsed());
    });
    until("no server is left", || processes_with(&mark).is_empty());
}

#[test]
fn the_servers_of_a_gateway_are_seen_and_restarted_from_outside() {
    let home = Home::new();
    let (file, _) = with_server(&home);
    let gateway = Gateway::start(&home, &["--config", &file]);
    let call = json!({ "name": "crlf", "arguments": { "text": "hello" } });
    let result = gateway.modern("/mcp/t/default", "tools/call", call).expect("a result");
    assert!(result.to_string().contains("hello"), "{result}");
    let seen = || -> serde_json::Value {
        let (code, stdout, stderr) = home.run(&["servers", "--config", &file, "--json"]);
        assert_eq!(code, 0, "{stderr}");
        serde_json::from_str(&stdout).expect("JSON")
    };
    let pid = seen()[0]["pid"].as_u64().expect("a process");
    let parent = std::fs::read_to_string(format!("/proc/{pid}/status")).expect("it runs");
    let parent =
        parent.lines().find_map(|line| line.strip_prefix("PPid:")).expect("a parent").trim().to_owned();
    assert_eq!(parent, gateway.child.id().to_string(), "it is the gateway's own");
    let (code, _, stderr) = home.run(&["servers", "restart", "slow", "--config", &file]);
    assert_eq!(code, 0, "{stderr}");
    assert_ne!(seen()[0]["pid"].as_u64(), Some(pid));
}
