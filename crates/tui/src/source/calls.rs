//! The calls: those of before once, then each as it ends, without a gap between the two and over lost connections.

use std::time::Duration;

use reqwest::Response;
use serde::Deserialize;
use tokio::sync::{Notify, mpsc};
use tokio::time::{sleep, timeout};
use toolwright_jsonrpc::events::{EventReader, ServerEvent};

use super::http::{Http, segment};
use super::{FIRST_WAIT, LONGEST_WAIT, Lost};
use crate::Clean;
use crate::state::{News, Older};
use crate::told::Call;

/// How many calls of before are asked for.
const BEFORE: usize = 300;
/// A stream is taken for dead when nothing comes for so long; a gateway shows every 15 s that it lives.
const SILENCE: Duration = Duration::from_secs(45);
/// How far back is looked where no call of before is known: the index comes a little behind the journal.
const BEHIND: u64 = 100;

/// The longest event, in bytes. A longer one is left out.
const MAX_EVENT_BYTES: usize = 8 << 20;

const LIVE: &str = "/api/operations/live";

/// Tells of calls for as long as it is awaited. `resume` is the last event that was heard of.
pub(super) async fn follow(
    http: &Http,
    news: &mpsc::Sender<News>,
    lost_it: &Notify,
    resume: &mut Option<String>,
) {
    let mut wait = FIRST_WAIT;
    loop {
        match stream(http, news, resume, &mut wait).await {
            // The gateway says no: the reason is worth more than another attempt.
            Err(Lost::Refused(why)) => {
                let _ = news.send(News::NoCalls(Clean::new(&why))).await;
                wait = LONGEST_WAIT;
            }
            // Whether it is gone is found out by who asks how it is doing.
            Ok(()) | Err(_) => lost_it.notify_one(),
        }
        if news.is_closed() {
            return;
        }
        sleep(wait).await;
        wait = (wait * 2).min(LONGEST_WAIT);
    }
}

/// One stream to its end.
async fn stream(
    http: &Http,
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
            if let Some(told) = told(&event)
                && news.send(told).await.is_err()
            {
                return Ok(());
            }
        }
    }
    Ok(())
}

/// Tells of the calls of before. The id to go on with.
async fn before(http: &Http, news: &mpsc::Sender<News>) -> Result<String, Lost> {
    let (node, last) = position(http).await?;
    let path = format!("/api/operations?limit={BEFORE}&node={}", segment(&node));
    let listed = http.list(&path).await?;
    let mut calls = Call::read_all(&listed.text).map_err(|_| Lost::Refused("calls cannot be read".into()))?;
    calls.reverse();
    let newest = calls.iter().map(|call| call.seq).max().unwrap_or(last.saturating_sub(BEHIND));
    let older = if listed.goes_on { Older::MayBe } else { Older::None };
    let _ = news.send(News::Before(calls, older)).await;
    Ok(format!("{node}:{newest}"))
}

/// Where the feed stands: the gateway's name for itself and the number of its last record.
async fn position(http: &Http) -> Result<(String, u64), Lost> {
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

/// The events of the next bytes. Nothing at the end.
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

fn told(event: &ServerEvent) -> Option<News> {
    #[derive(Deserialize)]
    struct Left {
        count: Option<u64>,
    }
    if event.is_too_long() {
        return Some(News::Missed(Some(1)));
    }
    let data = event.data()?;
    match event.kind.as_str() {
        "missed" => {
            let left: Option<Left> = serde_json::from_slice(data).ok();
            Some(News::Missed(left.and_then(|left| left.count)))
        }
        "" | "message" => Some(match Call::read(data) {
            Ok(call) => News::Call(Box::new(call)),
            Err(_) => News::Missed(Some(1)),
        }),
        _ => None,
    }
}
