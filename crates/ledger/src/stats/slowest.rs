//! The calls that took longest.

use std::cmp::Reverse;

use serde::{Deserialize, Serialize};

use super::state::cut;
use crate::Record;

/// A call that took long.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct SlowCall {
    /// How long it took, in microseconds.
    pub duration_us: u64,
    /// When it came in, in microseconds since 1970.
    pub ts: i64,
    /// Which call.
    pub call: String,
    /// The server of the tool.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub server: Option<String>,
    /// The tool.
    pub tool: String,
    /// Whether it did what it was asked.
    pub ok: bool,
}

/// A few of them, the slowest first.
#[derive(Debug)]
pub(super) struct Slowest {
    calls: Vec<SlowCall>,
    limit: usize,
}

impl Slowest {
    pub fn new(limit: usize) -> Slowest {
        Slowest { calls: Vec::new(), limit }
    }

    /// Most calls are not slow: they cost one comparison.
    pub fn see(&mut self, record: &Record, text: usize) {
        let is_full = self.calls.len() >= self.limit;
        if is_full && self.calls.last().is_none_or(|last| record.duration_us <= last.duration_us) {
            return;
        }
        self.add(&[SlowCall {
            duration_us: record.duration_us,
            ts: record.ts,
            call: cut(&record.call, text).to_owned(),
            server: record.server.as_deref().map(|server| cut(server, text).to_owned()),
            tool: cut(&record.tool, text).to_owned(),
            ok: record.is_ok(),
        }]);
    }

    /// Adds what was seen elsewhere.
    pub fn add(&mut self, others: &[SlowCall]) {
        self.calls.extend(others.iter().cloned());
        self.calls.sort_by(|one, two| {
            let key = |call: &SlowCall| (Reverse(call.duration_us), call.ts);
            key(one).cmp(&key(two)).then_with(|| one.call.cmp(&two.call))
        });
        self.calls.truncate(self.limit);
    }

    pub fn list(&self) -> Vec<SlowCall> {
        self.calls.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_slowest_stay_in_whatever_order_they_come() {
        let mut held = Slowest::new(3);
        for (number, duration_us) in [5, 90, 20, 90, 7, 30].into_iter().enumerate() {
            let call = format!("c{number}");
            held.see(&Record { duration_us, call, ts: number as i64, ..Record::default() }, 200);
        }
        let kept: Vec<(u64, String)> =
            held.list().into_iter().map(|call| (call.duration_us, call.call)).collect();
        assert_eq!(kept, [(90, "c1".to_owned()), (90, "c3".to_owned()), (30, "c5".to_owned())]);
        let mut none = Slowest::new(0);
        none.see(&Record { duration_us: 1, ..Record::default() }, 200);
        assert!(none.list().is_empty());
    }
}
