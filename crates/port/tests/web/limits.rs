//! How much at once (Q20): what is too much is refused at once, and what is not is answered.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use toolwright_port::{Rate, WebLimits};

use crate::port::{Port, port_with_limits, read_answer};
use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;

/// An answer that came before the body was read must not cost the next request on the same connection.
#[tokio::test]
async fn a_refused_request_leaves_its_connection_usable_or_says_that_it_ends() {
    let limits = WebLimits { rate: Some(Rate { per_second: 1, burst: 1 }), ..WebLimits::default() };
    let port = port_with_limits(limits).await;
    let body = "x".repeat(40_000);
    let refused = [
        (429, port.request("POST", "/mcp", &port.bearer(), &body)),
        (401, port.request("POST", "/mcp", "Authorization: Bearer tw_wrong\r\n", &body)),
        (403, port.request("POST", "/mcp", "Origin: https://evil.example\r\n", &body)),
        (404, port.request("POST", "/nowhere", &port.bearer(), &body)),
        (405, port.request("POST", "/healthz", "", &body)),
        (405, port.request("PUT", "/mcp", &port.bearer(), &body)),
    ];
    assert_eq!(port.ask("POST", "/mcp", "", "").await.status, 200, "the only one of this second");
    let mut stream = TcpStream::connect(port.address).await.expect("a connection");
    for (status, request) in refused.iter().chain(&refused) {
        stream.write_all(request.as_bytes()).await.expect("the connection is open");
        let answer = read_answer(&mut stream).await.expect("an answer");
        assert_eq!((answer.status, answer.header("connection")), (*status, None), "{}", answer.body);
    }
    // Chunks are read to their end as well.
    let head = format!("POST /nowhere HTTP/1.1\r\nHost: localhost\r\n{}", port.bearer());
    let chunked = format!("{head}Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n");
    for _ in 0..2 {
        stream.write_all(chunked.as_bytes()).await.expect("the connection is open");
        let answer = read_answer(&mut stream).await.expect("an answer");
        assert_eq!((answer.status, answer.header("connection")), (404, None));
    }
    // A body that does not come, or that the client waits to send, ends the connection, and the client hears of it.
    for more in ["", "Expect: 100-continue\r\n"] {
        let mut stream = TcpStream::connect(port.address).await.expect("a connection");
        let request = format!("{head}{more}Content-Length: 1000000\r\n\r\n");
        stream.write_all(request.as_bytes()).await.expect("sent");
        let answer = read_answer(&mut stream).await.expect("an answer");
        assert_eq!((answer.status, answer.header("connection")), (404, Some("close")), "{}", answer.head);
    }
}

#[tokio::test]
async fn numbers_for_prometheus_count_in_the_rate_of_their_token() {
    let limits = WebLimits { rate: Some(Rate { per_second: 1, burst: 2 }), ..WebLimits::default() };
    let port = port_with_limits(limits).await;
    let mut statuses = Vec::new();
    for _ in 0..3 {
        statuses.push(port.ask("GET", "/metrics", "", "").await.status);
    }
    assert_eq!(statuses, [200, 200, 429]);
}

#[tokio::test]
async fn requests_of_one_client_are_bounded_and_streams_apart_from_them() {
    let limits = WebLimits { requests_per_client: 3, streams_per_client: 2, ..WebLimits::default() };
    let port = Arc::new(port_with_limits(limits).await);
    let busy: Vec<_> = (0..3)
        .map(|_| {
            let port = Arc::clone(&port);
            tokio::spawn(async move { port.ask("POST", "/mcp", "", "sleep:1500").await.status })
        })
        .collect();
    let mut streams = Vec::new();
    for _ in 0..2 {
        let mut stream = TcpStream::connect(port.address).await.expect("a connection");
        stream.write_all(port.request("GET", "/mcp", &port.bearer(), "").as_bytes()).await.expect("sent");
        assert_eq!(read_answer(&mut stream).await.map(|answer| answer.status), Some(200));
        streams.push(stream);
    }
    let answer = port.ask("GET", "/mcp", "", "").await;
    assert_eq!(answer.status, 429, "{}", answer.body);
    assert!(answer.body.contains("\"limit\":\"streamsPerClient\",\"number\":2"), "{}", answer.body);
    let header = "Mcp-Method: subscriptions/listen\r\n";
    let listen = r#"{"jsonrpc":"2.0","id":1,"method":"subscriptions/listen","params":{}}"#;
    let listening = port.ask("POST", "/mcp", header, listen).await;
    assert_eq!(listening.status, 429, "a stream by another name");
    assert!(listening.body.contains("\"limit\":\"streamsPerClient\""), "{}", listening.body);
    tokio::time::sleep(Duration::from_millis(300)).await;
    // The body decides what a request is, not its header.
    let call = r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x"}}"#;
    for body in [call, "", "[]", &format!("[{listen}]")] {
        let answer = port.ask("POST", "/mcp", header, body).await;
        assert_eq!(answer.status, 429, "{body}");
        assert!(answer.body.contains("\"limit\":\"requestsPerClient\""), "{}", answer.body);
    }
    let asked = Instant::now();
    let answer = port.ask("POST", "/mcp", "", "").await;
    assert_eq!(answer.status, 429, "{}", answer.body);
    assert!(asked.elapsed() < Duration::from_secs(1), "it did not wait");
    assert!(
        answer.body.contains("the client \\\"default\\\" has 3 requests open, its limit"),
        "{}",
        answer.body
    );
    // What lets a call come to its end has to get in.
    for ends in [
        r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}"#,
        r#"{"jsonrpc":"2.0","id":1,"result":{"action":"accept"}}"#,
    ] {
        assert_eq!(port.ask("POST", "/mcp", "", ends).await.status, 200, "{ends}");
    }
    for one in busy {
        assert_eq!(one.await.expect("an end"), 200);
    }
    assert_eq!(port.ask("POST", "/mcp", "", "").await.status, 200, "there is room again");
    // A client that goes away gives its place back.
    drop(streams);
    for _ in 0..500 {
        let mut stream = TcpStream::connect(port.address).await.expect("a connection");
        stream.write_all(port.request("GET", "/mcp", &port.bearer(), "").as_bytes()).await.expect("sent");
        if read_answer(&mut stream).await.is_some_and(|answer| answer.status == 200) {
            return;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    panic!("a stream whose client went away keeps its place");
}

#[tokio::test]
async fn requests_of_all_clients_are_bounded() {
    let limits = WebLimits { requests_in_all: 1, ..WebLimits::default() };
    let port = Arc::new(port_with_limits(limits).await);
    let busy = {
        let port = Arc::clone(&port);
        tokio::spawn(async move { port.ask("POST", "/mcp", "", "sleep:1500").await.status })
    };
    tokio::time::sleep(Duration::from_millis(300)).await;
    let answer = port.ask("POST", "/mcp", "", "").await;
    assert_eq!(answer.status, 429);
    assert!(answer.body.contains("the gateway has 1 requests open, its limit"), "{}", answer.body);
    assert_eq!(busy.await.expect("an end"), 200);
}

#[tokio::test]
async fn memory_for_bodies_is_bounded() {
    let limits = WebLimits { body_bytes_in_all: 10_000, ..WebLimits::default() };
    let port = port_with_limits(limits).await;
    let answer = port.ask("POST", "/mcp", "", &"x".repeat(20_000)).await;
    assert_eq!(answer.status, 429);
    assert!(answer.body.contains("\"limit\":\"bodyBytesInAll\""), "{}", answer.body);
    for _ in 0..5 {
        assert_eq!(port.ask("POST", "/mcp", "", &"x".repeat(9_000)).await.status, 200, "and given back");
    }
}

#[tokio::test]
async fn connections_are_bounded_and_those_left_out_are_told() {
    let port = port_with_limits(WebLimits { connections: 4, ..WebLimits::default() }).await;
    let mut open = Vec::new();
    for _ in 0..4 {
        let mut stream = TcpStream::connect(port.address).await.expect("a connection");
        stream.write_all(port.request("POST", "/mcp", &port.bearer(), "x").as_bytes()).await.expect("sent");
        assert_eq!(read_answer(&mut stream).await.map(|answer| answer.status), Some(200));
        open.push(stream);
    }
    let answer = port.ask("POST", "/mcp", "", "x").await;
    assert_eq!((answer.status, answer.header("retry-after")), (503, Some("1")));
    let said: serde_json::Value = serde_json::from_str(&answer.body).expect("JSON");
    assert_eq!(said["error"]["message"], "the gateway has 4 connections open, its limit");
    open.clear();
    for _ in 0..500 {
        if port
            .raw(&port.request("POST", "/mcp", &port.bearer(), "x"))
            .await
            .is_some_and(|it| it.status == 200)
        {
            return;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    panic!("there is no room again");
}

/// Sends requests on kept connections as fast as they are answered. How many were answered and refused, and
/// the longest time of a refusal.
async fn load(port: &Arc<Port>, clients: usize, time: Duration) -> (usize, usize, Duration) {
    let (answered, refused) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
    let end = Instant::now() + time;
    let tasks: Vec<_> = (0..clients)
        .map(|_| {
            let (port, answered, refused) = (Arc::clone(port), Arc::clone(&answered), Arc::clone(&refused));
            tokio::spawn(async move {
                let request = port.request("POST", "/mcp", &port.bearer(), "sleep:5");
                let mut slowest = Duration::ZERO;
                let mut stream = None;
                while Instant::now() < end {
                    let mut kept = match stream.take() {
                        Some(kept) => kept,
                        None => TcpStream::connect(port.address).await.expect("a connection"),
                    };
                    let asked = Instant::now();
                    if kept.write_all(request.as_bytes()).await.is_err() {
                        continue;
                    }
                    let Some(answer) = read_answer(&mut kept).await else { continue };
                    match answer.status {
                        200 => drop(answered.fetch_add(1, Ordering::Relaxed)),
                        429 => {
                            refused.fetch_add(1, Ordering::Relaxed);
                            slowest = slowest.max(asked.elapsed());
                            tokio::time::sleep(Duration::from_millis(2)).await;
                        }
                        other => panic!("{other}"),
                    }
                    stream = Some(kept);
                }
                slowest
            })
        })
        .collect();
    let mut slowest = Duration::ZERO;
    for task in tasks {
        slowest = slowest.max(task.await.expect("an end"));
    }
    (answered.load(Ordering::Relaxed), refused.load(Ordering::Relaxed), slowest)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn three_times_too_much_is_refused_quickly_and_the_rest_is_answered() {
    let limits = WebLimits { requests_per_client: 8, rate: None, ..WebLimits::default() };
    let port = Arc::new(port_with_limits(limits).await);
    let (peak, refused, _) = load(&port, 8, Duration::from_secs(1)).await;
    assert!(peak > 0 && refused == 0, "{peak} {refused}");
    let (answered, refused, slowest) = load(&port, 24, Duration::from_secs(2)).await;
    assert!(refused > 0, "there was too much");
    // Generous: other tests share the machine.
    assert!(answered > peak / 2, "{answered} answered under load, {peak} in half the time without");
    assert!(slowest < Duration::from_secs(2), "{slowest:?}");
    let (after, refused, _) = load(&port, 4, Duration::from_secs(1)).await;
    assert!(after > 0 && refused == 0, "it recovered: {after} {refused}");
}

#[tokio::test]
async fn a_rate_refuses_what_comes_too_fast_and_only_that() {
    let limits = WebLimits { rate: Some(Rate { per_second: 5, burst: 10 }), ..WebLimits::default() };
    let port = port_with_limits(limits).await;
    let mut statuses = Vec::new();
    for _ in 0..40 {
        statuses.push(port.ask("POST", "/mcp", "", "").await.status);
    }
    assert!(statuses[..10].iter().all(|status| *status == 200), "{statuses:?}");
    assert!(statuses.contains(&429), "{statuses:?}");
    let answer = port.ask("POST", "/mcp", "", "").await;
    if answer.status == 429 {
        assert!(answer.body.contains("\"limit\":\"rate\",\"number\":5"), "{}", answer.body);
    }
    tokio::time::sleep(Duration::from_millis(1100)).await;
    assert_eq!(port.ask("POST", "/mcp", "", "").await.status, 200);
}
