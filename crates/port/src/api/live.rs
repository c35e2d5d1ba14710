//! `/api/operations/live`: every call of this gateway as it ends, as server-sent events.
//!
//! Each listener reads the journal for itself, at its own pace: no call waits for one, and nothing is kept in
//! memory for a slow one but the records at hand. Numbers of records are the ids of events, so who comes back with
//! the last one goes on behind it, across files and restarts. Who is too far behind is taken to the present and
//! told how many records that left out.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use futures_util::stream;
use http::header::CACHE_CONTROL;
use http::request::Parts;
use http::{HeaderValue, Method, Response, StatusCode};
use http_body_util::{BodyExt, StreamBody};
use hyper::body::Frame;
use serde_json::json;
use tokio::time::timeout;
use toolwright_base::ConcurrencyPermit;
use toolwright_ledger::journal::Follow;
use toolwright_ledger::{Kind, Ledger, Record};

use super::Api;
use super::operation::{Operation, state_of};
use super::query::Query;
use crate::inside::InsideBody;
use crate::refusal::{Refusal, response};

/// How many may listen at once.
pub(super) const MOST_LISTENERS: usize = 64;
/// How many records a listener may be behind. What is older can be had from `/api/operations`.
const MOST_BEHIND: u64 = 100_000;
/// After so many records it is looked how far behind a listener is.
const LOOK: u64 = 64;
/// How often a stream without events shows that it lives.
const KEEP_ALIVE: Duration = Duration::from_secs(15);
/// When a listener that lost its stream should come back, in milliseconds.
const RETRY_MS: u64 = 2_000;

/// Limits of a feed, which tests make smaller.
#[derive(Clone, Copy, Debug)]
struct Limits {
    behind: u64,
    look: u64,
    keep_alive: Duration,
}

pub(super) fn answer(api: &Api, query: &Query, parts: &Parts) -> Result<Response<InsideBody>, Refusal> {
    query.allow(&[])?;
    let ledger = api.ledger()?;
    let mut answer = response(StatusCode::OK, "text/event-stream", "");
    answer.headers_mut().insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    if parts.method == Method::HEAD {
        return Ok(answer);
    }
    let entered = api.listeners.try_acquire(1, MOST_LISTENERS).ok_or_else(|| {
        let message = format!("{MOST_LISTENERS} listen to calls already, the limit");
        Refusal::too_much("liveListeners", message, MOST_LISTENERS, 1)
    })?;
    let last = parts.headers.get("last-event-id").and_then(|id| id.to_str().ok());
    let limits = Limits { behind: MOST_BEHIND, look: LOOK, keep_alive: KEEP_ALIVE };
    let feed = Feed::new(Arc::clone(ledger), last, limits);
    Ok(answer.map(|_| body(feed, Some(entered))))
}

fn body(feed: Feed, entered: Option<ConcurrencyPermit>) -> InsideBody {
    let events = stream::unfold((feed, entered), |(mut feed, entered)| async move {
        let text = feed.next().await?;
        Some((Ok::<_, Infallible>(Frame::data(Bytes::from(text))), (feed, entered)))
    });
    StreamBody::new(events).boxed_unsync()
}

/// The events of one listener.
struct Feed {
    ledger: Arc<Ledger>,
    follow: Follow,
    limits: Limits,
    /// The number of the next record.
    next: u64,
    /// What is sent before anything else.
    first: Option<String>,
}

impl Feed {
    /// Goes on behind the last event that the listener has, or begins with what ends from now on.
    fn new(ledger: Arc<Ledger>, last_event: Option<&str>, limits: Limits) -> Feed {
        let written = ledger.journal().last_seq();
        let seen = last_event.map(|id| {
            let (node, seq) = id.rsplit_once(':')?;
            let seq: u64 = seq.trim().parse().ok()?;
            (node == ledger.journal().node() && seq <= written).then_some(seq)
        });
        let next = seen.flatten().unwrap_or(written) + 1;
        let follow = ledger.journal().follow(next);
        let mut feed = Feed { ledger, follow, limits, next, first: None };
        // The id comes without an event: who loses the stream now misses nothing.
        let mut first = format!("retry: {RETRY_MS}\nid: {}\n\n", feed.id(next - 1));
        if seen.is_some_and(|seen| seen.is_none()) {
            // It was given by another gateway, or by a journal that is gone.
            first.push_str(&feed.missed(None));
        }
        feed.first = Some(first);
        feed
    }

    /// The next piece of the stream. Nothing when the journal was closed.
    async fn next(&mut self) -> Option<String> {
        if let Some(first) = self.first.take() {
            return Some(first);
        }
        loop {
            if self.next.is_multiple_of(self.limits.look)
                && let Some(missed) = self.catch_up()
            {
                return Some(missed);
            }
            let record = match timeout(self.limits.keep_alive, self.follow.next()).await {
                Err(_) => return Some(": alive\n\n".to_owned()),
                Ok(None) => return None,
                // What is damaged is seen by the gap that it leaves.
                Ok(Some(Err(_))) => continue,
                Ok(Some(Ok(record))) => record,
            };
            let gap = record.seq.saturating_sub(self.next);
            self.next = record.seq + 1;
            let event = if record.kind == Kind::Call { self.event(&record) } else { String::new() };
            if gap > 0 {
                let missed = format!("event: missed\ndata: {}\n\n", json!({ "count": gap }));
                return Some(missed + &event);
            }
            if !event.is_empty() {
                return Some(event);
            }
        }
    }

    /// Leaves out what a listener that is too far behind would still have to read.
    fn catch_up(&mut self) -> Option<String> {
        let written = self.ledger.journal().last_seq();
        let behind = (written + 1).saturating_sub(self.next);
        if behind <= self.limits.behind {
            return None;
        }
        self.next = written + 1;
        self.follow = self.ledger.journal().follow(self.next);
        Some(self.missed(Some(behind)))
    }

    fn missed(&self, count: Option<u64>) -> String {
        let id = self.id(self.next - 1);
        format!("event: missed\nid: {id}\ndata: {}\n\n", json!({ "count": count }))
    }

    fn event(&self, record: &Record) -> String {
        let operation = Operation::of(record, state_of(record, false));
        // Arguments and texts are JSON within one line.
        let text = serde_json::to_string(&operation).unwrap_or_default();
        format!("id: {}\ndata: {text}\n\n", self.id(record.seq))
    }

    fn id(&self, seq: u64) -> String {
        format!("{}:{seq}", self.ledger.journal().node())
    }
}

#[cfg(test)]
mod tests {
    use tempfile::TempDir;
    use toolwright_ledger::journal::JournalOptions;
    use toolwright_ledger::{Hidden, LedgerOptions};

    use super::*;

    const LIMITS: Limits = Limits { behind: 1_000, look: 8, keep_alive: Duration::from_secs(20) };

    fn ledger(segment_bytes: u64, total_bytes: u64) -> (TempDir, Arc<Ledger>) {
        let folder = tempfile::tempdir().expect("a folder");
        let journal = JournalOptions { segment_bytes, total_bytes, ..JournalOptions::default() };
        let options =
            LedgerOptions { folder: folder.path().to_path_buf(), journal, ..LedgerOptions::default() };
        let (ledger, _) = Ledger::open(options).expect("a ledger");
        (folder, Arc::new(ledger))
    }

    fn write(ledger: &Ledger, calls: std::ops::Range<u64>) {
        for number in calls {
            let record = Record { call: format!("c{number}"), tool: "t".into(), ..Record::default() };
            if number % 2 == 0 {
                ledger.begin(record.clone(), Hidden::default()).expect("written");
            }
            ledger.end(record, ledger.hide("{\n\"a\": 1\n}"), Hidden::default());
        }
    }

    /// The calls that a feed tells of up to a given one, with the id of the last.
    async fn until(feed: &mut Feed, last: &str) -> (Vec<String>, String) {
        let mut calls = Vec::new();
        loop {
            let text = feed.next().await.expect("an event");
            let line = |start: &str| text.lines().filter_map(|line| line.strip_prefix(start)).next_back();
            let Some(data) = line("data: ") else { continue };
            assert!(!text.contains("event: missed"), "{text}");
            let said: serde_json::Value = serde_json::from_str(data).expect("JSON");
            let call = said["req_id"].as_str().expect("an id").to_owned();
            calls.push(call.clone());
            if call == last {
                return (calls, line("id: ").expect("an id").to_owned());
            }
        }
    }

    fn names(range: std::ops::Range<u64>) -> Vec<String> {
        range.map(|number| format!("c{number}")).collect()
    }

    #[tokio::test]
    async fn who_comes_back_goes_on_where_it_was_across_files() {
        let (_folder, ledger) = ledger(4_096, 1 << 30);
        write(&ledger, 0..10);
        let mut feed = Feed::new(Arc::clone(&ledger), None, LIMITS);
        let first = feed.next().await.expect("the begin");
        assert_eq!(first, "retry: 2000\nid: main:15\n\n");
        write(&ledger, 10..20);
        let (calls, id) = until(&mut feed, "c14").await;
        assert_eq!(calls, names(10..15), "only what ended since");
        drop(feed);
        // Many files later.
        write(&ledger, 20..200);
        let mut feed = Feed::new(Arc::clone(&ledger), Some(&id), LIMITS);
        let (calls, _) = until(&mut feed, "c199").await;
        assert_eq!(calls, names(15..200), "nothing is lost and nothing comes twice");
    }

    #[tokio::test]
    async fn an_id_of_somebody_else_begins_anew_and_says_so() {
        let (_folder, ledger) = ledger(4_096, 1 << 30);
        write(&ledger, 0..3);
        for id in ["other:1", "main:99", "main", "main:x", ""] {
            let mut feed = Feed::new(Arc::clone(&ledger), Some(id), LIMITS);
            let first = feed.next().await.expect("the begin");
            assert!(first.contains("event: missed\nid: main:5\ndata: {\"count\":null}"), "{id}: {first}");
        }
    }

    #[tokio::test]
    async fn a_slow_listener_is_told_how_much_it_missed_and_no_call_waits_for_it() {
        let (_folder, ledger) = ledger(1 << 20, 1 << 30);
        let limits = Limits { behind: 100, ..LIMITS };
        let mut feed = Feed::new(Arc::clone(&ledger), None, limits);
        write(&ledger, 0..1_000);
        // Nothing was read of the feed so far, and every call is written down.
        assert_eq!(ledger.journal().last_seq(), 1_500);
        let mut calls = 0;
        let missed: u64 = loop {
            let text = feed.next().await.expect("an event");
            if let Some(count) = text.strip_prefix("event: missed\nid: main:1500\ndata: {\"count\":") {
                break count.trim_end_matches("}\n\n").parse().expect("a number");
            }
            calls += text.matches("data: ").count();
        };
        assert!(calls < 20 && missed > 1_400, "{calls} calls, {missed} missed");
        assert_eq!(feed.next, 1_501);
        write(&ledger, 1_000..1_002);
        assert_eq!(until(&mut feed, "c1001").await.0, names(1_000..1_002));
    }

    #[tokio::test]
    async fn records_that_are_gone_are_told_as_a_gap() {
        let (_folder, ledger) = ledger(4_096, 8_192);
        write(&ledger, 0..200);
        ledger.journal().tidy().expect("tidied");
        let mut feed = Feed::new(Arc::clone(&ledger), Some("main:10"), LIMITS);
        feed.next().await.expect("the begin");
        let text = feed.next().await.expect("an event");
        assert!(text.starts_with("event: missed\ndata: {\"count\":"), "{text}");
    }

    #[tokio::test]
    async fn a_silent_stream_shows_that_it_lives() {
        let (_folder, ledger) = ledger(4_096, 1 << 30);
        let limits = Limits { keep_alive: Duration::from_millis(20), ..LIMITS };
        let mut feed = Feed::new(ledger, None, limits);
        feed.next().await.expect("the begin");
        assert_eq!(feed.next().await.as_deref(), Some(": alive\n\n"));
    }
}
