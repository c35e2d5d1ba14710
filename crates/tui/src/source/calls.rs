//! The call feed: the history once, then each call as it ends, without a gap and over lost connections.

use std::time::Duration;

use reqwest::Response;
use serde::Deserialize;
use tokio::sync::{Notify, mpsc};
use tokio::time::{sleep, timeout};
use toolwright_jsonrpc::events::{EventReader, ServerEvent};

use super::http::{GatewayClient, segment};
use super::{FIRST_WAIT, LONGEST_WAIT, Lost};
use crate::Clean;
use crate::api_types::ApiCall;
use crate::state::{News, Older};

/// The number of calls requested from the history.
const BEFORE: usize = 300;
/// A stream without data for this time is dead; a gateway sends a keep-alive every 15 s.
const SILENCE: Duration = Duration::from_secs(45);
/// How far back the feed starts if the history is empty: the index lags behind the journal.
const BEHIND: u64 = 100;

/// The largest event, in bytes. A larger one is skipped.
const MAX_EVENT_BYTES: usize = 8 << 20;

const LIVE: &str = "/api/operations/live";

/// Follows the feed until the receiver is dropped. `resume` is the id of the last received event.
pub(super) async fn follow(
    http: &GatewayClient,
    news: &mpsc::Sender<News>,
    connection_lost: &Notify,
    resume: &mut Option<String>,
) {
    let mut wait = FIRST_WAIT;
    loop {
        match stream(http, news, resume, &mut wait).await {
            // The gateway refuses: its reason is worth more than a quick retry.
            Err(Lost::Refused(why)) => {
                let _ = news.send(News::NoCalls(Clean::new(&why))).await;
                wait = LONGEST_WAIT;
            }
            // The status request finds out whether the gateway is gone.
            Ok(()) | Err(_) => connection_lost.notify_one(),
        }
        if news.is_closed() {
            return;
        }
        sleep(wait).await;
        wait = (wait * 2).min(LONGEST_WAIT);
    }
}

/// Reads one stream to its end.
async fn stream(
    http: &GatewayClient,
    news: &mpsc::Sender<News>,
    resume: &mut Option<String>,
    wait: &mut Duration,
) -> Result<(), Lost> {
    if resume.is_none() {
        *resume = Some(before(http, news).await?);
    }
    let mut answer = http.events(LIVE, resume.as_deref()).await?;
    *wait = FIRST_WAIT;
    let mut events = EventReader::new(MAX_EVENT_BYTES);
    while let Some(found) = next(&mut answer, &mut events).await? {
        for event in found {
            if let Some(id) = &event.id {
                *resume = Some(id.clone());
            }
            if let Some(update) = news_from(&event)
                && news.send(update).await.is_err()
            {
                return Ok(());
            }
        }
    }
    Ok(())
}

/// Sends the history. Returns the id after which the feed continues.
async fn before(http: &GatewayClient, news: &mpsc::Sender<News>) -> Result<String, Lost> {
    let (node, last) = position(http).await?;
    let path = format!("/api/operations?limit={BEFORE}&node={}", segment(&node));
    let listed = http.list(&path).await?;
    let mut calls =
        ApiCall::read_all(&listed.text).map_err(|_| Lost::Refused("calls cannot be read".into()))?;
    calls.reverse();
    let newest = calls.iter().map(|call| call.seq).max().unwrap_or(last.saturating_sub(BEHIND));
    let older = if listed.goes_on { Older::MayBe } else { Older::None };
    let _ = news.send(News::Before(calls, older)).await;
    Ok(format!("{node}:{newest}"))
}

/// The position of the feed: the node name of the gateway and the number of its last record.
async fn position(http: &GatewayClient) -> Result<(String, u64), Lost> {
    let mut answer = http.events(LIVE, None).await?;
    let mut events = EventReader::new(MAX_EVENT_BYTES);
    while let Some(found) = next(&mut answer, &mut events).await? {
        let ids = found.into_iter().filter_map(|event| event.id);
        let read = |id: String| {
            let (node, seq) = id.rsplit_once(':')?;
            Some((node.to_owned(), seq.parse().ok()?))
        };
        if let Some(position) = ids.filter_map(read).next() {
            return Ok(position);
        }
    }
    Err(Lost::Silent)
}

/// The events in the next bytes; `None` at the end of the stream.
async fn next(answer: &mut Response, events: &mut EventReader) -> Result<Option<Vec<ServerEvent>>, Lost> {
    match timeout(SILENCE, answer.chunk()).await {
        Err(_) => Err(Lost::Silent),
        Ok(Err(_)) | Ok(Ok(None)) => Ok(None),
        Ok(Ok(Some(bytes))) => {
            let mut found = Vec::new();
            events.push(&bytes, |event| found.push(event));
            Ok(Some(found))
        }
    }
}

fn news_from(event: &ServerEvent) -> Option<News> {
    #[derive(Deserialize)]
    struct MissedEvent {
        count: Option<u64>,
    }
    if event.is_too_long() {
        return Some(News::Missed(Some(1)));
    }
    let data = event.data()?;
    match event.kind.as_str() {
        "missed" => {
            let missed: Option<MissedEvent> = serde_json::from_slice(data).ok();
            Some(News::Missed(missed.and_then(|missed| missed.count)))
        }
        "" | "message" => Some(match ApiCall::read(data) {
            Ok(call) => News::Call(Box::new(call)),
            Err(_) => News::Missed(Some(1)),
        }),
        _ => None,
    }
}
