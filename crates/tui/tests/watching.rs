//! Reading a program that is not a gateway, or a broken gateway. `crates/toolwright/tests/tui.rs` reads a
//! real one.

use std::sync::Arc;
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;
use tokio::sync::mpsc;
use toolwright_tui::source::{ConfirmedDecision, Find, Lost, Place, watch};
use toolwright_tui::state::{News, SuggestionDecision};

/// A server that answers every request with these bytes and closes the connection.
async fn answering(bytes: Vec<u8>) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let url = format!("http://{}", listener.local_addr().expect("an address"));
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            let bytes = bytes.clone();
            tokio::spawn(async move {
                let mut request = [0; 4096];
                let _ = stream.read(&mut request).await;
                let _ = stream.write_all(&bytes).await;
            });
        }
    });
    url
}

fn at(url: String) -> Find {
    Arc::new(move || {
        let place = Place { url: url.clone(), token: "t".into() };
        Box::pin(async { Ok(place) })
    })
}

/// The reason why the gateway counts as away.
async fn why_away(find: Find) -> String {
    let (send, mut news) = mpsc::channel(8);
    let (_decisions, decided) = mpsc::channel(1);
    let watching = tokio::spawn(watch(find, "anna".into(), send, decided));
    let why = tokio::time::timeout(Duration::from_secs(60), away(&mut news)).await;
    watching.abort();
    why.expect("in time")
}

/// Waits until the gateway counts as away; it must not count as connected before.
async fn away(news: &mut mpsc::Receiver<News>) -> String {
    loop {
        match news.recv().await.expect("news") {
            News::Away(why) => return why.to_string(),
            News::NoCalls(_) => {}
            other => panic!("{other:?}"),
        }
    }
}

#[tokio::test]
async fn other_programs_are_not_a_gateway() {
    let json = |status: &str, body: &str| {
        format!("HTTP/1.1 {status}\r\nContent-Length: {}\r\n\r\n{body}", body.len()).into_bytes()
    };
    let refusal = r#"{"error": {"message": "the disk is full"}}"#;
    for (bytes, told) in [
        (json("200 OK", "<html>"), "does not answer as a gateway does"),
        (json("200 OK", "{}"), "does not answer as a gateway does"),
        (json("200 OK", "[]"), "does not answer as a gateway does"),
        (json("404 Not Found", ""), "does not answer as a gateway does"),
        (json("401 Unauthorized", ""), "does not take the token"),
        (json("503 Service Unavailable", refusal), "the disk is full"),
        (json("500 Internal Server Error", ""), "it answers with status 500"),
        (b"\x1b[2Jnonsense".to_vec(), "broke the connection off"),
        (Vec::new(), "broke the connection off"),
    ] {
        let shown = String::from_utf8_lossy(&bytes).into_owned();
        let why = why_away(at(answering(bytes).await)).await;
        assert!(why.contains(told), "{shown:?}: {why}");
    }
}

#[tokio::test]
async fn response_size_is_limited() {
    let mut bytes = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n".to_vec();
    for _ in 0..20 {
        bytes.extend_from_slice(b"100000\r\n");
        bytes.extend(std::iter::repeat_n(b' ', 1 << 20));
        bytes.extend_from_slice(b"\r\n");
    }
    let why = why_away(at(answering(bytes).await)).await;
    assert!(why.contains("does not answer as a gateway does"), "{why}");
}

#[tokio::test]
async fn decision_without_gateway_is_rejected() {
    let nobody: Find = Arc::new(|| Box::pin(async { Err(Lost::NobodyThere("http://127.0.0.1:9".into())) }));
    let (send, mut news) = mpsc::channel(8);
    let (decisions, decided) = mpsc::channel(1);
    let watching = tokio::spawn(watch(nobody, "anna".into(), send, decided));
    assert!(away(&mut news).await.contains("nothing listens at http://127.0.0.1:9"));
    let decision = ConfirmedDecision { id: "0a".into(), decision: SuggestionDecision::Accept };
    decisions.send(decision).await.expect("it is taken");
    let told = async {
        loop {
            if let News::Decided(said) = news.recv().await.expect("news") {
                return said.to_string();
            }
        }
    };
    let told = tokio::time::timeout(Duration::from_secs(60), told).await.expect("in time");
    assert_eq!(told, "the gateway is away: nothing was decided");
    watching.abort();
}
