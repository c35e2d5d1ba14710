//! Q06: sessions that come and go, with and without a goodbye.

use std::time::{Duration, Instant};

use tokio::task::JoinSet;

use super::super::{Figure, Usage};
use super::{astray, comes};
use crate::load::{Client, Era, GatewayPrograms, Served};
use crate::servers::PATIENCE;

const SERVERS: usize = 2;
const AT_ONCE: usize = 16;
/// What is promised.
const BACK: Duration = Duration::from_secs(5);
const GROWN_KIB: u64 = 5 << 10;

/// How a session ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum End {
    Goodbye,
    Dropped,
    /// In the middle of a call.
    Calling,
}

/// Q06: so many sessions opened and dropped; half without goodbye, one of ten in a call.
pub async fn sessions(programs: &GatewayPrograms, count: usize) -> Figure {
    let mut figure =
        Figure::new("Q06", format!("{count} sessions, half dropped without goodbye, one of ten in a call"));
    let entries: Vec<_> = (0..SERVERS).map(|number| (format!("s{number}"), programs.entry(&[]))).collect();
    let served = Served::start_with(programs, Some(&programs.apart(&entries)), &["--rate", "0"], &[]);
    // Every server once, so that all of them run, and what is made once is made.
    for number in 0..SERVERS * 20 {
        let fault = one(&served, number, End::Goodbye).await;
        figure.must(fault.is_none(), || fault.unwrap_or_default());
    }
    let before = Usage::of(served.pid());
    for start in (0..count).step_by(AT_ONCE) {
        let mut running = JoinSet::new();
        for number in start..count.min(start + AT_ONCE) {
            let end = match number % 10 {
                9 => End::Calling,
                odd if odd % 2 == 1 => End::Dropped,
                _ => End::Goodbye,
            };
            let (address, path) = (served.address, format!("/mcp/t/s{}", number % SERVERS));
            running.spawn(async move { session(address, &path, number, end).await });
        }
        while let Some(fault) = running.join_next().await {
            let fault = fault.expect("a session");
            figure.must(fault.is_none(), || fault.unwrap_or_default());
        }
    }
    let begin = Instant::now();
    let is_back = comes(PATIENCE, async || astray(&served, SERVERS).is_none()).await;
    let took = begin.elapsed();
    figure.must(is_back, || format!("{:?}", astray(&served, SERVERS)));
    let after = Usage::of(served.pid());
    let grown = after.rss_kib.saturating_sub(before.rss_kib);
    figure.see(format!("back to {SERVERS} servers after {:.2} s", took.as_secs_f64()));
    figure.see(format!(
        "memory {} KiB, then {} KiB; files {} and {}",
        before.rss_kib, after.rss_kib, before.files, after.files
    ));
    if let Some(sessions) = served.metric("toolwright_sessions").await {
        figure.see(format!("{sessions} sessions are known"));
    }
    // Connections may be closed a little later than sessions.
    figure.must(after.files <= before.files + AT_ONCE + 8, || format!("{} files are open", after.files));
    figure.should("back within 5 s", took <= BACK);
    figure.should("memory ≤ +5 MiB", grown <= GROWN_KIB);
    figure
}

async fn one(served: &Served, number: usize, end: End) -> Option<String> {
    session(served.address, &format!("/mcp/t/s{}", number % SERVERS), number, end).await
}

/// One session from its begin to its end; what went wrong.
async fn session(address: std::net::SocketAddr, path: &str, number: usize, end: End) -> Option<String> {
    let mut client = match Client::open(address, path, Era::Legacy).await {
        Ok(client) => client,
        Err(trouble) => return Some(format!("session {number}: {trouble}")),
    };
    let nonce = number.to_string();
    let reply = client.call("1", "echo", &format!(r#"{{"text":"{nonce}"}}"#)).await;
    if !reply.as_ref().is_ok_and(|reply| reply.text() == Some(&nonce)) {
        return Some(format!("session {number}: {reply:?}"));
    }
    match end {
        End::Dropped => None,
        End::Calling => {
            let slow = r#"{"name":"slow","arguments":{"text":"x","ms":600000}}"#;
            client.send("2", "tools/call", slow).await.err().map(|trouble| trouble.to_string())
        }
        End::Goodbye => match client.close().await {
            Ok(200..=204) => None,
            other => Some(format!("session {number}: goodbye was answered with {other:?}")),
        },
    }
}
