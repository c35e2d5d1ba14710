//! What is counted, and how Prometheus reads it.

mod text;

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use toolwright_ledger::journal::{Health, State};
use toolwright_tools::CallObserver;
use toolwright_tools::observer::{Finished, Normalized};

use super::inside::Counts;
pub(super) use text::CONTENT_TYPE;
use text::Page;

/// The upper bounds of the times of calls, in seconds.
const TIMES: [f64; 12] = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1.0, 2.5, 10.0, 30.0];

/// The counters of one gateway.
#[derive(Debug)]
pub struct Metrics {
    started: Instant,
    requests: Mutex<BTreeMap<(&'static str, u16), u64>>,
    refused: Mutex<BTreeMap<&'static str, u64>>,
    calls: Arc<CallCounter>,
}

/// Counts the calls of an executor: one of its observers.
#[derive(Debug, Default)]
pub struct CallCounter {
    outcomes: Mutex<BTreeMap<&'static str, u64>>,
    repaired: AtomicU64,
    times: [AtomicU64; TIMES.len()],
    count: AtomicU64,
    micros: AtomicU64,
}

/// What the port itself has open now.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Open {
    pub connections: usize,
    pub requests: usize,
    pub streams: usize,
}

impl CallObserver for CallCounter {
    fn normalized(&self, call: &Normalized<'_>) {
        if !call.changes.is_empty() {
            self.repaired.fetch_add(1, Ordering::Relaxed);
        }
    }

    fn finished(&self, call: &Finished<'_>) {
        let outcome = call.result.map_or_else(|error| error.code.as_str(), |_| "ok");
        self.count(outcome, call.duration);
    }
}

impl CallCounter {
    fn count(&self, outcome: &'static str, duration: Duration) {
        *self.outcomes.lock().unwrap_or_else(PoisonError::into_inner).entry(outcome).or_default() += 1;
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
        Metrics { started: Instant::now(), requests: Mutex::default(), refused: Mutex::default(), calls }
    }

    pub(super) fn answered(&self, route: &'static str, status: u16) {
        let mut requests = self.requests.lock().unwrap_or_else(PoisonError::into_inner);
        *requests.entry((route, status)).or_default() += 1;
    }

    pub(super) fn refused(&self, reason: &'static str) {
        *self.refused.lock().unwrap_or_else(PoisonError::into_inner).entry(reason).or_default() += 1;
    }

    /// The page that Prometheus reads.
    pub(super) fn page(&self, open: Open, inside: &Counts) -> String {
        let mut page = Page::default();
        page.family("toolwright_build_info", "gauge", "The version that runs.");
        page.sample("toolwright_build_info", &[("version", env!("CARGO_PKG_VERSION"))], 1);
        page.family("toolwright_uptime_seconds", "gauge", "Seconds since the start.");
        page.sample("toolwright_uptime_seconds", &[], self.started.elapsed().as_secs_f64());
        page.family("toolwright_http_requests_total", "counter", "Answered requests by endpoint and status.");
        for ((route, status), count) in &*self.requests.lock().unwrap_or_else(PoisonError::into_inner) {
            let labels = [("endpoint", *route), ("status", &status.to_string())];
            page.sample("toolwright_http_requests_total", &labels, count);
        }
        page.family(
            "toolwright_http_refused_total",
            "counter",
            "Requests that the port turned away, by reason.",
        );
        for (reason, count) in &*self.refused.lock().unwrap_or_else(PoisonError::into_inner) {
            page.sample("toolwright_http_refused_total", &[("reason", reason)], count);
        }
        page.gauge("toolwright_http_connections", "Open connections.", open.connections);
        page.gauge("toolwright_http_requests_in_flight", "Requests that are worked on.", open.requests);
        page.gauge("toolwright_http_streams", "Streams that hear of changes.", open.streams);
        page.gauge("toolwright_sessions", "Sessions of legacy clients.", inside.sessions);
        page.gauge("toolwright_parked_calls", "Calls that wait for a client's answer.", inside.parked_calls);
        let dropped = "toolwright_dropped_notifications_total";
        page.family(dropped, "counter", "Notifications that slow clients did not take.");
        page.sample(dropped, &[], inside.dropped_notifications);
        self.calls.on(&mut page, inside.calls_in_flight);
        page.gauge("toolwright_tools", "Tools that are known.", inside.tools);
        page.family("toolwright_servers", "gauge", "Servers by state.");
        for (state, count) in &inside.servers {
            page.sample("toolwright_servers", &[("state", state)], count);
        }
        if let Some(journal) = &inside.journal {
            on_journal(&mut page, journal);
        }
        page.into_text()
    }
}

fn on_journal(page: &mut Page, journal: &Health) {
    let degraded = usize::from(journal.state == State::Degraded);
    page.gauge("toolwright_journal_degraded", "1 while calls cannot be written down.", degraded);
    let lost = "toolwright_journal_lost_records_total";
    page.family(lost, "counter", "Records that could not be written.");
    page.sample(lost, &[], journal.lost);
    let unsynced = "toolwright_journal_unsynced_records_total";
    page.family(unsynced, "counter", "Written records that a loss of power may take.");
    page.sample(unsynced, &[], journal.unsynced);
}

impl CallCounter {
    fn on(&self, page: &mut Page, in_flight: usize) {
        page.family("toolwright_calls_total", "counter", "Tool calls by outcome.");
        for (outcome, count) in &*self.outcomes.lock().unwrap_or_else(PoisonError::into_inner) {
            page.sample("toolwright_calls_total", &[("outcome", outcome)], count);
        }
        page.family("toolwright_calls_repaired_total", "counter", "Tool calls whose arguments were mended.");
        page.sample("toolwright_calls_repaired_total", &[], self.repaired.load(Ordering::Relaxed));
        page.gauge("toolwright_calls_in_flight", "Tool calls that run.", in_flight);
        let name = "toolwright_call_duration_seconds";
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
    use super::*;

    #[test]
    fn a_page_is_read_line_by_line_and_its_histogram_adds_up() {
        let calls: Arc<CallCounter> = Arc::default();
        for millis in [0, 3, 3, 700, 60_000] {
            calls.count("ok", Duration::from_millis(millis));
        }
        calls.count("timeout", Duration::from_secs(30));
        let metrics = Metrics::new(calls);
        metrics.answered("mcp", 200);
        metrics.answered("mcp", 200);
        metrics.refused("host");
        let servers = BTreeMap::from([("ready".to_owned(), 2), ("odd \"\\\n".to_owned(), 1)]);
        let journal = Some(Health { state: State::Degraded, lost: 7, ..Health::default() });
        let page = metrics.page(Open::default(), &Counts { servers, journal, ..Counts::default() });
        let sample = |line: &str| assert!(page.lines().any(|known| known == line), "{line}\n{page}");
        sample("toolwright_http_requests_total{endpoint=\"mcp\",status=\"200\"} 2");
        sample("toolwright_http_refused_total{reason=\"host\"} 1");
        sample("toolwright_calls_total{outcome=\"ok\"} 5");
        sample("toolwright_call_duration_seconds_bucket{le=\"0.005\"} 3");
        sample("toolwright_call_duration_seconds_bucket{le=\"30\"} 5");
        sample("toolwright_call_duration_seconds_bucket{le=\"+Inf\"} 6");
        sample("toolwright_call_duration_seconds_count 6");
        sample("toolwright_journal_degraded 1");
        sample("toolwright_journal_lost_records_total 7");
        sample("toolwright_servers{state=\"odd \\\"\\\\\\n\"} 1");
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
