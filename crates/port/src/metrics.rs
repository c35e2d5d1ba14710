//! What is counted, and how Prometheus reads it.

mod exchanges;
mod text;

use std::collections::BTreeMap;
use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use toolwright_base::IgnorePoison;
use toolwright_executor::CallObserver;
use toolwright_executor::observer::{Finished, Normalized};
use toolwright_proxy::ExchangeCounter;
use toolwright_telemetry::names::prometheus;
use toolwright_telemetry::{JournalReadings, NumberedNames, Telemetry};

use crate::inside::Counts;
pub(crate) use text::CONTENT_TYPE;
use text::Page;

/// The upper bounds of the times of calls, in seconds.
const TIMES: [f64; 12] = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1.0, 2.5, 10.0, 30.0];

/// Reads the journal off.
type ReadJournal = Box<dyn Fn() -> Option<JournalReadings> + Send + Sync>;

/// The counters of one gateway.
pub struct Metrics {
    started: Instant,
    requests: Mutex<BTreeMap<(&'static str, u16), u64>>,
    refused: Mutex<BTreeMap<&'static str, u64>>,
    calls: Arc<CallCounter>,
    journal: Option<ReadJournal>,
    telemetry: Option<Arc<Telemetry>>,
}

/// Counts the calls of an executor: one of its observers.
#[derive(Debug, Default)]
pub struct CallCounter {
    outcomes: Mutex<BTreeMap<&'static str, u64>>,
    repaired: AtomicU64,
    /// Changes by rule, or by the step that made them without one.
    repairs: Mutex<BTreeMap<String, u64>>,
    rules: NumberedNames,
    times: [AtomicU64; TIMES.len()],
    count: AtomicU64,
    micros: AtomicU64,
}

/// What the port itself has open now.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Open {
    pub connections: usize,
    pub requests: usize,
    pub streams: usize,
}

impl CallObserver for CallCounter {
    fn normalized(&self, call: &Normalized<'_>) {
        if call.changes.is_empty() {
            return;
        }
        self.repaired.fetch_add(1, Ordering::Relaxed);
        let mut repairs = self.repairs.lock().ignore_poison();
        for change in call.changes {
            let rule = self.rules.name(change.rule.as_deref().unwrap_or_else(|| change.code.as_str()));
            match repairs.get_mut(rule) {
                Some(count) => *count += 1,
                None => drop(repairs.insert(rule.to_owned(), 1)),
            }
        }
    }

    fn finished(&self, call: &Finished<'_>) {
        let outcome = call.result.map_or_else(|error| error.code.as_str(), |_| "ok");
        self.count(outcome, call.duration);
    }
}

impl CallCounter {
    fn count(&self, outcome: &'static str, duration: Duration) {
        *self.outcomes.lock().ignore_poison().entry(outcome).or_default() += 1;
        self.count.fetch_add(1, Ordering::Relaxed);
        // Cut on purpose: 2^64 microseconds are half a million years.
        self.micros.fetch_add(duration.as_micros() as u64, Ordering::Relaxed);
        if let Some(at) = TIMES.iter().position(|bound| duration.as_secs_f64() <= *bound) {
            self.times[at].fetch_add(1, Ordering::Relaxed);
        }
    }
}

impl Metrics {
    /// Counters at zero, beside those of an executor.
    pub fn new(calls: Arc<CallCounter>) -> Metrics {
        Metrics {
            started: Instant::now(),
            requests: Mutex::default(),
            refused: Mutex::default(),
            calls,
            journal: None,
            telemetry: None,
        }
    }

    /// With what reads the journal off whenever somebody looks.
    pub fn with_journal(self, read: impl Fn() -> Option<JournalReadings> + Send + Sync + 'static) -> Metrics {
        Metrics { journal: Some(Box::new(read)), ..self }
    }

    /// With what tells others of calls: what it loses is counted here.
    pub fn with_telemetry(self, telemetry: Option<Arc<Telemetry>>) -> Metrics {
        Metrics { telemetry, ..self }
    }

    pub(super) fn answered(&self, route: &'static str, status: u16) {
        let mut requests = self.requests.lock().ignore_poison();
        *requests.entry((route, status)).or_default() += 1;
    }

    pub(super) fn refused(&self, reason: &'static str) {
        *self.refused.lock().ignore_poison().entry(reason).or_default() += 1;
    }

    /// The page that Prometheus reads.
    pub(super) fn page(&self, open: Open, inside: &Counts, exchanges: Option<&ExchangeCounter>) -> String {
        let mut page = Page::default();
        page.family(prometheus::BUILD_INFO, "gauge", "The version that runs.");
        page.sample(prometheus::BUILD_INFO, &[("version", env!("CARGO_PKG_VERSION"))], 1);
        page.family(prometheus::UPTIME, "gauge", "Seconds since the start.");
        page.sample(prometheus::UPTIME, &[], self.started.elapsed().as_secs_f64());
        page.family(prometheus::HTTP_REQUESTS, "counter", "Answered requests by endpoint and status.");
        for ((route, status), count) in &*self.requests.lock().ignore_poison() {
            let labels = [("endpoint", *route), ("status", &status.to_string())];
            page.sample(prometheus::HTTP_REQUESTS, &labels, count);
        }
        page.family(prometheus::HTTP_REFUSED, "counter", "Requests that the port turned away, by reason.");
        for (reason, count) in &*self.refused.lock().ignore_poison() {
            page.sample(prometheus::HTTP_REFUSED, &[("reason", reason)], count);
        }
        page.gauge(prometheus::HTTP_CONNECTIONS, "Open connections.", open.connections);
        page.gauge(prometheus::HTTP_IN_FLIGHT, "Requests that are worked on.", open.requests);
        page.gauge(prometheus::HTTP_STREAMS, "Streams that hear of changes.", open.streams);
        page.gauge(prometheus::SESSIONS, "Sessions of legacy clients.", inside.sessions);
        page.gauge(prometheus::PARKED_CALLS, "Calls that wait for a client's answer.", inside.parked_calls);
        let dropped = prometheus::DROPPED_NOTIFICATIONS;
        page.family(dropped, "counter", "Notifications that slow clients did not take.");
        page.sample(dropped, &[], inside.dropped_notifications);
        self.calls.on(&mut page, inside.calls_in_flight);
        if let Some(exchanges) = exchanges {
            exchanges::on(&mut page, &exchanges.numbers());
        }
        page.gauge(prometheus::TOOLS, "Tools that are known.", inside.tools);
        page.family(prometheus::SERVERS, "gauge", "Servers by state.");
        for (state, count) in &inside.servers {
            page.sample(prometheus::SERVERS, &[("state", state)], count);
        }
        if let Some(journal) = self.journal.as_ref().and_then(|read| read()) {
            journal_on(&mut page, &journal);
        }
        if let Some(telemetry) = &self.telemetry {
            let counts = telemetry.counts();
            page.family(prometheus::SPANS_LOST, "counter", "Spans that were not sent, by reason.");
            for (reason, count) in [("queue_full", counts.spans_dropped), ("not_sent", counts.spans_not_sent)]
            {
                page.sample(prometheus::SPANS_LOST, &[("reason", reason)], count);
            }
        }
        page.into_text()
    }
}

/// How the journal is doing, on the page.
fn journal_on(page: &mut Page, journal: &JournalReadings) {
    page.family(prometheus::JOURNAL_RECORDS, "counter", "Records in the journal.");
    page.sample(prometheus::JOURNAL_RECORDS, &[], journal.records);
    page.family(prometheus::JOURNAL_LOST, "counter", "Records that could not be written since the start.");
    page.sample(prometheus::JOURNAL_LOST, &[], journal.lost);
    page.family(prometheus::JOURNAL_UNSYNCED, "counter", "Written records that a loss of power may take.");
    page.sample(prometheus::JOURNAL_UNSYNCED, &[], journal.unsynced);
    page.gauge(
        prometheus::JOURNAL_DEGRADED,
        "1 while records cannot be written.",
        journal.is_degraded.into(),
    );
    if let Some(lag) = journal.index_lag {
        page.family(prometheus::INDEX_LAG, "gauge", "Records that the index has not seen yet.");
        page.sample(prometheus::INDEX_LAG, &[], lag);
    }
}

impl fmt::Debug for Metrics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Metrics").field("calls", &self.calls).finish_non_exhaustive()
    }
}

impl CallCounter {
    fn on(&self, page: &mut Page, in_flight: usize) {
        page.family(prometheus::CALLS, "counter", "Tool calls by outcome.");
        for (outcome, count) in &*self.outcomes.lock().ignore_poison() {
            page.sample(prometheus::CALLS, &[("outcome", outcome)], count);
        }
        page.family(prometheus::CALLS_REPAIRED, "counter", "Tool calls whose arguments were mended.");
        page.sample(prometheus::CALLS_REPAIRED, &[], self.repaired.load(Ordering::Relaxed));
        page.family(
            prometheus::REPAIRS,
            "counter",
            "Changes of arguments by rule, or by step where no rule asked.",
        );
        for (rule, count) in &*self.repairs.lock().ignore_poison() {
            page.sample(prometheus::REPAIRS, &[("rule", rule)], count);
        }
        page.gauge(prometheus::CALLS_IN_FLIGHT, "Tool calls that run.", in_flight);
        let name = prometheus::CALL_DURATION;
        page.family(name, "histogram", "The time of tool calls.");
        // The sum of what was counted so far, not the counter: a call may end while this is written.
        let mut below = 0;
        for (bound, count) in TIMES.iter().zip(&self.times) {
            below += count.load(Ordering::Relaxed);
            page.sample(&format!("{name}_bucket"), &[("le", &bound.to_string())], below);
        }
        let count = self.count.load(Ordering::Relaxed).max(below);
        page.sample(&format!("{name}_bucket"), &[("le", "+Inf")], count);
        // Cut on purpose: the sum needs no more digits than a float has.
        page.sample(&format!("{name}_sum"), &[], self.micros.load(Ordering::Relaxed) as f64 / 1e6);
        page.sample(&format!("{name}_count"), &[], count);
    }
}

#[cfg(test)]
mod tests {
    use toolwright_ledger::Exchange;

    use super::*;

    #[test]
    fn a_page_is_read_line_by_line_and_its_histogram_adds_up() {
        let calls: Arc<CallCounter> = Arc::default();
        for millis in [0, 3, 3, 700, 60_000] {
            calls.count("ok", Duration::from_millis(millis));
        }
        calls.count("timeout", Duration::from_secs(30));
        calls.repairs.lock().expect("no panic").insert("my-rule".to_owned(), 3);
        let journal =
            JournalReadings { records: 12, lost: 1, unsynced: 2, is_degraded: true, index_lag: Some(4) };
        let metrics = Metrics::new(calls).with_journal(move || Some(journal));
        metrics.answered("mcp", 200);
        metrics.answered("mcp", 200);
        metrics.refused("host");
        let exchanges = ExchangeCounter::default();
        let exchange =
            Exchange { upstream: "up".to_owned(), input_tokens: Some(7), calls: 2, ..Exchange::default() };
        exchanges.count(&exchange, "ok", 300_000);
        exchanges.count(&exchange, "timeout", 200_000_000);
        exchanges.count(&Exchange::default(), "not_found", 10);
        let servers = BTreeMap::from([("ready".to_owned(), 2), ("odd \"\\\n".to_owned(), 1)]);
        let page = metrics.page(Open::default(), &Counts { servers, ..Counts::default() }, Some(&exchanges));
        let sample = |line: &str| assert!(page.lines().any(|known| known == line), "{line}\n{page}");
        sample("toolwright_http_requests_total{endpoint=\"mcp\",status=\"200\"} 2");
        sample("toolwright_http_refused_total{reason=\"host\"} 1");
        sample("toolwright_calls_total{outcome=\"ok\"} 5");
        sample("toolwright_call_duration_seconds_bucket{le=\"0.005\"} 3");
        sample("toolwright_call_duration_seconds_bucket{le=\"30\"} 5");
        sample("toolwright_call_duration_seconds_bucket{le=\"+Inf\"} 6");
        sample("toolwright_call_duration_seconds_count 6");
        sample("toolwright_servers{state=\"odd \\\"\\\\\\n\"} 1");
        sample("toolwright_repairs_total{rule=\"my-rule\"} 3");
        sample("toolwright_llm_exchanges_total{upstream=\"up\",outcome=\"timeout\"} 1");
        sample("toolwright_llm_exchanges_total{upstream=\"none\",outcome=\"not_found\"} 1");
        sample("toolwright_llm_tokens_total{upstream=\"up\",kind=\"input\"} 14");
        sample("toolwright_llm_calls_total{upstream=\"up\"} 4");
        sample("toolwright_llm_exchange_duration_seconds_bucket{upstream=\"up\",le=\"0.5\"} 1");
        sample("toolwright_llm_exchange_duration_seconds_bucket{upstream=\"up\",le=\"+Inf\"} 2");
        sample("toolwright_llm_exchange_duration_seconds_sum{upstream=\"up\"} 200.3");
        sample("toolwright_journal_records_total 12");
        sample("toolwright_journal_lost_records_total 1");
        sample("toolwright_journal_unsynced_records_total 2");
        sample("toolwright_journal_degraded 1");
        sample("toolwright_index_lag_records 4");
        assert!(page.ends_with('\n'));
        // Every sample stands below the type of its own family, and no family comes twice.
        let mut families: Vec<&str> = Vec::new();
        for line in page.lines() {
            if let Some(rest) = line.strip_prefix("# TYPE ") {
                let name = rest.split(' ').next().expect("a name");
                assert!(!families.contains(&name), "{name} twice");
                families.push(name);
            } else if !line.starts_with('#') {
                assert!(line.starts_with(families.last().expect("a family")), "{line}");
            }
        }
    }
}
