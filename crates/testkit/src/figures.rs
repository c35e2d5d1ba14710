//! The figures that connections to servers must reach, by their ids: one function each, of any size.
//!
//! A fault is something that must not happen on any machine. A goal is a time or a size: it is compared and
//! told, but a machine that does much else may miss it.

mod answers;
mod cancels;
pub mod gateway;
mod kills;
mod orphans;
mod process;
mod soak;

use std::fmt;
use std::time::Duration;

pub use answers::{depths, large, torture};
pub use cancels::{around_completion, hung};
pub use kills::kills;
pub use orphans::{Gateway, NPX, has, orphans, stubborn};
pub use process::Usage;
pub use soak::watch;

/// One figure: what was done, and what was seen.
#[derive(Clone, Debug, Default)]
pub struct Figure {
    /// Its id.
    pub id: &'static str,
    /// What was done.
    pub done: String,
    /// What was seen.
    pub seen: Vec<String>,
    /// What must not happen and did.
    pub faults: Vec<String>,
    /// What should be reached, and whether it was.
    pub goals: Vec<(String, bool)>,
}

/// How many faults of a figure are told; the others are alike.
const MAX_FAULTS: usize = 10;

impl Figure {
    fn new(id: &'static str, done: impl Into<String>) -> Figure {
        Figure { id, done: done.into(), ..Figure::default() }
    }

    fn see(&mut self, what: impl Into<String>) {
        self.seen.push(what.into());
    }

    /// Something that must hold.
    fn must(&mut self, holds: bool, otherwise: impl FnOnce() -> String) {
        if !holds && self.faults.len() < MAX_FAULTS {
            self.faults.push(otherwise());
        }
    }

    /// Something that should hold.
    fn should(&mut self, what: impl Into<String>, holds: bool) {
        self.goals.push((what.into(), holds));
    }
}

impl fmt::Display for Figure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}  {}", self.id, self.done)?;
        self.seen.iter().try_for_each(|seen| writeln!(f, "     {seen}"))?;
        for (goal, is_met) in &self.goals {
            writeln!(f, "     goal {}: {goal}", if *is_met { "met" } else { "missed" })?;
        }
        self.faults.iter().try_for_each(|fault| writeln!(f, "     FAULT: {fault}"))
    }
}

/// Times in the order of their length.
#[derive(Default)]
struct Times(Vec<Duration>);

impl Times {
    fn add(&mut self, time: Duration) {
        self.0.push(time);
    }

    fn percentile(&self, percent: usize) -> Duration {
        let mut ordered = self.0.clone();
        ordered.sort_unstable();
        let rank = (ordered.len() * percent).div_ceil(100);
        ordered.get(rank.saturating_sub(1)).copied().unwrap_or_default()
    }

    fn most(&self) -> Duration {
        self.percentile(100)
    }
}

/// `p50 0.2 ms, p99 1.3 ms, at most 2.0 ms`
impl fmt::Display for Times {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [p50, p99, most] = [50, 99, 100].map(|percent| self.percentile(percent).as_secs_f64() * 1000.0);
        write!(f, "p50 {p50:.2} ms, p99 {p99:.2} ms, at most {most:.2} ms")
    }
}

/// Numbers that look random and are the same in every run.
struct Dice(u64);

impl Dice {
    fn below(&mut self, limit: u64) -> u64 {
        // xorshift64
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % limit.max(1)
    }
}
