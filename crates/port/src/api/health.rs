//! `/api/health`: how the gateway is doing, and how near each limit is.

use http::Response;
use serde_json::{Map, Value, json};
use toolwright_base::unix_micros;
use toolwright_ledger::Ledger;
use toolwright_ledger::journal::State;
use toolwright_ledger::stats::rfc3339;

use super::live::MOST_LISTENERS;
use super::query::Query;
use super::{Api, json};
use crate::inside::InsideBody;
use crate::refusal::Refusal;
use crate::serve::Web;

pub(super) fn answer(web: &Web, api: &Api, query: &Query) -> Result<Response<InsideBody>, Refusal> {
    query.allow(&[])?;
    let counts = web.inside.counts();
    let ledger = api.ledger.as_deref();
    json(&json!({
        "status": status(web, ledger),
        "time": rfc3339(unix_micros()),
        "version": env!("CARGO_PKG_VERSION"),
        "uptime_seconds": api.started.elapsed().as_secs(),
        "node": ledger.map(|ledger| ledger.journal().node()),
        "servers": counts.servers,
        "tools": counts.tools,
        "sessions": counts.sessions,
        "journal": ledger.map(journal),
        "index": ledger.map(index),
        "learn": ledger.map(|ledger| json!({ "policy": ledger.learning().policy() })),
        "voice": api.voice.as_ref().and_then(|now| now()),
        "limits": limits(web, api),
    }))
}

/// `ok` when all that is asked of it is done.
fn status(web: &Web, ledger: Option<&Ledger>) -> &'static str {
    let is_written = ledger.is_some_and(|ledger| ledger.health().state == State::Ok);
    let is_indexed = ledger.is_none_or(|ledger| ledger.index_problem().is_none());
    match (web.stop.is_asked(), is_written && is_indexed) {
        (true, _) => "ending",
        (false, true) => "ok",
        (false, false) => "degraded",
    }
}

fn journal(ledger: &Ledger) -> Value {
    let (journal, health) = (ledger.journal(), ledger.health());
    json!({
        "state": health.state.word(),
        "last_seq": journal.last_seq(),
        "lost": health.lost,
        "unsynced": health.unsynced,
        "durability": journal.durability().word(),
        "last_error": health.last_error,
        "since": health.since.map(rfc3339),
    })
}

/// While the database was not reached nothing is known but that.
fn index(ledger: &Ledger) -> Value {
    let Some(status) = ledger.indexer() else {
        return json!({
            "indexed": null,
            "behind": null,
            "refused": 0,
            "retries": 0,
            "problem": ledger.index_problem().unwrap_or_else(|| "the database is not open yet".to_owned()),
        });
    };
    json!({
        "indexed": status.indexed,
        "behind": ledger.index_lag(),
        "refused": status.refused,
        "retries": status.retries,
        "problem": status.problem,
    })
}

/// How near a limit is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LimitNow {
    /// Its name in the configuration and in `/api/health`.
    pub name: &'static str,
    /// What is in use.
    pub current: usize,
    /// How much may be.
    pub limit: usize,
    /// How many found no room; nothing where nobody counts.
    pub dropped: Option<u64>,
}

fn limits(web: &Web, api: &Api) -> Map<String, Value> {
    let held = |now: LimitNow| {
        (now.name.to_owned(), json!({ "current": now.current, "limit": now.limit, "dropped": now.dropped }))
    };
    limits_now(web, api).into_iter().map(held).collect()
}

/// All limits.
pub(super) fn limits_now(web: &Web, api: &Api) -> Vec<LimitNow> {
    let (limits, open) = (&web.limits, &web.admission);
    [
        ("connections", web.connections.in_flight(), limits.connections),
        ("requestsInAll", open.requests.in_flight(), limits.requests_in_all),
        ("streamsInAll", open.streams.in_flight(), limits.streams_in_all),
        ("bodyBytesInAll", open.body_bytes.in_flight(), limits.body_bytes_in_all),
        ("callsInAll", api.executor.running(), api.executor.limits().calls_in_all),
        ("liveListeners", api.listeners.in_flight(), MOST_LISTENERS),
    ]
    .into_iter()
    .map(|(name, current, limit)| {
        // Calls that find no room are told of by their tool; nobody counts them here.
        let dropped = (name != "callsInAll").then(|| web.dropped.count(name));
        LimitNow { name, current, limit, dropped }
    })
    .collect()
}
