//! `/api/stats`: how many calls there were, how they ended and how long they took.
//!
//! All calls of this gateway are counted in memory. A range, and the sums over all gateways that share a database,
//! come from the index. Begins are no calls: only what ended counts.

use std::collections::HashMap;
use std::sync::Arc;

use http::Response;
use serde::Serialize;
use toolwright_base::unix_micros;
use toolwright_ledger::Ledger;
use toolwright_ledger::index::{By, Filter, MOST_ROWS, State, Store, StoreError, Sum};
use toolwright_ledger::stats::{Numbers, Point, Snapshot, Step, rfc3339};

use super::operation::milliseconds;
use super::query::Query;
use super::{Api, aside, json};
use crate::inside::InsideBody;
use crate::refusal::Refusal;

/// How many hours and minutes come when nobody says how many.
const HOURS: usize = 48;
const MINUTES: usize = 60;
/// How many of the slowest calls come.
const SLOWEST: usize = 10;

/// The ranges there are, in microseconds; nothing for all.
const RANGES: &[(&str, Option<i64>)] = &[
    ("all", None),
    ("1h", Some(3_600_000_000)),
    ("24h", Some(24 * 3_600_000_000)),
    ("7d", Some(7 * 24 * 3_600_000_000)),
    ("30d", Some(30 * 24 * 3_600_000_000)),
    ("90d", Some(90 * 24 * 3_600_000_000)),
];

/// Whose calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
enum Scope {
    Gateway,
    All,
}

#[derive(Serialize)]
struct Answer {
    scope: Scope,
    range: String,
    /// The begin of the range.
    #[serde(skip_serializing_if = "Option::is_none")]
    since: Option<String>,
    #[serde(flatten)]
    total: Counts,
    by_tool: Vec<ToolRow>,
    by_rule: Vec<RuleRow>,
    by_client: Vec<ClientRow>,
    by_server: Vec<ServerRow>,
    by_hour: Vec<Moment>,
    by_minute: Vec<Moment>,
    slowest: Vec<Slow>,
}

/// What is told of any group of calls.
#[derive(Clone, Default, Serialize)]
struct Counts {
    count: u64,
    errors: u64,
    error_rate: f64,
    normalized: u64,
    avg_ms: f64,
    min_ms: f64,
    max_ms: f64,
    p50_ms: f64,
    p95_ms: f64,
    p99_ms: f64,
    bytes_in: u64,
    bytes_out: u64,
}

#[derive(Serialize)]
struct ToolRow {
    tool: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    server: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    toolbox: Option<String>,
    #[serde(flatten)]
    counts: Counts,
}

#[derive(Serialize)]
struct RuleRow {
    rule_id: String,
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    rule_type: Option<String>,
    hits: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    tools: Option<Vec<String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    last_fired: Option<String>,
}

#[derive(Serialize)]
struct ClientRow {
    client: String,
    #[serde(flatten)]
    counts: Counts,
}

#[derive(Serialize)]
struct ServerRow {
    server: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    toolbox: Option<String>,
    #[serde(flatten)]
    counts: Counts,
}

/// One hour or minute.
#[derive(Clone, Serialize)]
struct Moment {
    ts: String,
    count: u64,
    errors: u64,
    normalized: u64,
    avg_ms: f64,
}

#[derive(Serialize)]
struct Slow {
    req_id: String,
    ts: String,
    tool: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    server: Option<String>,
    duration_ms: f64,
    status: &'static str,
}

pub(super) async fn answer(api: &Api, query: &Query) -> Result<Response<InsideBody>, Refusal> {
    query.allow(&["range", "scope", "hours", "minutes"])?;
    let range = query.word("range", RANGES, None)?;
    let scope = query.word("scope", &[("gateway", Scope::Gateway), ("all", Scope::All)], Scope::Gateway)?;
    let hours = query.number("hours", HOURS, Step::Hour.kept())?;
    let minutes = query.number("minutes", MINUTES, Step::Minute.kept())?;
    let (ledger, now) = (api.ledger()?, unix_micros());
    let mut answer = if range.is_none() && scope == Scope::Gateway {
        let ledger = Arc::clone(ledger);
        aside(move || from_memory(&ledger, now)).await?
    } else {
        let store = ledger.store().ok_or_else(|| Refusal::no_index("the index is not open yet"))?;
        let filter = Filter {
            node: (scope == Scope::Gateway).then(|| ledger.node().to_owned()),
            from: range.map(|range| now.saturating_sub(range)),
            ..Filter::default()
        };
        let answer = from_index(&store, &filter, now).await;
        answer.map_err(|error| Refusal::no_index(&error.to_string()))?
    };
    answer.scope = scope;
    answer.range = query.text("range").unwrap_or("all").to_owned();
    answer.since = range.map(|range| rfc3339(now.saturating_sub(range)));
    for (series, wanted) in [(&mut answer.by_hour, hours), (&mut answer.by_minute, minutes)] {
        series.drain(..series.len().saturating_sub(wanted));
    }
    json(&answer)
}

fn from_memory(ledger: &Ledger, now: i64) -> Answer {
    let stats = ledger.stats();
    let Snapshot { total, tools, rules, clients, servers, slowest, .. } = stats.summary();
    let series = |step| stats.over_time(step, now).into_iter().map(Moment::from).collect();
    let mut answer = Answer {
        scope: Scope::Gateway,
        range: String::new(),
        since: None,
        total: Counts::from(&total),
        by_tool: tools
            .into_iter()
            .map(|row| ToolRow {
                counts: Counts::from(&row.numbers),
                tool: row.tool,
                server: row.server,
                toolbox: row.toolbox,
            })
            .collect(),
        by_rule: rules
            .into_iter()
            .map(|row| RuleRow {
                rule_id: row.rule_id,
                rule_type: Some(row.rule_type),
                hits: row.hits,
                tools: Some(row.tools),
                last_fired: row.last.map(rfc3339),
            })
            .collect(),
        by_client: clients
            .into_iter()
            .map(|row| ClientRow { client: row.client, counts: Counts::from(&row.numbers) })
            .collect(),
        by_server: servers
            .into_iter()
            .map(|row| ServerRow {
                server: row.server,
                toolbox: row.toolbox,
                counts: Counts::from(&row.numbers),
            })
            .collect(),
        by_hour: series(Step::Hour),
        by_minute: series(Step::Minute),
        slowest: slowest
            .into_iter()
            .map(|call| Slow {
                req_id: call.call,
                ts: rfc3339(call.ts),
                tool: call.tool,
                server: call.server,
                duration_ms: milliseconds(call.duration_us),
                status: if call.ok { "ok" } else { "error" },
            })
            .collect(),
    };
    // The index gives them in this order, too.
    answer.by_tool.sort_by_key(|row| std::cmp::Reverse(row.counts.count));
    answer.by_rule.sort_by_key(|row| std::cmp::Reverse(row.hits));
    answer.by_client.sort_by_key(|row| std::cmp::Reverse(row.counts.count));
    answer.by_server.sort_by_key(|row| std::cmp::Reverse(row.counts.count));
    answer
}

async fn from_index(store: &Store, filter: &Filter, now: i64) -> Result<Answer, StoreError> {
    let sums = |by| store.sums(filter, by, MOST_ROWS);
    let total = sums(By::All).await?.first().map(Counts::from).unwrap_or_default();
    let finished = store.slowest(filter, SLOWEST).await?;
    Ok(Answer {
        scope: Scope::All,
        range: String::new(),
        since: None,
        total,
        by_tool: sums(By::Tool)
            .await?
            .into_iter()
            .map(|sum| ToolRow { counts: Counts::from(&sum), tool: sum.key, server: None, toolbox: None })
            .collect(),
        by_rule: sums(By::Rule)
            .await?
            .into_iter()
            .map(|sum| RuleRow {
                rule_id: sum.key,
                rule_type: None,
                hits: sum.calls,
                tools: None,
                last_fired: Some(rfc3339(sum.last)),
            })
            .collect(),
        by_client: sums(By::Client)
            .await?
            .into_iter()
            .map(|sum| ClientRow { counts: Counts::from(&sum), client: sum.key })
            .collect(),
        by_server: sums(By::Server)
            .await?
            .into_iter()
            .map(|sum| ServerRow { counts: Counts::from(&sum), server: sum.key, toolbox: None })
            .collect(),
        by_hour: over_time(store, filter, By::Hour, Step::Hour, now).await?,
        by_minute: over_time(store, filter, By::Minute, Step::Minute, now).await?,
        slowest: finished
            .into_iter()
            .filter(|call| matches!(call.state, State::Ok | State::Error))
            .map(|call| Slow {
                req_id: call.record.call,
                ts: rfc3339(call.record.ts),
                tool: call.record.tool,
                server: call.record.server,
                duration_ms: milliseconds(call.record.duration_us),
                status: if call.state == State::Ok { "ok" } else { "error" },
            })
            .collect(),
    })
}

/// As many points as are kept in memory at most, without gaps, up to now.
async fn over_time(
    store: &Store,
    filter: &Filter,
    by: By,
    step: Step,
    now: i64,
) -> Result<Vec<Moment>, StoreError> {
    let last = now.div_euclid(step.us());
    let kept = i64::try_from(step.kept().min(MOST_ROWS)).unwrap_or(i64::MAX);
    let first = last - kept + 1;
    let from = filter.from.unwrap_or(i64::MIN).max(first * step.us());
    let filter = Filter { from: Some(from), ..filter.clone() };
    let sums = store.sums(&filter, by, MOST_ROWS).await?;
    let by_begin: HashMap<i64, Sum> =
        sums.into_iter().filter_map(|sum| Some((sum.key.parse().ok()?, sum))).collect();
    let begins = (from.div_euclid(step.us()).max(first)..=last).map(|number| number * step.us());
    Ok(begins.map(|begin| Moment::of(begin, by_begin.get(&begin))).collect())
}

impl Counts {
    fn new(count: u64, errors: u64) -> Counts {
        // No count has so many digits that one matters here.
        let error_rate = if count == 0 { 0.0 } else { errors as f64 / count as f64 };
        Counts { count, errors, error_rate, ..Counts::default() }
    }
}

impl From<&Numbers> for Counts {
    fn from(numbers: &Numbers) -> Counts {
        let sum = numbers.summary();
        Counts {
            normalized: sum.normalized,
            avg_ms: milliseconds(sum.mean_us),
            min_ms: milliseconds(sum.min_us),
            max_ms: milliseconds(sum.max_us),
            p50_ms: milliseconds(sum.p50_us),
            p95_ms: milliseconds(sum.p95_us),
            p99_ms: milliseconds(sum.p99_us),
            bytes_in: sum.bytes_in,
            bytes_out: sum.bytes_out,
            ..Counts::new(sum.processed, sum.errors)
        }
    }
}

impl From<&Sum> for Counts {
    fn from(sum: &Sum) -> Counts {
        Counts {
            normalized: sum.changed,
            avg_ms: milliseconds(sum.mean_us),
            min_ms: milliseconds(sum.min_us),
            max_ms: milliseconds(sum.max_us),
            p50_ms: milliseconds(sum.p50_us),
            p95_ms: milliseconds(sum.p95_us),
            p99_ms: milliseconds(sum.p99_us),
            bytes_in: sum.bytes_in,
            bytes_out: sum.bytes_out,
            ..Counts::new(sum.calls, sum.calls.saturating_sub(sum.ok))
        }
    }
}

impl From<Point> for Moment {
    fn from(point: Point) -> Moment {
        Moment {
            ts: rfc3339(point.ts),
            count: point.calls,
            errors: point.errors,
            normalized: point.normalized,
            avg_ms: milliseconds(point.mean_us),
        }
    }
}

impl Moment {
    fn of(begin: i64, sum: Option<&Sum>) -> Moment {
        Moment {
            ts: rfc3339(begin),
            count: sum.map_or(0, |sum| sum.calls),
            errors: sum.map_or(0, |sum| sum.calls.saturating_sub(sum.ok)),
            normalized: sum.map_or(0, |sum| sum.changed),
            avg_ms: sum.map_or(0.0, |sum| milliseconds(sum.mean_us)),
        }
    }
}
