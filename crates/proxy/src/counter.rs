//! Exchanges with models in numbers, for the page that Prometheus reads.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard};

use toolwright_base::IgnorePoison;
use toolwright_ledger::Exchange;

/// The upper bounds of the times of exchanges, in seconds.
pub const TIMES: [f64; 12] = [0.01, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0, 120.0];
/// What stands where no upstream was asked.
const NOBODY: &str = "none";

/// Counts exchanges. Upstreams are those of the configuration, so there are few.
#[derive(Debug, Default)]
pub struct ExchangeCounter(Mutex<BTreeMap<String, UpstreamNumbers>>);

/// What came of the exchanges with one upstream.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct UpstreamNumbers {
    /// By `ok`, or the code of the failure.
    pub outcomes: BTreeMap<&'static str, u64>,
    /// Tokens of requests.
    pub input_tokens: u64,
    /// Those of them that were read from a cache.
    pub cache_read_tokens: u64,
    /// Those of them that were written to a cache.
    pub cache_write_tokens: u64,
    /// Tokens of responses.
    pub output_tokens: u64,
    /// Those of them that were thoughts.
    pub reasoning_tokens: u64,
    /// Calls in responses.
    pub calls: u64,
    /// Calls that were repaired.
    pub repaired: u64,
    /// Calls that could not be repaired.
    pub refused: u64,
    /// How many took at most as long as each bound, and longer than the one before.
    pub times: [u64; TIMES.len()],
    /// How long all of them took together, in microseconds.
    pub micros: u64,
}

impl UpstreamNumbers {
    /// How many there were.
    pub fn count(&self) -> u64 {
        self.outcomes.values().sum()
    }
}

impl ExchangeCounter {
    /// Counts one that has ended.
    pub fn count(&self, exchange: &Exchange, outcome: &'static str, duration_us: u64) {
        let upstream = if exchange.upstream.is_empty() { NOBODY } else { &exchange.upstream };
        let mut upstreams = self.upstreams();
        let numbers = match upstreams.get_mut(upstream) {
            Some(numbers) => numbers,
            None => upstreams.entry(upstream.to_owned()).or_default(),
        };
        *numbers.outcomes.entry(outcome).or_default() += 1;
        for (sum, tokens) in [
            (&mut numbers.input_tokens, exchange.input_tokens),
            (&mut numbers.cache_read_tokens, exchange.cache_read_tokens),
            (&mut numbers.cache_write_tokens, exchange.cache_write_tokens),
            (&mut numbers.output_tokens, exchange.output_tokens),
            (&mut numbers.reasoning_tokens, exchange.reasoning_tokens),
        ] {
            // An upstream may say what it likes.
            *sum = sum.saturating_add(tokens.unwrap_or(0));
        }
        numbers.calls += u64::from(exchange.calls);
        numbers.repaired += u64::from(exchange.repaired);
        numbers.refused += u64::from(exchange.refused);
        numbers.micros = numbers.micros.saturating_add(duration_us);
        let seconds = duration_us as f64 / 1e6;
        if let Some(at) = TIMES.iter().position(|bound| seconds <= *bound) {
            numbers.times[at] += 1;
        }
    }

    /// The numbers of every upstream.
    pub fn numbers(&self) -> BTreeMap<String, UpstreamNumbers> {
        self.upstreams().clone()
    }

    fn upstreams(&self) -> MutexGuard<'_, BTreeMap<String, UpstreamNumbers>> {
        self.0.lock().ignore_poison()
    }
}
