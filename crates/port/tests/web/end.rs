//! The end (Q17): what was begun is answered, what was not is refused, and nothing waits for ever.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use toolwright_port::WebLimits;

use crate::port::{port, port_with_limits, read_answer, until};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::{sleep, timeout};

#[tokio::test]
async fn a_request_that_was_begun_is_answered_and_nobody_new_is_let_in() {
    let port = Arc::new(port().await);
    let mut kept = TcpStream::connect(port.address).await.expect("a connection");
    let request = port.request("GET", "/readyz", "", "");
    kept.write_all(request.as_bytes()).await.expect("sent");
    assert_eq!(read_answer(&mut kept).await.map(|answer| answer.status), Some(200));
    let begun = {
        let port = Arc::clone(&port);
        tokio::spawn(async move { port.ask("POST", "/mcp", "", "sleep:4000").await })
    };
    sleep(Duration::from_millis(300)).await;
    port.stop.ask();
    until("the inside closes", || port.inside.is_closed.load(Ordering::Relaxed)).await;
    // Who is connected still hears that it ends.
    kept.write_all(request.as_bytes()).await.expect("sent");
    let answer = read_answer(&mut kept).await.expect("an answer");
    assert_eq!((answer.status, answer.header("connection")), (503, Some("close")));
    // Who comes now does too, and is told so at once, to the end of the last call.
    for _ in 0..8 {
        let told = port.ask("GET", "/readyz", "", "").await;
        assert_eq!(told.status, 503, "{}", told.body);
        assert_eq!(port.ask("GET", "/healthz", "", "").await.status, 200);
        let told = port.ask("POST", "/mcp", "", "sleep:1").await;
        assert_eq!((told.status, told.header("connection")), (503, Some("close")));
        assert!(told.body.contains("nothing was begun") && told.body.contains("ending"), "{}", told.body);
        sleep(Duration::from_millis(100)).await;
    }
    let answer = begun.await.expect("an end");
    assert_eq!(answer.status, 200, "{}", answer.body);
    until("it has ended", || port.serving.is_finished()).await;
    assert!(TcpStream::connect(port.address).await.is_err(), "nobody is let in any more");
}

#[tokio::test]
async fn streams_and_resting_connections_do_not_keep_it_from_ending() {
    let port = port().await;
    let mut stream = TcpStream::connect(port.address).await.expect("a connection");
    stream.write_all(port.request("GET", "/mcp", &port.bearer(), "").as_bytes()).await.expect("sent");
    assert_eq!(read_answer(&mut stream).await.map(|answer| answer.status), Some(200));
    let mut resting = TcpStream::connect(port.address).await.expect("a connection");
    resting.write_all(port.request("GET", "/healthz", "", "").as_bytes()).await.expect("sent");
    assert_eq!(read_answer(&mut resting).await.map(|answer| answer.status), Some(200));
    let asked = Instant::now();
    port.stop.ask();
    until("it has ended", || port.serving.is_finished()).await;
    assert!(asked.elapsed() < Duration::from_secs(8), "before the grace is over");
    let rest = timeout(Duration::from_secs(10), stream.read_to_end(&mut Vec::new())).await;
    assert!(rest.is_ok(), "the stream ended");
}

#[tokio::test]
async fn a_call_without_end_is_answered_with_an_error_when_the_grace_is_over() {
    let port =
        Arc::new(port_with_limits(WebLimits { grace: Duration::from_secs(1), ..WebLimits::default() }).await);
    let begun = {
        let port = Arc::clone(&port);
        tokio::spawn(async move { port.ask("POST", "/mcp", "", "sleep:600000").await })
    };
    sleep(Duration::from_millis(300)).await;
    port.stop.ask();
    let answer = timeout(Duration::from_secs(20), begun).await.expect("in time").expect("an end");
    assert_eq!(answer.status, 503);
    assert!(
        answer.body.contains("the gateway is shutting down; the call was not finished"),
        "{}",
        answer.body
    );
    until("it has ended", || port.serving.is_finished()).await;
}
