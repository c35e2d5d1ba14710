//! Slow clients (Q19): they lose their connection, and nobody else notices.

use std::sync::Arc;
use std::time::Duration;

use toolwright_port::WebLimits;

use crate::port::{Port, port_with_limits};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpSocket, TcpStream};
use tokio::task::JoinHandle;
use tokio::time::{sleep, timeout};

const EACH: usize = 150;
/// Far longer than the times of the port below.
const PATIENCE: Duration = Duration::from_secs(30);

fn quick() -> WebLimits {
    WebLimits {
        // Longer than a healthy client on a busy machine takes.
        head_time: Duration::from_secs(3),
        body_time: Duration::from_secs(1),
        stall_time: Duration::from_secs(1),
        rate: None,
        requests_per_client: 2000,
        ..WebLimits::default()
    }
}

/// Writes these bytes one by one until the other side has had enough. Whether it had.
async fn drip(mut stream: TcpStream, text: String) -> bool {
    let dripping = async {
        for byte in text.bytes().cycle() {
            if stream.write_all(&[byte]).await.is_err() {
                return;
            }
            let mut answer = [0; 1024];
            let read = timeout(Duration::from_millis(100), stream.read(&mut answer)).await;
            if matches!(read, Ok(Ok(0) | Err(_))) {
                return;
            }
        }
    };
    timeout(PATIENCE, dripping).await.is_ok()
}

fn slow_heads(port: &Arc<Port>) -> impl Iterator<Item = JoinHandle<bool>> {
    let address = port.address;
    (0..EACH).map(move |_| {
        tokio::spawn(async move {
            let stream = TcpStream::connect(address).await.expect("a connection");
            drip(stream, "GET /healthz HTTP/1.1\r\nHost: localhost\r\nX-A: bbbbbbbbbbbbbbb".to_owned()).await
        })
    })
}

fn slow_bodies(port: &Arc<Port>) -> impl Iterator<Item = JoinHandle<bool>> {
    let port = Arc::clone(port);
    (0..EACH).map(move |_| {
        let port = Arc::clone(&port);
        tokio::spawn(async move {
            let mut stream = TcpStream::connect(port.address).await.expect("a connection");
            let head = format!(
                "POST /mcp HTTP/1.1\r\nHost: localhost\r\n{}Content-Length: 100000\r\n\r\n",
                port.bearer()
            );
            stream.write_all(head.as_bytes()).await.expect("sent");
            drip(stream, "x".to_owned()).await
        })
    })
}

/// Asks for much and takes nothing of it.
fn slow_readers(port: &Arc<Port>) -> impl Iterator<Item = JoinHandle<bool>> {
    let port = Arc::clone(port);
    (0..EACH).map(move |_| {
        let port = Arc::clone(&port);
        tokio::spawn(async move {
            let socket = TcpSocket::new_v4().expect("a socket");
            socket.set_recv_buffer_size(4096).expect("a small one");
            let mut stream = socket.connect(port.address).await.expect("a connection");
            let request = port.request("POST", "/mcp", &port.bearer(), "large:8000000");
            stream.write_all(request.as_bytes()).await.expect("sent");
            sleep(Duration::from_secs(6)).await;
            // What is left to read ends early: the answer is not whole.
            let mut taken = Vec::new();
            let read = timeout(PATIENCE, stream.read_to_end(&mut taken)).await;
            read.is_ok() && taken.len() < 8_000_000
        })
    })
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn slow_clients_are_dropped_and_the_others_are_answered() {
    let port = Arc::new(port_with_limits(quick()).await);
    let slow: Vec<JoinHandle<bool>> =
        slow_heads(&port).chain(slow_bodies(&port)).chain(slow_readers(&port)).collect();
    // As long as they are there, and how busy the machine is besides does not matter.
    let mut asked = 0;
    while asked == 0 || slow.iter().any(|one| !one.is_finished()) {
        let answer =
            timeout(PATIENCE, port.ask("POST", "/mcp", "", "hello")).await.expect("an answer in time");
        assert_eq!(answer.status, 200);
        asked += 1;
        sleep(Duration::from_millis(10)).await;
    }
    for (at, one) in slow.into_iter().enumerate() {
        assert!(one.await.expect("an end"), "slow client {at} kept its connection");
    }
}

#[tokio::test]
async fn a_connection_may_rest_between_requests_longer_than_a_head_may_take() {
    let port = port_with_limits(quick()).await;
    let mut stream = TcpStream::connect(port.address).await.expect("a connection");
    for pause in [0, 3500, 0] {
        sleep(Duration::from_millis(pause)).await;
        stream.write_all(port.request("POST", "/mcp", &port.bearer(), "x").as_bytes()).await.expect("sent");
        assert_eq!(
            crate::port::read_answer(&mut stream).await.map(|answer| answer.status),
            Some(200),
            "{pause}"
        );
    }
    // One that never says anything is not kept.
    let mut silent = TcpStream::connect(port.address).await.expect("a connection");
    let ended = timeout(PATIENCE, silent.read(&mut [0; 1])).await.expect("it ends");
    assert!(matches!(ended, Ok(0) | Err(_)));
}

#[tokio::test]
async fn a_call_may_take_longer_than_a_head_a_body_and_a_pause() {
    let port = port_with_limits(quick()).await;
    assert_eq!(port.ask("POST", "/mcp", "", "sleep:4500").await.status, 200);
}
