//! Calls, by as many clients as are wanted, one after the other each.

use std::error::Error;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tokio::task::JoinSet;
use toolwright_testkit::wire::{Caller, call_params, text_of};

use crate::lane::Lane;

/// What one round of a lane came to.
pub struct Figures {
    /// Half of the calls took at most this.
    pub p50_ns: u64,
    p99_ns: u64,
    calls: usize,
    elapsed: Duration,
    cpu_ms: u64,
}

impl Figures {
    /// For the report.
    pub fn to_json(&self) -> Value {
        let seconds = self.elapsed.as_secs_f64();
        #[allow(clippy::cast_precision_loss, reason = "a figure for people")]
        let (calls, cpu) = (self.calls as f64, self.cpu_ms as f64);
        json!({
            "p50_ns": self.p50_ns,
            "p99_ns": self.p99_ns,
            "calls_per_second": (calls / seconds).round(),
            "cpu_us_per_call": (cpu * 1000.0 / calls * 10.0).round() / 10.0,
        })
    }
}

/// Calls for a while, and not more often than this.
pub async fn measure(
    lane: &Lane,
    clients: usize,
    calls: usize,
    time: Duration,
) -> Result<Figures, Box<dyn Error>> {
    let mut callers = Vec::new();
    for _ in 0..clients {
        callers.push(lane.caller().await.map_err(|error| format!("{}: {error}", lane.name))?);
    }
    let left = Arc::new(AtomicUsize::new(calls));
    let (cpu, started) = (lane.cpu_ms(), Instant::now());
    let mut tasks = JoinSet::new();
    for caller in callers {
        tasks.spawn(call(caller, lane.tool.clone(), Arc::clone(&left), started + time));
    }
    let mut times = Vec::new();
    for result in tasks.join_all().await {
        times.extend(result.map_err(|error| format!("{}: {error}", lane.name))?);
    }
    let elapsed = started.elapsed();
    times.sort_unstable();
    let share = |percent: usize| times[(times.len() - 1) * percent / 100];
    if times.is_empty() {
        return Err(format!("{}: no call was answered", lane.name).into());
    }
    let cpu_ms = lane.cpu_ms().saturating_sub(cpu);
    Ok(Figures { p50_ns: share(50), p99_ns: share(99), calls: times.len(), elapsed, cpu_ms })
}

async fn call(
    mut caller: Caller,
    tool: String,
    left: Arc<AtomicUsize>,
    end: Instant,
) -> Result<Vec<u64>, String> {
    let params = call_params(&tool, r#"{"text":"Switch One"}"#);
    let mut times = Vec::new();
    let mut id = 1_u64;
    while Instant::now() < end && left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(1)).is_ok() {
        let started = Instant::now();
        let reply = caller.ask_as(&id.to_string(), "tools/call", &params).await.map_err(|error| error.to_string())?;
        times.push(u64::try_from(started.elapsed().as_nanos()).unwrap_or(u64::MAX));
        let said = text_of(&reply.result()?);
        if said != "Switch One" {
            return Err(format!("it said {said:?}"));
        }
        id += 1;
    }
    Ok(times)
}
