//! How much at once: by client and in all, in number and in time. Who cannot come in is told at once.

use std::sync::Arc;
use std::time::Instant;

use toolwright_base::{ConcurrencyLimit, ConcurrencyPermit, IgnorePoison};

use crate::keys::Known;
use crate::limits::{Rate, WebLimits};
use crate::refusal::Refusal;

/// What a client may still ask now.
#[derive(Debug, Default)]
pub(crate) struct Bucket {
    last: Option<(Instant, f64)>,
}

impl Bucket {
    /// Takes one out; how many seconds until there is one when there is none.
    fn take(&mut self, rate: Rate, now: Instant) -> Result<(), f64> {
        let (per_second, burst) = (f64::from(rate.per_second.max(1)), f64::from(rate.burst.max(1)));
        let left = self.last.map_or(burst, |(at, left)| {
            (left + now.saturating_duration_since(at).as_secs_f64() * per_second).min(burst)
        });
        let is_enough = left >= 1.0;
        self.last = Some((now, if is_enough { left - 1.0 } else { left }));
        if is_enough { Ok(()) } else { Err((1.0 - left) / per_second) }
    }
}

/// How long a request is expected to stay.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stay {
    /// Until it is answered.
    Request,
    /// As long as the client likes: it hears of changes.
    Stream,
}

/// A request that was let in.
#[derive(Debug)]
pub(crate) struct Pass {
    _own: ConcurrencyPermit,
    _all: ConcurrencyPermit,
}

/// What is inside, of all clients.
#[derive(Debug, Default)]
pub(crate) struct Admission {
    pub requests: Arc<ConcurrencyLimit>,
    pub streams: Arc<ConcurrencyLimit>,
    pub body_bytes: Arc<ConcurrencyLimit>,
}

impl Admission {
    /// Lets a request in, or says which limit it would break.
    pub fn enter(&self, known: &Known, stay: Stay, limits: &WebLimits) -> Result<Pass, Refusal> {
        let name = &known.visitor.name;
        if let Some(rate) = known.rate.map(Rate::per_second).or(limits.rate) {
            let mut bucket = known.bucket.lock().ignore_poison();
            bucket.take(rate, Instant::now()).map_err(|wait| {
                let message = format!(
                    "the client \"{name}\" sends more than {} requests in a second, its limit",
                    rate.per_second
                );
                // Cut on purpose: the wait is below a second unless the limit is below one a second.
                Refusal::too_much("rate", message, rate.per_second as usize, wait.ceil() as u64)
            })?;
        }
        self.admit(known, stay, limits)
    }

    /// The same for a request whose rate has been counted.
    pub fn admit(&self, known: &Known, stay: Stay, limits: &WebLimits) -> Result<Pass, Refusal> {
        let name = &known.visitor.name;
        let (what, own, own_limit, all, all_limit) = match stay {
            Stay::Request => (
                "requests",
                &known.requests,
                known.calls.unwrap_or(limits.requests_per_client),
                &self.requests,
                limits.requests_in_all,
            ),
            Stay::Stream => {
                ("streams", &known.streams, limits.streams_per_client, &self.streams, limits.streams_in_all)
            }
        };
        let own = own.try_acquire(1, own_limit).ok_or_else(|| {
            let message = format!("the client \"{name}\" has {own_limit} {what} open, its limit");
            Refusal::too_much(per_client(stay), message, own_limit, 1)
        })?;
        let all = all.try_acquire(1, all_limit).ok_or_else(|| {
            let message = format!("the gateway has {all_limit} {what} open, its limit");
            Refusal::too_much(in_all(stay), message, all_limit, 1)
        })?;
        Ok(Pass { _own: own, _all: all })
    }
}

fn per_client(stay: Stay) -> &'static str {
    match stay {
        Stay::Request => "requestsPerClient",
        Stay::Stream => "streamsPerClient",
    }
}

fn in_all(stay: Stay) -> &'static str {
    match stay {
        Stay::Request => "requestsInAll",
        Stay::Stream => "streamsInAll",
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn a_bucket_gives_its_burst_at_once_and_its_rate_over_time() {
        let rate = Rate { per_second: 10, burst: 20 };
        let (mut bucket, start) = (Bucket::default(), Instant::now());
        let taken = (0..100).filter(|_| bucket.take(rate, start).is_ok()).count();
        assert_eq!(taken, 20);
        let wait = bucket.take(rate, start).expect_err("it is empty");
        assert!((0.09..0.11).contains(&wait), "{wait}");
        let later = start + Duration::from_secs(1);
        assert_eq!((0..100).filter(|_| bucket.take(rate, later).is_ok()).count(), 10);
        let much_later = start + Duration::from_secs(1000);
        assert_eq!((0..100).filter(|_| bucket.take(rate, much_later).is_ok()).count(), 20);
    }

    #[test]
    fn a_rate_that_somebody_gives_is_also_how_many_come_in_at_once() {
        let (mut bucket, start) = (Bucket::default(), Instant::now());
        let taken = (0..100).filter(|_| bucket.take(Rate::per_second(5), start).is_ok()).count();
        assert_eq!(taken, 5);
    }
}
